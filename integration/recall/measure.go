package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A trial is the answer to one question on one channel.
type trial struct {
	question
	seen  sight
	reads int // of the resource server
	took  time.Duration
	among int // records searched
}

// found counts the gold records among the first hits.
func (t trial) found(first int) int {
	var golds []int
	for _, id := range t.seen.ids[:min(first, len(t.seen.ids))] {
		if gold := t.find(id); gold >= 0 && !slices.Contains(golds, gold) {
			golds = append(golds, gold)
		}
	}
	return len(golds)
}

// chance returns the probability that ten random records of those searched include a gold record.
func (t trial) chance() float64 {
	none := 1.0
	for i := range min(10, t.among) {
		none *= max(0, float64(t.among-len(t.Gold)-i)) / float64(t.among-i)
	}
	return 1 - none
}

// A column is a figure of the table: the sum of value over the trials, divided by the sum of by.
type column struct {
	name     string
	share    bool // value is 0 or 1: a share of the trials
	negative bool // counts only questions whose true answer is no; false: only the others
	value    func(t trial) float64
	by       func(t trial) float64 // nil: 1
}

var columns = []column{
	{name: "zero", share: true, value: func(t trial) float64 { return is(len(t.seen.ids) == 0) }},
	{name: "any@3", share: true, value: func(t trial) float64 { return is(t.found(3) > 0) }},
	{name: "all@3", share: true, value: func(t trial) float64 { return is(t.found(3) == len(t.Gold)) }},
	{name: "any@10", share: true, value: func(t trial) float64 { return is(t.found(10) > 0) }},
	{name: "all@10", share: true, value: func(t trial) float64 { return is(t.found(10) == len(t.Gold)) }},
	{name: "prec@10", value: func(t trial) float64 { return float64(t.found(10)) / 10 }},
	{name: "chance", value: trial.chance},
	{
		name: "gold/1k", value: func(t trial) float64 { return float64(t.found(len(t.seen.ids))) },
		by: func(t trial) float64 { return float64(t.seen.chars) / 1000 },
	},
	{name: "reads", value: func(t trial) float64 { return float64(t.reads) }},
	{name: "ms", value: func(t trial) float64 { return float64(t.took.Microseconds()) / 1000 }},
	{name: "true no", share: true, negative: true, value: func(t trial) float64 { return is(t.seen.says) }},
}

// anyInTen is the index of the column any@10.
const anyInTen = 3

func is(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}

// A figure is a measurement with its 95 % interval; NaN without trials.
type figure struct{ value, low, high float64 }

// measure computes the column over some trials.
func (c column) measure(trials []trial) figure {
	var pairs [][2]float64
	hits := 0.0
	for _, t := range trials {
		if (len(t.Gold) == 0) != c.negative {
			continue
		}
		by := 1.0
		if c.by != nil {
			by = c.by(t)
		}
		pairs = append(pairs, [2]float64{c.value(t), by})
		hits += c.value(t)
	}
	switch {
	case len(pairs) == 0:
		return figure{math.NaN(), math.NaN(), math.NaN()}
	case c.share:
		return wilson(hits, float64(len(pairs)))
	}
	return bootstrap(pairs)
}

// wilson returns the share of hits among n with Wilson's score interval.
func wilson(hits, n float64) figure {
	const z = 1.959964
	p := hits / n
	middle, wide := (p+z*z/(2*n))/(1+z*z/n), z/(1+z*z/n)*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return figure{p, max(0, middle-wide), min(1, middle+wide)}
}

// bootstrap returns the sum of the first values divided by that of the second, with percentiles of 1,000 resamples of the pairs.
func bootstrap(pairs [][2]float64) figure {
	sum := func(pick func(int) int) float64 {
		var a, b float64
		for i := range pairs {
			pair := pairs[pick(i)]
			a, b = a+pair[0], b+pair[1]
		}
		return a / b
	}
	random := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- the same resamples each time
	again := make([]float64, 1000)
	for i := range again {
		again[i] = sum(func(int) int { return random.IntN(len(pairs)) })
	}
	slices.Sort(again)
	return figure{sum(func(i int) int { return i }), again[25], again[974]}
}
