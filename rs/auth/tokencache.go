package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Defaults of [TokenCacheOptions].
const (
	DefaultTokenTTL     = 60 * time.Second
	defaultNegativeTTL  = 5 * time.Second
	defaultTokenEntries = 10_000

	// renewalHold is how long the result of asking again about a token serves everybody who would ask the same.
	renewalHold = 2 * time.Second
	// recognizedFor is how long a token that was good is known, although its verdict is too old to be believed.
	recognizedFor = time.Hour
)

// TokenCacheOptions configure a [TokenCache]. Zero values mean the defaults.
type TokenCacheOptions struct {
	Authority   Authority
	TTL         time.Duration // how long a good token is believed, at most; its expiry may come earlier
	NegativeTTL time.Duration // how long a bad token is refused without asking
	Entries     int           // how many good tokens are remembered, and how many bad ones
	Timeout     time.Duration // one question; 0 means 10 s
	Now         func() time.Time
	OnLookup    func(hit bool)  // called for each token with whether memory knew it; may be nil
	Unknown     *QuestionLimits // of the questions about tokens that were never good; nil means DefaultQuestionLimits
}

// A TokenCache remembers an authority's verdicts for a short while, under the SHA-256 of the token, so that
// tokens are not kept. Good and bad tokens have a memory each: however many bad ones come, no good one is forgotten for
// them. One question per token is under way at a time, and questions about tokens that were never good are limited.
// It is safe for concurrent use.
type TokenCache struct {
	options TokenCacheOptions
	flights singleflight.Group
	unknown *questionGate

	mu       sync.Mutex // guards what follows
	good     *verdicts  // in the order in which they were remembered
	bad      *verdicts
	known    *simplelru.LRU[tokenKey, time.Time] // tokens that were good, and when the authority was last asked
	renewals *simplelru.LRU[tokenKey, renewal]
	sweeping bool // a sweep is due
}

type (
	tokenKey = [sha256.Size]byte
	verdicts = simplelru.LRU[tokenKey, cachedInfo]
)

type cachedInfo struct {
	verdict TokenInfo
	asked   time.Time // when the question was put: an answer never replaces one to a later question
	until   time.Time
}

// A renewal is what came of asking again about a token that was good: an error, or a verdict among the remembered ones.
type renewal struct {
	asked  time.Time
	reason rs.Code // of the resource server's refusal; empty where the verdict was too old
	err    error
}

// NewTokenCache returns a cache over an authority.
func NewTokenCache(o TokenCacheOptions) *TokenCache {
	if o.TTL <= 0 {
		o.TTL = DefaultTokenTTL
	}
	if o.NegativeTTL <= 0 {
		o.NegativeTTL = defaultNegativeTTL
	}
	if o.Entries <= 0 {
		o.Entries = defaultTokenEntries
	}
	if o.Timeout <= 0 {
		o.Timeout = 2 * defaultAuthorityTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Unknown == nil {
		limits := DefaultQuestionLimits()
		o.Unknown = &limits
	}
	c := &TokenCache{options: o, unknown: newQuestionGate(*o.Unknown, o.Now)}
	// NewLRU fails for a size of less than 1 alone.
	c.good, _ = simplelru.NewLRU[tokenKey, cachedInfo](o.Entries, nil)
	c.bad, _ = simplelru.NewLRU[tokenKey, cachedInfo](o.Entries, nil)
	c.known, _ = simplelru.NewLRU[tokenKey, time.Time](o.Entries, nil)
	c.renewals, _ = simplelru.NewLRU[tokenKey, renewal](o.Entries, nil)
	return c
}

func keyOf(token rs.Token) tokenKey { return sha256.Sum256([]byte(token.Reveal())) }

// Known reports whether the token was good when the authority was last asked, at most an hour ago. It asks nobody.
func (c *TokenCache) Known(token rs.Token) bool { return c.recognizes(keyOf(token)) }

func (c *TokenCache) recognizes(key tokenKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked, found := c.known.Get(key)
	return found && c.options.Now().Before(asked.Add(recognizedFor))
}

// Authenticate returns who bears the token, from memory where that is fresh. Its errors are *Error values:
// AuthorityUnreachable when nobody could tell, AuthorityBusy when too many other unknown tokens are asked about, anything
// else when the token is not good.
func (c *TokenCache) Authenticate(ctx context.Context, token rs.Token) (Principal, error) {
	key := keyOf(token)
	verdict, fresh := c.recall(key)
	if c.options.OnLookup != nil {
		c.options.OnLookup(fresh)
	}
	if fresh {
		return verdict.principal(token)
	}
	return c.ask(ctx, first, "", key, token)
}

// Revalidate asks the authority again, past the memory, and remembers the new answer (D7). reason is the code with which the
// resource server refused the token. Revalidations of one token within two
// seconds share one question, whatever its result, as long as the resource server refused for the same reason.
func (c *TokenCache) Revalidate(ctx context.Context, token rs.Token, reason rs.Code) (Principal, error) {
	// Revalidations do not share the questions of first looks: one put before the 401 would not answer it.
	return c.ask(ctx, again, reason, keyOf(token), token)
}

// Why a question is put.
const (
	first = "first"
	again = "again"
)

// ask puts one question for all who wait for it. The question does not belong to the first of them: when that
// one hangs up, the others still get their answer.
func (c *TokenCache) ask(ctx context.Context, purpose string, reason rs.Code, key tokenKey, token rs.Token) (Principal, error) {
	flight := c.flights.DoChan(purpose+string(key[:])+string(reason), func() (answer any, err error) {
		defer func() { // outside every other recovery: a panic here would end the process
			if fault := recover(); fault != nil {
				answer, err = nil, Unreachable(fmt.Errorf("the authority panicked: %v", fault))
			}
		}()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.options.Timeout)
		defer cancel()
		if verdict, fresh := c.recall(key); fresh && purpose == first {
			return verdict, nil // an earlier flight landed between the caller's look and this take-off
		}
		if purpose == again || c.recognizes(key) {
			return c.renew(ctx, reason, key, token)
		}
		leave, refusal := c.unknown.enter(ctx)
		if refusal != nil {
			return TokenInfo{}, refusal
		}
		defer leave()
		return c.judge(rsclient.WithUnknownToken(ctx), key, token)
	})
	select {
	case <-ctx.Done():
		return Principal{}, &rs.Error{Code: rs.Canceled, Message: "The caller hung up before the token authority answered.", Cause: context.Cause(ctx)}
	case answer := <-flight:
		if answer.Err != nil {
			return Principal{}, answer.Err
		}
		return answer.Val.(TokenInfo).principal(token)
	}
}

// renew asks again about a token that was good, unless that was done a moment ago for the same reason: then the result still
// holds, also where the authority could not tell.
func (c *TokenCache) renew(ctx context.Context, reason rs.Code, key tokenKey, token rs.Token) (TokenInfo, error) {
	now := c.options.Now()
	c.mu.Lock()
	last, found := c.renewals.Get(key)
	c.mu.Unlock()
	if found && last.reason == reason && now.Before(last.asked.Add(renewalHold)) {
		if last.err != nil {
			return TokenInfo{}, last.err
		}
		if verdict, fresh := c.recall(key); fresh {
			return verdict, nil
		}
	}
	verdict, err := c.judge(ctx, key, token)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.renewals.Add(key, renewal{now, reason, err})
	return verdict, err
}

// judge puts a question and remembers the answer.
func (c *TokenCache) judge(ctx context.Context, key tokenKey, token rs.Token) (TokenInfo, error) {
	asked := c.options.Now()
	verdict, err := c.options.Authority.Introspect(ctx, token)
	if err == nil {
		c.remember(key, verdict, asked)
	}
	return verdict, err
}

// recall returns what is remembered of a token, and whether that can be believed.
func (c *TokenCache) recall(key tokenKey) (TokenInfo, bool) {
	c.mu.Lock()
	entry, found := c.held(key)
	c.mu.Unlock()
	return entry.verdict, found && c.options.Now().Before(entry.until)
}

// held finds a token in the one memory that has it. c.mu must be held.
func (c *TokenCache) held(key tokenKey) (cachedInfo, bool) {
	if entry, found := c.good.Peek(key); found {
		return entry, true
	}
	return c.bad.Peek(key)
}

func (c *TokenCache) remember(key tokenKey, verdict TokenInfo, asked time.Time) {
	verdict.Principal.Token = rs.Token{} // the asker has it; memory need not
	c.mu.Lock()
	defer c.mu.Unlock()
	if held, found := c.held(key); found && held.newer(asked) {
		return
	}
	if verdict.Inactive != nil {
		c.good.Remove(key)
		c.known.Remove(key)
		c.bad.Add(key, cachedInfo{verdict, asked, asked.Add(c.options.NegativeTTL)})
	} else {
		until := asked.Add(c.options.TTL)
		if !verdict.Expires.IsZero() && verdict.Expires.Before(until) {
			until = verdict.Expires
		}
		c.bad.Remove(key)
		c.known.Add(key, asked)
		c.good.Add(key, cachedInfo{verdict, asked, until})
	}
	if !c.sweeping {
		c.sweeping = true
		time.AfterFunc(c.longest(), c.sweep)
	}
}

// sweep forgets what is no longer good: a package's verdict holds its members's tokens. It comes again when the next
// verdict is too old, as long as any is remembered.
func (c *TokenCache) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := time.Duration(-1)
	for _, held := range []*verdicts{c.good, c.bad} {
		for key, oldest, found := held.GetOldest(); found; key, oldest, found = held.GetOldest() {
			if left := oldest.asked.Add(c.longest()).Sub(c.options.Now()); left > 0 {
				if next < 0 || left < next {
					next = left
				}
				break
			}
			held.Remove(key)
		}
	}
	if c.sweeping = next >= 0; c.sweeping {
		time.AfterFunc(next, c.sweep)
	}
}

// longest is how long anything is remembered at most.
func (c *TokenCache) longest() time.Duration { return max(c.options.TTL, c.options.NegativeTTL) }

// newer reports whether an answer to a question put at some time must not replace this one. Of two questions put at the
// same instant, by a coarse clock, a refusal counts.
func (v cachedInfo) newer(asked time.Time) bool {
	return v.asked.After(asked) || v.asked.Equal(asked) && v.verdict.Inactive != nil
}

// principal is the verdict as an answer about the token that was presented.
func (v TokenInfo) principal(token rs.Token) (Principal, error) {
	if v.Inactive != nil {
		return Principal{}, v.Inactive
	}
	p := v.Principal
	p.Token = token
	return p, nil
}
