package quote_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
)

// Names that would be the same after truncation are quoted completely, so that they can be told apart and sent; any other long name is
// truncated.
func TestNamesThatWouldBeTruncatedAlikeAreComplete(t *testing.T) {
	long := strings.Repeat("activity-", 8)
	cut := `"` + long[:60] + `…"`
	for want, names := range map[string][]string{
		`orders, "a-b", "` + long + `ana", "` + long + `bob"`: {"orders", "a-b", long + "ana", long + "bob"},
		cut + `, orders`: {long + "ana", "orders"},
		`"` + long + `ana", "` + long + `bob", …`: {long + "ana", long + "bob", "c", "d"},
	} {
		limit := len(names)
		if strings.HasSuffix(want, "…") {
			limit = 2
		}
		if got := quote.Names(names, limit); got != want {
			t.Errorf("%q are %s; want %s", names, got, want)
		}
	}
}
