package auth_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// A probed is a scripted resource server for a probe.
type probed func(context.Context, rs.Request) (*rs.Response, error)

func (f probed) Do(ctx context.Context, r rs.Request) (*rs.Response, error) { return f(ctx, r) }

func TestSchemaProbeTakesTheResourceServersWord(t *testing.T) {
	for _, test := range []struct {
		name    string
		body    string
		err     error
		kind    string
		refusal rs.Code
		unknown bool // the probe could not tell
	}{
		{name: "a client", body: `{"object":"schema","bearer":{"token_kind":"client","grant_id":"grt_1"}}`, kind: "client"},
		{name: "a client inside a data wrapper", body: `{"data":{"bearer":{"token_kind":"client","grant_id":"grt_1"}}}`, kind: "client"},
		{name: "S0-3a a mis-filed owner token without a sign is caught here", body: `{"bearer":{"scope":"owner","token_kind":"owner"}}`, kind: "owner"},
		{name: "the top level wins over a wrapper", body: `{"bearer":{"token_kind":"owner"},"data":{"bearer":{"token_kind":"client"}}}`, kind: "owner"},
		{name: "no bearer means no kind", body: `{"object":"schema"}`},
		{name: "a kind of another type means no kind", body: `{"bearer":{"token_kind":["client"]}}`},
		{name: "a kind twice can not tell", body: `{"bearer":{"token_kind":"owner","token_kind":"client"}}`, unknown: true},
		{name: "a kind in another case too can not tell", body: `{"bearer":{"token_kind":"owner","Token_Kind":"client"}}`, unknown: true},
		{name: "a kind in another case alone can not tell", body: `{"bearer":{"TOKEN_KIND":"client"}}`, unknown: true},
		{name: "two bearers can not tell", body: `{"bearer":{"token_kind":"owner"},"bearer":{"token_kind":"client"}}`, unknown: true},
		{name: "a bearer in another case can not tell", body: `{"bearer":{"token_kind":"client"},"Bearer":{"token_kind":"owner"}}`, unknown: true},
		{name: "two wrappers can not tell", body: `{"data":{"bearer":{"token_kind":"owner"}},"data":{"bearer":{"token_kind":"client"}}}`, unknown: true},
		{name: "two bearers in a wrapper can not tell", body: `{"data":{"bearer":{"token_kind":"owner"},"BEARER":{"token_kind":"client"}}}`, unknown: true},
		{name: "a package token is no grant", err: &rs.Error{Code: "not_found", Status: 404}},
		{name: "401 is not good", err: &rs.Error{Code: "context.active_false", Status: 401}, refusal: "context.active_false"},
		{name: "403 is not good", err: &rs.Error{Code: "grant_revoked", Status: 403}, refusal: "grant_revoked"},
		{name: "503 can not tell", err: &rs.Error{Code: "upstream_error", Status: 503}, unknown: true},
		{name: "429 can not tell", err: &rs.Error{Code: "upstream_error", Status: 429, RetryAfter: 7e9}, unknown: true},
		{name: "no answer can not tell", err: &rs.Error{Code: "server_unreachable"}, unknown: true},
		{name: "a foreign error can not tell", err: errors.New("x"), unknown: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked []string
			token := rs.NewToken("tok")
			probe := auth.SchemaProbe{For: func(bearer rs.Token) rs.Doer {
				return probed(func(_ context.Context, r rs.Request) (*rs.Response, error) {
					asked = append(asked, bearer.Reveal()+" "+r.Path+"?"+r.Query.Encode())
					if test.err != nil {
						return nil, test.err
					}
					return &rs.Response{Status: 200, Body: test.body}, nil
				})
			}}
			info, err := probe.Introspect(context.Background(), token)
			if len(asked) != 1 || asked[0] != "tok /v1/schema?view=compact" {
				t.Errorf("asked %q", asked)
			}
			var e *rs.Error
			switch {
			case test.unknown:
				if !errors.As(err, &e) || e.Code != rs.AuthorityUnreachable {
					t.Errorf("error %v", err)
				}
				if given := (*rs.Error)(nil); errors.As(test.err, &given) && e.RetryAfter != given.RetryAfter {
					t.Errorf("retry after %v", e.RetryAfter)
				}
			case err != nil:
				t.Error(err)
			case test.refusal != "":
				if info.Inactive == nil || info.Inactive.Code != test.refusal {
					t.Errorf("info %+v", info)
				}
			default:
				if info.Inactive != nil || info.Principal.Kind != test.kind || info.Principal.Token != token {
					t.Errorf("info %+v", info)
				}
			}
		})
	}
}
