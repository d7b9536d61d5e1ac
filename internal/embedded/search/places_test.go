package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlacesAreReadAsTheyWereWritten(t *testing.T) {
	want := [][3]int{{1, 0, 1}, {1, 2, 7}, {1, 3, 1}, {2, 0, 2}, {70_000, 999, 300}, {4_000_000_000, 4, 1}}
	var p places
	var words, read []occurrence
	position := 0
	for _, one := range want {
		for range one[2] {
			position += 1 + position%3
			p.add(int64(one[0]), one[1], position)
			words = append(words, occurrence{uint32(one[0]), uint32(position), one[1]})
		}
	}
	p.flush()
	for _, first := range []int64{0, 1} {
		var got [][3]int
		p.bytes[0] = byte((1 - first) << 3)
		eachPlace(first, p.bytes, func(version uint32, column, times int) { got = append(got, [3]int{int(version), column, times}) })
		if diff := cmp.Diff(want, got); diff != "" || p.records != 4 {
			t.Errorf("%d records (-want +got):\n%s", p.records, diff)
		}
	}
	eachOccurrence(1, p.bytes, p.positions, func(one occurrence) { read = append(read, one) })
	if diff := cmp.Diff(words, read, cmp.AllowUnexported(occurrence{})); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	for end := range p.bytes { // a damaged row is read until its end
		eachOccurrence(1, p.bytes[:end], p.positions[:min(end, len(p.positions))], func(occurrence) {})
	}
}
