package auth

import (
	"fmt"
	"strings"
	"testing"
)

// What is remembered of a grant is bounded: of a grant with more limits it is not said that there are no others.
func TestLimitsOfALargeGrant(t *testing.T) {
	for count, known := range map[int]bool{1: true, maxLimits: true, maxLimits + 1: false} {
		var streams []string
		for i := range count {
			streams = append(streams, fmt.Sprintf(`{"name":"s%d","time_constraint":{"since":"2026-01-01T00:00:00Z"}}`, i))
		}
		a := introspection{Details: []byte(`[{"streams":[` + strings.Join(streams, ",") + `,{"name":"free"}]}]`)}
		if terms := a.terms(); len(terms.Limits) != min(count, maxLimits) || terms.LimitsKnown != known {
			t.Errorf("%d limits: %d are kept, LimitsKnown is %v", count, len(terms.Limits), terms.LimitsKnown)
		}
	}
}
