package main

import (
	"math"
	"testing"
	"time"
)

func TestPercentileIsOneOfTheTimes(t *testing.T) {
	ten := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for name, row := range map[string]struct {
		times []time.Duration
		share float64
		want  time.Duration
	}{
		"half of ten are not longer than the fifth": {ten, 0.5, 5},
		"99 of a hundred of ten is the longest":     {ten, 0.99, 10},
		"90 of a hundred of ten is the ninth":       {ten, 0.9, 9},
		"all is the longest":                        {ten, 1, 10},
		"none is the shortest":                      {ten, 0, 1},
		"one time is every percentile":              {ten[:1], 0.999, 1},
		"no time at all":                            {nil, 0.5, 0},
	} {
		if got := percentile(row.times, row.share); got != row.want {
			t.Errorf("%s: %d, not %d", name, got, row.want)
		}
	}
}

func TestMediansOfWhatIsKnown(t *testing.T) {
	nan := math.NaN()
	for name, row := range map[string]struct{ got, want float64 }{
		"the middle of three, in any order":                {median([]float64{9, 1, 4}), 4},
		"between the two in the middle of four":            {median([]float64{8, 1, 2, 4}), 3},
		"what is unknown does not count":                   {median([]float64{nan, 5, nan}), 5},
		"of nothing nothing is known":                      {median(nil), nan},
		"ratios are taken within a round":                  {ratio([]float64{10, 100, 40}, []float64{5, 100, 10}), 2},
		"a ratio to nothing is unknown":                    {ratio([]float64{10}, []float64{0}), nan},
		"a round that lacks one of the two does not count": {ratio([]float64{10, 20}, []float64{nan, 10}), 2},
		"a ratio without rounds is unknown":                {ratio(nil, []float64{1}), nan},
	} {
		if row.got != row.want && !(math.IsNaN(row.got) && math.IsNaN(row.want)) {
			t.Errorf("%s: %v, not %v", name, row.got, row.want)
		}
	}
}

// What the reports say of the bodies is so.
func TestBodiesHaveTheirSizes(t *testing.T) {
	s := newStub("")
	for name, row := range map[string]struct{ got, want, within int }{
		"schema":             {len(s.schema), 2_500, 400},
		"large schema":       {len(s.largeSchema), 100_000, 2_000},
		"25 records":         {len(s.records.items), 25*801 - 1, 0},
		"100 large records":  {len(s.largeRecords.items), 100*8_001 - 1, 0},
		"25 hits":            {len(s.search.items), 25*1_521 - 1, 0},
		"100 hits":           {len(s.largeSearch.items), 100*1_521 - 1, 0},
		"a member's 25 hits": {len(s.members[maxMembers-1].items), 25*1_521 - 1, 0},
	} {
		if row.got < row.want-row.within || row.got > row.want+row.within {
			t.Errorf("%s: %d bytes, not %d", name, row.got, row.want)
		}
	}
}
