package fanout_test

import (
	"context"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

// D27: a member whose token is of another grant than the directory says is not read: it may be another person's.
func TestAMemberWithTheTokenOfAnotherGrantIsNotRead(t *testing.T) {
	of := func(grantID string) func(context.Context) (auth.TokenInfo, error) {
		return func(context.Context) (auth.TokenInfo, error) {
			return auth.TokenInfo{Principal: auth.Principal{Token: rs.NewToken("tok_b"), Kind: auth.KindClient, GrantID: grantID}}, nil
		}
	}
	for grantID, missing := range map[string]string{"grt_b": "", "": "", "grt_c": "cin_b=grant_unusable"} {
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 1), "tok_b": hitsOf("b", 1)}}
		a := &memberAuthority{answers: map[string]func(context.Context) (auth.TokenInfo, error){"tok_b": of(grantID)}}
		p := judged(t, a, f, fanout.PackageOptions{}, aMember("a"), aMember("b"))
		response, err := p.Do(t.Context(), searchRequest())
		if m := readMerged(t, response, err); m.missing() != missing {
			t.Errorf("%q: %q is missing instead of %q", grantID, m.missing(), missing)
		}
	}
}
