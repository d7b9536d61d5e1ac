package rs_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// D19: the message of an error loses invisible characters, including the first and last of each range but not their neighbours.
func TestEdgesOfWhatAnErrorDoesNotShow(t *testing.T) {
	for text, want := range map[string]string{
		"a\U000DFFFFb": "a\U000DFFFFb", "a\U000E0000b": "ab", "a\U000E007Fb": "ab", "a\U000E0080b": "a\U000E0080b", "a\u202ab\u202ec": "abc", "a\u202fb": "a b",
		"a\u00adb\u200b\ufeffc\u2060d\x00e": "abcde", "a\u200d\u200cb": "ab", "a\u200d~": "a~", "1\u200d-": "1-", "é\u200db": "é\u200db", " ": "", "\u00ad": "", "က\u200db": "က\u200db", "a\u200dé": "a\u200dé",
		"\x1b[31mred\x1b[0m \u009b1mbold\x1b]8;;https://a.example\x07link\x1b]8;;\x1b\\ \x1b(B.": "red boldlink .", "a\x1b[": "a[",
	} {
		if got := rs.ErrorText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// D19: each range of invisible characters has exactly these bounds.
func TestEdgesOfWhatIsNotSeen(t *testing.T) {
	for name, row := range map[string]struct {
		is     func(rune) bool
		ranges [][2]rune
	}{
		"empty": {rs.IsInvisible, [][2]rune{{0xAD, 0xAD}, {0x200B, 0x200B}, {0x2060, 0x2065}, {0x3164, 0x3164}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFF8}}},
		"unseen": {rs.IsInvisibleModifier, [][2]rune{
			{0x034F, 0x034F}, {0x061C, 0x061C}, {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200C, 0x200F}, {0xFFF9, 0xFFFB},
			{0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
		}},
	} {
		for _, r := range row.ranges {
			if row.is(r[0]-1) || !row.is(r[0]) || !row.is(r[1]) || row.is(r[1]+1) {
				t.Errorf("%s: not just U+%04X to U+%04X", name, r[0], r[1])
			}
		}
	}
}

// A sequence that is longer than terminals accept is not treated as a terminal sequence.
func TestEdgesOfATerminalSequence(t *testing.T) {
	for between, want := range map[int]int{0: 3, 62: 65, 63: 0} {
		if got := rs.EscapeBytes("\x1b[" + strings.Repeat("0", between) + "m"); got != want {
			t.Errorf("with %d characters it has %d bytes", between, got)
		}
	}
}

// D12: an id with a character that ends a word of prose is written as a URI; letters, digits and - _ @ [ { stay plain.
func TestEdgesOfAWord(t *testing.T) {
	for id, want := range map[string]string{
		"a": "s:a", "z": "s:z", "A": "s:A", "Z": "s:Z", "0": "s:0", "9": "s:9", "_-": "s:_-", "@": "s:@", "[": "s:[", "{": "s:{",
		"a`b": "pdpp://record/-/s/a%60b", "`": "pdpp://record/-/s/%60", "|": "pdpp://record/-/s/%7C", "a;": "pdpp://record/-/s/a%3B", "a b": "pdpp://record/-/s/a%20b",
	} {
		ref := rs.Ref{Stream: "s", RecordID: id}
		if got := ref.String(); got != want {
			t.Errorf("%q is written %s, want %s", id, got, want)
		}
		if back, err := rs.ParseRef(want); err != nil || back != ref {
			t.Errorf("%s is read as %+v: %v", want, back, err)
		}
	}
}

// An id is written plainly up to the longest id that a caller may send; a longer one is written as a URI.
func TestEdgesOfTheLengthOfAnID(t *testing.T) {
	longest := rs.Ref{ConnectionID: "c", Stream: "s", RecordID: strings.Repeat("r", rs.MaxIDBytes-len("c/s:"))}
	if text := longest.String(); len(text) != rs.MaxIDBytes || strings.HasPrefix(text, rs.RecordURIPrefix) {
		t.Errorf("the longest id has %d bytes: %.40s", len(text), text)
	}
	if back, err := rs.ParseRef(longest.String()); err != nil || back != longest {
		t.Errorf("it is read back with %v", err)
	}
	longest.RecordID += "r"
	if text := longest.String(); !strings.HasPrefix(text, rs.RecordURIPrefix) {
		t.Errorf("a longer one is %.40s", text)
	}
	if _, err := rs.ParseRef(strings.Repeat("r", rs.MaxIDBytes+1)); rs.AsError(err).Code != "invalid_id" {
		t.Errorf("a longer id is read: %v", err)
	}
}

// S3-7b: the compact form lists a single range operator or aggregation in the same way as several.
func TestOneOperatorIsShown(t *testing.T) {
	for capability, want := range map[string]string{
		`{"range_filter":{"usable":true,"operators":["gte"]}}`:      "r=gte",
		`{"range_filter":{"usable":true,"operators":["gte","lt"]}}`: "r=gte|lt",
		`{"range_filter":{"usable":true}}`:                          "r=" + strings.Join(rs.Bounds, "|"),
		`{"range_filter":{"usable":false,"operators":["gte"]}}`:     "declared",
		`{"aggregation":{"min":{"usable":true}}}`:                   "a=min",
		`{"type":"string","role":"x","granted":false}`:              "t=string,role=x,g=false",
		`{"lexical_search":{"declared":true}}`:                      "lex",
		`{"semantic_search":{"declared":true,"usable":false}}`:      "declared",
	} {
		server := &schemaServer{refuse: &rs.Error{Status: 501}, full: `{"streams":[{"name":"s","field_capabilities":{"f":` + capability + `}}]}`}
		r, err := rs.CompactSchema(t.Context(), server, "", "")
		if err != nil || !strings.Contains(r.Body, `"f":"`+want+`"`) {
			t.Errorf("%s: %v %v, want %s", capability, r, err, want)
		}
	}
}

// The opposite of an opposite is the operator itself. Words that are not operators have no opposite.
func TestOperatorsAndTheirOpposites(t *testing.T) {
	for _, operator := range rs.RangeOperators {
		opposite, ok := rs.Opposite(operator)
		if back, _ := rs.Opposite(opposite); ok && (opposite == operator || back != operator) {
			t.Errorf("the opposite of %s is %q, and of that %q", operator, opposite, back)
		}
	}
	for _, operator := range rs.Bounds {
		if lower := strings.HasPrefix(operator, "g"); rs.IsLowerBound(operator) != lower || rs.IsUpperBound(operator) == lower {
			t.Errorf("%s is a lower bound: %v, an upper one: %v", operator, rs.IsLowerBound(operator), rs.IsUpperBound(operator))
		}
	}
	for _, operator := range []string{"in", "contains"} {
		if opposite, ok := rs.Opposite(operator); ok {
			t.Errorf("the opposite of %q is %q", operator, opposite)
		}
	}
}

// A time is RFC 3339, with or without fractional seconds, or a date, which means its first instant in UTC.
func TestTimesOfAResourceServer(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2026-11-02T10:00:00Z":      time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC),
		"2026-11-02T10:00:00.5Z":    time.Date(2026, 11, 2, 10, 0, 0, 5e8, time.UTC),
		"2026-11-02T10:00:00+01:00": time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC),
		"2026-11-02":                time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC),
	} {
		if got, err := rs.ReadTime(text); err != nil || !got.Equal(want) {
			t.Errorf("%s is %s: %v", text, got, err)
		}
	}
	for _, text := range []string{"", "yesterday", "2026-11-02T10:00", "2026-13-01", "02.11.2026"} {
		if got, err := rs.ReadTime(text); err == nil || !got.IsZero() {
			t.Errorf("%q is %s", text, got)
		}
	}
}

func TestANameMayBeThereAsNull(t *testing.T) {
	o := rs.AsObject(`{"a":null,"b":1}`)
	for name, there := range map[string]bool{"a": true, "b": true, "c": false, "": false} {
		if o.Includes(name) != there {
			t.Errorf("%q is there: %v", name, !there)
		}
	}
	if o.Has("a") || !o.Has("b") || o.Get("a") != "" {
		t.Error("null is a value")
	}
}

// The token is removed from the headers of an answer and from the bytes of a blob; a JSON body is searched only when it is rendered.
func TestWhatOfAnAnswerIsSearchedForTokens(t *testing.T) {
	const token = "token-of-a-caller"
	redactor := rs.NewToken(token).Redactor()
	for name, row := range map[string]struct {
		given, want rs.Response
		binary      bool
	}{
		"a blob":                 {rs.Response{Body: "x" + token, RequestID: "r"}, rs.Response{Body: "x[token]", RequestID: "r"}, true},
		"a blob and its headers": {rs.Response{Body: token, RequestID: token, ContentType: token}, rs.Response{Body: "[token]", RequestID: "[token]", ContentType: "[token]"}, true},
		"a request id":           {rs.Response{Body: token, RequestID: token}, rs.Response{Body: token, RequestID: "[token]"}, false},
		"a type":                 {rs.Response{Body: token, ContentType: "text/" + token}, rs.Response{Body: token, ContentType: "text/[token]"}, false},
		"a body of JSON":         {rs.Response{Body: token}, rs.Response{Body: token}, false},
	} {
		got := row.given.Redacted(redactor, row.binary)
		if got.Body != row.want.Body || got.RequestID != row.want.RequestID || got.ContentType != row.want.ContentType {
			t.Errorf("%s: %+v", name, *got)
		}
		if (got == &row.given) != (row.given.Body == row.want.Body && row.given.RequestID == row.want.RequestID && row.given.ContentType == row.want.ContentType) {
			t.Errorf("%s: an answer with a token is another answer, and one without stays", name)
		}
	}
	if none := (*rs.Response)(nil).Redacted(redactor, true); none != nil {
		t.Errorf("no answer becomes %v", none)
	}
}

// A list has at most 10,000 items (MaxItems). For a longer one only the count is read, and no item.
func TestEdgesOfAList(t *testing.T) {
	items := func(n int) string { return `{"data":[1` + strings.Repeat(",1", n-1) + `]}` }
	for n, read := range map[int]int{1: 1, rs.MaxItems: rs.MaxItems, rs.MaxItems + 1: 0} {
		list, ok := (&rs.Response{Body: items(n)}).List()
		if ok != (read > 0) || list.Count != n || len(list.Items) != read {
			t.Errorf("%d: %d of %d, %v", n, len(list.Items), list.Count, ok)
		}
	}
	if list, ok := (&rs.Response{Body: `{"data":[]}`}).List(); !ok || list.Count != 0 || list.Items == nil {
		t.Error("an empty list is not read as a list")
	}
	for _, body := range []string{`{}`, `[]`, `{"data":{}}`, `{"data":1}`} {
		if list, ok := (&rs.Response{Body: body}).List(); ok || list.Raw != body {
			t.Errorf("%s is a list: %v; %s is read of it", body, ok, list.Raw)
		}
	}
}

// A field that only the JSON Schema of the stream has counts as granted; one that both have is one field.
func TestFieldsThatTheJSONSchemaKnows(t *testing.T) {
	schema := (&rs.Response{Body: `{"streams":[
		{"name":"both","field_capabilities":{"a":"t=string,g=false","b":{"granted":false}},"schema":{"properties":{"b":{"type":"number"},"c":{"type":["string","null"]},"c2":{}}}},
		{"name":"flags","field_capabilities":{"a":"t=string"}},
		{"name":"schema","schema":{"properties":{"a":{"type":"string"}}}}]}`}).Schema()
	for i, want := range []string{"a string false ; b  false {\"type\":\"number\"}; c string|null true {\"type\":[\"string\",\"null\"]}; c2  true {}; ", "a string true ; ", "a string true {\"type\":\"string\"}; "} {
		got := ""
		for _, field := range schema.Streams[i].Fields() {
			if said := field.JSONSchema(); said != field.Property {
				t.Errorf("%s has %s for a schema", field.Name, said)
			}
			got += fmt.Sprintf("%s %s %v %s; ", field.Name, field.Type, field.Granted, field.Property)
		}
		if got != want {
			t.Errorf("%s has %s, want %s", schema.Streams[i].Name, got, want)
		}
	}
}

// The JSON Schema of the field itself takes precedence over that in the schema of the stream.
func TestAFieldsOwnJSONSchema(t *testing.T) {
	schema := (&rs.Response{Body: `{"streams":[{"field_capabilities":{"a":{"schema":{"type":"string"}}},"schema":{"properties":{"a":{"type":"number"}}}}]}`}).Schema()
	if field := schema.Streams[0].Fields()[0]; field.JSONSchema() != `{"type":"string"}` {
		t.Error(field.JSONSchema())
	}
}

// D19: a token is found whichever of its characters is escaped.
func TestEachCharacterOfATokenMayBeEscaped(t *testing.T) {
	const characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/"
	redactor := rs.NewToken(characters).Redactor()
	for i, c := range []byte(characters) {
		for _, format := range []string{`\u%04x`, `\u%04X`} {
			raw := `["x` + characters[:i] + fmt.Sprintf(format, c) + characters[i+1:] + `"]`
			if got := redactor.JSON(raw); got != `["x[token]"]` {
				t.Errorf("with %c as %s: %s", c, fmt.Sprintf(format, c), got)
			}
		}
	}
}

// A base64-encoded token is removed with all characters that encode only its bytes, except those shared with neighbouring bytes.
func TestATokenInBase64GoesAsAWhole(t *testing.T) {
	const token = "tok.9~Zp.2-x_canary-77" // 22 bytes
	redactor := rs.NewToken(token).Redactor()
	for before, kept := range map[int][2]int{0: {0, 1}, 1: {2, 1}, 2: {3, 0}, 3: {4, 1}} { // characters before it and behind it
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("b", before) + token))
		if got, want := redactor.Text(encoded), encoded[:kept[0]]+"[token]"+encoded[len(encoded)-kept[1]:]; got != want {
			t.Errorf("behind %d bytes: %s, want %s", before, got, want)
		}
	}
}

// D19: the redactor of a call removes the caller's token, the tokens that it read with and those of its package.
func TestACallKnowsTheTokensThatItUsed(t *testing.T) {
	const all = "the-callers-token the-first-member the-other-member"
	for name, row := range map[string]struct {
		caller        string
		members, used []string
		want          string
	}{
		"none":                            {want: all},
		"the caller's":                    {caller: "the-callers-token", want: "[token] the-first-member the-other-member"},
		"a member's":                      {used: []string{"the-first-member"}, want: "the-callers-token [token] the-other-member"},
		"two":                             {used: []string{"the-first-member", "the-other-member"}, want: "the-callers-token [token] [token]"},
		"the caller's and a member's":     {caller: "the-callers-token", members: []string{"the-first-member"}, want: "[token] [token] the-other-member"},
		"of two members the one was used": {members: []string{"the-first-member", "the-other-member"}, used: []string{"the-first-member"}, want: "the-callers-token [token] [token]"},
		"a short one":                     {caller: "short", used: []string{"the-first-member"}, want: "the-callers-token [token] the-other-member"},
	} {
		var members []rs.Token
		for _, member := range row.members {
			members = append(members, rs.NewToken(member))
		}
		var tokens rs.UsedTokens
		tokens.Redactor(rs.NewToken(row.caller))
		for _, used := range row.used {
			if text := tokens.Redactor(rs.NewToken(used)).Text(used + " of " + all); !strings.HasPrefix(text, "[token] of ") {
				t.Errorf("%s: a read keeps its token: %s", name, text)
			}
		}
		if got := tokens.All(members).Text(all); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

// A metric has the codes of the adapter and of the contract as labels; any other code is "other".
func TestLabelsOfCodes(t *testing.T) {
	for code, want := range map[rs.Code]string{"ok": "ok", "invalid_filter": "invalid_filter", "invalid_cursor": "invalid_cursor", "grant_revoked": "grant_revoked", "made_up": "other", "": "other"} {
		if got := code.Label(); got != want {
			t.Errorf("%q is shown as %s", code, got)
		}
	}
}

// WithBody reads the new body instead of the values cached for the first.
func TestAnotherBodyIsReadAnew(t *testing.T) {
	first, err := rs.ReadResponse(`{"data":[1],"streams":[]}`)
	if err != nil {
		t.Fatal(err)
	}
	first.List()
	first.Schema()
	second := first.WithBody(`{"data":[1,2],"streams":[{"name":"s"}]}`)
	if list, _ := second.List(); list.Count != 2 || len(second.Schema().Streams) != 1 {
		t.Errorf("%d items, %d streams", list.Count, len(second.Schema().Streams))
	}
}

// An answer with more members is what a resource server would have sent with them.
func TestMoreMembersAreReadAsIfTheyWereSent(t *testing.T) {
	for _, body := range []string{
		`{"data":[1,{"id":"a","data":{"x":2}}],"read_as":["old"],"has_more":true}`, `{"data":{"hits":[{"id":"a"}],"meta":{"count":1},"read_as":"inner"}}`,
		`{"data":{"id":"a"}}`, `{}`, `{"data":[]}`,
	} {
		read := func(body string) *rs.Response {
			r, err := rs.ReadResponse(body)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		members := rs.Object{rs.NewMember("read_as", []string{"new"}), rs.NewMember("note", "n")}
		first := read(body)
		first.List()
		more, whole := first.WithMembers(members), read(first.Object().WithAll(members).JSON())
		got, isList := more.List()
		want, wanted := whole.List()
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(rs.List{})); diff != "" || isList != wanted || more.Body != whole.Body {
			t.Errorf("%s: %s, %t (-want +got)\n%s", body, more.Body, isList, diff)
		}
		if diff := cmp.Diff(whole.Object(), more.Object()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", body, diff)
		}
		if first.WithMembers(nil) != first {
			t.Errorf("%s: without members it is another answer", body)
		}
	}
}
