package doctor

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

// A grant whose token can be renewed is checked with the renewed token, and is not reported as about to expire.
func TestARenewedGrantPasses(t *testing.T) {
	var reads []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/schema" {
			reads = append(reads, r.Header.Get("Authorization"))
			_, _ = w.Write([]byte(`{"bearer":{"token_kind":"client","grant_id":"grt_1"},"connectors":[{"streams":[{"name":"a"}]}]}`))
			return
		}
		_, _ = w.Write([]byte(`{"access_token":"at_2","expires_in":599,"refresh_token":"rt_2","grant_id":"grt_1"}`))
	}))
	defer server.Close()
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	root := t.TempDir()
	path, err := credentials.Path(root, credentials.DefaultName, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := credentials.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	d := credentials.Document{
		ProviderURL: server.URL, Credential: credentials.Issued{AccessToken: "at_1", GrantID: "grt_1"},
		Refresh: &credentials.Refresh{TokenEndpoint: server.URL, Token: "rt_1", Lifetime: 599},
	}
	d.Credential.SetExpiry(now.Add(-time.Minute))
	if err := credentials.Save(path, d); err != nil {
		t.Fatal(err)
	}
	unlock()
	e := &examination{Options: Options{Root: root, ProviderURL: server.URL, Now: func() time.Time { return now }}}
	credential, have := e.credential()
	if !have || len(e.findings) != 1 || e.findings[0].Status != OK {
		t.Fatalf("%+v", e.findings)
	}
	if !e.token(t.Context(), credential) || slices.ContainsFunc(reads, func(sent string) bool { return sent != "Bearer at_2" }) {
		t.Errorf("%+v after %q", e.findings, reads)
	}
}
