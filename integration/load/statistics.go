package main

import (
	"math"
	"slices"
	"time"
)

// percentile is the time within which a share of the calls came; 0 of none. The times are sorted. It is one of them:
// the smallest that as many are not longer than.
func percentile(times []time.Duration, share float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return times[min(max(int(math.Ceil(share*float64(len(times))))-1, 0), len(times)-1)]
}

// median is the middle of the values that are known, or the mean of the two in the middle; NaN of none.
func median(values []float64) float64 {
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(known)
	switch n := len(known); {
	case n == 0:
		return math.NaN()
	case n%2 == 1:
		return known[n/2]
	default:
		return (known[n/2-1] + known[n/2]) / 2
	}
}

// ratio compares what was measured side by side: the median of the quotients of each round, without those that lack
// either.
func ratio(values, against []float64) float64 {
	var quotients []float64
	for i, value := range values {
		if i < len(against) {
			quotients = append(quotients, quotient(value, against[i]))
		}
	}
	return median(quotients)
}

func quotient(value, by float64) float64 {
	if by == 0 {
		return math.NaN()
	}
	return value / by
}
