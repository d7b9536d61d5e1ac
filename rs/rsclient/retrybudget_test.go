package rsclient

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
)

func TestRetryBudget(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	for name, row := range map[string]struct {
		reads, wanted, want int
		later               time.Duration // between the reads and the retries
	}{
		"a quiet server is retried six times":               {1, 50, 6, 0},
		"even without any read":                             {0, 50, 6, 0},
		"a busy one for a tenth of its reads":               {1000, 500, 100, 0},
		"no more than is wanted":                            {1000, 30, 30, 0},
		"reads of nine seconds ago still count":             {1000, 500, 100, 9 * time.Second},
		"reads of ten seconds ago do not":                   {1000, 500, 6, 10 * time.Second},
		"a tenth is rounded down":                           {79, 50, 7, 0},
		"a clock that went back an hour allows the floor":   {1000, 50, 6, -time.Hour},
		"one that went back a second does too":              {1000, 50, 6, -time.Second},
		"a clock before 1970 is a clock like any other":     {1000, 50, 6, -60 * 365 * 24 * time.Hour},
		"a whole round later the same slot is a new second": {1000, 50, 6, 100 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			budget, caller := newRetryBudget(), CallerKey{GrantID: "1"}
			for range row.reads {
				budget.read(caller, start)
			}
			got := 0
			for range row.wanted {
				if budget.take(caller, start.Add(row.later)) {
					got++
				}
			}
			if got != row.want {
				t.Errorf("%d retries, want %d", got, row.want)
			}
		})
	}
}

// A wait is random between half of its maximum and its maximum, which doubles with each retry.
func TestRetryWait(t *testing.T) {
	for retried, most := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond} {
		for range 2000 {
			if wait := retryWait(retried, 0); wait < most/2 || wait > most {
				t.Fatalf("after %d retries %s", retried, wait)
			}
		}
	}
}

// For any sequence of reads and retries, the retries of the last ten seconds of the clock are at most a tenth of the reads
// in them, or the floor, and a retry is denied only at that limit.
func TestRetryBudgetHoldsAtAnyTime(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	budget, caller := newRetryBudget(), CallerKey{GrantID: "1"}
	now := time.Unix(1_700_000_000, 0)
	reads, retries := map[int64]int{}, map[int64]int{}
	sum := func(counts map[int64]int) (n int) {
		for second := now.Unix() - windowSlices + 1; second <= now.Unix(); second++ {
			n += counts[second]
		}
		return n
	}
	granted := 0
	for range 20_000 {
		now = now.Add(time.Duration(random.IntN(30)) * time.Millisecond)
		if random.IntN(4) > 0 {
			budget.read(caller, now)
			reads[now.Unix()]++
			continue
		}
		if !budget.take(caller, now) {
			if sum(retries) < max(budgetFloor, sum(reads)/10) {
				t.Fatalf("a retry was denied after %d retries of %d reads", sum(retries), sum(reads))
			}
			continue
		}
		retries[now.Unix()]++
		if granted++; sum(retries) > max(budgetFloor, sum(reads)/10) {
			t.Fatalf("%d retries of %d reads", sum(retries), sum(reads))
		}
	}
	if granted < 100 {
		t.Errorf("%d retries granted; the test has gone blind", granted)
	}
}

// One caller's retries cost another none, whatever the others use: each has 10 % of its own reads, or an equal share of sixty, of which one
// is the least and six are the most.
func TestEachCallerHasItsShareOfTheRetries(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	for name, row := range map[string]struct {
		failing int           // callers, each with 100 retries wanted
		reads   int           // of one more caller
		later   time.Duration // when that one reads
		want    int           // its retries
	}{
		"one failing caller": {1, 1, 0, 6},
		"nine":               {9, 1, 0, 6},
		"ten leave a quiet caller its eleventh part of sixty": {10, 1, 0, 5},
		"thirty leave it one":                           {30, 1, 0, 1},
		"a hundred do as well":                          {100, 1, 0, 1},
		"and more than can be remembered":               {maxBudgetCallers + 10, 1, 0, 1},
		"a caller has a tenth of its reads beside them": {100, 50, 0, 5},
		"also if there are more than can be remembered": {maxBudgetCallers + 10, 50, 0, 5},
		"those that read nine seconds ago count":        {30, 1, 9 * time.Second, 1},
		"those that read ten seconds ago do not":        {30, 1, 10 * time.Second, 6},
	} {
		t.Run(name, func(t *testing.T) {
			budget, quiet, now := newRetryBudget(), CallerKey{GrantID: "2"}, start.Add(row.later)
			for i := range row.failing {
				caller := CallerKey{GrantID: strconv.Itoa(i + 10)}
				budget.read(caller, start)
				for range 100 {
					budget.take(caller, start)
				}
			}
			for range row.reads {
				budget.read(quiet, now)
			}
			got := 0
			for range 100 {
				if budget.take(quiet, now) {
					got++
				}
			}
			if got != row.want || budget.callers.Len() > maxBudgetCallers {
				t.Errorf("%d retries, want %d", got, row.want)
			}
		})
	}
}
