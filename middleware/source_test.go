package middleware_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// A scriptedPackage is a package over a scripted resource server. Its choose is what every scope meets.
type scriptedPackage struct {
	*middlewaretest.RS
	choose error
}

func (p scriptedPackage) Choose(rs.Scope) error { return p.choose }

func (p scriptedPackage) Tokens() []rs.Token { return nil }

// D17: a client's reads carry the caller's own token. A package's go to its members, and its own token is sent nowhere.
func TestWhichTokenIsSent(t *testing.T) {
	for name, row := range map[string]struct {
		kind    string
		sent    []string // the Authorization headers that the resource server saw
		members []string // the reads that the package saw
	}{
		"a client's own token":            {auth.KindClient, []string{"Bearer " + middlewaretest.CanaryToken}, nil},
		"D17 never a package's own token": {auth.KindPackage, nil, []string{"/v1/streams"}},
	} {
		t.Run(name, func(t *testing.T) {
			var sent []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent = append(sent, r.Header.Get("Authorization"))
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{}`))
			}))
			defer server.Close()
			client, err := rs.NewClient(rs.ClientOptions{Base: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			members := &middlewaretest.RS{Answers: map[string]string{"/v1/streams": `{}`}}
			p := auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: row.kind}
			if row.kind == auth.KindPackage {
				p.Package = scriptedPackage{RS: members}
			}
			reader, err := middleware.Reading(client)(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := reader.Do(t.Context(), rs.Request{Path: "/v1/streams"}); err != nil {
				t.Error(err)
			}
			server.Close() // all that was sent is noted
			if diff := cmp.Diff(row.sent, sent); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(row.members, members.Lines()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
