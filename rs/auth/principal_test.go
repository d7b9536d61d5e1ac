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
		"a package that can be opened is admitted":                  {auth.Principal{Token: rs.NewToken("t"), Kind: auth.KindPackage, Package: held{}}, ""},
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

// If the terms of a grant are unknown, the time limits are not reported as complete.
func TestTheTimesOfAGrantAreThoseThatAreKnown(t *testing.T) {
	terms := &auth.Terms{Limits: func() ([]rs.TimeLimit, bool) { return []rs.TimeLimit{{Stream: "grant"}}, true }}
	for name, row := range map[string]struct {
		principal auth.Principal
		stream    string // of the only limit; "" for none
		known     bool
	}{
		"those of its terms":               {auth.Principal{Terms: terms}, "grant", true},
		"of a package, its terms first":    {auth.Principal{Terms: terms, Package: held{}}, "grant", true},
		"those of a package that was read": {auth.Principal{Package: held{}}, "package", false},
		"so too where its terms say none":  {auth.Principal{Terms: &auth.Terms{}, Package: held{}}, "package", false},
		"none":                             {auth.Principal{}, "", false},
	} {
		limits, known := row.principal.Limits()
		if known != row.known || len(limits) != min(len(row.stream), 1) || len(limits) > 0 && limits[0].Stream != row.stream {
			t.Errorf("%s: %v, known %v", name, limits, known)
		}
	}
}

// What is read under a grant is cached apart from what is read under a package of the same number. Without a grant nothing is.
func TestGrantsAndPackagesHaveDifferentKeys(t *testing.T) {
	grant := auth.Principal{Kind: auth.KindClient, GrantID: "1"}
	bundle := auth.Principal{Kind: auth.KindPackage, GrantID: "1"}
	if grant.GrantKey() == "" || grant.GrantKey() == bundle.GrantKey() {
		t.Errorf("the grant has the key %q, the package %q", grant.GrantKey(), bundle.GrantKey())
	}
	if key := (auth.Principal{Kind: auth.KindClient}).GrantKey(); key != "" {
		t.Errorf("without a grant the key is %q", key)
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
