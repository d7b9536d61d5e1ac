package auth

import (
	"fmt"
	"strings"
	"testing"
)

// At most 100 time limits of a grant are kept. If it has more, they are not reported as complete.
func TestLimitsOfALargeGrant(t *testing.T) {
	for count, known := range map[int]bool{1: true, 100: true, 101: false} {
		var streams []string
		for i := range count {
			streams = append(streams, fmt.Sprintf(`{"name":"s%d","time_constraint":{"since":"2026-01-01T00:00:00Z"}}`, i))
		}
		a := introspection{Details: []byte(`[{"streams":[` + strings.Join(streams, ",") + `,{"name":"free"}]}]`)}
		if limits, all := a.terms().Limits(); len(limits) != min(count, 100) || all != known {
			t.Errorf("%d limits: %d are kept, known is %v", count, len(limits), all)
		}
	}
	for _, details := range []string{"", "null", "[]", "{}"} {
		if a := (introspection{Details: []byte(details)}); a.terms() != nil {
			t.Errorf("details %q are taken for terms", details)
		}
	}
}
