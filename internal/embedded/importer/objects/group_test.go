package objects

import (
	"fmt"
	"testing"
)

// An object with very many arrays of the same shape is not split into streams, which is decided without comparing every pair of arrays.
func TestVeryManyArraysAreNotAllCompared(t *testing.T) {
	tables := make([]foundArray, 300_000)
	for at := range tables {
		tables[at] = foundArray{at: path{fmt.Sprint("k", at)}, shape: "a"}
	}
	if parts := group(tables); len(parts) != maxParts+1 {
		t.Errorf("%d parts", len(parts))
	}
}
