package search

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlacesAreReadAsTheyWereWritten(t *testing.T) {
	want := [][3]int{{1, 0, 1}, {1, 2, 7}, {1, 3, 1}, {2, 0, 2}, {70_000, 999, 300}, {4_000_000_000, 4, 1}}
	var p places
	for _, one := range want {
		for range one[2] {
			p.add(int64(one[0]), one[1], 1)
		}
	}
	p.flush()
	var got [][3]int
	eachPlace(p.bytes, func(version uint32, column, times int) { got = append(got, [3]int{int(version), column, times}) })
	if diff := cmp.Diff(want, got); diff != "" || p.records != 4 {
		t.Errorf("%d records (-want +got):\n%s", p.records, diff)
	}
	eachPlace(p.bytes[:len(p.bytes)-1], func(uint32, int, int) {}) // a damaged row ends
}

// What is left of places is what their records would have been written as, whichever of them are gone.
func TestPlacesOfRecordsThatStay(t *testing.T) {
	all := [][3]int{{1, 0, 1}, {1, 2, 7}, {2, 3, 1}, {2, 4, 2}, {5, 0, 2}, {70_000, 999, 300}, {70_001, 0, 1}, {4_000_000_000, 4, 1}}
	write := func(some [][3]int) (p places) {
		for _, one := range some {
			p.add(int64(one[0]), one[1], one[2])
		}
		p.flush()
		return p
	}
	for cut := range all {
		for gone := range 1 << 6 { // a bit for each version
			versions := map[int64]int{1: 0, 2: 1, 5: 2, 70_000: 3, 70_001: 4, 4_000_000_000: 5}
			isGone := func(version int64) bool { return gone>>versions[version]&1 == 1 }
			var kept places
			kept.keep(write(all[:cut]).bytes, isGone)
			kept.keep(write(all[cut:]).bytes, isGone)
			want := write(slices.DeleteFunc(slices.Clone(all), func(one [3]int) bool { return isGone(int64(one[0])) }))
			if !bytes.Equal(kept.bytes, want.bytes) {
				t.Fatalf("of %v without %b, the first %d apart: %v, not %v", all, gone, cut, kept.bytes, want.bytes)
			}
		}
	}
}
