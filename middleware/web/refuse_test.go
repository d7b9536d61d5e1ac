package web

import "testing"

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
