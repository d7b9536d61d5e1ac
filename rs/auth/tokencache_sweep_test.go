package auth

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

type anyone struct{}

func (anyone) Introspect(context.Context, rs.Token) (TokenInfo, error) {
	return TokenInfo{Principal: Principal{Kind: KindClient}}, nil
}

// A TokenInfo is removed from memory when its TTL ends, even if no further request comes.
func TestVerdictsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int64 // at the clock, by requests and then by sweeps
		cache := NewTokenCache(TokenCacheOptions{Authority: anyone{}, Now: func() time.Time { looks.Add(1); return time.Now() }})
		held := func() int {
			cache.mu.Lock()
			defer cache.mu.Unlock()
			return cache.good.Len()
		}
		for i := range 10 {
			if _, err := cache.Authenticate(t.Context(), rs.NewToken(fmt.Sprint("token", i))); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second) // on the clock of synctest
		}
		if held() != 10 {
			t.Errorf("%d answers are held, want 10", held())
		}
		looks.Store(0)
		time.Sleep(tokenTTL - 5*time.Second)
		synctest.Wait()
		if held() != 4 {
			t.Errorf("%d answers are held, want 4", held())
		}
		time.Sleep(tokenTTL)
		synctest.Wait()
		if held() != 0 {
			t.Errorf("%d answers are still held", held())
		}
		if n := looks.Load(); n > 20 {
			t.Errorf("%d looks at the clock: there is more than one sweep", n)
		}
	})
}

// The sweep runs when the next entry of either kind expires, not when the oldest of the other kind does.
func TestASweepWaitsForTheNextEntryOfEitherKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		authority := authorityOf{"first": nil, "refused": &rs.Error{Code: "not_authenticated"}, "last": nil}
		cache := NewTokenCache(TokenCacheOptions{Authority: authority, Now: time.Now})
		for _, token := range []string{"first", "refused", "last"} {
			_, _ = cache.Authenticate(t.Context(), rs.NewToken(token))
			time.Sleep(5 * time.Second) // on the clock of synctest
		}
		time.Sleep(tokenTTL - 8*time.Second) // the first is 67 seconds old, the refused one 62, the last 57
		synctest.Wait()
		cache.mu.Lock()
		defer cache.mu.Unlock()
		if good, bad := cache.good.Len(), cache.bad.Len(); good != 1 || bad != 0 {
			t.Errorf("%d good answers and %d refusals are held, want 1 and 0", good, bad)
		}
	})
}

// An authorityOf knows tokens, with why each is inactive.
type authorityOf map[string]*rs.Error

func (a authorityOf) Introspect(_ context.Context, token rs.Token) (TokenInfo, error) {
	return TokenInfo{Principal: Principal{Kind: KindClient}, Inactive: a[token.Reveal()]}, nil
}
