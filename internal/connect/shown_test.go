package connect

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// An address for the owner is shown in a terminal. It has no words of the server beside it, and nothing that reorders them.
func TestAnAddressWithUnusualCharactersIsRefused(t *testing.T) {
	a := &attempt{server: server{metadata: metadata{Issuer: "https://as.example"}}}
	for address, want := range map[string]bool{
		"https://as.example/consent?request_uri=urn%3Ax&y=1": true,
		"https://as.example/consent?x= then run: pdpp-mcp":   false,
		"https://as.example/consent?x=\u202egnp.":            false,
		"https://as.example/c\u00a0onsent":                   false,
	} {
		body, err := json.Marshal(map[string]string{"approval_url": address})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.readStarted(body, nil); (err == nil) != want {
			t.Errorf("%q: %v; want accepted: %t", address, err, want)
		}
	}
}

// A server's metadata may name the path from which it is read. Commands that the owner copies contain it, so it is plain.
func TestThePathOfAProviderIsPlain(t *testing.T) {
	for path, want := range map[string]bool{"": true, "/tenants/anna-1": true, "/$(calc)": false, "/a;b": false, "/a'b": false, "/%25USER%25": false} {
		r, w := newReplay(t, with(good, "/.well-known/oauth-protected-resource", "made-up", path+"/v1/schema", "schema-client")), newWorld()
		r.recorded["made-up"] = exchange{Status: http.StatusOK, Body: json.RawMessage(
			`{"resource":"https://rs.example","authorization_servers":["https://as.example"],"pdpp_core_query_base":"https://rs.example` + path + `/v1"}`)}
		_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "agent"}, w.Options)
		if want && err != nil || !want && (err == nil || !strings.Contains(err.Error(), "more than one word")) {
			t.Errorf("%q: %v", path, err)
		}
	}
}
