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
