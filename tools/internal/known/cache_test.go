package known

import (
	"fmt"
	"testing"
	"time"
)

// An expired value is removed from memory when another value is stored.
func TestExpiredValuesAreDropped(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	h := newCache[int, string](func() time.Time { return now }, time.Minute, 1000, 0)
	for i := range 500 {
		h.Put(i, "a schema")
	}
	now = now.Add(30 * time.Second)
	h.Put(1000, "younger")
	if h.values.Len() != 501 {
		t.Fatalf("%d values are cached", h.values.Len())
	}
	now = now.Add(30 * time.Second)
	h.Put(1001, "youngest")
	if _, ok := h.Get(1000); !ok || h.values.Len() != 2 {
		t.Errorf("%d values are in memory, the younger one: %t", h.values.Len(), ok)
	}
}

// The cache has a limit in bytes. Each owner has a share of it, in bytes and in values, and cannot evict the values of others.
func TestOneOwnerDoesNotEvictOthers(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	h := newCache[string, string](func() time.Time { return now }, time.Minute, 100, 1000)
	has := func(key string, want bool) {
		t.Helper()
		if _, ok := h.Get(key); ok != want {
			t.Errorf("%s is cached: %t", key, ok)
		}
	}
	h.PutOf("ann", 100, "ann", "hers")
	for i := range 1000 {
		h.PutOf("bob", 1, fmt.Sprint("small", i), "his")
	}
	has("ann", true)
	has("small24", true)
	has("small25", false) // each value counts as at least a hundredth of the share
	h.PutOf("bob", 10, "small24", "his again")
	has("small24", true)
	h.PutOf("cy", 251, "large", "more than a share")
	has("large", false)
	for i := range 8 {
		h.PutOf(fmt.Sprint("many", i), 200, fmt.Sprint("many", i), "theirs")
	}
	has("ann", true)
	has("many2", true)
	has("many3", false)
	now = now.Add(time.Minute)
	h.PutOf("bob", 250, "later", "what has expired takes nothing")
	has("later", true)
	if h.all != 250 || len(h.taken) != 1 {
		t.Errorf("%d bytes of %v", h.all, h.taken)
	}
}
