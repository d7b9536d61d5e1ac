package written_test

import (
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Of any query, the time ends after it begins, and the one to come begins after today.
func FuzzNamedPeriod(f *testing.F) {
	for _, q := range []string{
		"what is on in December", "Termine am 15.11.", "29 February", "until Friday", "week 53", "next Easter", "im Winter", "Q4 review",
		"tomorrow evening", "between May and 3 June", "since Monday", "last summer", "orders over 100 pounds in June", "der 31. Februar 2026",
	} {
		f.Add(q, int64(1_795_000_000))
	}
	f.Fuzz(func(t *testing.T, query string, seconds int64) {
		now := time.Unix(seconds%4_000_000_000, 0).UTC()
		named, ok := written.NamedPeriod(query, now)
		if !ok {
			return
		}
		if named.Since != "" && named.Until != "" && named.Since > named.Until {
			t.Errorf("%q at %s: from %s to %s", query, now, named.Since, named.Until)
		}
		if named.ComingSince != "" && (named.ComingSince < now.Format(time.DateOnly) || named.ComingUntil != "" && named.ComingUntil < named.ComingSince) {
			t.Errorf("%q at %s: to come from %s to %s", query, now, named.ComingSince, named.ComingUntil)
		}
	})
}
