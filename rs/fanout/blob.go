package fanout

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxBlobAttempts is how many members a blob is looked for in. In a larger package its connection must be named.
const maxBlobAttempts = 16

// blob answers GET /v1/blobs/{id}. The resource server knows blobs by id alone, so without a connection the usable
// members are asked in turn until one has it: one after the other, so that the bytes are sent once.
func (p *grantPackage) blob(ctx context.Context, r rs.Request, connectionID string) (*rs.Response, error) {
	if connectionID != "" || len(p.members) == 1 {
		return p.readOne(ctx, r, connectionID, "")
	}
	var usable []*member
	asked := map[rs.Token]bool{}
	for _, c := range p.members {
		if p.refused(c) == nil && !asked[c.Token] { // a grant of several connections is asked once
			asked[c.Token] = true
			usable = append(usable, c)
		}
	}
	switch {
	case len(usable) == 0:
		return nil, p.unusable("", p.members)
	case len(usable) > maxBlobAttempts:
		return nil, p.ambiguous("")
	}
	return p.findBlob(ctx, r, usable)
}

// findBlob asks one member after the other. It answers "not found" only if every member does.
func (p *grantPackage) findBlob(ctx context.Context, r rs.Request, members []*member) (*rs.Response, error) {
	var missing *rs.Error
	var failures []*rs.Error
	_, unavailable := p.sides("")
	ctx, cancel := context.WithTimeout(ctx, fanoutDeadlines*p.options.MemberDeadline)
	defer cancel()
	for _, c := range members {
		o := p.checkAndRead(ctx, c, r)
		switch {
		case o.failure == nil:
			return o.response, nil
		case errors.Is(ctx.Err(), context.Canceled):
			return nil, hungUp(ctx)
		case o.failure.Status == http.StatusNotFound:
			missing = o.failure
		default:
			failures = append(failures, o.failure)
			unavailable = append(unavailable, c.unavailable(o.failure))
		}
	}
	if len(failures) > 0 {
		return nil, p.allFailed(unavailable, failures)
	}
	annotated := *missing
	if len(unavailable) > 0 {
		annotated.Hint = fmt.Sprintf("It may be in one of the %d connections that cannot be read at the moment; approve them again, or check the id.", len(unavailable))
		annotated.Unavailable = unavailable[:min(len(unavailable), rs.MaxConnectionOptions)]
	}
	return nil, &annotated
}

// checkAndRead performs a read of one member within its deadline, once its token is checked.
func (p *grantPackage) checkAndRead(ctx context.Context, c *member, r rs.Request) outcome {
	left, why := p.checkWithin(ctx, c)
	if why != nil {
		return outcome{failure: why}
	}
	return p.ask(ctx, c, left, func(ctx context.Context, d rs.Doer) (*rs.Response, error) { return d.Do(ctx, r) })
}
