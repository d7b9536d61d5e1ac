package rs_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const redactedToken = "tok.9~Zp/2+x_canary-77=="

// A redactor finds a token in every form in which programs repeat one (D19).
func TestARedactorFindsATokenInEachForm(t *testing.T) {
	r := rs.NewToken(redactedToken).Redactor()
	for n := range 4 {
		behind := strings.Repeat("b", n)
		for name, encoding := range map[string]*base64.Encoding{"std": base64.StdEncoding, "url": base64.URLEncoding} {
			encoded := encoding.EncodeToString([]byte(behind + redactedToken + behind))
			text := r.Text(encoded)
			decoded, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(text), "="))
			if !strings.Contains(text, rs.Redacted) || strings.Contains(string(decoded), "canary") ||
				len(encoded)-len(text)+len(rs.Redacted) < 28 { // of the 22 bytes without padding
				t.Errorf("%s behind %d bytes: %s", name, n, text)
			}
		}
	}
	for text, want := range map[string]string{
		"Bearer " + redactedToken:             "Bearer [token]==",
		strings.TrimRight(redactedToken, "="): "[token]",
		"a" + url.QueryEscape(redactedToken):  "a[token]%3D%3D",
		"tok.9~Zp%2f2%2bx_canary-77%3d%3d":    "[token]%3d%3d",
		"tok.9~Zp/2+x_canary-7":               "tok.9~Zp/2+x_canary-7",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if got := rs.NewToken("token-1234/").Redactor().Text("a token-1234%2f"); got != "a [token]" {
		t.Errorf("an escape at the end: %s", got)
	}
	if got := rs.NewToken("/token-1234").Redactor().Text("a %2ftoken-1234"); got != "a [token]" {
		t.Errorf("an escape at the beginning: %s", got)
	}
	short := rs.NewToken("message").Redactor()
	if got := short.JSON(`{"message":"message"}`); got != `{"message":"message"}` {
		t.Errorf("a token of 7 bytes is looked for: %s", got)
	}
}

// Redacted JSON stays valid wherever the token occurs: in names, in numbers, after escapes.
func TestARedactorLeavesJSONWhole(t *testing.T) {
	for _, c := range []struct{ token, raw, want string }{
		{redactedToken, `{"tok.9~Zp\/2+x_canary-77==":["\u0074ok.9~Zp/2\u002bx_canary-77=="]}`, `{"[token]==":["[token]=="]}`},
		{"1234567890.25", `{"n":-1234567890.25e3,"s":"1234567890.25"}`, `{"n":-1111111111.11e3,"s":"1111111111.11"}`},
		{"12345678", `[12345678,012345678.5]`, `[11111111,011111111.5]`},
		{redactedToken, `{"q":"say \"` + redactedToken + `\" \\u0074"}`, `{"q":"say \"[token]==\" \\u0074"}`},
		{redactedToken, `<p>` + redactedToken + `"`, `<p>[token]=="`},
		{redactedToken, `"\u0074ok.9~Zp/2+x_canary-77=="`, `"[token]=="`},
		{redactedToken, `{"n":1}`, `{"n":1}`},
		{redactedToken, `["x\n\u0074ok.9~Zp/2+x_canary-77"]`, `["x\n[token]"]`},
		{redactedToken, `["tok.\u0039~Zp/2+x_canary-77"]`, `["[token]"]`},
		{redactedToken, `["tok\u002e9~Zp/2+x_canary-77"]`, `["[token]"]`},
		{redactedToken, `"\u007`, `"\u007`},
		{"12345678", `["12345678`, `["11111111`},
		{redactedToken, `["","\u0074ok.9~Zp/2+x_canary-77"]`, `["","[token]"]`},
		{redactedToken, `["\"","\u0074ok.9~Zp/2+x_canary-77"]`, `["\"","[token]"]`},
		{redactedToken, `["tok.9~Zp\/2+x_canary-77"]`, `["[token]"]`},
		{`t"o\k, "canary`, `["t\"o\\k, \"canary","t\"o"]`, `["[token]","t\"o"]`},
		{`n":[1],"m`, `{"n":[1],"m":"n\":[1],\"m"}`, `{"n":[1],"m":"[token]"}`},
		{"tcanary-0123", `["\tcanary-0123","\ttcanary-0123"]`, `["\tcanary-0123","\t[token]"]`},
		{redactedToken, `"\`, `"\`},
		{redactedToken, "[\"\xff\\u0074ok.9~Zp/2+x_canary-77\",1]", `["�[token]",1]`},
		{redactedToken, `["\ud800\u0074ok.9~Zp/2+x_canary-77",1]`, `["�[token]",1]`},
		{redactedToken, `"` + redactedToken + `\`, `"[token]=="`},
	} {
		got := rs.NewToken(c.token).Redactor().JSON(c.raw)
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.raw, got, c.want)
		}
		if json.Valid([]byte(c.raw)) && !json.Valid([]byte(got)) {
			t.Errorf("%s: %s is no JSON", c.raw, got)
		}
	}
}

// Every visible part of an error is redacted, in a copy: the given error does not change.
func TestARedactorSearchesAnError(t *testing.T) {
	said := "it was " + redactedToken
	given := &rs.Error{
		Code: "tok.9", Message: said, Hint: said, Param: said, RetryWith: said, RequestID: said, Envelope: json.RawMessage(`{"m":"` + said + `"}`),
		Connections: []rs.Connection{{GrantID: said, ConnectorKey: said, ID: said, DisplayName: said}},
		Unavailable: []rs.UnavailableConnection{{Connection: rs.Connection{ID: said}, Code: rs.Code(said), Message: said}},
	}
	got := rs.NewToken(redactedToken).Redactor().Error(given)
	if text := fmt.Sprintf("%+v %s", *got, got.Envelope); strings.Contains(text, "canary") {
		t.Error(text)
	}
	if given.Message != said || given.Connections[0].ID != said {
		t.Error("the error that was given was changed")
	}
	const left = "it was [token]=="
	if want := (rs.Connection{GrantID: left, ConnectorKey: left, ID: left, DisplayName: left}); got.Connections[0] != want || got.Unavailable[0].ID != left {
		t.Errorf("of connections there is left %+v, %+v", got.Connections, got.Unavailable)
	}
	if none := rs.NewToken(redactedToken).Redactor().Error(nil); none != nil {
		t.Errorf("no error becomes %v", none)
	}
	if same := (*rs.Redactor)(nil).Error(given); same != given {
		t.Errorf("without a token an error becomes %v", same)
	}
	if coded := rs.NewToken("token-as-code").Redactor().Error(&rs.Error{Code: "x_token-as-code"}); coded.Code != "upstream_error" {
		t.Errorf("the code is %s", coded.Code)
	}
}

// A token is redacted even if invisible characters split it. String and MarshalJSON never
// return it.
func TestATokenIsNotShown(t *testing.T) {
	token := rs.NewToken(redactedToken)
	if got := token.Redactor().ErrorText("say " + strings.Replace(redactedToken, "canary", "can\u200bary", 1)); got != "say [token]==" {
		t.Error(got)
	}
	if got, err := json.Marshal(token); err != nil || string(got) != `"[token]"` || token.String() != "[token]" {
		t.Errorf("%s, %s, %v", got, token.String(), err)
	}
	if other := rs.NewToken("another"); token.Key() == other.Key() || other.Key() == (rs.Token{}).Key() || other.Key() != rs.NewToken("another").Key() {
		t.Error("tokens are not told apart by their keys")
	}
}

// The tokens of the caller and of members are redacted even if nothing was read with them, if they have at least eight bytes.
func TestTokensThatReadNothingAreRemoved(t *testing.T) {
	var used, ofMembers rs.UsedTokens
	used.Redactor(rs.NewToken("the-callers-token"))
	if got := used.All(nil).Text("a the-callers-token b"); got != "a [token] b" {
		t.Error(got)
	}
	members := ofMembers.All([]rs.Token{rs.NewToken("12345678"), rs.NewToken("7654321")})
	if got := members.Text("a 12345678 7654321 b"); got != "a [token] 7654321 b" {
		t.Error(got)
	}
	if got := members.Error(&rs.Error{Message: "12345678"}); got.Message != "[token]" || members.JSON(`"12345678"`) != `"11111111"` {
		t.Error(got)
	}
}
