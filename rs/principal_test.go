package rs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestAdmissible(t *testing.T) {
	for name, row := range map[string]struct {
		principal rs.Principal
		want      rs.Code // "" for admitted
	}{
		"a client grant is admitted":                                {rs.Principal{Token: rs.NewToken("t"), Kind: rs.KindClient}, ""},
		"S3-6b an owner is refused":                                 {rs.Principal{Token: rs.NewToken("t"), Kind: rs.KindOwner}, rs.OwnerTokenRefused},
		"a package that nobody can open is refused":                 {rs.Principal{Token: rs.NewToken("t"), Kind: rs.KindPackage}, rs.TokenKindRefused},
		"an unknown kind is refused":                                {rs.Principal{Token: rs.NewToken("t"), Kind: "control_plane"}, rs.TokenKindRefused},
		"S0-R3 a missing kind is refused":                           {rs.Principal{Token: rs.NewToken("t")}, rs.TokenKindRefused},
		"another spelling of a kind is not that kind":               {rs.Principal{Token: rs.NewToken("t"), Kind: "Client"}, rs.TokenKindRefused},
		"nobody is refused":                                         {rs.Principal{}, rs.NotAuthenticated},
		"a kind without a token is nobody":                          {rs.Principal{Kind: rs.KindClient}, rs.NotAuthenticated},
		"an empty token is nobody, whatever the authority calls it": {rs.Principal{Token: rs.NewToken(""), Kind: rs.KindClient}, rs.NotAuthenticated},
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
	if err := rs.PrincipalFrom(context.Background()).Admissible(); err == nil {
		t.Error("a context that carries nobody is admitted")
	}
	want := rs.Principal{Token: rs.NewToken("t"), Kind: rs.KindClient}
	if got := rs.PrincipalFrom(rs.WithPrincipal(t.Context(), want)); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
