package credentials

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// The laws: any file is read without a fault; what is accepted carries no owner sign and a token that fits a
// header; a refusal has an exit code of ours and comes without a credential.
func FuzzCredentialFile(f *testing.F) {
	for _, seed := range []string{
		`{"provider_url":"https://rs.example","credential":{"access_token":"a","expires_at":"2030-01-01T00:00:00Z"}}`,
		`{"credential":{"access_token":"a","role":"OwNeR"}}`,
		`{"credential":{"access_token":"a","expires_at":-1}}`,
		`{"credential":{"access_token":"a\u0000"}}`,
		`{"credential":null}`, `[]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		credential, err := parseCredential(body, "https://rs.example", "", time.Unix(1_800_000_000, 0))
		var failure *exit.Error
		if err != nil {
			if !errors.As(err, &failure) || failure.Code != exit.Owner && failure.Code != exit.NotReady || credential.Token.Reveal() != "" {
				t.Errorf("%+v, %v", credential, err)
			}
			return
		}
		if token := credential.Token.Reveal(); token == "" || strings.ContainsAny(token, " \r\n\t\x00") {
			t.Errorf("token %q", token)
		}
		var document struct{ Credential map[string]any }
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber() // any number is valid JSON, whatever fits a float64
		if err := decoder.Decode(&document); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"pdpp_token_kind", "token_kind", "kind", "role"} {
			if value, _ := document.Credential[key].(string); strings.EqualFold(strings.TrimSpace(value), "owner") {
				t.Errorf("an owner passed: %s", body)
			}
		}
	})
}
