package credentials

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// Any file is read without a panic. An accepted credential has no sign of an owner and a token that is valid in a header; a refused one
// has an exit code and returns no credential.
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
		var read file
		read.parse(body)
		credential, err := read.credential("https://rs.example", "")
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
		decoder.UseNumber() // a number of any size is valid JSON
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

// After any interrupted renewal, the credential is the old one or its replacement, and a refresh token that was sent is not offered
// again.
func FuzzReservation(f *testing.F) {
	before := Document{
		ProviderURL: "https://rs.example", Credential: Issued{AccessToken: "at_1"}, Refresh: &Refresh{TokenEndpoint: "https://as.example/token", Token: "rt_1"},
	}
	sent := before.Refresh.Mark()
	for _, seed := range []string{
		``, ` `, `{`, `null`, `[]`, `{"sent_refresh_token_sha256":"` + sent + `"}     `, `{"sent_refresh_token_sha256":"other"}`,
		`{"provider_url":"https://rs.example","credential":{"access_token":"at_2"},"refresh":{"refresh_token":"rt_2","replaces":"` + sent + `"}}   `,
		`{"credential":{"access_token":"at_2"},"refresh":{"refresh_token":"rt_2","replaces":"` + sent + `"}`,
	} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "clients", "rs.example.json")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, left []byte) {
		if err := Save(path, before); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+nextSuffix, left, 0o600); err != nil {
			t.Fatal(err)
		}
		c := Credential{Path: path, ProviderURL: "https://rs.example"}
		fresh, err := c.Reload(time.Unix(1_800_000_000, 0))
		_, there := os.Stat(path + nextSuffix)
		switch {
		case errors.Is(err, ErrAnswerLost):
			if fresh.Token.Reveal() != "at_1" || there != nil {
				t.Errorf("lost, and %q is read; the mark: %v", fresh.Token.Reveal(), there)
			}
		case err != nil:
		case fresh.Document.Refresh != nil && fresh.Document.Refresh.Token == "rt_1" && bytes.Contains(left, []byte(`"`+sent+`"`)) && fresh.Document.Refresh.Replaces == "":
			t.Errorf("rt_1 is offered again after %s", left)
		}
	})
}
