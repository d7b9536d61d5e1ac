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
		if limits, all := a.terms().Limits(); len(limits) != min(count, maxLimits) || all != known {
			t.Errorf("%d limits: %d are kept, known is %v", count, len(limits), all)
		}
	}
}
