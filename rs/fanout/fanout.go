package fanout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
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

// maxLookups is how many members' tokens one read introspects at a time.
const maxLookups = 16

// pick returns the one member that a read is for, its token checked. If a member is refused for good, another member with the
// same connection takes its place.
func (p *grantPackage) pick(ctx context.Context, connectionID string, streams ...string) (*member, *rs.Error) {
	for range p.members { // each round but the last refuses a member, which is remembered
		c, refused := p.choose(connectionID, streams...)
		if refused != nil {
			return nil, refused
		}
		why := p.checkToken(ctx, c)
		switch {
		case why == nil:
			return c, nil
		case errors.Is(ctx.Err(), context.Canceled):
			return nil, hungUp(ctx)
		case transient(why):
			return nil, c.unchecked(why)
		}
	}
	return nil, p.unusable("", p.members)
}

// checkToken asks the authority about the token of a member that is about to be read, and returns why the member is not read, or nil:
// only an active client token is sent to the resource server (D27). A refusal is remembered like one by the resource server
// (D14); a missing answer is not.
func (p *grantPackage) checkToken(ctx context.Context, c *member) *rs.Error {
	if p.authority == nil {
		return nil
	}
	if why := p.refused(c); why != nil { // by another read meanwhile
		return why
	}
	ctx, cancel := context.WithTimeout(ctx, p.options.MemberDeadline)
	defer cancel()
	principal, err := p.authority.Authenticate(ctx, c.Token)
	if err == nil && principal.Kind == auth.KindClient {
		limits, _ := principal.Limits()
		limits = slices.Clone(limits)
		for i := range limits {
			limits[i].Connections = []string{c.ID}
		}
		c.limits.Store(&limits)
		return nil
	}
	why := &rs.Error{
		Code: rs.MemberUnusable, Status: http.StatusForbidden,
		Message: "The package directory gives a token for this connection that is not of a client grant.",
	}
	if err != nil {
		e := rs.AsError(err)
		if e.Code.MeansSomethingElse() {
			return &rs.Error{
				Code: rs.AuthorityUnreachable, RetryAfter: e.RetryAfter, RequestID: e.RequestID, Cause: err,
				Message: "The token authority could not say whether the access to this connection is good.",
				Hint:    "Retry in a moment; if it persists, tell the operator.",
			}
		}
		why.Code = cmp.Or(e.Code, rs.TokenInactive)
		why.Message = fmt.Sprintf("The token authority does not accept the access to this connection (%s).", why.Code)
	}
	p.refusals.remember(c.Token, why, p.options.Now().Add(p.options.RefusalHold))
	return why
}

// checkWithin checks a member's token within the member's deadline, and returns how much of the deadline is left.
func (p *grantPackage) checkWithin(ctx context.Context, c *member) (left time.Duration, why *rs.Error) {
	began := time.Now()
	why = p.checkToken(ctx, c)
	return p.options.MemberDeadline - time.Since(began), why
}

// unchecked is the error of a member whose token could not be checked now.
func (c *member) unchecked(why *rs.Error) *rs.Error {
	e := *why
	e.Param = "connection_id"
	e.Message = fmt.Sprintf("Connection %q cannot be read: %s", c.ID, why.Message)
	e.Unavailable = []rs.UnavailableConnection{c.unavailable(why)}
	return &e
}

// readOne passes a read on to the one member that it is for.
func (p *grantPackage) readOne(ctx context.Context, r rs.Request, connectionID, stream string) (*rs.Response, error) {
	c, refused := p.pick(ctx, connectionID, stream)
	if refused != nil {
		return nil, refused
	}
	if connectionID == "" && len(p.members) > 1 { // the member's grant may cover more than the connection that was chosen
		r.Query = withValue(r.Query, "connection_id", c.ID)
	}
	return p.forward(ctx, c, r)
}

// withValue returns a query with one more parameter, or another value of it.
func withValue(query url.Values, name, value string) url.Values {
	changed := url.Values{}
	maps.Copy(changed, query)
	changed.Set(name, value)
	return changed
}

// forward performs one member's read and keeps its answer as it is. An answer that refuses the grant says what can be
// done about it (S3-3a).
func (p *grantPackage) forward(ctx context.Context, c *member, r rs.Request) (*rs.Response, error) {
	response, err := c.doer.Do(ctx, r)
	if err == nil {
		return response, nil
	}
	e := rs.AsError(err)
	p.learn(c, e)
	if refusesGrant(e) {
		annotated := *e
		annotated.Hint = approveAgain
		return nil, &annotated
	}
	return nil, e
}
