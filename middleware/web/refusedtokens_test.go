package web_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// guarded returns an HTTP chain with the authority and the limits.
func guarded(authority web.Authenticator, limits web.Limits, now func() time.Time) http.Handler {
	return web.ChainOptions{
		Authenticator: authority, Limiter: web.NewLimiter(limits, now), Logger: zerolog.Nop(),
		Public: web.Public{Origin: "https://mcp.example"},
	}.AuthenticatedChain().ThenFunc(func(http.ResponseWriter, *http.Request) {})
}

func from(address, token string) func(*http.Request) {
	return func(r *http.Request) {
		r.RemoteAddr = address + ":4711"
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
	}
}

// Guessed tokens reach the authority only as often as the limit of their address allows. Other addresses are not affected.
func TestGuessingTokens(t *testing.T) {
	clock, authority := newClock(), &webAuthority{}
	chain := guarded(authority, web.Limits{AddressRate: 0.5, AddressBurst: 5}, clock.now)
	for i := range 40 {
		w := limited(chain, from("203.0.113.7", fmt.Sprint("guess", i)))
		if i < 5 && w.Code != 401 {
			t.Fatalf("guess %d is answered %d", i, w.Code)
		}
		if i >= 5 {
			wantLater(t, w, "rate_limited", "2")
		}
	}
	if n := authority.asked.Load(); n != 5 {
		t.Errorf("the authority was asked %d times, want 5", n)
	}
	if w := limited(chain, from("203.0.113.7", "good")); w.Code != 429 {
		t.Errorf("a token that could be a sixth guess is answered %d", w.Code)
	}
	if w := limited(chain, from("203.0.113.8", "good")); w.Code != 200 {
		t.Errorf("another address is answered %d", w.Code)
	}
	if w := limited(chain, from("203.0.113.7", "")); w.Code != 401 {
		t.Errorf("a request without a token, which is how hosts find the metadata, is answered %d", w.Code)
	}
	clock.pass(2 * time.Second)
	if first, second := limited(chain, from("203.0.113.7", "good")).Code, limited(chain, from("203.0.113.7", "good")).Code; first != 200 ||
		second != 200 {
		t.Errorf("after the wait: %d, %d; good tokens cost nothing", first, second)
	}
}

// remembering is an authority that knows the revoked token from earlier.
type remembering struct{ *webAuthority }

func (remembering) Known(token rs.Token) bool { return token.Reveal() == "revoked" }

// A refused token is counted as a guess if there is a limit and an address, unless the token was valid before.
func TestWhoseTokensAreCounted(t *testing.T) {
	one := web.Limits{AddressRate: 0.001, AddressBurst: 1}
	for name, row := range map[string]struct {
		authority      web.Authenticator
		limits         web.Limits
		address, token string
		status         int
	}{
		"an unknown token":                        {&webAuthority{}, one, "203.0.113.7", "guess", 429},
		"one that a memory does not know":         {remembering{&webAuthority{}}, one, "203.0.113.7", "guess", 429},
		"one that it knows":                       {remembering{&webAuthority{}}, one, "203.0.113.7", "revoked", 401},
		"an unknown token over a Unix socket":     {&webAuthority{}, one, "@", "guess", 401},
		"one of a memory's, over a Unix socket":   {remembering{&webAuthority{}}, one, "@", "guess", 401},
		"a good token over a Unix socket":         {&webAuthority{}, one, "@", "good", 200},
		"an unknown token where nothing is bound": {&webAuthority{}, web.Limits{}, "203.0.113.7", "guess", 401},
	} {
		chain, last := guarded(row.authority, row.limits, newClock().now), 0
		for range 3 {
			last = limited(chain, from(row.address, row.token)).Code
		}
		if last != row.status {
			t.Errorf("%s: %d, want %d", name, last, row.status)
		}
	}
}

func TestWhatCountsAsARefusedToken(t *testing.T) {
	for _, test := range []struct {
		token   string
		charged bool
	}{
		{"good", false},
		{"owner", false},      // the authority knows it; the HTTP chain refuses it
		{"unreachable", true}, // a guess can make an authority fail
		{"busy", false},       // the authority was not asked
		{"unknown", true},
		{"revoked", true},
		{"foreign", true}, // an error of no known type
	} {
		chain := guarded(&webAuthority{}, web.Limits{AddressRate: 0.001, AddressBurst: 1}, newClock().now)
		limited(chain, from("203.0.113.7", test.token))
		if charged := limited(chain, from("203.0.113.7", "good")).Code == 429; charged != test.charged {
			t.Errorf("%s: charged is %v", test.token, charged)
		}
	}
}

// slowAuthority answers a second later that it does not know the token.
type slowAuthority struct{ webAuthority }

func (a *slowAuthority) Authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	a.asked.Add(1)
	time.Sleep(time.Second) // on the clock of synctest
	return a.webAuthority.Authenticate(ctx, token)
}

// Concurrent guesses are all charged, and only a limited number reach the authority at a time.
func TestGuessingTokensAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		authority := &slowAuthority{}
		chain := guarded(authority, web.Limits{AddressRate: 0.001, AddressBurst: 5}, time.Now)
		answers := make(chan int, 100)
		for i := range 100 {
			go func() { answers <- limited(chain, from("203.0.113.7", fmt.Sprint("guess", i))).Code }()
		}
		count := map[int]int{}
		for range 100 {
			count[<-answers]++
		}
		if count[401] != 80 || count[429] != 20 || authority.asked.Load() != 2*80 { // asked counts both authorities
			t.Errorf("answers %v, and the authority was asked %d times", count, authority.asked.Load()/2)
		}
		wantLater(t, limited(chain, from("203.0.113.7", "good")), "rate_limited", "76000") // 80 introspections with a burst of 5
	})
}

// Many callers with valid tokens at one address do not hinder each other.
func TestManyGoodTokensAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chain := guarded(&slowAuthority{}, web.Limits{AddressRate: 1, AddressBurst: 5}, time.Now)
		answers := make(chan int, 50)
		for range 2 { // more in all than may be concurrent
			for range 50 {
				go func() { answers <- limited(chain, from("203.0.113.7", "good")).Code }()
			}
			for range 50 {
				if code := <-answers; code != 200 {
					t.Errorf("answered %d", code)
				}
			}
		}
	})
}

// While the authority hangs for the guesses of one address, and their clients hang up, it is still asked about a good token from another. Of
// the rate, too, one address gets no more than what it asks.
func TestGuessesThatHangLeaveRoomForOthers(t *testing.T) {
	for name, unknown := range map[string]auth.LookupLimits{
		"at once":    {AtOnce: 8, Wait: time.Second},
		"and a rate": {AtOnce: 8, Wait: time.Second, Rate: 1, Burst: 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var hanging atomic.Int64
				cache := auth.NewTokenCache(auth.TokenCacheOptions{Unknown: &unknown, Authority: authorityFunc(
					func(ctx context.Context, token rs.Token) (auth.TokenInfo, error) {
						if token.Reveal() == "good" {
							return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: auth.KindClient, GrantID: "grt_1"}}, nil
						}
						hanging.Add(1)
						<-ctx.Done()
						return auth.TokenInfo{}, &rs.Error{Code: rs.AuthorityUnreachable}
					})})
				chain := guarded(cache, web.Limits{AddressRate: 1, AddressBurst: 100}, time.Now)
				hungUp, hangUp := context.WithCancel(t.Context())
				for i := range 100 {
					go limited(chain, func(r *http.Request) {
						from("203.0.113.7", fmt.Sprint("guess", i))(r)
						*r = *r.WithContext(hungUp)
					})
				}
				synctest.Wait()
				hangUp()
				time.Sleep(time.Second) // on the clock of synctest
				for i := range 20 {
					go limited(chain, from("203.0.113.7", fmt.Sprint("more", i)))
				}
				synctest.Wait()
				if w := limited(chain, from("203.0.113.8", "good")); w.Code != http.StatusOK || hanging.Load() != 2 {
					t.Errorf("another address is answered %d %s, while %d hang", w.Code, w.Body, hanging.Load())
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

type authorityFunc func(context.Context, rs.Token) (auth.TokenInfo, error)

func (f authorityFunc) Introspect(ctx context.Context, token rs.Token) (auth.TokenInfo, error) {
	return f(ctx, token)
}
