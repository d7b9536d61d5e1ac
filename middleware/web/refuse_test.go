package web

import (
	"testing"
	"time"
)

// RFC 6750, section 3: what error_description may hold.
func TestDescription(t *testing.T) {
	for text, want := range map[string]string{
		"The grant was revoked.":   "The grant was revoked.",
		`The grant "x\y" is gone.`: "The grant xy is gone.",
		"!#[]~":                    "!#[]~",
		"a\tb\r\nc\x00d\x1fe\x7ff": "abcdef",
		"für – immer":              "fr  immer",
	} {
		if got := description(text); got != want {
			t.Errorf("description(%q) = %q, want %q", text, got, want)
		}
	}
}

// A client that waits as long as it was told comes late enough.
func TestWholeSeconds(t *testing.T) {
	for wait, want := range map[time.Duration]time.Duration{
		0: time.Second, 1: time.Second, time.Second: time.Second, time.Second + 1: 2 * time.Second, 2 * time.Second: 2 * time.Second,
	} {
		if got := wholeSeconds(wait); got != want {
			t.Errorf("%s is told as %s, want %s", wait, got, want)
		}
	}
}
