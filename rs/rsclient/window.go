package rsclient

import "time"

const windowSlices = 10

// A window counts two kinds of events in a sliding span of time. Each slice is a tenth of the span, numbered since 1970.
type window [windowSlices]struct {
	slice         int64 // its number; an outdated slice does not count
	first, second int
}

func (w *window) add(now time.Time, length time.Duration, first, second int) {
	slice := sliceOf(now, length)
	s := &w[(slice%windowSlices+windowSlices)%windowSlices]
	if s.slice != slice {
		s.slice, s.first, s.second = slice, 0, 0
	}
	s.first, s.second = s.first+first, s.second+second
}

func (w *window) sums(now time.Time, length time.Duration) (first, second int) {
	slice := sliceOf(now, length)
	for _, s := range w {
		if age := slice - s.slice; age >= 0 && age < windowSlices {
			first, second = first+s.first, second+s.second
		}
	}
	return first, second
}

func sliceOf(now time.Time, length time.Duration) int64 {
	return now.UnixNano() / int64(length/windowSlices)
}
