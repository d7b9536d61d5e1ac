package connect

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// pages are HTML pages that the server shows to the owner's browser. A proxy that requires a sign-in returns such a page for any request.
const pages = "connect-28-approval-page-signed-out connect-29a-approval-page connect-29b-approval-review connect-29c-approval-approve"

// An HTML page in place of the answer to a poll is not a decision of the owner: polling goes on, and no approval is lost.
func TestAnHTMLPageInPlaceOfAPollIsNotADecision(t *testing.T) {
	for way, row := range map[string]struct{ path, end string }{
		"agent": {agentPoll, "connect-33-agent-connect-token"}, "device": {"/oauth/token", "connect-23-device-token"},
	} {
		for name := range strings.FieldsSeq(pages + " refusal-oauth-revoke") {
			r, w := newReplay(t, with(good, row.path, name+" "+row.end)), newWorld()
			if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: way}, w.Options); err != nil || r.count(row.path) != 2 {
				t.Errorf("%s, %s: %v after %d polls", way, name, err, r.count(row.path))
			}
			r, w = newReplay(t, with(good, row.path, name)), newWorld()
			_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: way}, w.Options)
			var failed *exit.Error
			if !errors.As(err, &failed) || failed.Code != exit.Unavailable || !strings.Contains(failed.Message, "did not say in time whether the owner approved") {
				t.Errorf("%s, %s to the end: %v", way, name, err)
			}
		}
	}
}

// An HTML page in place of any other answer ends the attempt. The error says whether a grant may exist that has to be revoked.
func TestAnHTMLPageInPlaceOfAnAnswer(t *testing.T) {
	for _, row := range []struct{ way, path, says string }{
		{"agent", "/oauth/register", "cannot be connected to"}, {"agent", "/oauth/par", "cannot be connected to"}, {"agent", "/agent-connect", "cannot be connected to"},
		{"device", "/oauth/device_authorization", "cannot be connected to"}, {"agent", "/.well-known/oauth-protected-resource", "cannot be connected to"},
		{"agent", "/connectors/slack", "cannot be connected to"}, {"code", "/consent/exchange", "What was approved lives on there"},
		{"agent", "/v1/schema", "was revoked, because it could not be used"},
	} {
		for name := range strings.FieldsSeq(pages) {
			r, w := newReplay(t, with(good, row.path, name)), newWorld()
			_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: row.way}, w.Options)
			asked := strings.Contains(w.said.String(), "/consent?")
			if err == nil || !strings.Contains(err.Error(), row.says) || asked == (row.says == "cannot be connected to") {
				t.Errorf("%s, %s: %v; output %s; want %q", row.path, name, err, w.said.String(), row.says)
			}
		}
	}
}

// The authorization request has exactly the parameters of the recorded one, and the resource (RFC 8707).
func TestTheAuthorizationRequestIsAsRecorded(t *testing.T) {
	for _, name := range []string{"connect-41-authorize-signed-out", "connect-42-authorize"} {
		r, w := newReplay(t, with(good, "/oauth/authorize", name)), newWorld()
		refusedInBrowser(t, r, w, "/oauth/authorize", "did not come back")
		_, recorded, _ := strings.Cut(r.recorded[name].Request, "?")
		if got, want := parameters(t, r.sent("/oauth/authorize")), parameters(t, recorded+"&resource=x"); !slices.Equal(got, want) {
			t.Errorf("%s: sent %v, recorded %v", name, got, want)
		}
	}
}

func parameters(t *testing.T, query string) (names []string) {
	t.Helper()
	sent, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range sent {
		if names = append(names, name); len(values) != 1 {
			t.Errorf("%s is sent %d times", name, len(values))
		}
	}
	slices.Sort(names)
	return names
}

// unplayed are the recordings that this program never causes or reads, with the reason.
var unplayed = map[string]string{
	"connect-05-owner-browser-lists-connections": "only the owner's signed-in browser may read the list: the program names its address, and never asks there",
	"refusal-connections-without-owner-session":  "as above: the program has no owner session and never asks there",
	"connect-51-ref-package-owner-session":       "it needs an owner session; members of a package come from the directory that an operator names",
	"connect-84-host-picker-post":                "the owner's browser posts it to the authorization server, and the host gets the answer; what the host then sends is connect-85 and 86",
	"refusal-cimd-unreachable":                   "the authorization server shows it to the browser of a host that names a client by its document; the program registers instead",
	"freshness-30-connectors-client":             "the list of connectors is not read: that of streams says the same for each connection",
}

// Each of the 172 recorded exchanges is named in a test, or is in unplayed.
func TestEveryRecordingIsPlayed(t *testing.T) {
	tests := map[string]string{}
	for _, folder := range []string{".", "../../transport/signin", "../cli", "../../integration"} {
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests[file] = string(text)
		}
	}
	recorded := recordings(t)
	for name := range recorded {
		var played []string
		for file, text := range tests {
			if regexp.MustCompile(`\b` + name + `["\s]`).MatchString(text) {
				played = append(played, file)
			}
		}
		slices.Sort(played)
		if t.Logf("%s: %s", name, strings.Join(played, ", ")); len(played) == 0 || unplayed[name] != "" {
			t.Errorf("%s is played by %v; unplayed: %q", name, played, unplayed[name])
		}
	}
	if len(recorded)+len(unplayed) != 172 {
		t.Errorf("%d recordings and %d that are not played", len(recorded), len(unplayed))
	}
}
