package auth_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

func TestAdmissible(t *testing.T) {
	for name, row := range map[string]struct {
		principal auth.Principal
		want      rs.Code // "" for admitted
	}{
		"a client grant is admitted":                                {auth.Principal{Token: rs.NewToken("t"), Kind: auth.KindClient}, ""},
		"S3-6b an owner is refused":                                 {auth.Principal{Token: rs.NewToken("t"), Kind: auth.KindOwner}, "owner_token_refused"},
		"a package that nobody can open is refused":                 {auth.Principal{Token: rs.NewToken("t"), Kind: auth.KindPackage}, "token_kind_refused"},
		"an unknown kind is refused":                                {auth.Principal{Token: rs.NewToken("t"), Kind: "control_plane"}, "token_kind_refused"},
		"S0-R3 a missing kind is refused":                           {auth.Principal{Token: rs.NewToken("t")}, "token_kind_refused"},
		"another spelling of a kind is not that kind":               {auth.Principal{Token: rs.NewToken("t"), Kind: "Client"}, "token_kind_refused"},
		"nobody is refused":                                         {auth.Principal{}, "not_authenticated"},
		"a kind without a token is nobody":                          {auth.Principal{Kind: auth.KindClient}, "not_authenticated"},
		"an empty token is nobody, whatever the authority calls it": {auth.Principal{Token: rs.NewToken(""), Kind: auth.KindClient}, "not_authenticated"},
	} {
		t.Run(name, func(t *testing.T) {
			err := row.principal.Admissible()
			if row.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var typed *rs.Error
			if !errors.As(err, &typed) || typed.Code != row.want || typed.Hint == "" {
				t.Errorf("error %v, want %s with a hint", err, row.want)
			}
		})
	}
}

func TestPrincipalFrom(t *testing.T) {
	if err := auth.PrincipalFrom(context.Background()).Admissible(); err == nil {
		t.Error("a context that carries nobody is admitted")
	}
	want := auth.Principal{Token: rs.NewToken("t"), Kind: auth.KindClient}
	if got := auth.PrincipalFrom(auth.WithPrincipal(t.Context(), want)); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
