package embedded

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// The address of a consent page is in the history of a browser and in the list of processes. It must not lead to the token of a request that
// the owner has approved.
func TestTheAddressOfADecidedPageLeadsToNoToken(t *testing.T) {
	r := newOAuthRig(t)
	uri := r.push("pdpp_cli", details(chatSource, everyStream()))
	if approved := r.approve(consentPage(uri)); !strings.Contains(approved.text, "cex_") {
		t.Fatalf("the owner gets no code: %s", approved.text)
	}
	if shown := r.get("", consentPage(uri)); shown.status != http.StatusOK || strings.Contains(shown.text, "cex_") {
		t.Errorf("the page shows the code again: %d %s", shown.status, shown.text)
	}
	if got := r.json("/agent-connect", map[string]any{"request_uri": uri, "client_id": "pdpp_cli"}); got.status != http.StatusConflict {
		t.Errorf("another caller begins to poll: %d %s", got.status, got.text)
	}
}

// A decision has exactly one Origin.
func TestADecisionHasOneOrigin(t *testing.T) {
	r := newOAuthRig(t)
	uri := r.push("pdpp_cli", details(chatSource, everyStream()))
	shown := r.get("", consentPage(uri))
	form := url.Values{"_csrf": {csrfField.FindStringSubmatch(shown.text)[1]}, "owner_secret": {ownerSecret}, "request_uri": {uri}}
	request := httptest.NewRequest(http.MethodPost, testOrigin+"/consent/approve", strings.NewReader(form.Encode()))
	request.Header["Origin"] = []string{testOrigin, "http://evil.example"}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Cookie", strings.Split(shown.header.Get("Set-Cookie"), ";")[0])
	if got := r.do(request); got.status != http.StatusForbidden {
		t.Errorf("status %d: %s", got.status, got.text)
	}
}
