package web

import "testing"

// So many meters are held, and one more makes the one not seen for longest forgotten.
func TestMetersAreBounded(t *testing.T) {
	meters := newMeters[int](1, 1)
	first := meters.of(0)
	for key := range 10_000 {
		meters.of(key)
	}
	if meters.of(0) != first || meters.held.Len() != 10_000 {
		t.Errorf("%d meters are held of 10000, and the first of them is another: %t", meters.held.Len(), meters.of(0) != first)
	}
	meters.of(10_000) // 1 was not seen for longest
	if meters.held.Len() != 10_000 || meters.held.Contains(1) || meters.of(0) != first {
		t.Errorf("%d meters are held, the oldest of them still: %t", meters.held.Len(), meters.held.Contains(1))
	}
}
