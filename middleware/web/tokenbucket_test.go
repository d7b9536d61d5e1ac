package web

import "testing"

// At most 10000 buckets are kept; one more evicts the least recently used.
func TestTokenBucketsAreBounded(t *testing.T) {
	buckets := newTokenBuckets[int](1, 1)
	first := buckets.of(0)
	for key := range 10_000 {
		buckets.of(key)
	}
	if buckets.of(0) != first || buckets.buckets.Len() != 10_000 {
		t.Errorf("%d buckets are held of 10000, and the first of them is another: %t", buckets.buckets.Len(), buckets.of(0) != first)
	}
	buckets.of(10_000) // 1 is the least recently used
	if buckets.buckets.Len() != 10_000 || buckets.buckets.Contains(1) || buckets.of(0) != first {
		t.Errorf("%d buckets are held, the oldest of them still: %t", buckets.buckets.Len(), buckets.buckets.Contains(1))
	}
}
