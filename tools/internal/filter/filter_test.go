package filter_test

import (
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A value is read once, so it must be what each reader of texts would find.
func TestAValueIsReadAsItsText(t *testing.T) {
	for _, text := range []string{
		"", "paid", "12", "true", "2026-06-30", "2026-02-30", "2026-6-3", "2026-06-30T09:15", "2026-06-30 09:15:30", "2026-06-30T09:15:30.5",
		"2026-06-30T09:15:30Z", "2026-06-30T09:15:30.25+02:00", "2026-06-30T09:15Z", "2026-06-30 and more", "9999-12-31", "0000-01-01",
	} {
		v := filter.ValueOf(text)
		at, err := rs.ReadTime(text)
		if v.String() != text || v.IsTime() != (err == nil) || v != filter.ValueOf(text) {
			t.Errorf("%q is read as %q, a time: %t", text, v, v.IsTime())
		}
		if day, ok := v.Day(); ok != written.IsDay(text) || ok && !day.Equal(at) {
			t.Errorf("%q is the day %s, %t", text, day, ok)
		}
		if instant, ok := v.Instant(); ok != (err == nil && !written.IsDay(text)) || ok && !instant.Equal(at) {
			t.Errorf("%q is the instant %s, %t", text, instant, ok)
		}
		for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York"} {
			zone, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			want, isLocal := written.LocalTime(text, zone)
			if got, ok := v.In(zone).Instant(); isLocal && (!ok || !got.Equal(want)) || !isLocal && v.In(zone) != v {
				t.Errorf("%q is %s in %s, want %s", text, got, name, want)
			}
		}
	}
}

// A value that is written from a time is the one that would be read from its text.
func TestAWrittenValueIsReadAsWritten(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "Asia/Kathmandu"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 3, 29, 23, 30, 15, 500, zone)
		for _, v := range []filter.Value{filter.Date(at), filter.LocalTime(at), filter.InstantIn(at, zone), filter.FirstInstant(at, zone)} {
			if again := filter.ValueOf(v.String()); again != v {
				t.Errorf("%s: %#v is read as %#v", name, v, again)
			}
		}
	}
}

// Bounds are compared as what they are: as texts, 9 would be after 10.
func TestARangeThatEndsBeforeItBegins(t *testing.T) {
	for raw, refused := range map[string]bool{
		`{"total":{"gte":9,"lte":10}}`:                                 false,
		`{"total":{"gt":10,"lt":9}}`:                                   true,
		`{"total":{"gte":"10","lte":"9"}}`:                             false, // of texts nothing is known
		`{"at":{"gte":"2026-07-01","lte":"2026-06-30"}}`:               true,
		`{"at":{"gte":"2026-06-30","lte":"2026-06-30"}}`:               false,
		`{"at":{"gte":"2026-06-30T20:00:00-08:00","lt":"2026-06-30"}}`: false, // a day in some zone
		`{"at":{"gte":"2026-07-03T00:00:00Z","lt":"2026-06-30"}}`:      true,
		`{"at":{"gte":"2026-06-30T12:00","lt":"2026-06-01"}}`:          false, // no zone is known here
	} {
		if _, err := filter.Parse(raw); (err != nil) != refused {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
