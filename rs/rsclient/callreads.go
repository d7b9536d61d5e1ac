package rsclient

import (
	"context"
	"sync/atomic"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// CallReads records the reads of one call: how many there are, the tokens that they carry, whether the resource server refused one of
// these, and the bytes of their answers. It is safe for concurrent use.
type CallReads struct {
	answers heldAnswers
	tokens  rs.UsedTokens
	count   atomic.Int64
	refused atomic.Pointer[rs.Code]
}

type callReadsKey struct{}

// WithCallReads returns a context whose reads are recorded. Their answers count against the budget of their [Client] until [CallReads.End]
// is called; without a record, an answer counts until its read returns. If ctx already has a record, begun is false, reads is that record,
// and the caller that began it ends it.
func WithCallReads(ctx context.Context) (recorded context.Context, reads *CallReads, begun bool) {
	if reads, found := ctx.Value(callReadsKey{}).(*CallReads); found {
		return ctx, reads, false
	}
	reads = &CallReads{}
	return context.WithValue(ctx, callReadsKey{}, reads), reads, true
}

// NoteRead records a read that a [Client] has not made; err is its error, if any. Without a record in ctx it does nothing.
func NoteRead(ctx context.Context, err error) {
	if reads, found := ctx.Value(callReadsKey{}).(*CallReads); found {
		reads.note(err)
	}
}

func (c *CallReads) note(err error) {
	c.count.Add(1)
	if err == nil {
		return
	}
	if refused := rs.AsError(err); refused.RefusesToken() {
		c.refused.CompareAndSwap(nil, &refused.Code)
	}
}

// Count returns the number of reads, including failed ones and those of the members of a package (D28).
func (c *CallReads) Count() int { return int(c.count.Load()) }

// RefusedToken returns the code of the first read whose error may mean that its token is no longer valid, and whether there was one; see
// [rs.Error.RefusesToken].
func (c *CallReads) RefusedToken() (code rs.Code, refused bool) {
	if first := c.refused.Load(); first != nil {
		return *first, true
	}
	return "", false
}

// Redactor returns a Redactor of the caller's token, the tokens used so far and, in plain, those of the members of the caller's package.
func (c *CallReads) Redactor(caller rs.Token, members []rs.Token) *rs.Redactor {
	c.tokens.Redactor(caller)
	return c.tokens.All(members)
}

// End releases the bytes of the answers, which must no longer be needed.
func (c *CallReads) End() { c.answers.release() }
