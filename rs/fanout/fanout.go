package fanout

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// fanoutDeadlines is how many member deadlines a fan-out may take in all. Members that were not reached by then are unavailable.
const fanoutDeadlines = 3

// An outcome is what became of one member's read: a response or a failure.
type outcome struct {
	response *rs.Response
	failure  *rs.Error
}

// fanOut checks the token of each member and performs one read for it, at most maxLookups checks and Width reads at a time. It
// returns the outcomes in the order of the members when all have ended. A canceled context is an error; an exceeded deadline is
// not: the reads that ended in time count.
func (p *grantPackage) fanOut(ctx context.Context, members []*member, read func(ctx context.Context, i int, d rs.Doer) (*rs.Response, error)) ([]outcome, error) {
	outcomes := make([]outcome, len(members))
	bounded, cancel := context.WithTimeout(ctx, fanoutDeadlines*p.options.MemberDeadline)
	defer cancel()
	lookups, reads := make(chan struct{}, maxLookups), make(chan struct{}, p.options.Width)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(max(maxLookups, p.options.Width), len(members)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(members); i = int(next.Add(1)) - 1 {
				lookups <- struct{}{}
				left, why := p.checkWithin(bounded, members[i])
				<-lookups
				if why != nil {
					outcomes[i] = outcome{failure: why}
					continue
				}
				reads <- struct{}{}
				outcomes[i] = p.ask(bounded, members[i], left, func(ctx context.Context, d rs.Doer) (*rs.Response, error) { return read(ctx, i, d) })
				<-reads
			}
		})
	}
	workers.Wait()
	p.report(outcomes)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, hungUp(ctx)
	}
	return outcomes, nil
}

// report passes the number of members read and of answers to the FannedOut hook.
func (p *grantPackage) report(outcomes []outcome) {
	if p.options.FannedOut == nil {
		return
	}
	answered := 0
	for _, o := range outcomes {
		if o.response != nil {
			answered++
		}
	}
	p.options.FannedOut(len(outcomes), answered)
}

// ask performs the read of one member, whose token was checked, within what is left of its deadline.
func (p *grantPackage) ask(ctx context.Context, c *member, left time.Duration, read func(context.Context, rs.Doer) (*rs.Response, error)) (o outcome) {
	defer func() { // in a goroutine nothing else would catch a panic, and it would end the process
		if fault := recover(); fault != nil {
			o = outcome{failure: &rs.Error{Code: rs.Internal, Message: "The adapter failed to read this connection.", Cause: fmt.Errorf("panic: %v", fault)}}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	if ctx.Err() != nil {
		return outcome{failure: tooLate(ctx.Err())}
	}
	response, err := read(ctx, c.doer)
	if err == nil {
		return outcome{response: response}
	}
	failure := rs.AsError(err)
	if failure.Status == 0 && errors.Is(err, context.DeadlineExceeded) || failure.Status == 0 && ctx.Err() != nil {
		failure = tooLate(err)
	}
	p.learn(c, failure)
	return outcome{failure: failure}
}

func hungUp(ctx context.Context) *rs.Error {
	return &rs.Error{Code: rs.Canceled, Message: "The caller hung up before the resource server answered.", Cause: context.Cause(ctx)}
}

func tooLate(cause error) *rs.Error {
	return &rs.Error{
		Code: rs.DeadlineExceeded, Cause: cause,
		Message: "This connection did not answer in time.",
		Hint:    "Retry, or name this connection_id alone, which allows it more time.",
	}
}

// transient reports whether the next attempt may succeed. A 4xx status is final, except those that mean "later".
func transient(e *rs.Error) bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return e.Status < 400 || e.Status >= 500
}

// allFailed returns one error for all failures: a fault of the request first, since it is the same for every member; a refused
// grant only if there is nothing else, since any other failure may be transient.
func (p *grantPackage) allFailed(unavailable []rs.UnavailableConnection, failures []*rs.Error) *rs.Error {
	most := failures[0]
	for _, f := range failures[1:] {
		if tellingRank(f) < tellingRank(most) {
			most = f
		}
	}
	annotated := *most
	if annotated.Hint == "" && refusesGrant(most) {
		annotated.Hint = approveAgain
	}
	annotated.Unavailable = unavailable[:min(len(unavailable), rs.MaxConnectionOptions)]
	return &annotated
}

func tellingRank(e *rs.Error) int {
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return 5
	case e.Status == http.StatusTooManyRequests:
		return 1
	case e.Status >= 400 && e.Status < 500:
		return 0
	case e.Status >= 500:
		return 2
	case e.Code == rs.DeadlineExceeded:
		return 3
	case e.Code == rs.Internal:
		return 6
	}
	return 4
}
