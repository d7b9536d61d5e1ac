package rsclient

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// The number of remembered grants is bounded, and the attempts of idle callers are forgotten.
func TestWhatIsRememberedOfGrantsIsBounded(t *testing.T) {
	grants := newBreakers("rs.example", unobserved{})
	host := grants.host
	now := time.Unix(1e9, 0)
	for i := range 2 * maxGrantBreakers {
		key := CallerKey{GrantID: strconv.Itoa(i + 10)}
		grants.forGrant(key)
		host.callers.add(now, key, i%2 == 0)
	}
	if grants.byGrant.Len() != 4096 || host.callers.byCaller.Len() != 4096 { // as docs/limits.md says
		t.Errorf("%d grants and %d callers are remembered", grants.byGrant.Len(), host.callers.byCaller.Len())
	}
	now = now.Add(time.Minute)
	host.callers.add(now, CallerKey{GrantID: "1"}, true)
	if host.callers.byCaller.Len() != 1 {
		t.Errorf("after a pause: %d callers", host.callers.byCaller.Len())
	}
}

// A call that becomes large releases its memory for small answers, and a call that has ended is forgotten.
func TestALargeCallHoldsNoSmallAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newAnswerBudget(1, 2*largeCall), &heldAnswers{}
		for range 2 {
			if err := h.take(t.Context(), b, CallerKey{GrantID: "1"}, largeCall); err != nil {
				t.Fatal(err)
			}
		}
		if !h.large || !b.small.TryAcquire(leastSmallBytes) {
			t.Error("a large call holds small answers")
		}
		if h.release(); len(b.callers.values) != 0 || !b.large.TryAcquire(leastLarge) {
			t.Errorf("%d callers are remembered", len(b.callers.values))
		}
		b.small.Release(leastSmallBytes)
		if err := h.take(t.Context(), b, CallerKey{GrantID: "1"}, largeCall); err != nil || h.large || h.bytes != largeCall {
			t.Errorf("a call that begins again holds %d bytes, large %v: %v", h.bytes, h.large, err)
		}
		if h.release(); !b.small.TryAcquire(leastSmallBytes) {
			t.Error("a call that has ended holds small answers")
		}
	})
}

// A server that announces a large answer and sends little of it takes little memory that is charged to nobody. The memory for all of it is
// allocated at once when the call is large.
func TestAnAnnouncementTakesLittleMemory(t *testing.T) {
	const announced = 4 * largeCall
	b := &answerBody{answers: &heldAnswers{}, budget: newAnswerBudget(2*announced, announced), ctx: t.Context(), announced: announced}
	for _, piece := range []struct{ bytes, least, most int }{
		{1, 64 << 10, 64 << 10}, {largeCall - 1, largeCall, 2 * largeCall}, {1, announced, announced * 3 / 2}, {announced - largeCall - 1, announced, announced * 3 / 2},
	} {
		if _, err := b.Write(make([]byte, piece.bytes)); err != nil || b.text.Cap() < piece.least || b.text.Cap() > piece.most {
			t.Errorf("%d bytes are allocated for %d: %v", b.text.Cap(), b.text.Len(), err)
		}
	}
	if b.answers.bytes != announced {
		t.Errorf("%d bytes are charged", b.answers.bytes)
	}
}

// An attempt is forgotten when it is exactly breakerWindow old.
func TestTheLastAttemptsOfCallers(t *testing.T) {
	for since, want := range map[time.Duration]int{breakerWindow - 1: 2, breakerWindow: 1} {
		var c callerOutcomes
		now := time.Unix(1e9, 0)
		c.add(now, CallerKey{GrantID: "1"}, true)
		c.add(now.Add(since), CallerKey{GrantID: "2"}, true)
		if c.byCaller.Len() != want {
			t.Errorf("after %s %d callers are remembered", since, c.byCaller.Len())
		}
	}
}

// While the breaker is half open, each caller may try once, and again breakerRest after its attempt has failed. The callers that are
// remembered are bounded.
func TestEachCallerHasItsOwnTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(func(string) {})
		b.setState(breakerOpen, time.Now())
		time.Sleep(breakerRest)
		try := func(caller int, fails bool) bool {
			key := CallerKey{GrantID: strconv.Itoa(caller)}
			generation, refused := b.begin(key, "")
			if refused == nil && fails {
				b.end(key, generation, grantFailed)
			}
			return refused == nil
		}
		for i := range 2 * maxBreakerCallers {
			if !try(i, i%2 == 0) || try(i, true) {
				t.Fatalf("caller %d has not exactly one attempt", i)
			}
		}
		last := 2*maxBreakerCallers - 2 // it has failed, and the one after it is still trying
		time.Sleep(breakerRest - 1)
		if try(last, true) {
			t.Error("it may try again before the rest is over")
		}
		time.Sleep(time.Nanosecond)
		if !try(last, true) || try(last, true) || try(last+1, true) || b.state != breakerHalfOpen {
			t.Errorf("%s; after the rest those that failed may try once, and not those whose attempts are under way", b.state)
		}
		if b.trials.Len() != maxBreakerCallers {
			t.Errorf("%d callers are remembered", b.trials.Len())
		}
	})
}
