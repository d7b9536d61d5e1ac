package rs_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestParseRef(t *testing.T) {
	for name, row := range map[string]struct {
		text string
		want rs.Ref
	}{
		"S2-1 a self-contained id names connection, stream and record": {
			"cin_4f2a/orders:o1", rs.Ref{ConnectionID: "cin_4f2a", Stream: "orders", RecordID: "o1"},
		},
		"S2-1 an id without a slash is the legacy form": {
			"orders:o1", rs.Ref{Stream: "orders", RecordID: "o1"},
		},
		"S2-3 the first colon splits, so that a record id may hold more": {
			"orders:2026-01-01T10:00:00Z", rs.Ref{Stream: "orders", RecordID: "2026-01-01T10:00:00Z"},
		},
		"S2-3 the first colon after the slash splits a self-contained id": {
			"cin_1/orders:a:b:c", rs.Ref{ConnectionID: "cin_1", Stream: "orders", RecordID: "a:b:c"},
		},
		"S2-2 a colon before the slash belongs to the connection": {
			"acct:7/orders:o1", rs.Ref{ConnectionID: "acct:7", Stream: "orders", RecordID: "o1"},
		},
		"S2-4 a stream named like a prefix is a stream, because there is no sentinel": {
			"pdpp:o1", rs.Ref{Stream: "pdpp", RecordID: "o1"},
		},
		"S2-4 nothing is unescaped": {
			"cin_1/orders:a%2Fb", rs.Ref{ConnectionID: "cin_1", Stream: "orders", RecordID: "a%2Fb"},
		},
		"a single dot inside a segment is a letter like others": {
			"cin.1/orders.v2:o.1", rs.Ref{ConnectionID: "cin.1", Stream: "orders.v2", RecordID: "o.1"},
		},
		"a record id may hold spaces and any script": {
			"cin_1/notes:Zoë 日本", rs.Ref{ConnectionID: "cin_1", Stream: "notes", RecordID: "Zoë 日本"},
		},
		"S1-5c a record URI of any implementation is read": {
			recordURI(`{"v":1,"kind":"record","connection_id":"cin_gmail_work","stream":"messages","record_id":"m1"}`),
			rs.Ref{ConnectionID: "cin_gmail_work", Stream: "messages", RecordID: "m1"},
		},
		"D12 a record URI has its parts percent-encoded": {
			"pdpp://record/cin_shop/orders/2026%2F0240", rs.Ref{ConnectionID: "cin_shop", Stream: "orders", RecordID: "2026/0240"},
		},
		"D12 a record URI with - for the connection names none": {
			"pdpp://record/-/orders/a%5Cb", rs.Ref{Stream: "orders", RecordID: `a\b`},
		},
		"D12 what needs no escape may have one": {
			"pdpp://record/cin%5Fshop/%6Frders/o1", rs.Ref{ConnectionID: "cin_shop", Stream: "orders", RecordID: "o1"},
		},
		"S1-5c the order of a handle's members does not matter, nor do members of a later minor form": {
			recordURI(`{"record_id":"m1","extra":true,"stream":"messages","kind":"record","v":1}`),
			rs.Ref{Stream: "messages", RecordID: "m1"},
		},
		"D12 a handle carries a record id with slashes and dots": {
			recordURI(`{"v":1,"kind":"record","stream":"files","record_id":"a/../b\\c"}`),
			rs.Ref{Stream: "files", RecordID: `a/../b\c`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rs.ParseRef(row.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
			again, err := rs.ParseRef(got.String())
			if err != nil || again != got {
				t.Errorf("ParseRef(%q) = %v, %v; want %v", got.String(), again, err, got)
			}
		})
	}
}

func TestParseRefRefuses(t *testing.T) {
	for name, row := range map[string]struct{ text, says string }{
		"nothing at all":                                      {"", "has no ':'"},
		"a text without a colon":                              {"orders", "has no ':'"},
		"S3-19e an empty connection":                          {"/orders:o1", "connection segment that is empty"},
		"S3-19e an empty stream":                              {":o1", "stream segment that is empty"},
		"S3-19e an empty stream after a connection":           {"cin_1/:o1", "stream segment that is empty"},
		"S3-19e an empty record":                              {"orders:", "record segment that is empty"},
		"S3-19e a second slash":                               {"cin_1/orders:o1/x", "contains '/'"},
		"S3-19e two slashes in a row":                         {"cin_1//orders:o1", "contains '/'"},
		"S3-19e a slash after a legacy stream":                {"orders:o1/x", "contains '/'"},
		"S2-2 a backslash":                                    {`cin_1/orders:a\b`, "contains '/'"},
		"S2-2 a traversal as the record":                      {"cin_1/orders:..", `contains ".."`},
		"S2-2 a traversal inside the record":                  {"orders:a..b", `contains ".."`},
		"S2-2 a traversal as the connection":                  {"../orders:o1", `contains ".."`},
		"S2-2 a traversal as the stream":                      {"cin_1/..:o1", `contains ".."`},
		"a record that is one path step":                      {"orders:.", "is a path step"},
		"a stream that is one path step":                      {".:o1", "is a path step"},
		"a NUL":                                               {"orders:o\x001", "control character"},
		"a line break":                                        {"orders:o\n1", "control character"},
		"bytes that are not UTF-8":                            {"orders:o\xff", "UTF-8"},
		"S2-9 a web address":                                  {"https://example.com/a:b", "contains '/'"},
		"a URI of another kind":                               {"pdpp://blob/abc:d", "address of an attachment"},
		"a record URI without a handle":                       {rs.RecordURIPrefix, "not a record URI"},
		"a record URI that is not base64url":                  {rs.RecordURIPrefix + "a+b/c", "not a record URI"},
		"D12 a record URI with a slash that is not escaped":   {"pdpp://record/c/orders/2026/0240", "not a record URI"},
		"D12 a record URI without a record":                   {"pdpp://record/c/orders/", "not a record URI"},
		"D12 a record URI with a broken escape":               {"pdpp://record/c/orders/a%2", "not a record URI"},
		"D12 a record URI whose stream traverses":             {"pdpp://record/c/..%2Fa/b", "stream that contains"},
		"D12 a record URI with a control character":           {"pdpp://record/c/a/b%0A", "control character"},
		"D12 a record URI whose record is a path step":        {"pdpp://record/c/a/%2E%2E", "is a path step"},
		"a record URI with padding, which nobody mints":       {rs.RecordURIPrefix + "e30=", "not a record URI"},
		"a record URI that holds no JSON":                     {recordURI(`record`), "not a record URI"},
		"a record URI that holds bytes that are not UTF-8":    {recordURI("{\"v\":1,\"kind\":\"record\",\"stream\":\"a\",\"record_id\":\"\xff\"}"), "not a record URI"},
		"a record URI of a later version":                     {recordURI(`{"v":2,"kind":"record","stream":"a","record_id":"b"}`), "not a record URI"},
		"a handle of another kind":                            {recordURI(`{"v":1,"kind":"field_window","stream":"a","record_id":"b"}`), "not a record URI"},
		"a handle without a stream":                           {recordURI(`{"v":1,"kind":"record","record_id":"b"}`), "stream that is empty"},
		"a handle without a record":                           {recordURI(`{"v":1,"kind":"record","stream":"a"}`), "record id that is empty"},
		"a handle whose stream traverses":                     {recordURI(`{"v":1,"kind":"record","stream":"../a","record_id":"b"}`), "stream that contains"},
		"a handle whose connection traverses":                 {recordURI(`{"v":1,"kind":"record","connection_id":"..","stream":"a","record_id":"b"}`), "connection that contains"},
		"a handle whose record is a path step":                {recordURI(`{"v":1,"kind":"record","stream":"a","record_id":".."}`), "is a path step"},
		"a handle whose record holds a NUL":                   {recordURI(`{"v":1,"kind":"record","stream":"a","record_id":"b\u0000"}`), "control character"},
		"an id of more than 4,096 bytes":                      {"orders:" + strings.Repeat("x", rs.MaxIDBytes), "longer than 4096 bytes"},
		"an id of 4,096 bytes that need escaping to be shown": {"orders:" + strings.Repeat("\x01", rs.MaxIDBytes-7), "control character"},
	} {
		t.Run(name, func(t *testing.T) {
			ref, err := rs.ParseRef(row.text)
			var typed *rs.Error
			if !errors.As(err, &typed) {
				t.Fatalf("ParseRef = %v, %v; want an *rs.Error", ref, err)
			}
			if ref != (rs.Ref{}) {
				t.Errorf("beside the error stands %v", ref)
			}
			if typed.Code != "invalid_id" || typed.Param != "id" || typed.Hint == "" || !strings.Contains(typed.Message, row.says) {
				t.Errorf("error %+v; want invalid_id of id that says %q", typed, row.says)
			}
			if len(typed.Message) > 1024 {
				t.Errorf("the message is %d bytes long", len(typed.Message))
			}
		})
	}
}

func TestRefString(t *testing.T) {
	for name, row := range map[string]struct {
		ref  rs.Ref
		want string
	}{
		"S2-1 with a connection": {rs.Ref{ConnectionID: "cin_4f2a", Stream: "orders", RecordID: "o1"}, "cin_4f2a/orders:o1"},
		"S2-1 without one":       {rs.Ref{Stream: "orders", RecordID: "o1"}, "orders:o1"},
		"S2-5 slash and colon survive, nothing is escaped": {
			rs.Ref{ConnectionID: "a:b", Stream: "orders", RecordID: "x:y%z"}, "a:b/orders:x:y%z",
		},
		"D12 a record id with a slash becomes a handle": {
			rs.Ref{ConnectionID: "cin_1", Stream: "files", RecordID: "a/b"},
			"pdpp://record/cin_1/files/a%2Fb",
		},
		"D12 a record id with two dots becomes a handle": {
			rs.Ref{Stream: "files", RecordID: "v1..v2"}, "pdpp://record/-/files/v1..v2",
		},
		"a record id with a space becomes a handle, because prose would end it": {
			rs.Ref{Stream: "notes", RecordID: "a b"}, "pdpp://record/-/notes/a%20b",
		},
		"a stream with a colon becomes a handle, because the first colon splits": {
			rs.Ref{Stream: "a:b", RecordID: "c"}, "pdpp://record/-/a:b/c",
		},
		"a connection that starts like a URI of ours becomes a handle": {
			rs.Ref{ConnectionID: "pdpp:x", Stream: "a", RecordID: "b"},
			"pdpp://record/pdpp:x/a/b",
		},
		"a right-to-left override becomes a handle": {
			rs.Ref{Stream: "a", RecordID: "b\u202ec"}, "pdpp://record/-/a/b%E2%80%AEc",
		},
		"a connection that is written like none is not none": {
			rs.Ref{ConnectionID: "-", Stream: "a", RecordID: "b/c"}, "pdpp://record/%2D/a/b%2Fc",
		},
		"a percent sign in a record id with a slash is no escape": {
			rs.Ref{ConnectionID: "c", Stream: "a", RecordID: "100%/2F"}, "pdpp://record/c/a/100%25%2F2F",
		},
		"D15 a long id is whole": {
			rs.Ref{Stream: "a", RecordID: strings.Repeat("x", 1000)}, "a:" + strings.Repeat("x", 1000),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := row.ref.String()
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
			back, err := rs.ParseRef(got)
			if err != nil || back != row.ref {
				t.Errorf("ParseRef(%q) = %v, %v", got, back, err)
			}
		})
	}
}

// ParseRef and String are inverses of each other.
func FuzzRef(f *testing.F) {
	f.Add("cin_4f2a/orders:o1", "cin_4f2a", "orders", "o1")
	f.Add("orders:a:b", "", "orders", "a:b")
	f.Add("a//b:c", "a:b", "c:d", "e/f")
	f.Add("pdpp://record/e30", "pdpp:", "pdpp", "//record/x")
	f.Add("..", "..", ".", "a..b")
	f.Add(recordURI(`{"v":1,"kind":"record","stream":"a","record_id":"b/c"}`), "", "a", "b c")
	f.Fuzz(func(t *testing.T, text, connection, stream, record string) {
		if ref, err := rs.ParseRef(text); err == nil {
			checkRoundTrip(t, ref)
			if !strings.HasPrefix(text, rs.RecordURIPrefix) && !strings.HasPrefix(ref.String(), rs.RecordURIPrefix) && ref.String() != text {
				t.Errorf("ParseRef(%q).String() = %q", text, ref.String())
			}
		} else if ref != (rs.Ref{}) {
			t.Errorf("ParseRef(%q) = %v beside an error", text, ref)
		}
		ref := rs.Ref{ConnectionID: connection, Stream: stream, RecordID: record}
		valid := (connection == "" || rs.UnsafeName(connection) == "") && rs.UnsafeName(stream) == "" &&
			record != "" && record != "." && record != ".." && utf8.ValidString(record) && !strings.ContainsFunc(record, isControl)
		if valid && len(connection)+len(stream)+len(record) <= 400 {
			checkRoundTrip(t, ref)
		}
	})
}

func checkRoundTrip(t *testing.T, ref rs.Ref) {
	t.Helper()
	text := ref.String()
	back, err := rs.ParseRef(text)
	if err != nil || back != ref {
		if len(text) > rs.MaxIDBytes {
			return // a handle is up to three times as long as its content
		}
		t.Fatalf("ParseRef(%q) = %+v, %v; want %+v", text, back, err, ref)
	}
	if back.String() != text {
		t.Errorf("%q becomes %q", text, back.String())
	}
	if uri, err := rs.ParseRef(ref.URI()); len(ref.URI()) <= rs.MaxIDBytes && (err != nil || uri != ref) {
		t.Errorf("ParseRef(%q) = %+v, %v; want %+v", ref.URI(), uri, err, ref)
	}
	if strings.HasPrefix(text, rs.RecordURIPrefix) {
		return
	}
	slashes := 0
	if ref.ConnectionID != "" {
		slashes = 1
	}
	if strings.Count(text, "/") != slashes || strings.Contains(text, "..") || strings.ContainsAny(text, " \t\r\n\\\"'`<>") {
		t.Errorf("text form %q", text)
	}
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

// Any bytes after the prefix are parsed to a record or a typed error, never a panic.
func FuzzHandle(f *testing.F) {
	f.Add(`{"v":1,"kind":"record","connection_id":"c","stream":"s","record_id":"r"}`)
	f.Add(`{"v":1,"kind":"record","stream":"s","record_id":"a/../b"}`)
	f.Add(`{"v":1e0,"kind":"record"}`)
	f.Add(`[]`)
	f.Add("\xff")
	f.Fuzz(func(t *testing.T, body string) {
		for _, handle := range []string{body, base64.RawURLEncoding.EncodeToString([]byte(body))} {
			ref, err := rs.ParseRef(rs.RecordURIPrefix + handle)
			var typed *rs.Error
			switch {
			case err == nil:
				checkRoundTrip(t, ref)
			case !errors.As(err, &typed) || typed.Code != "invalid_id" || ref != (rs.Ref{}):
				t.Errorf("ParseRef of handle %q = %v, %v", handle, ref, err)
			}
		}
	})
}

func BenchmarkParseRef(b *testing.B) {
	for name, text := range map[string]string{
		"self-contained": "cin_gmail_work/messages:18c2f0a1b2c3d4e5",
		"legacy":         "messages:18c2f0a1b2c3d4e5",
		"handle":         recordURI(`{"v":1,"kind":"record","connection_id":"cin_gmail_work","stream":"messages","record_id":"18c2f0a1b2c3d4e5"}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rs.ParseRef(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func recordURI(handle string) string {
	return rs.RecordURIPrefix + base64.RawURLEncoding.EncodeToString([]byte(handle))
}
