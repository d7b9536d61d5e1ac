package web

import "testing"

// At most 10,000 buckets are held; one more replaces the one not seen for longest.
func TestTokenBucketsAreBounded(t *testing.T) {
	tokenBuckets := newTokenBuckets[int](1, 1)
	first := tokenBuckets.of(0)
	for key := range 10_000 {
		tokenBuckets.of(key)
	}
	if tokenBuckets.of(0) != first || tokenBuckets.held.Len() != 10_000 {
		t.Errorf("%d tokenBuckets are held of 10000, and the first of them is another: %t", tokenBuckets.held.Len(), tokenBuckets.of(0) != first)
	}
	tokenBuckets.of(10_000) // 1 was not seen for longest
	if tokenBuckets.held.Len() != 10_000 || tokenBuckets.held.Contains(1) || tokenBuckets.of(0) != first {
		t.Errorf("%d tokenBuckets are held, the oldest of them still: %t", tokenBuckets.held.Len(), tokenBuckets.held.Contains(1))
	}
}
