package search

import (
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
