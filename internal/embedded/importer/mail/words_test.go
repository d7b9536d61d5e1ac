package mail

import "testing"

// A word in an unknown charset does not keep the other words of a header from being decoded.
func TestAnUnknownCharsetOfOneWord(t *testing.T) {
	for text, want := range map[string]string{
		"=?utf-8?Q?f=C3=BCr?= =?x-none?Q?_dich_?= =?utf-8?B?w6TDtg==?=": "für dich äö",
		"=?x-none?Q?f=C3=BCr?=":      "für",
		"=?x-none?Q?f=FCr?=":         "für",
		"=?iso-8859-1?Q?f=FCr?= you": "für you",
	} {
		if got := decodeWords(text); got != want {
			t.Errorf("%s: got %q", text, got)
		}
	}
}
