package rs

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The laws: a wait is whole seconds from none to a day; seconds are taken at their word; a date is never more than its
// distance from the answer's own.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range [][2]string{
		{"5", ""}, {"-1", ""}, {"86400", ""}, {"86401", ""}, {"99999999999999999999", ""}, {"soon", ""},
		{"Fri, 02 Jan 2026 10:00:30 GMT", "Fri, 02 Jan 2026 10:00:00 GMT"}, {"Friday, 02-Jan-26 10:00:30 GMT", "Fri Jan  2 10:00:00 2026"}, {"0", "x"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		wait := retryAfter(http.Header{"Retry-After": {value}, "Date": {date}})
		if wait < 0 || wait > 24*time.Hour || wait%time.Second != 0 {
			t.Errorf("%q at %q: %s", value, date, wait)
		}
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n <= 86400 {
			if wait != time.Duration(n)*time.Second {
				t.Errorf("%q: %s", value, wait)
			}
			return
		}
		if wait == 0 {
			return
		}
		until, errUntil := http.ParseTime(value)
		now, errNow := http.ParseTime(date)
		if errUntil != nil || errNow != nil || wait > until.Sub(now) {
			t.Errorf("%q at %q: %s", value, date, wait)
		}
	})
}

// The laws: what is read as an object is what encoding/json reads as one, with the same values; writing it and reading
// it again changes nothing.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1,"a":null}`, ` {"a" : [1, {"b":2}]} `, `{"a":1}{`, `null`, `[]`, `{"\u0061":"\ud800"}`, `{"<&>":"\u2028"}`, "{\"\xff\":\"\xfe\"}", `{"a":1,}`, `{"a"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		object, err := ReadObject(string(raw))
		var want map[string]json.RawMessage
		valid := json.Unmarshal(raw, &want) == nil && want != nil
		if (err == nil) != valid {
			t.Fatalf("ReadObject(%q): %v; encoding/json takes it: %v", raw, err, valid)
		}
		if err != nil {
			return
		}
		for _, m := range object {
			value, known := want[m.Name]
			if !known || Kind(string(value)) != "null" && object.Get(m.Name) != string(value) {
				t.Errorf("%q: %q is %s, want %s", raw, m.Name, object.Get(m.Name), value)
			}
		}
		text := object.JSON()
		again, err := ReadObject(text)
		if err != nil || len(again) != len(object) || again.JSON() != text {
			t.Errorf("%q is written as %q and read as %v, %v", raw, text, again, err)
		}
	})
}

// The laws, for any answer of a directory: only an active package has members; a member that may be read has an id and a
// token that fits a header; one that may not has a code, a sentence and no token.
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
			if e := AsError(err); e.Code != PackageRevoked && e.Code != AuthorityUnreachable || len(membership.Children) > 0 {
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
		for _, c := range membership.Children {
			token := c.Token.Reveal()
			switch {
			case c.ID == "":
				t.Errorf("a member without an id: %s", body)
			case c.Refused == nil && (token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })):
				t.Errorf("token %q", token)
			case c.Refused != nil && (token != "" || !isCode(string(c.Refused.Code)) || c.Refused.Message == "" || strings.ContainsAny(c.Refused.Message, "\r\n")):
				t.Errorf("refused %+v with token %q", c.Refused, token)
			}
		}
	})
}
