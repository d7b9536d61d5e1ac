package fanout

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	// fanoutDeadlines is how many member deadlines a fan-out may take in all. Members that were not read by then are unavailable.
	fanoutDeadlines = 3
	// maxLookups is how many members' tokens one read introspects at a time.
	maxLookups = 16
	// maxBlobAttempts is how many members a blob is looked for in. In a larger package the call must name its connection.
	maxBlobAttempts = 16
)

type memberRead func(ctx context.Context, d rs.Doer) (*rs.Response, error)

type outcome struct {
	response *rs.Response
	failure  *rs.Error
}

// fanOut checks the token of each member and performs one read for it, at most maxLookups checks and Width reads at a time. It
// returns the outcomes in the order of the members when all have ended. A canceled context is an error; an exceeded deadline is
// not: the reads that ended in time count.
func (p *grantPackage) fanOut(ctx context.Context, members []*member, read func(i int) memberRead) ([]outcome, error) {
	outcomes := make([]outcome, len(members))
	bounded, cancel := context.WithTimeout(ctx, fanoutDeadlines*p.options.MemberDeadline)
	defer cancel()
	limits := readLimits{make(chan struct{}, maxLookups), make(chan struct{}, p.options.Width)}
	var all errgroup.Group
	all.SetLimit(max(maxLookups, p.options.Width))
	for i, m := range members {
		all.Go(func() error {
			outcomes[i] = p.checkAndRead(bounded, m, limits, func(ctx context.Context, d rs.Doer) (*rs.Response, error) {
				return read(i)(ctx, d)
			})
			return nil
		})
	}
	_ = all.Wait()
	if p.options.FannedOut != nil {
		answered := 0
		for _, o := range outcomes {
			if o.response != nil {
				answered++
			}
		}
		p.options.FannedOut(len(outcomes), answered)
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, hungUp(ctx)
	}
	return outcomes, nil
}

// readLimits are semaphores for concurrent lookups and reads.
type readLimits struct{ lookups, reads chan struct{} }

// checkAndRead checks the token of one member and then reads it, both within the member's deadline.
func (p *grantPackage) checkAndRead(ctx context.Context, m *member, limits readLimits, read memberRead) (o outcome) {
	defer func() { // nothing else catches a panic in this goroutine, which would end the process
		if fault := recover(); fault != nil {
			p.options.Panicked(fault)
			o = outcome{failure: rs.AsError(fmt.Errorf("panic of type %T", fault))}
			o.failure.Message = "The adapter failed to read this connection."
		}
	}()
	held := limits.lookups
	held <- struct{}{}
	defer func() { <-held }()
	began := time.Now()
	why := p.checkToken(ctx, m)
	left := p.options.MemberDeadline - time.Since(began)
	if why != nil {
		return outcome{failure: why}
	}
	<-held
	held = limits.reads
	held <- struct{}{}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	if ctx.Err() != nil {
		return outcome{failure: tooLate(ctx.Err())}
	}
	response, err := read(ctx, m.doer)
	if err == nil {
		return outcome{response: response}
	}
	failure := rs.AsError(err)
	if failure.Status == 0 && (errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil) {
		failure = tooLate(err)
	}
	p.rememberFailure(m, failure)
	return outcome{failure: failure}
}

func hungUp(ctx context.Context) *rs.Error {
	return &rs.Error{Code: "canceled", Message: "The caller hung up before the resource server answered.", Cause: context.Cause(ctx)}
}

func tooLate(cause error) *rs.Error {
	return &rs.Error{
		Code: "deadline_exceeded", Cause: cause,
		Message: "This connection did not answer in time.",
		Hint:    "Retry, or name this connection_id alone, which allows it more time.",
	}
}

// allFailed returns one error for all failures: a fault of the request first, since it is the same for every member; a refused
// grant only if there is nothing else, since any other failure may be transient.
func allFailed(unavailable []rs.UnavailableConnection, failures []*rs.Error) *rs.Error {
	annotated := *slices.MinFunc(failures, func(a, b *rs.Error) int { return allFailedRank(a) - allFailedRank(b) })
	if annotated.Hint == "" && refusesGrant(&annotated) {
		annotated.Hint = approveAgain
	}
	annotated.Unavailable = unavailable[:min(len(unavailable), rs.MaxConnectionOptions)]
	return &annotated
}

// allFailedRank orders failures for [allFailed]: the lowest is reported.
func allFailedRank(e *rs.Error) int {
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return 5
	case e.Status == http.StatusTooManyRequests:
		return 1
	case e.Status >= 400 && e.Status < 500:
		return 0
	case e.Status >= 500:
		return 2
	case e.Code == "deadline_exceeded":
		return 3
	case e.Code == "internal_error":
		return 6
	}
	return 4
}

// pick returns the member that a read is for, after a check of its token. If a member is refused for good, another member with the same
// connection takes its place.
func (p *grantPackage) pick(ctx context.Context, connectionID string, streams ...string) (*member, *rs.Error) {
	for range p.members { // each round but the last refuses a member, which is remembered
		m, refused := p.memberFor(connectionID, streams...)
		if refused != nil {
			return nil, refused
		}
		why := p.checkToken(ctx, m)
		switch {
		case why == nil:
			return m, nil
		case errors.Is(ctx.Err(), context.Canceled):
			return nil, hungUp(ctx)
		case transient(why): // it could not be checked now
			e := *why
			e.Param, e.Unavailable = "connection_id", []rs.UnavailableConnection{m.unavailable(why)}
			e.Message = fmt.Sprintf("Connection %q cannot be read: %s", m.ID, why.Message)
			return nil, &e
		}
	}
	return nil, p.unusable("", p.members)
}

// readOne forwards a read to the one member that it is for.
func (p *grantPackage) readOne(ctx context.Context, r rs.Request, connectionID, stream string) (*rs.Response, error) {
	m, refused := p.pick(ctx, connectionID, stream)
	if refused != nil {
		return nil, refused
	}
	if connectionID == "" && len(p.members) > 1 { // the member's grant may cover more than the connection that was chosen
		r.Query = withValue(r.Query, "connection_id", m.ID)
	}
	return p.forward(ctx, m, r)
}

// withValue returns a copy of a query in which a parameter has the given values.
func withValue(query url.Values, name string, values ...string) url.Values {
	changed := url.Values{}
	maps.Copy(changed, query)
	changed[name] = values
	return changed
}

// forward performs one member's read and returns its answer unchanged. An error that refuses the grant gets a hint (S3-3a).
func (p *grantPackage) forward(ctx context.Context, m *member, r rs.Request) (*rs.Response, error) {
	response, err := m.doer.Do(ctx, r)
	if err == nil {
		return response, nil
	}
	e := rs.AsError(err)
	p.rememberFailure(m, e)
	if refusesGrant(e) {
		annotated := *e
		annotated.Hint = approveAgain
		return nil, &annotated
	}
	return nil, e
}

// blob answers GET /v1/blobs/{id}. The resource server addresses blobs by id alone, so without a connection the usable members are read
// until one has it: one after the other, so that the bytes are sent once. It answers "not found" only if every member does.
func (p *grantPackage) blob(ctx context.Context, r rs.Request, connectionID string) (*rs.Response, error) {
	if connectionID != "" || len(p.members) == 1 {
		return p.readOne(ctx, r, connectionID, "")
	}
	groups, unavailable, refused := p.groups("")
	switch {
	case refused != nil:
		return nil, refused
	case len(groups) > maxBlobAttempts:
		return nil, p.ambiguous("")
	}
	ctx, cancel := context.WithTimeout(ctx, fanoutDeadlines*p.options.MemberDeadline)
	defer cancel()
	limits := readLimits{make(chan struct{}, 1), make(chan struct{}, 1)}
	var missing *rs.Error
	var failures []*rs.Error
	for _, g := range groups {
		o := p.checkAndRead(ctx, g[0], limits, func(ctx context.Context, d rs.Doer) (*rs.Response, error) { return d.Do(ctx, r) })
		switch {
		case o.failure == nil:
			return o.response, nil
		case errors.Is(ctx.Err(), context.Canceled):
			return nil, hungUp(ctx)
		case o.failure.Status == http.StatusNotFound:
			missing = o.failure
		default:
			failures = append(failures, o.failure)
			unavailable = append(unavailable, g[0].unavailable(o.failure))
		}
	}
	if len(failures) > 0 {
		return nil, allFailed(unavailable, failures)
	}
	annotated := *missing
	if len(unavailable) > 0 {
		annotated.Hint = fmt.Sprintf("It may be in one of the %d connections that cannot be read at the moment; approve them again, or check the id.", len(unavailable))
		annotated.Unavailable = unavailable[:min(len(unavailable), rs.MaxConnectionOptions)]
	}
	return nil, &annotated
}
