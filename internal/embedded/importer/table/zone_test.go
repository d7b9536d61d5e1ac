package table

import (
	"testing"
	"time"
)

// A cell that says "Local" names no zone: it would be that of the computer.
func TestLocalIsNoZone(t *testing.T) {
	for zone, want := range map[string]string{"Europe/Berlin": "+01:00", "UTC": "Z", "UTC+3": "+03:00", "Local": "", "": "", "Local\t": ""} {
		when, err := inZone("2026-01-15T02:15:00", zone)
		if got := when.Format("Z07:00"); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: got %s, %v", zone, when.Format(time.RFC3339), err)
		}
	}
}
