package demo

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A teller turns a template into a sentence:
//
//	[a|b|c]     one of a, b and c
//	{name}      the slot of that name
//	{n:2-9}     a whole number from 2 to 9
//	{gbp:20-80} an amount in pounds, 20.00 to 80.99
//
// A slot is the same in every sentence of a conversation, so that a reply talks about what the question did.
type teller struct {
	random *rand.Rand
	slots  map[string]string
}

func (t teller) tell(template string) string {
	var told strings.Builder
	for {
		start := strings.IndexAny(template, "[{")
		if start < 0 {
			told.WriteString(template)
			return told.String()
		}
		told.WriteString(template[:start])
		closing := "]"
		if template[start] == '{' {
			closing = "}"
		}
		inside, rest, _ := strings.Cut(template[start+1:], closing)
		if closing == "]" {
			told.WriteString(t.tell(pick(t.random, strings.Split(inside, "|"))))
		} else {
			told.WriteString(t.slot(inside))
		}
		template = rest
	}
}

func (t teller) slot(name string) string {
	kind, bounds, found := strings.Cut(name, ":")
	if !found {
		return t.slots[name]
	}
	low, high, _ := strings.Cut(bounds, "-")
	least, _ := strconv.Atoi(low)
	most, _ := strconv.Atoi(high)
	number := least + t.random.IntN(most-least+1)
	if kind == "gbp" {
		return price(100*number+t.random.IntN(100), "GBP")
	}
	return strconv.Itoa(number)
}

// newTeller makes a teller for one conversation that begins at a time: who and what it is about is settled here. It is about nobody who takes
// part in it.
func newTeller(random *rand.Rand, when time.Time, present ...person) teller {
	absent := func(people []person) []person {
		return slices.DeleteFunc(people, func(one person) bool { return slices.Contains(present, one) })
	}
	mentioned := sample(random, absent(colleagues()), 2)
	return teller{random: random, slots: map[string]string{
		"project":  pick(random, projects()),
		"harbour":  pick(random, harbours()),
		"one":      mentioned[0].first(),
		"other":    mentioned[1].first(),
		"friend":   pick(random, absent(friends())).first(),
		"day":      pick(random, []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday"}),
		"weekend":  pick(random, []string{"Saturday", "Sunday"}),
		"month":    when.Month().String(),
		"next":     when.AddDate(0, 1, 1-when.Day()).Month().String(),
		"date":     when.AddDate(0, 0, 3+random.IntN(12)).Format("2 January"),
		"quarter":  "Q" + strconv.Itoa((int(when.Month())+2)/3),
		"dish":     pick(random, dishes()),
		"film":     pick(random, films()),
		"town":     pick(random, towns()),
		"number":   strconv.Itoa(1000 + random.IntN(9000)),
		"fragment": pick(random, []string{"the retry queue", "the clock drift", "the battery curve", "the map tiles", "the alert thresholds", "the CSV export"}),
	}}
}
