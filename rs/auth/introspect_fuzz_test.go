package auth

import (
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// No answer makes the reader panic, and a token is accepted only with active, an admissible kind, the issuer, an audience
// and an expiry that has not passed.
func FuzzIntrospection(f *testing.F) {
	for _, seed := range []string{
		`{"active":true,"pdpp_token_kind":"client","aud":"a","iss":"i"}`,
		`{"active":true,"aud":["a"],"iss":"i","exp":1}`,
		`{"active":true,"aud":null,"iss":"i","exp":"9"}`,
		`{"active":false,"inactive_reason":"grant_revoked"}`,
		`{"active":true,"aud":"a","iss":"i","exp":-1e400}`,
		`[]`, `null`, `{"ACTIVE":true}`, `{"active":true,"pdpp_token_kind":"owner","aud":"b","exp":1}`,
	} {
		f.Add([]byte(seed))
	}
	now := time.Unix(1_700_000_000, 0)
	options := IntrospectorOptions{Issuer: "i", Audiences: []string{"a"}, Now: func() time.Time { return now }}
	f.Fuzz(func(t *testing.T, body []byte) {
		var answer introspection
		if answer.read(body) != nil {
			return
		}
		info := answer.info(rs.NewToken("t"), options)
		if info.Inactive != nil {
			if !info.Inactive.Code.Valid() || info.Principal != (Principal{}) {
				t.Errorf("refusal %+v", info)
			}
			return
		}
		if info.Principal.Kind != KindClient && info.Principal.Kind != KindPackage {
			if info.Principal.Admissible() == nil {
				t.Errorf("kind %q is admitted", info.Principal.Kind)
			}
			return
		}
		if !answer.Active || answer.Issuer != "i" || len(answer.Audience) == 0 ||
			!info.Expires.IsZero() && !now.Before(info.Expires.Add(clockSkew)) {
			t.Errorf("let in on %s", body)
		}
	})
}
