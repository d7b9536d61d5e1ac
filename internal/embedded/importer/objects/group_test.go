package objects

import (
	"fmt"
	"testing"
)

// An object with very many arrays of the same shape is no file of many streams, and that shows early: not each array is held against all
// others.
func TestVeryManyArraysAreNotAllCompared(t *testing.T) {
	tables := make([]foundArray, 300_000)
	for at := range tables {
		tables[at] = foundArray{at: path{fmt.Sprint("k", at)}, shape: "a"}
	}
	if parts := group(tables); len(parts) != maxParts+1 {
		t.Errorf("%d parts", len(parts))
	}
}
