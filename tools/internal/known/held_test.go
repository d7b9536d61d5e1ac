package known

import (
	"testing"
	"time"
)

// What is not held any more takes no memory: it goes when something else is held.
func TestWhatHasExpiredIsDropped(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	h := newHeld[int, string](func() time.Time { return now }, time.Minute, 1000)
	for i := range 500 {
		h.Put(i, "a schema")
	}
	now = now.Add(30 * time.Second)
	h.Put(1000, "younger")
	if h.values.Len() != 501 {
		t.Fatalf("%d values are held", h.values.Len())
	}
	now = now.Add(30 * time.Second)
	h.Put(1001, "youngest")
	if _, ok := h.Get(1000); !ok || h.values.Len() != 2 {
		t.Errorf("%d values are in memory, the younger one: %t", h.values.Len(), ok)
	}
}
