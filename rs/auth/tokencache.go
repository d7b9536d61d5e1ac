package auth

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/rs/zerolog/log"
	"golang.org/x/sync/singleflight"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/lookup"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

const (
	// tokenTTL is how long the authority's answer about an active token is kept, if the token does not expire before; no other answer is
	// kept longer.
	tokenTTL            = 60 * time.Second
	negativeTTL         = 5 * time.Second // of an inactive token
	defaultTokenEntries = 10_000          // of active tokens, and as many of inactive ones

	// revalidationTTL is how long the result of a revalidation is shared with callers that ask for the same one.
	revalidationTTL = 2 * time.Second
	// recognizedFor is how long a token that was active counts as known, although its TokenInfo has expired.
	recognizedFor = time.Hour
)

// TokenCacheOptions configure a [TokenCache]. Zero values mean the defaults.
type TokenCacheOptions struct {
	Authority Authority
	Entries   int           // of active tokens, and as many of inactive ones
	Timeout   time.Duration // of one lookup; 0 means 10 s
	Now       func() time.Time
	OnLookup  func(hit bool) // called for each token, with whether it was cached; may be nil
	Panicked  func(any)      // called with a panic of the authority, by the goroutine that recovers it; nil means that zerolog logs it
	Unknown   *LookupLimits  // for tokens never seen active; nil means 100 a second after a burst of 1000, and 256 concurrently
}

// A TokenCache caches an authority's answers under the SHA-256 of the token, so that tokens are not kept. Active and
// inactive tokens have a cache each: a flood of bad tokens evicts no good one. Concurrent lookups of one token are one
// request, and lookups of tokens that were never active are limited.
// It is safe for concurrent use.
type TokenCache struct {
	options TokenCacheOptions
	flights singleflight.Group
	unknown *lookupLimiter

	mu            sync.Mutex  // guards the fields below
	good          *tokenInfos // in the order of insertion
	bad           *tokenInfos
	known         *simplelru.LRU[rs.TokenKey, time.Time] // tokens that were active, and when the authority was last asked
	revalidations *simplelru.LRU[rs.TokenKey, revalidation]
	sweeping      bool // a sweep is scheduled
}

type tokenInfos = simplelru.LRU[rs.TokenKey, cachedInfo]

type cachedInfo struct {
	info  TokenInfo
	began time.Time // when the lookup began: an answer never replaces that of a later lookup
	until time.Time
}

// A revalidation is the outcome of a repeated lookup: an error, or a TokenInfo in the cache.
type revalidation struct {
	began  time.Time
	reason rs.Code // of the resource server's refusal; empty if the TokenInfo had expired
	err    *rs.Error
}

// NewTokenCache returns a cache over an authority.
func NewTokenCache(o TokenCacheOptions) *TokenCache {
	o.Entries, o.Timeout = cmp.Or(o.Entries, defaultTokenEntries), cmp.Or(o.Timeout, 2*lookup.DefaultTimeout)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Panicked == nil {
		o.Panicked = rs.LogPanic(log.Logger)
	}
	if o.Unknown == nil {
		limits := defaultLookupLimits()
		o.Unknown = &limits
	}
	c := &TokenCache{options: o, unknown: newLookupLimiter(*o.Unknown, o.Now)}
	// NewLRU fails only for a size below 1.
	c.good, _ = simplelru.NewLRU[rs.TokenKey, cachedInfo](o.Entries, nil)
	c.bad, _ = simplelru.NewLRU[rs.TokenKey, cachedInfo](o.Entries, nil)
	c.known, _ = simplelru.NewLRU[rs.TokenKey, time.Time](o.Entries, nil)
	c.revalidations, _ = simplelru.NewLRU[rs.TokenKey, revalidation](o.Entries, nil)
	return c
}

// Known reports whether the token was active at its last lookup, at most an hour ago. It makes no request.
func (c *TokenCache) Known(token rs.Token) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	began, found := c.known.Get(token.Key())
	return found && c.options.Now().Before(began.Add(recognizedFor))
}

// Authenticate returns the token's principal, from the cache if it has a fresh one. Its errors are of type *rs.Error:
// [rs.AuthorityUnreachable] if the authority gave no answer, "authority_busy" if too many unknown tokens are being looked up, any other
// code for an inactive token.
func (c *TokenCache) Authenticate(ctx context.Context, token rs.Token) (Principal, error) {
	info, fresh := c.recall(token)
	if c.options.OnLookup != nil {
		c.options.OnLookup(fresh)
	}
	if fresh {
		return info.principal(token)
	}
	return c.share(ctx, token, "", func(ctx context.Context) (TokenInfo, error) {
		if info, fresh := c.recall(token); fresh {
			return info, nil // an earlier lookup ended since the caller read the cache
		}
		if c.Known(token) {
			return c.lookUpAgain(ctx, "", token)
		}
		release, refusal := c.unknown.acquire(ctx)
		if refusal != nil {
			return TokenInfo{}, refusal
		}
		defer release()
		return c.lookUp(rsclient.WithUnknownToken(ctx), token)
	})
}

// Revalidate asks the authority again, bypassing the cache, and caches the new answer (D7). reason is the code with which the
// resource server refused the token. Revalidations of one token for one reason within two seconds share one request.
func (c *TokenCache) Revalidate(ctx context.Context, token rs.Token, reason rs.Code) (Principal, error) {
	// A first lookup may have begun before the 401, so its answer cannot be shared.
	return c.share(ctx, token, "again "+string(reason), func(ctx context.Context) (TokenInfo, error) {
		return c.lookUpAgain(ctx, reason, token)
	})
}

// share makes one lookup of a token for all callers that wait for one with this purpose. The lookup outlives the caller that started it, so
// that the others still get their answer.
func (c *TokenCache) share(
	ctx context.Context, token rs.Token, purpose string, lookUp func(context.Context) (TokenInfo, error),
) (Principal, error) {
	key := token.Key()
	flight := c.flights.DoChan(string(key[:])+purpose, func() (answer any, err error) {
		defer func() { // in a goroutine of singleflight: a panic would end the process
			if fault := recover(); fault != nil {
				c.options.Panicked(fault)
				answer, err = nil, lookup.Unreachable(fmt.Errorf("the authority panicked with a %T", fault))
			}
		}()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.options.Timeout)
		defer cancel()
		return lookUp(ctx)
	})
	select {
	case <-ctx.Done():
		return Principal{}, &rs.Error{Code: "canceled", Message: "The caller hung up before the token authority answered.", Cause: context.Cause(ctx)}
	case answer := <-flight:
		if answer.Err != nil {
			return Principal{}, answer.Err
		}
		return answer.Val.(TokenInfo).principal(token)
	}
}

// lookUpAgain repeats the lookup of a token that was active. If that was done for the same reason within revalidationTTL, it returns that
// outcome instead, errors included.
func (c *TokenCache) lookUpAgain(ctx context.Context, reason rs.Code, token rs.Token) (TokenInfo, error) {
	now := c.options.Now()
	c.mu.Lock()
	last, found := c.revalidations.Get(token.Key())
	c.mu.Unlock()
	if found && last.reason == reason && now.Before(last.began.Add(revalidationTTL)) {
		if last.err != nil {
			return TokenInfo{}, last.err
		}
		if info, fresh := c.recall(token); fresh {
			return info, nil
		}
	}
	info, err := c.lookUp(ctx, token)
	var failure *rs.Error
	if err != nil {
		failure = rs.AsError(err).Brief()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revalidations.Add(token.Key(), revalidation{now, reason, failure})
	return info, err
}

func (c *TokenCache) lookUp(ctx context.Context, token rs.Token) (TokenInfo, error) {
	began := c.options.Now()
	info, err := c.options.Authority.Introspect(ctx, token)
	if err == nil {
		c.remember(token.Key(), info, began)
	}
	return info, err
}

// recall returns the cached answer about a token, and whether it is fresh.
func (c *TokenCache) recall(token rs.Token) (TokenInfo, bool) {
	c.mu.Lock()
	entry, found := c.cached(token.Key())
	c.mu.Unlock()
	return entry.info, found && c.options.Now().Before(entry.until)
}

// cached returns a token's entry in either cache. The caller holds c.mu.
func (c *TokenCache) cached(key rs.TokenKey) (cachedInfo, bool) {
	if entry, found := c.good.Peek(key); found {
		return entry, true
	}
	return c.bad.Peek(key)
}

func (c *TokenCache) remember(key rs.TokenKey, info TokenInfo, began time.Time) {
	info.Principal.Token = rs.Token{} // the cache keeps no tokens
	c.mu.Lock()
	defer c.mu.Unlock()
	if previous, found := c.cached(key); found && previous.newer(began) {
		return
	}
	if info.Inactive != nil {
		c.good.Remove(key)
		c.known.Remove(key)
		c.bad.Add(key, cachedInfo{info, began, began.Add(negativeTTL)})
	} else {
		until := began.Add(tokenTTL)
		if !info.Expires.IsZero() && info.Expires.Before(until) {
			until = info.Expires
		}
		c.bad.Remove(key)
		c.known.Add(key, began)
		c.good.Add(key, cachedInfo{info, began, until})
	}
	if !c.sweeping {
		c.sweeping = true
		time.AfterFunc(tokenTTL, c.sweep)
	}
}

// sweep deletes expired entries, since a package's TokenInfo contains the tokens of its members. It schedules itself for the expiry of the
// next entry.
func (c *TokenCache) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	var next time.Duration // zero: no entry is left
	for _, cache := range []*tokenInfos{c.good, c.bad} {
		for key, oldest, found := cache.GetOldest(); found; key, oldest, found = cache.GetOldest() {
			if left := oldest.began.Add(tokenTTL).Sub(c.options.Now()); left > 0 {
				next = min(left, cmp.Or(next, left))
				break
			}
			cache.Remove(key)
		}
	}
	if c.sweeping = next > 0; c.sweeping {
		time.AfterFunc(next, c.sweep)
	}
}

// newer reports whether this answer is of a later lookup than one that began at the given time. If both began at the same instant of a
// coarse clock, a refusal counts as later.
func (entry cachedInfo) newer(began time.Time) bool {
	return entry.began.After(began) || entry.began.Equal(began) && entry.info.Inactive != nil
}

// principal returns the principal with the token that was presented, or why it is inactive.
func (info TokenInfo) principal(token rs.Token) (Principal, error) {
	if info.Inactive != nil {
		return Principal{}, info.Inactive
	}
	p := info.Principal
	p.Token = token
	return p, nil
}
