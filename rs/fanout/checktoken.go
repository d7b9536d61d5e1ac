package fanout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

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
		return nil
	}
	why := &rs.Error{
		Code: rs.ChildUnusable, Status: http.StatusForbidden,
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
	p.refusals.remember(c.Token, why, p.options.Now())
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
