package rs

import (
	"encoding/json"
	"net/http"
	"strconv"
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
		wait := RetryAfter(http.Header{"Retry-After": {value}, "Date": {date}})
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
