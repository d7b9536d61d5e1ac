package middleware_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A scriptedPackage is a package over a scripted resource server. Its choose is the result for every scope.
type scriptedPackage struct {
	*middlewaretest.RS
	choose  error
	granted []rs.GrantedStream
}

func (p scriptedPackage) Choose(rs.Scope) error { return p.choose }

func (p scriptedPackage) Granted() []rs.GrantedStream                      { return p.granted }
func (p scriptedPackage) Unavailable(...string) []rs.UnavailableConnection { return nil }
func (p scriptedPackage) Limits() []rs.TimeLimit                           { return nil }

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
			client, err := rsclient.New(rsclient.Options{Base: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			members := &middlewaretest.RS{Answers: map[string]string{"/v1/streams": `{}`}}
			p := auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: row.kind}
			if row.kind == auth.KindPackage {
				p.Package = scriptedPackage{RS: members}
			}
			if _, err := middleware.SourceOf(client)(p).Do(t.Context(), rs.Request{Path: "/v1/streams"}); err != nil {
				t.Error(err)
			}
			server.Close() // wait for the handlers
			if diff := cmp.Diff(row.sent, sent); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(row.members, members.Lines()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// D7 D25: a refusal that may mean that the token is no longer valid is recorded in the request, and its error is returned unchanged.
func TestARefusedTokenIsNoted(t *testing.T) {
	for name, row := range map[string]struct {
		err  error
		want rs.Code
	}{
		"D7 a 401":                     {&rs.Error{Code: "context.stream_not_allowed", Status: 401}, "context.stream_not_allowed"},
		"D25 a grant that was revoked": {&rs.Error{Code: "grant_revoked", Status: 403}, "grant_revoked"},
		"any other refusal is not":     {&rs.Error{Code: "field_not_granted", Status: 403}, ""},
		"nor is an answer":             {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			members := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) { return middlewaretest.JSON(`{}`), row.err }}
			read := func(ctx context.Context, call tools.Call) (tools.Reply, error) {
				for range 2 { // the second finds the code of the first
					if _, err := call.RS.Do(ctx, rs.Request{Path: "/v1/streams"}); !errors.Is(err, row.err) {
						t.Errorf("the error became %v", err)
					}
				}
				return tools.Reply{}, nil
			}
			options := middleware.Options{Deadline: time.Minute, Source: members.Source, Now: time.Now}
			handle := middleware.Chain(read, middleware.Observe(options), middleware.Admit(options))
			var request middleware.Request
			ctx := as(t.Context(), auth.KindClient)
			for _, ctx := range []context.Context{middleware.WithRequest(ctx, &request), ctx} { // a call without a request has no effect
				if reply, err := handle(ctx, callOf(t, "schema", ``)); err != nil || reply.Reads != 2 {
					t.Fatal(err, reply.Reads)
				}
			}
			if code, noted := request.Unauthorized(); code != row.want || noted != (row.want != "") {
				t.Errorf("noted %v: %q", noted, code)
			}
		})
	}
}
