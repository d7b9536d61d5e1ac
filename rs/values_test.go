package rs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestNumbersOfAnObject(t *testing.T) {
	for value, want := range map[string]struct {
		n  int
		ok bool
	}{
		`7`: {7, true}, `"12"`: {12, true}, `3.0`: {3, true}, `1e2`: {100, true}, `-4`: {-4, true},
		`3.5`: {}, `"x"`: {}, `""`: {}, `null`: {}, `{}`: {}, `1e400`: {}, `0.1000000001`: {}, `16777217.0`: {16777217, true},
	} {
		if n, ok := (rs.Object{{Name: "n", Value: value}}).Number("n"); n != want.n || ok != want.ok {
			t.Errorf("%s is %d, %v", value, n, ok)
		}
	}
}

func TestAMemberIsRenamedInPlace(t *testing.T) {
	o := rs.Object{{"a", "1"}, {"b", "2"}, {"c", "3"}}
	for to, want := range map[string]string{"d": `{"a":1,"d":9,"c":3}`, "b": `{"a":1,"b":9,"c":3}`, "a": `{"a":9,"c":3}`} {
		if got := o.Renamed("b", to, "9").JSON(); got != want {
			t.Errorf("b as %s: %s, want %s", to, got, want)
		}
	}
	if got := o.Renamed("x", "y", "9").JSON(); got != o.JSON() {
		t.Error(got)
	}
}

func TestSeveralMembersAreSetAtOnce(t *testing.T) {
	o := rs.Object{{"a", "1"}, {"b", "2"}, {"a", "3"}, {"c", "4"}}
	if got := o.WithAll(rs.Object{{"a", "5"}, rs.NewMember("d", 6)}).JSON(); got != `{"a":5,"b":2,"c":4,"d":6}` {
		t.Error(got)
	}
	if got := o.WithAll(nil).JSON(); got != o.JSON() {
		t.Error(got)
	}
}

func TestStableCodes(t *testing.T) {
	for code, want := range map[rs.Code]bool{
		"grant_revoked": true, "context.active-2": true, rs.Code(strings.Repeat("a", 80)): true,
		"": false, rs.Code(strings.Repeat("a", 81)): false, "a b": false, "naïve": false, "a/b": false, "a\n": false, "²": false,
	} {
		if code.Valid() != want {
			t.Errorf("%q is valid: %v", code, !want)
		}
	}
}

func TestTextsOfErrorsAreOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"a\r\n b\tc": "a b c", "pay \u202egro.live": "pay gro.live", "a\U000e0041b": "ab", "می\u200cخواهم": "می\u200cخواهم", "👩\u200d💻": "👩\u200d💻", "a\u2066b\u2069c": "abc",
		strings.Repeat("\u200b", 32<<10) + "too far to be read": "",
	} {
		if got := rs.ErrorText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestAClippedTextEndsWithAnEllipsis(t *testing.T) {
	for text, want := range map[string]string{"": "", "äö": "äö", "äöü": "äöü", "äöüß": "äöü…"} {
		if got := rs.Clip(text, 3); got != want {
			t.Errorf("%q is clipped to %q, want %q", text, got, want)
		}
	}
}

// If a name occurs twice in an object, at any depth, the last value is kept, in the place of the first.
func TestDistinctMembers(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":1,"b":{"c":1,"c":2},"a":3}`: `{"a":3,"b":{"c":2}}`,
		`[{"a":1,"a":2},{"a":3}]`:         `[{"a":2},{"a":3}]`,
		`{"a":[1,{"b":1,"b":[2]}]}`:       `{"a":[1,{"b":[2]}]}`,
		`{"a":1,"b":2}`:                   `{"a":1,"b":2}`,
	} {
		response, err := rs.ReadResponse(body)
		if err != nil {
			t.Fatal(err)
		}
		if got := response.Body; got != want {
			t.Errorf("%s: %s", body, got)
		}
	}
	for _, body := range []string{`{"a":1,"a":2]`, `{"a":1,"a":2,3}`, `{"a":1,"a":}`, `[{"a":1,"a":2},`} {
		if _, err := rs.ReadResponse(body); err == nil {
			t.Errorf("%s, which is no JSON, is read", body)
		}
	}
}

// An answer may have 1 << 20 values; one more is refused. A repeated name, which causes a second pass over the answer, does not change
// the count.
func TestValuesOfAnAnswerAreBounded(t *testing.T) {
	const twice = `{"a":1,"a":2}` // five values and names
	for count, code := range map[int]rs.Code{1 << 20: "", 1<<20 + 1: "response_too_large"} {
		for _, body := range []string{
			"[" + strings.TrimSuffix(strings.Repeat("0,", count), ",") + "]", "[" + strings.Repeat("0,", count-5) + twice + "]",
		} {
			_, err := rs.ReadResponse(body)
			if typed := new(rs.Error); errors.As(err, &typed) != (code != "") || typed.Code != code ||
				code != "" && !strings.Contains(typed.Message, " 1048576 values") {
				t.Errorf("%d values: %v", count, err)
			}
		}
	}
}

func TestAWrappedListIsReplacedWhereItIs(t *testing.T) {
	for body, want := range map[string]string{
		`{"object":"list","data":[{"id":"a"},{"id":"b"}]}`:          `{"object":"list","data":[{"id":"b"}]}`,
		`{"data":{"object":"list","data":[{"id":"a"},{"id":"b"}]}}`: `{"data":{"object":"list","data":[{"id":"b"}]}}`,
	} {
		response, err := rs.ReadResponse(body)
		if err != nil {
			t.Fatal(err)
		}
		list, ok := response.List()
		if !ok || len(list.Items) != 2 {
			t.Fatalf("%s: %+v", body, list)
		}
		if got := list.With(list.Items[1:]).JSON(); got != want {
			t.Errorf("%s: %s", body, got)
		}
	}
}

func TestTheKeyOfAConnector(t *testing.T) {
	for text, want := range map[string]string{
		`{"connector_key":"gmail"}`:                                  "gmail",
		`{"connector_id":"https://registry.example/c/gmail/"}`:       "gmail",
		`{"connector_id":"a/b"}`:                                     "a/b", // not a URL
		`{"source":{"kind":"connector","id":"slack"}}`:               "slack",
		`{"source":{"kind":"file","id":"slack"}}`:                    "",
		`{"connector_key":"a","connector_id":"b","source":{"id":1}}`: "a",
	} {
		if got := rs.ConnectorKey(rs.AsObject(text)); got != want {
			t.Errorf("%s is %q", text, got)
		}
	}
}

// Streams at the top level take precedence over those of a data wrapper. The Connector of a stream without a connector is -1.
func TestWhoseAStreamIs(t *testing.T) {
	s := rs.ReadSchema(`{"data":{"streams":[{"name":"inner"}]},"streams":[{"name":"outer"}]}`)
	if len(s.Streams) != 1 || s.Streams[0].Name != "outer" || s.Streams[0].Connector != -1 {
		t.Errorf("%+v", s.Streams)
	}
	s = rs.ReadSchema(`{"connectors":[{"connector_key":"k","streams":[{"name":"a"}]}],"streams":[{"name":"b"}]}`)
	if len(s.Streams) != 2 || s.Streams[0].Connector != 0 || s.Streams[1].Connector != -1 {
		t.Errorf("%+v", s.Streams)
	}
}

// An id with any part that would not stay one word in prose is written as a URI.
func TestPartsOfAnIDThatNeedQuoting(t *testing.T) {
	for _, ref := range []rs.Ref{
		{ConnectionID: "my cin", Stream: "s", RecordID: "r"}, {ConnectionID: "c", Stream: "a stream", RecordID: "r"},
		{ConnectionID: "c", Stream: "s", RecordID: "an id"}, {ConnectionID: "c", Stream: "a:b", RecordID: "r"}, {Stream: "s", RecordID: "a \"b\""},
	} {
		text := ref.String()
		if parsed, err := rs.ParseRef(text); !strings.HasPrefix(text, rs.RecordURIPrefix) || err != nil || parsed != ref {
			t.Errorf("%+v is %s, which is %+v (%v)", ref, text, parsed, err)
		}
	}
}

// A token is found in JSON if any one of its characters is escaped, with upper or lower case digits.
func TestATokenWithOneEscapeIsFound(t *testing.T) {
	const token = "tok09AZaz-._~+=%end"
	redactor := rs.NewToken(token).Redactor()
	for at, c := range token {
		for _, digits := range []string{"0123456789abcdef", "0123456789ABCDEF"} {
			escape := `\u00` + string(digits[c>>4]) + string(digits[c&15])
			raw := `{"a":"b ` + token[:at] + escape + token[at+1:] + `"}`
			got := redactor.JSON(raw)
			var read struct{ A string }
			if err := json.Unmarshal([]byte(got), &read); err != nil || strings.Contains(read.A, token) {
				t.Errorf("%s is %s (%v)", raw, got, err)
			}
		}
	}
}

// D12: the hint is the URI of the record that was meant, with or without a connection.
func TestASlashInARecordID(t *testing.T) {
	for id, want := range map[string]string{
		"cin_1/orders:o1/x": "pdpp://record/cin_1/orders/o1%2Fx", "orders:o1/x": "pdpp://record/-/orders/o1%2Fx", "orders:a/b:c/d": "pdpp://record/-/orders/a%2Fb:c%2Fd",
	} {
		_, err := rs.ParseRef(id)
		if e := rs.AsError(err); e.Hint != "Write this record's id as "+want+"." || e.Meant.URI() != want {
			t.Errorf("%s: %s", id, e.Hint)
		}
	}
}

// An answer has at most 256 nested arrays and objects.
func TestDepthOfAnAnswer(t *testing.T) {
	for depth, code := range map[int]rs.Code{256: "", 257: "invalid_response"} {
		_, err := rs.ReadResponse(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if code == "" && err != nil || code != "" && (err == nil || rs.AsError(err).Code != code) {
			t.Errorf("%d: %v", depth, err)
		}
	}
}

func TestAnswersAreCompact(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, `{"a" :1}`: `{"a":1}`, `{"a": 1}`: `{"a":1}`, "[1,\n2]": `[1,2]`, "[1\t,2]": `[1,2]`, "[1,2]\r": `[1,2]`, ` {"a":" b"}`: `{"a":" b"}`, "{\r\n}": `{}`,
	} {
		if got, err := rs.ReadResponse(raw); err != nil || got.Body != want {
			t.Errorf("%q is %v, %v", raw, got, err)
		}
	}
	const compact = `{"a":[1,"b"],"c":{"d":true}}`
	if got, err := rs.ReadResponse(compact); err != nil || unsafe.StringData(got.Body) != unsafe.StringData(compact) {
		t.Errorf("%s is copied, %v", compact, err)
	}
}

func TestLimitsOfARelation(t *testing.T) {
	schema := rs.Response{Body: `{"streams":[{"name":"orders","expand_capabilities":[{"name":"items","default_limit":3,"max_limit":20},{"name":"notes"}]}]}`}
	found := schema.Schema().Streams[0].Relations()
	if len(found) != 2 || *found[0].DefaultLimit != 3 || *found[0].MaxLimit != 20 || found[1].DefaultLimit != nil || found[1].MaxLimit != nil {
		t.Errorf("%+v", found)
	}
}

func TestValuesAsJSON(t *testing.T) {
	for want, value := range map[string]any{
		`"a<b>&\"c"`: "a<b>&\"c", `7`: 7, `true`: true, `[1.5,null]`: []any{1.5, nil}, `{"a":"<&>"}`: map[string]string{"a": "<&>"}, `null`: func() {},
	} {
		if got := rs.EncodeJSON(value); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for raw, want := range map[string]string{`"a"`: "a", "\"\x80\"": "\uFFFD", "\"\x80é\"": "\uFFFDé", "\"é\"": "é", `7`: "7", `true`: "true", `null`: "-", `{}`: "-", ``: "-"} {
		if got, ok := rs.AsText(raw); ok == (want == "-") || ok && got != want || !ok && got != "" {
			t.Errorf("%q reads %q, %v", raw, got, ok)
		}
	}
}

// The flags of the compact form set the corresponding properties of a field.
func TestFlagsOfAField(t *testing.T) {
	schema := rs.ReadSchema(`{"streams":[{"name":"s","field_capabilities":{"a":"t=text,lex,sem","b":"t=number,eq,r=gte|lt,a=sum","c":"g=false","d":"role=event-time","e":"declared"}}]}`)
	var got []string
	for _, f := range schema.Streams[0].Fields() {
		got = append(got, fmt.Sprintln(f.Name, f.Type, f.Role, f.Granted, f.Exact, f.Ranges, f.Lexical, f.Semantic, f.Aggregates))
	}
	want := []string{
		"a text  true false [] true true []\n", "b number  true true [gte lt] false false [sum]\n", "c   false false [] false false []\n",
		"d  event-time true false [] false false []\n", "e   true false [] false false []\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

type doerFunc func() (*rs.Response, error)

func (f doerFunc) Do(context.Context, rs.Request) (*rs.Response, error) { return f() }

// If an unreadable id identifies a record all the same, the error says how to write its id.
func TestIDsWithASlashAreMeant(t *testing.T) {
	for text, hint := range map[string]string{
		"cin_a/orders:2026/1":  "Write this record's id as pdpp://record/cin_a/orders/2026%2F1.",
		"orders:2026/1":        "Write this record's id as pdpp://record/-/orders/2026%2F1.",
		"cin_a/ord..ers/x:1/2": "",
		"cin:a/orders":         "Write this record's id as pdpp://record/-/cin/a%2Forders.",
	} {
		_, err := rs.ParseRef(text)
		e := rs.AsError(err)
		if err == nil || (hint != "" && e.Hint != hint) || hint == "" && strings.HasPrefix(e.Hint, "Write this") {
			t.Errorf("%s: %v, %q", text, err, e.Hint)
		}
	}
}

// An external message of at most 600 bytes is repeated in full; a longer one is truncated between two characters.
func TestAForeignSentenceIsCut(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("a", 600):        strings.Repeat("a", 600),
		strings.Repeat("a", 601):        strings.Repeat("a", 600) + "…",
		strings.Repeat("a", 599) + "éa": strings.Repeat("a", 599) + "…",
	} {
		if got := rs.ErrorText(text); got != want {
			t.Errorf("%d bytes are %d", len(text), len(got))
		}
	}
}

// A connector without streams is part of the schema of its connection, but not of the schema of any stream.
func TestAConnectorWithoutStreamsIsOfNoStream(t *testing.T) {
	for _, streams := range []string{``, `,"streams":null`, `,"streams":[]`} {
		schema := `{"detail":"compact","connectors":[{"connector_key":"mail","granted_connections":[{"connection_id":"cin_1"}]` + streams + `}]}`
		server := doerFunc(func() (*rs.Response, error) { return &rs.Response{Body: schema}, nil })
		for stream, want := range map[string]bool{"": true, "messages": false} {
			r, err := rs.CompactSchema(t.Context(), server, stream, "cin_1")
			if err != nil || strings.Contains(r.Body, "mail") != want {
				t.Errorf("%q of %s: %v (%v)", stream, schema, r, err)
			}
		}
	}
}

// A list is replaced at its place in the answer, and Without removes a member of the envelope at any level.
func TestAListIsChangedWhereItStands(t *testing.T) {
	for body, want := range map[string]string{
		`{"data":[1],"has_more":true}`:                           `{"data":[{"id":2}]}`,
		`{"data":{"records":[1],"has_more":true}}`:               `{"data":{"records":[{"id":2}]}}`,
		`{"has_more":true,"data":{"records":[1],"object":"li"}}`: `{"data":{"records":[{"id":2}],"object":"li"}}`,
	} {
		if list, _ := (&rs.Response{Body: body}).List(); list.Without("has_more").Raw != strings.Replace(strings.ReplaceAll(want, `{"id":2}`, "1"), ",}", "}", 1) ||
			(list.Name() == "records") != strings.Contains(body, "records") {
			t.Errorf("%s: %s without a member, in %s", body, list.Without("has_more").Raw, list.Name())
		}
		list, _ := (&rs.Response{Body: body}).List()
		item := rs.Object{{Name: "id", Value: "2"}}.Item()
		without := list.Without("has_more")
		if got := without.With([]rs.Item{item}).JSON(); got != want {
			t.Errorf("%s: %s", body, got)
		}
	}
}

// A warning is added to the existing warnings or to the existing meta object.
func TestWarningsStandTogether(t *testing.T) {
	for body, want := range map[string]string{
		`{"data":[]}`: `{"data":[],"meta":{"warnings":["late"]}}`,
		`{"data":{"records":[],"meta":{"warnings":["old"]}}}`: `{"data":{"records":[],"meta":{"warnings":["old","late"]}}}`,
		`{"data":{"records":[]},"meta":{"cost":1}}`:           `{"data":{"records":[]},"meta":{"cost":1,"warnings":["late"]}}`,
	} {
		list, ok := (&rs.Response{Body: body}).List()
		if got := list.Warn([]string{`"late"`}).Body.JSON(); !ok || got != want {
			t.Errorf("%s: %s", body, got)
		}
	}
}

// A NumericDate is truncated to whole seconds and ranges from 1970 to the end of the year 9999; an absent one is the zero time.
func TestUnixTime(t *testing.T) {
	for text, want := range map[json.Number]int64{"0": 0, "0.9": 0, "1.5": 1, "253402300799": 253402300799} {
		if got, ok := rs.UnixTime(text); !ok || !got.Equal(time.Unix(want, 0)) {
			t.Errorf("%s: %s, %t", text, got, ok)
		}
	}
	for _, text := range []json.Number{"-0.5", "-1", "253402300800", "1e300", "x"} {
		if got, ok := rs.UnixTime(text); ok {
			t.Errorf("%s: %s", text, got)
		}
	}
	if got, ok := rs.UnixTime(""); !ok || !got.IsZero() {
		t.Errorf("absent: %s, %t", got, ok)
	}
}

// An expiry is an RFC 3339 time or seconds; an absent one is the zero time.
func TestReadExpiry(t *testing.T) {
	for raw, want := range map[string]int64{`"2026-03-01T12:00:00Z"`: 1772366400, `1772366400`: 1772366400, `1772366400.5`: 1772366400, `0`: 0} {
		if got, ok := rs.ReadExpiry([]byte(raw)); !ok || !got.Equal(time.Unix(want, 0)) {
			t.Errorf("%s: %s, %t", raw, got, ok)
		}
	}
	for _, raw := range []string{``, `null`, `""`} {
		if got, ok := rs.ReadExpiry([]byte(raw)); !ok || !got.IsZero() {
			t.Errorf("%q: %s, %t", raw, got, ok)
		}
	}
	for _, raw := range []string{`"soon"`, `"1772366400"`, `-1`, `1772366400000`, `true`, `{}`, `[]`} {
		if got, ok := rs.ReadExpiry([]byte(raw)); ok {
			t.Errorf("%s: %s", raw, got)
		}
	}
}
