package written_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

func TestAnIDInTheFormOfAnother(t *testing.T) {
	for ids, want := range map[[2]string]string{
		{"2026-0042", "2026/0240"}: "2026/0042", {"#2026-0042", "2026/0240"}: "2026/0042", {"0197", "2026/0240"}: "2026/0197", {"evt-150", "evt-0479"}: "evt-0150",
		{"EVT0150", "evt-0479"}: "evt-0150", {"m42", "w-m0684-a1"}: "w-m0684-m42", {"a-1-2-3", "evt-1"}: "", {"evt-0479", "evt-0479"}: "", {"", "a"}: "", {"7", "1523"}: "",
	} {
		if got := written.LikeID(ids[0], ids[1]); got != want {
			t.Errorf("%s like %s is %q, want %q", ids[0], ids[1], got, want)
		}
	}
}

func TestCodesOfCurrenciesAndLanguages(t *testing.T) {
	for word, want := range map[string]string{"€": "EUR", "Pounds": "GBP", "US$": "USD", "Portuguese": "pt", "Deutsch": "de", "paid": ""} {
		if got := written.Code(word); got != want {
			t.Errorf("%s is %q, want %q", word, got, want)
		}
	}
}
