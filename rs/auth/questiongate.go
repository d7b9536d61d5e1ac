package auth

import (
	"context"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// QuestionLimits bound the questions to an authority about tokens that were never good. A zero rate, or a zero number at
// once, is no limit.
type QuestionLimits struct {
	Rate   float64       // questions a second, after the burst
	Burst  int           // questions in one moment
	AtOnce int           // questions under way at a time
	Wait   time.Duration // how long a question beyond these may wait
}

// DefaultQuestionLimits let a thousand clients connect in one moment.
func DefaultQuestionLimits() QuestionLimits {
	return QuestionLimits{Rate: 100, Burst: 1000, AtOnce: 256, Wait: time.Second}
}

// Check returns an error that names the flag whose value cannot be a limit.
func (l QuestionLimits) Check() error {
	switch {
	case math.IsNaN(l.Rate) || math.IsInf(l.Rate, 0) || l.Rate < 0:
		return fmt.Errorf("--unknown-token-rate %v: a number a second is needed, or 0 for no limit", l.Rate)
	case l.Rate > 0 && l.Burst < 1:
		return fmt.Errorf("--unknown-token-burst %d: at least 1 is needed; --unknown-token-rate 0 is no limit", l.Burst)
	case l.AtOnce < 0:
		return fmt.Errorf("--max-unknown-tokens %d: a number of questions is needed, or 0 for no limit", l.AtOnce)
	}
	return nil
}

// A questionGate lets so many questions pass a second, and so many at a time.
type questionGate struct {
	limits QuestionLimits
	now    func() time.Time
	bucket *rate.Limiter       // nil: no limit
	atOnce *semaphore.Weighted // nil: no limit
}

func newQuestionGate(l QuestionLimits, now func() time.Time) *questionGate {
	g := &questionGate{limits: l, now: now}
	if l.Rate > 0 {
		g.bucket = rate.NewLimiter(rate.Limit(l.Rate), l.Burst)
	}
	if l.AtOnce > 0 {
		g.atOnce = semaphore.NewWeighted(int64(l.AtOnce))
	}
	return g
}

// enter lets one question pass, or refuses it with AuthorityBusy. leave must be called when it is answered.
func (g *questionGate) enter(ctx context.Context) (leave func(), refusal *rs.Error) {
	if g.bucket != nil && !g.bucket.AllowN(g.now(), 1) {
		return nil, authorityBusy()
	}
	if g.atOnce == nil {
		return func() {}, nil
	}
	leave = func() { g.atOnce.Release(1) }
	if g.atOnce.TryAcquire(1) {
		return leave, nil
	}
	ctx, cancel := context.WithTimeout(ctx, g.limits.Wait)
	defer cancel()
	if g.atOnce.Acquire(ctx, 1) != nil {
		return nil, authorityBusy()
	}
	return leave, nil
}

func authorityBusy() *rs.Error {
	return &rs.Error{
		Code: rs.AuthorityBusy, RetryAfter: time.Second,
		Message: "The token authority is being asked about as many unknown access tokens as it may be; this one was not asked about.",
		Hint:    "Wait 1 second, then send the same request again.",
	}
}
