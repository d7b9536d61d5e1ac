package rsclient

import (
	"crypto/sha256"
	"strconv"
	"testing"
	"time"
)

// However many grants are read, a bounded number is remembered, and none that is idle.
func TestWhatIsRememberedOfGrantsIsBounded(t *testing.T) {
	grants := newBreakers("rs.example", false, unobserved{})
	host := grants.host
	now := time.Unix(1e9, 0)
	for i := range 2 * maxGrantBreakers {
		key := sha256.Sum256([]byte(strconv.Itoa(i)))
		grants.of(key, now)
		host.callers.add(now, key, i%2 == 0)
	}
	if grants.byGrant.Len() != maxGrantBreakers || host.callers.byCaller.Len() != maxBreakerCallers {
		t.Errorf("%d grants and %d callers are remembered", grants.byGrant.Len(), host.callers.byCaller.Len())
	}
	now = now.Add(grantBreakerIdle)
	grants.of(breakerKey{1}, now)
	host.callers.add(now, breakerKey{1}, true)
	if grants.byGrant.Len() != 1 || host.callers.byCaller.Len() != 1 {
		t.Errorf("after a pause: %d grants, %d callers", grants.byGrant.Len(), host.callers.byCaller.Len())
	}
}

// A call that becomes a large one leaves the memory of small ones to others, and one that has ended is forgotten.
func TestALargeCallHoldsNoSmallAnswers(t *testing.T) {
	b, h := newAnswerBudget(1, 2*largeCall), &heldAnswers{}
	for range 2 {
		if err := h.take(t.Context(), b, breakerKey{1}, largeCall); err != nil {
			t.Fatal(err)
		}
	}
	if !h.large || !b.small.TryAcquire(leastSmallBytes) {
		t.Error("a large call holds small answers")
	}
	if h.release(); len(b.callers) != 0 || !b.large.TryAcquire(leastLarge) {
		t.Errorf("%d callers are remembered", len(b.callers))
	}
}
