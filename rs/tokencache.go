package rs

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"
)

// Defaults of [TokenCacheOptions].
const (
	DefaultTokenHold    = 60 * time.Second
	DefaultRefusalHold  = 5 * time.Second
	DefaultTokenEntries = 10_000
)

// TokenCacheOptions configure a [TokenCache]. Zero values mean the defaults.
type TokenCacheOptions struct {
	Authority Authority
	Hold      time.Duration // how long a good token is believed, at most; its expiry may come earlier
	Refusal   time.Duration // how long a bad token is refused without asking
	Entries   int           // how many tokens are remembered
	Timeout   time.Duration // one question; 0 means twice DefaultAuthorityTimeout
	Now       func() time.Time
	Recalled  func(hit bool) // told of each token whether memory knew it; nil for nobody
}

// A TokenCache remembers an authority's verdicts for a short while, under the SHA-256 of the token, so that
// tokens are not kept. One question per token is under way at a time. It is safe for concurrent use.
type TokenCache struct {
	options TokenCacheOptions
	flights singleflight.Group

	mu       sync.Mutex                                       // guards what follows
	entries  *simplelru.LRU[[sha256.Size]byte, cachedVerdict] // in the order in which they were remembered
	sweeping bool                                             // a sweep is due
}

type cachedVerdict struct {
	verdict Verdict
	asked   time.Time // when the question was put: an answer never replaces one to a later question
	until   time.Time
}

// NewTokenCache returns a cache over an authority.
func NewTokenCache(o TokenCacheOptions) *TokenCache {
	if o.Hold <= 0 {
		o.Hold = DefaultTokenHold
	}
	if o.Refusal <= 0 {
		o.Refusal = DefaultRefusalHold
	}
	if o.Entries <= 0 {
		o.Entries = DefaultTokenEntries
	}
	if o.Timeout <= 0 {
		o.Timeout = 2 * DefaultAuthorityTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	entries, _ := simplelru.NewLRU[[sha256.Size]byte, cachedVerdict](o.Entries, nil) // fails for a size of less than 1 alone
	return &TokenCache{options: o, entries: entries}
}

// Authenticate returns who bears the token, from memory where that is fresh. Its errors are *Error values:
// AuthorityUnreachable when nobody could tell, anything else when the token is not good.
func (c *TokenCache) Authenticate(ctx context.Context, token Token) (Principal, error) {
	key := sha256.Sum256([]byte(token.Reveal()))
	verdict, fresh := c.recall(key)
	if c.options.Recalled != nil {
		c.options.Recalled(fresh)
	}
	if fresh {
		return verdict.principal(token)
	}
	return c.ask(ctx, first, key, token)
}

// Recheck asks the authority again, past the memory, and remembers the new answer (D7).
func (c *TokenCache) Recheck(ctx context.Context, token Token) (Principal, error) {
	// Rechecks have flights of their own: joining a question put before the doubt arose would not settle it.
	return c.ask(ctx, again, sha256.Sum256([]byte(token.Reveal())), token)
}

// Why a question is put.
const (
	first = "first"
	again = "again"
)

// ask puts one question for all who wait for it. The question does not belong to the first of them: when that
// one hangs up, the others still get their answer.
func (c *TokenCache) ask(ctx context.Context, purpose string, key [sha256.Size]byte, token Token) (Principal, error) {
	flight := c.flights.DoChan(purpose+string(key[:]), func() (answer any, err error) {
		defer func() { // outside every other recovery: a panic here would end the process
			if fault := recover(); fault != nil {
				answer, err = nil, authorityUnreachable(fmt.Errorf("the authority panicked: %v", fault))
			}
		}()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.options.Timeout)
		defer cancel()
		if verdict, fresh := c.recall(key); fresh && purpose == first {
			return verdict, nil // an earlier flight landed between the caller's look and this take-off
		}
		asked := c.options.Now()
		verdict, err := c.options.Authority.Judge(ctx, token)
		if err == nil {
			c.remember(key, verdict, asked)
		}
		return verdict, err
	})
	select {
	case <-ctx.Done():
		return Principal{}, &Error{Code: Canceled, Message: "The caller hung up before the token authority answered.", Cause: context.Cause(ctx)}
	case answer := <-flight:
		if answer.Err != nil {
			return Principal{}, answer.Err
		}
		return answer.Val.(Verdict).principal(token)
	}
}

func (c *TokenCache) recall(key [sha256.Size]byte) (Verdict, bool) {
	c.mu.Lock()
	entry, found := c.entries.Peek(key)
	c.mu.Unlock()
	return entry.verdict, found && c.options.Now().Before(entry.until)
}

func (c *TokenCache) remember(key [sha256.Size]byte, verdict Verdict, asked time.Time) {
	until := asked.Add(c.options.Hold)
	if verdict.Inactive != nil {
		until = asked.Add(c.options.Refusal)
	} else if !verdict.Expires.IsZero() && verdict.Expires.Before(until) {
		until = verdict.Expires
	}
	verdict.Principal.Token = Token{} // the asker has it; memory need not
	c.mu.Lock()
	defer c.mu.Unlock()
	if held, found := c.entries.Peek(key); found && held.newer(asked) {
		return
	}
	c.entries.Add(key, cachedVerdict{verdict, asked, until})
	if !c.sweeping {
		c.sweeping = true
		time.AfterFunc(c.longest(), c.sweep)
	}
}

// sweep forgets what is no longer good: a package's verdict holds its children's tokens. It comes again when the next
// verdict is too old, as long as any is remembered.
func (c *TokenCache) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		key, oldest, some := c.entries.GetOldest()
		if !some {
			c.sweeping = false
			return
		}
		if left := oldest.asked.Add(c.longest()).Sub(c.options.Now()); left > 0 {
			time.AfterFunc(left, c.sweep)
			return
		}
		c.entries.Remove(key)
	}
}

// longest is how long anything is remembered at most.
func (c *TokenCache) longest() time.Duration { return max(c.options.Hold, c.options.Refusal) }

// newer reports whether an answer to a question put at some time must not replace this one. Of two questions put at the
// same instant, by a coarse clock, a refusal counts.
func (v cachedVerdict) newer(asked time.Time) bool {
	return v.asked.After(asked) || v.asked.Equal(asked) && v.verdict.Inactive != nil
}

// principal is the verdict as an answer about the token that was presented.
func (v Verdict) principal(token Token) (Principal, error) {
	if v.Inactive != nil {
		return Principal{}, v.Inactive
	}
	p := v.Principal
	p.Token = token
	return p, nil
}
