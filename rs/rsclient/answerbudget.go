package rsclient

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// defaultAnswerBytes is the default of [Options].AnswerBytes.
const defaultAnswerBytes = 64 << 20

// How the bytes of an [answerBudget] are divided.
const (
	largeCall       = 1 << 20 // a call whose answers together have more bytes is a large call
	leastLarge      = 2       // the least number of concurrent large calls: no caller can take all
	mostLarge       = 4       // the most: each takes work
	leastSmallBytes = 8 << 20 // the least budget of all other calls together
	smallShare      = 4       // one caller may use 1/smallShare of that budget
)

// An answerBudget bounds the bytes of answers in memory, from reading to rendering. Half of it is for a few large calls, each of which may
// use as much as one answer of the largest size; the rest is for all other calls. A call that finds no bytes left there waits to become a
// large call. A large call waits for nothing, so that every call ends. One caller gets no more than its share of both. It is safe for
// concurrent use.
type answerBudget struct {
	small     *semaphore.Weighted // bytes
	large     *semaphore.Weighted // calls
	callBytes int64               // of one large call
	callers   PerCaller[CallerKey, callerShare]
}

type callerShare struct{ small, large *semaphore.Weighted }

func newAnswerBudget(bytes, callBytes int64) *answerBudget {
	large := min(max(bytes/2/callBytes, leastLarge), mostLarge)
	small := max(bytes-large*callBytes, leastSmallBytes)
	b := &answerBudget{small: semaphore.NewWeighted(small), large: semaphore.NewWeighted(large), callBytes: callBytes}
	b.callers.Make = func(CallerKey) callerShare {
		return callerShare{small: semaphore.NewWeighted(small / smallShare), large: semaphore.NewWeighted(large - 1)}
	}
	return b
}

func (b *answerBudget) acquireLarge(ctx context.Context, s *callerShare) error {
	if err := s.large.Acquire(ctx, 1); err != nil {
		return err
	}
	if err := b.large.Acquire(ctx, 1); err != nil {
		s.large.Release(1)
		return err
	}
	return nil
}

func (b *answerBudget) releaseLarge(s *callerShare) {
	b.large.Release(1)
	s.large.Release(1)
}

// heldAnswers counts the bytes of one call's answers. It is safe for concurrent use.
type heldAnswers struct {
	mu     sync.Mutex
	budget *answerBudget // of the client that read first; nil before the first read
	caller CallerKey
	share  *callerShare
	bytes  int64
	small  int64 // the part of bytes that is charged to the small budget
	large  bool

	growing chan struct{} // not nil while a read waits until the call may be large; then closed
}

// take counts n more bytes, and waits if necessary. Its errors are "too_many_calls", "response_too_large" and that of a canceled ctx.
func (h *heldAnswers) take(ctx context.Context, b *answerBudget, caller CallerKey, n int64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.budget == nil {
		h.budget, h.caller, h.share = b, caller, b.callers.Enter(caller)
	}
	for !h.large && (h.bytes+n > largeCall || !h.takeSmall(n)) {
		if err := h.becomeLarge(ctx); err != nil {
			return err
		}
	}
	if h.large && h.bytes+n > h.budget.callBytes+1 { // a read takes one byte more, to detect an answer that is too large
		return tooLarge(fmt.Sprintf("The resource server's answers to this call are together larger than %d bytes.", h.budget.callBytes))
	}
	h.bytes += n
	return nil
}

func (h *heldAnswers) takeSmall(n int64) bool {
	if !h.share.small.TryAcquire(n) {
		return false
	}
	if !h.budget.small.TryAcquire(n) {
		h.share.small.Release(n)
		return false
	}
	h.small += n
	return true
}

// becomeLarge waits until the call may be large. It releases mu, which must be held, while it waits, so that the call's other reads can go
// on or end at their own deadlines. Those that need the same wait for the first one.
func (h *heldAnswers) becomeLarge(ctx context.Context) (err error) {
	b, share, first := h.budget, h.share, h.growing == nil
	if first {
		h.growing = make(chan struct{})
	}
	growing := h.growing
	h.mu.Unlock()
	if first {
		err = b.acquireLarge(ctx, share)
	} else {
		select {
		case <-growing:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	h.mu.Lock()
	if first {
		close(growing)
		h.growing = nil
	}
	switch {
	case err != nil:
		return tooManyBytes(err)
	case h.budget == nil: // the call has ended
		if first {
			b.releaseLarge(share)
		}
		return context.Canceled
	case first:
		h.large = true
		h.refundSmall(h.small)
	}
	return nil
}

func (h *heldAnswers) refundSmall(n int64) {
	h.budget.small.Release(n)
	h.share.small.Release(n)
	h.small -= n
}

// refund returns bytes that the call no longer needs.
func (h *heldAnswers) refund(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.budget == nil {
		return
	}
	h.bytes -= n
	if !h.large {
		h.refundSmall(n)
	}
}

func (h *heldAnswers) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.budget == nil {
		return
	}
	h.refundSmall(h.small)
	if h.large {
		h.budget.releaseLarge(h.share)
	}
	h.budget.callers.Leave(h.caller)
	h.budget, h.large, h.bytes = nil, false, 0
}

func tooManyBytes(cause error) error {
	if errors.Is(cause, context.Canceled) {
		return cause
	}
	return &rs.Error{
		Code: "too_many_calls", RetryAfter: time.Second, Cause: cause,
		Message: "Too many large answers of the resource server are being read at a time.",
		Hint:    "Make fewer calls at a time, or ask for less: a smaller limit, fewer fields, or one connection.",
	}
}

// maxAnnounced is the most memory that is allocated for a body because of its Content-Length alone, beside the budget.
const maxAnnounced = 64 << 10

// An answerBody collects a body while it is read: each piece is charged to the budget before it is kept.
type answerBody struct {
	answers   *heldAnswers
	budget    *answerBudget
	caller    CallerKey
	ctx       context.Context // of the read
	announced int64           // its Content-Length; 0 if unknown
	text      strings.Builder // charged to the budget
}

// Write appends a piece. Its errors are those of [heldAnswers.take].
func (b *answerBody) Write(p []byte) (int, error) {
	if err := b.answers.take(b.ctx, b.budget, b.caller, int64(len(p))); err != nil {
		return 0, err
	}
	expected := min(b.announced, maxAnnounced)
	if b.text.Len()+len(p) > largeCall { // a large call has a budget for the announced bytes: grow to them at once
		expected = b.announced
	}
	b.text.Grow(max(int(expected)-b.text.Len(), len(p)))
	return b.text.Write(p)
}
