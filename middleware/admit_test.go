package middleware_test

import (
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

func TestAdmit(t *testing.T) {
	for name, row := range map[string]struct {
		principal *auth.Principal // nil for none in the context
		want      rs.Code
	}{
		"a client grant passes, with its own resource server": {principal: &auth.Principal{Token: rs.NewToken("t"), Kind: auth.KindClient}},
		"nobody is refused":                         {want: "not_authenticated"},
		"a kind without a token is refused":         {principal: &auth.Principal{Kind: auth.KindClient}, want: "not_authenticated"},
		"S3-6b an owner is refused":                 {principal: &auth.Principal{Token: rs.NewToken("t"), Kind: auth.KindOwner}, want: "owner_token_refused"},
		"a package that nobody can open is refused": {principal: &auth.Principal{Token: rs.NewToken("t"), Kind: auth.KindPackage}, want: "token_kind_refused"},
		"S0-R3 a control-plane token is refused":    {principal: &auth.Principal{Token: rs.NewToken("t"), Kind: "control_plane"}, want: "token_kind_refused"},
		"a token of no stated kind is refused":      {principal: &auth.Principal{Token: rs.NewToken("t")}, want: "token_kind_refused"},
	} {
		t.Run(name, func(t *testing.T) {
			var server middlewaretest.RS
			var core spy
			var opened []auth.Principal
			handle := middleware.Admit(middleware.Options{Deadline: time.Minute, Source: func(p auth.Principal) rs.Doer {
				opened = append(opened, p)
				return &server
			}})(core.Handle)
			ctx := t.Context()
			if row.principal != nil {
				ctx = auth.WithPrincipal(ctx, *row.principal)
			}
			_, err := handle(ctx, callOf(t, "schema", ``))
			if codeOf(t, err) != row.want {
				t.Errorf("error %v, want %q", err, row.want)
			}
			if row.want == "" {
				calls := core.Calls()
				if len(calls) != 1 || len(opened) != 1 || opened[0] != *row.principal {
					t.Fatalf("the call passed as %+v for %v", calls, opened)
				}
				if _, _ = calls[0].RS.Do(ctx, rs.Request{Path: "/v1/schema"}); len(server.Requests()) != 1 {
					t.Error("the call reads another resource server")
				}
				return
			}
			if len(core.Calls()) != 0 || len(server.Requests()) != 0 {
				t.Errorf("the core heard %v", core.Calls())
			}
			if len(opened) != 0 {
				t.Error("a resource server was opened for somebody who is refused")
			}
		})
	}
}
