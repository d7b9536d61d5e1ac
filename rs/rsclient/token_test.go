package rsclient_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// No format verb and no JSON encoding reveals a token, wherever a value contains it.
func TestATokenPrintsAsAPlaceholder(t *testing.T) {
	const canary = "canary51e0"
	token := rs.NewToken(canary)
	type hidden struct{ token rs.Token }
	client, err := rsclient.New(rsclient.Options{Base: "https://rs.example"})
	if err != nil {
		t.Fatal(err)
	}
	as := func(token rs.Token) rs.Doer { return client.For(rsclient.Caller{Token: token}) }
	pkg := fanout.NewPackage(
		fanout.Membership{PackageID: "p", Members: []fanout.Member{{Connection: rs.Connection{ID: "c"}, Token: token}}},
		as,
		fanout.PackageOptions{},
	)
	for name, value := range map[string]any{
		"by itself":                       token,
		"behind a pointer":                &token,
		"in a list":                       []rs.Token{token},
		"as a key":                        map[rs.Token]int{token: 1},
		"in a principal":                  auth.Principal{Token: token, Package: pkg},
		"in an unexported field":          hidden{token},
		"behind a pointer and unexported": &hidden{token},
		"in a bound client":               as(token),
		"in a package":                    pkg,
		"in a copy of a package":          reflect.ValueOf(pkg).Elem().Interface(),
		"in an error":                     fmt.Errorf("%w: %v", fmt.Errorf("%+v", hidden{token}), token),
	} {
		t.Run(name, func(t *testing.T) {
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
				text := fmt.Sprintf(verb, value)
				if strings.Contains(text, canary) || strings.Contains(strings.ToLower(text), fmt.Sprintf("%x", canary)) {
					t.Errorf("%s shows it: %s", verb, text)
				}
			}
			if text, err := json.Marshal(value); err == nil && strings.Contains(string(text), canary) {
				t.Errorf("JSON shows it: %s", text)
			}
		})
	}
}

func TestTokensAreTheirCredentials(t *testing.T) {
	if one, same := rs.NewToken("a"), rs.NewToken("a"); one != same || one == rs.NewToken("b") || rs.NewToken("") != (rs.Token{}) {
		t.Error("equality is not that of the credentials")
	}
	if got := rs.NewToken("a").Reveal() + (rs.Token{}).Reveal(); got != "a" {
		t.Errorf("%q", got)
	}
}
