package fanout

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// For any answer of a directory: only an active package has members; a usable member has an id and a token that is valid in
// a header; an unusable one has a code, a message and no token.
func FuzzDirectory(f *testing.F) {
	for _, seed := range []string{
		`{"package_id":"p","status":"active","members":[{"connection_id":"c","access_token":"t","usable":true,"streams":["a"],"expires_at":"2030-01-01T00:00:00Z"}]}`,
		`{"status":"active","members":[{"connection_id":"c","access_token":"t\n","usable":true}]}`, `{"status":"active","members":[{"connection_id":"c","usable":false,"access_token":"t","error":{"code":"a b","message":"x\ny"}}]}`,
		`{"status":"active","members":[{"connection_id":"c","access_token":"t","usable":true,"expires_at":-1}]}`, `{"status":"revoked"}`, `{"status":"active","members":null}`, `{"status":"active","members":[{}]}`, `[]`, `{"members":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		membership, err := readMembership(body)
		if err != nil {
			if e := rs.AsError(err); e.Code != "package_revoked" && e.Code != rs.AuthorityUnreachable || len(membership.Members) > 0 {
				t.Errorf("%+v, %v", membership, err)
			}
			return
		}
		var said struct {
			Status string `json:"status"`
		}
		if json.Unmarshal(body, &said) != nil || said.Status != "active" {
			t.Errorf("members of %s", body)
		}
		for _, c := range membership.Members {
			token := c.Token.Reveal()
			switch {
			case c.ID == "":
				t.Errorf("a member without an id: %s", body)
			case c.Refused == nil && (token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })):
				t.Errorf("token %q", token)
			case c.Refused != nil && (token != "" || !c.Refused.Code.Valid() || c.Refused.Message == "" || strings.ContainsAny(c.Refused.Message, "\r\n")):
				t.Errorf("refused %+v with token %q", c.Refused, token)
			}
		}
	})
}
