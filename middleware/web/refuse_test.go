package web

import (
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// RFC 6750, section 3: the characters that error_description may contain.
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

// Statuses of refusals that come from outside this package.
func TestRefusalStatus(t *testing.T) {
	for code, want := range map[rs.Code]int{
		"not_found": 404, "method_not_allowed": 405, "not_acceptable": 406, "unsupported_media_type": 415, "invalid_request": 400,
		"origin_refused": 403, "grant_expired": 401, "authority_busy": 503, "server_unreachable": 503, "canceled": 503,
	} {
		if got := refusalStatus(code); got != want {
			t.Errorf("%s is answered %d, want %d", code, got, want)
		}
	}
}

// Retry-After is rounded up to whole seconds, so that a client never comes back too early.
func TestWholeSeconds(t *testing.T) {
	for wait, want := range map[time.Duration]time.Duration{
		0: time.Second, 1: time.Second, time.Second: time.Second, time.Second + 1: 2 * time.Second, 2 * time.Second: 2 * time.Second,
	} {
		if got := wholeSeconds(wait); got != want {
			t.Errorf("%s is told as %s, want %s", wait, got, want)
		}
	}
}
