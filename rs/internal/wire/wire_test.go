package wire_test

import (
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/wire"
)

// encoding/json ignores the case of names, so an answer that decides on access is refused if a name could be read as another one.
func TestMembersThatAreTheSameToAnotherReader(t *testing.T) {
	for text, ambiguous := range map[string]bool{
		`{"kind":1,"sub":2}`:      false,
		`{"kind":1,"kind":2}`:     true,
		`{"Kind":1}`:              true,
		`{"\u212Aind":1}`:         true, // the Kelvin sign folds to k
		`{"other":1,"Another":2}`: false,
		`{"kine":1}`:              false,
	} {
		if err := wire.CheckMembers(rs.AsObject(text), "kind", "sub"); errors.Is(err, wire.ErrAmbiguousMember) != ambiguous {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	const date = "Mon, 02 Nov 2026 10:00:00 GMT"
	for value, want := range map[string]time.Duration{
		"0": 0, "7": 7 * time.Second, "86400": 24 * time.Hour, "86401": 24 * time.Hour, "-1": 0, "soon": 0, "": 0,
		"Mon, 02 Nov 2026 10:00:09 GMT": 9 * time.Second, "Mon, 02 Nov 2026 09:59:59 GMT": 0, "Mon, 09 Nov 2026 10:00:00 GMT": 24 * time.Hour,
	} {
		if got := wire.RetryAfter(http.Header{"Retry-After": {value}, "Date": {date}}); got != want {
			t.Errorf("%q is %s, want %s", value, got, want)
		}
	}
	if got := wire.RetryAfter(http.Header{"Retry-After": {date}}); got != 0 {
		t.Errorf("a date beside none is %s", got)
	}
}

// The errors of resource servers and authorization servers are read in each of their forms.
func TestFormsOfAnError(t *testing.T) {
	for body, want := range map[string]rs.Error{
		`{"error":"Not Found"}`:                                                 {Code: "upstream_error"},
		`{"error":"invalid_token"}`:                                             {Code: "invalid_token"},
		`{"error":"Not Found","code":"no_such_stream"}`:                         {Code: "no_such_stream"},
		`{"error":"conflict","code":"no_such_stream"}`:                          {Code: "no_such_stream"},
		`{"error":"invalid_grant","error_description":"It is over."}`:           {Code: "invalid_grant", Message: "It is over."},
		`{"error":{"code":"x","message":"m","retry_with":"limit"}}`:             {Code: "x", Message: "m", RetryWith: "limit"},
		`{"error":{"code":"x","message":"m","retry_with":{"field":"subject"}}}`: {Code: "x", Message: "m", RetryWith: "subject"},
	} {
		e := wire.ReadError(http.StatusNotFound, nil, []byte(body), nil)
		if want.Message == "" {
			want.Message = "The resource server answered 404 (Not Found)."
		}
		if e.Code != want.Code || e.Message != want.Message || e.RetryWith != want.RetryWith {
			t.Errorf("%s is %s %q, %q", body, e.Code, e.Message, e.RetryWith)
		}
	}
}

// Decode refuses invalid JSON.
func TestDecodeRefusesWhatIsNoJSON(t *testing.T) {
	var into struct{ Active bool }
	if err := wire.Decode([]byte(`{"active":`), &into, "active"); err == nil {
		t.Error("it is read")
	}
}

// A wait is whole seconds from zero to a day. Seconds beyond a day count as a day. For a date the wait is never longer than the
// time from the Date header to that date.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range [][2]string{
		{"5", ""}, {"-1", ""}, {"86400", ""}, {"86401", ""}, {"99999999999999999999", ""}, {"soon", ""},
		{"Fri, 02 Jan 2026 10:00:30 GMT", "Fri, 02 Jan 2026 10:00:00 GMT"}, {"Friday, 02-Jan-26 10:00:30 GMT", "Fri Jan  2 10:00:00 2026"}, {"0", "x"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		wait := wire.RetryAfter(http.Header{"Retry-After": {value}, "Date": {date}})
		if wait < 0 || wait > 24*time.Hour || wait%time.Second != 0 {
			t.Errorf("%q at %q: %s", value, date, wait)
		}
		if n, err := strconv.Atoi(value); err == nil && n >= 0 {
			if wait != time.Duration(min(n, 86400))*time.Second {
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

// What an error says shares no memory with the answer that it came in, because errors are remembered and answers may have megabytes.
func TestAnErrorKeepsNoAnswer(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	kept := make([]*rs.Error, 16)
	for i := range kept {
		body := `{"error":{"code":"broken","message":"Out of order.","param":"p","request_id":"r1","retry_with":"q","details":"` + strings.Repeat("x", 1<<20) + `"}}`
		kept[i] = wire.ReadError(500, nil, []byte(body), nil)
		kept[i].Envelope = nil
	}
	if after := heap(); after > before+4<<20 {
		t.Errorf("16 errors keep %d bytes", after-before)
	}
	runtime.KeepAlive(kept)
}
