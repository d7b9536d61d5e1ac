package connect

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// S0-3a, S3-3a: several stored grants read as one. One that is revoked is a connection that says so; an owner's ends it all; where
// none can be read, that is said.
func TestStoredGrantsReadAsOne(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); token {
		case "good_1", "good_2":
			text := strings.ReplaceAll(schemaOf("client", "grt_"+token), "cin_slack_acme", "cin_"+token)
			_, _ = io.WriteString(w, text)
		case "owner":
			_, _ = io.WriteString(w, schemaOf("owner", ""))
		default:
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"error":{"code":"grant_revoked","message":"Grant has been revoked"}}`)
		}
	}))
	defer server.Close()
	c, err := rsclient.New(rsclient.Options{Base: server.URL, Retries: -1, NoBreaker: true})
	if err != nil {
		t.Fatal(err)
	}
	keepers := func(tokens ...string) (all []*Keeper) {
		for _, token := range tokens {
			stored := credentials.Credential{ProviderURL: server.URL, Name: token, Token: rs.NewToken(token), GrantID: "grt_" + token, Path: t.TempDir() + "/x.json"}
			all = append(all, NewKeeper(stored, "test", time.Now))
		}
		return all
	}
	one, err := Principal(t.Context(), c, keepers("good_1"), "")
	if err != nil || one.Kind != auth.KindClient || one.Reader == nil || one.Package != nil {
		t.Errorf("one: %+v, %v", one, err)
	}
	several, err := Principal(t.Context(), c, keepers("good_1", "dead", "good_2"), "")
	if err != nil || several.Admissible() != nil || several.Package == nil {
		t.Fatalf("several: %v", err)
	}
	response, err := several.Package.Do(t.Context(), rs.Request{Path: rs.Path("schema")})
	if err != nil || !strings.Contains(response.Body, "cin_good_1") || !strings.Contains(response.Body, "cin_good_2") || !strings.Contains(response.Body, `"unavailable_connections":[{"grant_id":"grt_dead","connection_id":"dead"`) {
		t.Errorf("%v, %v", response, err)
	}
	for code, tokens := range map[int][]string{exit.Owner: {"good_1", "owner"}, exit.NotReady: {"dead", "dead_2"}} {
		_, err := Principal(t.Context(), c, keepers(tokens...), "")
		var failed *exit.Error
		if !errors.As(err, &failed) || failed.Code != code {
			t.Errorf("%v: %v", tokens, err)
		}
	}
}
