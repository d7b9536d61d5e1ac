package auth_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

type authorityFunc func(context.Context, rs.Token) (auth.TokenInfo, error)

func (f authorityFunc) Introspect(ctx context.Context, t rs.Token) (auth.TokenInfo, error) {
	return f(ctx, t)
}

// cacheFixture is a cache over a scripted authority and a clock that the test advances.
type cacheFixture struct {
	*auth.TokenCache
	asked atomic.Int64
	now   time.Time
	info  auth.TokenInfo
	err   error
}

func newCache(entries int) *cacheFixture {
	f := &cacheFixture{now: time.Unix(1_700_000_000, 0), info: auth.TokenInfo{Principal: auth.Principal{Kind: auth.KindClient}}}
	f.TokenCache = auth.NewTokenCache(auth.TokenCacheOptions{
		Authority: authorityFunc(f.lookUp),
		Entries:   entries,
		Now:       func() time.Time { return f.now },
	})
	return f
}

func (f *cacheFixture) lookUp(_ context.Context, token rs.Token) (auth.TokenInfo, error) {
	f.asked.Add(1)
	info := f.info
	if info.Inactive == nil {
		info.Principal.Token = token
	}
	return info, f.err
}

// wantAsked authenticates a token and compares the total number of introspections so far.
func (f *cacheFixture) wantAsked(t *testing.T, token string, want int64) error {
	t.Helper()
	p, err := f.Authenticate(context.Background(), rs.NewToken(token))
	if err == nil && p.Token.Reveal() != token {
		t.Error("the principal bears another token")
	}
	if got := f.asked.Load(); got != want {
		t.Errorf("the authority was asked %d times, want %d", got, want)
	}
	return err
}

func TestTokenCacheRemembers(t *testing.T) {
	revoked := auth.TokenInfo{Inactive: &rs.Error{Code: "grant_revoked", Message: "Revoked."}}

	t.Run("a good token is believed for 60 s", func(t *testing.T) {
		f := newCache(0)
		_ = f.wantAsked(t, "a", 1)
		f.now = f.now.Add(60*time.Second - 1)
		_ = f.wantAsked(t, "a", 1)
		f.now = f.now.Add(1)
		_ = f.wantAsked(t, "a", 2)
	})
	t.Run("but not past its expiry", func(t *testing.T) {
		f := newCache(0)
		f.info.Expires = f.now.Add(10 * time.Second)
		_ = f.wantAsked(t, "a", 1)
		f.now = f.now.Add(10*time.Second - 1)
		_ = f.wantAsked(t, "a", 1)
		f.now = f.now.Add(1)
		_ = f.wantAsked(t, "a", 2)
	})
	t.Run("a bad token is refused for 5 s without asking", func(t *testing.T) {
		f := newCache(0)
		f.info = revoked
		var e *rs.Error
		if err := f.wantAsked(t, "a", 1); !errors.As(err, &e) || e.Code != "grant_revoked" {
			t.Error(err)
		}
		f.now = f.now.Add(5*time.Second - 1)
		if err := f.wantAsked(t, "a", 1); !errors.As(err, &e) || e.Code != "grant_revoked" {
			t.Error(err)
		}
		f.now = f.now.Add(1)
		_ = f.wantAsked(t, "a", 2)
	})
	t.Run("an authority that can not tell is asked again", func(t *testing.T) {
		f := newCache(0)
		f.err = &rs.Error{Code: rs.AuthorityUnreachable}
		_ = f.wantAsked(t, "a", 1)
		f.err = nil
		if err := f.wantAsked(t, "a", 2); err != nil {
			t.Error(err)
		}
	})
	t.Run("tokens are distinguished", func(t *testing.T) {
		f := newCache(0)
		_ = f.wantAsked(t, "a", 1)
		_ = f.wantAsked(t, "b", 2)
		_ = f.wantAsked(t, "a", 2)
	})
	t.Run("the oldest token is forgotten", func(t *testing.T) {
		f := newCache(2)
		_ = f.wantAsked(t, "a", 1)
		_ = f.wantAsked(t, "b", 2)
		_ = f.wantAsked(t, "c", 3)
		_ = f.wantAsked(t, "b", 3)
		_ = f.wantAsked(t, "a", 4)
	})
	t.Run("D7 a recheck asks past the memory and is remembered", func(t *testing.T) {
		f := newCache(0)
		_ = f.wantAsked(t, "a", 1)
		f.info = revoked
		if _, err := f.Revalidate(context.Background(), rs.NewToken("a"), ""); err == nil || f.asked.Load() != 2 {
			t.Errorf("error %v, asked %d", err, f.asked.Load())
		}
		if err := f.wantAsked(t, "a", 2); err == nil {
			t.Error("the old answer is still believed")
		}
	})
	t.Run("an authority that panics could not tell", func(t *testing.T) {
		var reported []any
		cache := auth.NewTokenCache(auth.TokenCacheOptions{
			Authority: authorityFunc(func(context.Context, rs.Token) (auth.TokenInfo, error) { panic("x") }),
			Panicked:  func(fault any) { reported = append(reported, fault) },
		})
		var e *rs.Error
		if _, err := cache.Authenticate(context.Background(), rs.NewToken("a")); !errors.As(err, &e) || e.Code != rs.AuthorityUnreachable {
			t.Error(err)
		}
		if len(reported) != 1 || reported[0] != "x" {
			t.Errorf("reported are %v", reported)
		}
	})
}

func TestTokenCacheAsksOncePerTokenAtATime(t *testing.T) {
	begun, answer := make(chan struct{}), make(chan struct{})
	var asked atomic.Int64
	cache := auth.NewTokenCache(auth.TokenCacheOptions{Authority: authorityFunc(func(ctx context.Context, token rs.Token) (auth.TokenInfo, error) {
		asked.Add(1)
		close(begun)
		<-answer
		return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: auth.KindClient}}, ctx.Err()
	})})
	first, hangUp := context.WithCancel(context.Background())
	firstDone := make(chan error)
	go func() {
		_, err := cache.Authenticate(first, rs.NewToken("a"))
		firstDone <- err
	}()
	<-begun
	var others sync.WaitGroup
	for range 20 {
		others.Go(func() {
			if _, err := cache.Authenticate(context.Background(), rs.NewToken("a")); err != nil {
				t.Errorf("one who waits failed with the first: %v", err)
			}
		})
	}
	hangUp()
	var e *rs.Error
	if err := <-firstDone; !errors.As(err, &e) || e.Code != "canceled" {
		t.Errorf("the first, who hung up: %v", err)
	}
	close(answer)
	others.Wait()
	if got := asked.Load(); got != 1 {
		t.Errorf("asked %d times, want 1", got)
	}
}

func TestAnOldAnswerDoesNotReplaceANewOne(t *testing.T) {
	slowBegun, slowAnswer := make(chan struct{}), make(chan struct{})
	var asked atomic.Int64
	var now atomic.Int64
	cache := auth.NewTokenCache(auth.TokenCacheOptions{
		Now: func() time.Time { return time.Unix(now.Add(1), 0) },
		Authority: authorityFunc(func(context.Context, rs.Token) (auth.TokenInfo, error) {
			if asked.Add(1) == 1 { // the first introspection is answered last, with what was true when it was sent
				close(slowBegun)
				<-slowAnswer
				return auth.TokenInfo{Principal: auth.Principal{Kind: auth.KindClient}}, nil
			}
			return auth.TokenInfo{Inactive: &rs.Error{Code: "grant_revoked", Message: "Revoked."}}, nil
		}),
	})
	slowDone := make(chan struct{})
	go func() {
		defer close(slowDone)
		_, _ = cache.Authenticate(context.Background(), rs.NewToken("a"))
	}()
	<-slowBegun
	if _, err := cache.Revalidate(context.Background(), rs.NewToken("a"), ""); err == nil {
		t.Fatal("the recheck let a dead token in")
	}
	close(slowAnswer)
	<-slowDone
	if _, err := cache.Authenticate(context.Background(), rs.NewToken("a")); err == nil || !strings.Contains(err.Error(), "grant_revoked") {
		t.Errorf("the old answer is believed: %v", err)
	}
}

// Invalid tokens never evict a valid one, however many come.
func TestBadTokensEvictNoGoodOne(t *testing.T) {
	f := newCache(3)
	_ = f.wantAsked(t, "good", 1)
	f.info = auth.TokenInfo{Inactive: &rs.Error{Code: rs.TokenInactive, Message: "No."}}
	for i := range 20 {
		_ = f.wantAsked(t, fmt.Sprint("guess", i), int64(2+i))
	}
	if err := f.wantAsked(t, "good", 21); err != nil || !f.Known(rs.NewToken("good")) {
		t.Errorf("the good token is forgotten: %v", err)
	}
	if f.Known(rs.NewToken("guess19")) {
		t.Error("a bad token is known as a good one")
	}
}

// A token that was valid stays known for an hour, longer than its TokenInfo is cached, but not once it is refused.
func TestAGoodTokenIsKnownForAnHour(t *testing.T) {
	f := newCache(0)
	token := rs.NewToken("a")
	if f.Known(token) {
		t.Error("known before anybody asked")
	}
	_ = f.wantAsked(t, "a", 1)
	f.now = f.now.Add(time.Hour - 1)
	if !f.Known(token) {
		t.Error("not known within the hour")
	}
	f.now = f.now.Add(1)
	if f.Known(token) {
		t.Error("still known after an hour")
	}
	_ = f.wantAsked(t, "a", 2)
	f.now = f.now.Add(time.Minute)
	f.info = auth.TokenInfo{Inactive: &rs.Error{Code: "grant_revoked", Message: "Revoked."}}
	if err := f.wantAsked(t, "a", 3); err == nil || f.Known(token) {
		t.Errorf("a revoked token: %v, known %v", err, f.Known(token))
	}
}

// Introspections of unknown tokens are limited; those that renew a known token are not.
func TestQuestionsAboutUnknownTokensAreLimited(t *testing.T) {
	var e *rs.Error
	f := newCache(0)
	limited := func(limits auth.LookupLimits) {
		f.TokenCache = auth.NewTokenCache(
			auth.TokenCacheOptions{Authority: authorityFunc(f.lookUp), Now: func() time.Time { return f.now }, Unknown: &limits},
		)
	}
	limited(auth.LookupLimits{Rate: 0.1, Burst: 2})
	_ = f.wantAsked(t, "a", 1)
	_ = f.wantAsked(t, "b", 2)
	if err := f.wantAsked(t, "c", 2); !errors.As(err, &e) || e.Code != "authority_busy" || e.RetryAfter < time.Second {
		t.Errorf("a third unknown token: %v", err)
	}
	f.now = f.now.Add(time.Minute - 1)
	for i := range 6 {
		if err := f.wantAsked(t, fmt.Sprint("guess", i), min(int64(3+i), 4)); (err == nil) != (i < 2) {
			t.Errorf("unknown token %d after a rest: %v", i, err)
		}
	}
	f.now = f.now.Add(1)
	if err := f.wantAsked(t, "a", 5); err != nil {
		t.Errorf("a known token is limited: %v", err)
	}

	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		cache := auth.NewTokenCache(auth.TokenCacheOptions{
			Unknown: &auth.LookupLimits{AtOnce: 2, Wait: time.Second},
			Authority: authorityFunc(func(context.Context, rs.Token) (auth.TokenInfo, error) {
				<-release
				return auth.TokenInfo{Inactive: &rs.Error{Code: rs.TokenInactive, Message: "No."}}, nil
			}),
		})
		answers := make(chan rs.Code, 5)
		for i := range 5 {
			go func() {
				_, err := cache.Authenticate(context.Background(), rs.NewToken(fmt.Sprint("guess", i)))
				answers <- rs.AsError(err).Code
			}()
		}
		for range 3 {
			if code := <-answers; code != "authority_busy" {
				t.Errorf("a question beyond two at a time: %s", code)
			}
		}
		close(release)
		for range 2 {
			if code := <-answers; code != rs.TokenInactive {
				t.Errorf("one of two questions at a time: %s", code)
			}
		}
	})
}

// The result of a revalidation serves all that ask for the same reason within the next two seconds (D7).
func TestRechecksShareOneQuestion(t *testing.T) {
	unreachable := &rs.Error{Code: rs.AuthorityUnreachable, Message: "No answer."}
	for name, test := range map[string]struct {
		info auth.TokenInfo
		err  error
	}{
		"the token is good":         {auth.TokenInfo{Principal: auth.Principal{Kind: auth.KindClient}}, nil},
		"the token is dead":         {auth.TokenInfo{Inactive: &rs.Error{Code: "grant_revoked", Message: "Revoked."}}, nil},
		"the authority cannot tell": {auth.TokenInfo{}, unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			f := newCache(0)
			_ = f.wantAsked(t, "a", 1)
			f.info, f.err = test.info, test.err
			for range 50 {
				if _, err := f.Revalidate(context.Background(), rs.NewToken("a"), ""); (err == nil) != (name == "the token is good") {
					t.Fatal(err)
				}
			}
			if f.asked.Load() != 2 {
				t.Errorf("%d questions, want 2", f.asked.Load())
			}
			f.now = f.now.Add(2 * time.Second)
			_, _ = f.Revalidate(context.Background(), rs.NewToken("a"), "")
			if f.asked.Load() != 3 {
				t.Errorf("%d questions two seconds later, want 3", f.asked.Load())
			}
			_, _ = f.Revalidate(context.Background(), rs.NewToken("a"), "grant_revoked")
			if f.asked.Load() != 4 {
				t.Errorf("%d questions for another reason, want 4", f.asked.Load())
			}
		})
	}
}

// A failed introspection of an unknown token counts for the breaker only if the connection is refused; one of a token that was
// valid counts whatever fails.
func TestWhatOpensTheBreakerOfAnAuthority(t *testing.T) {
	for name, test := range map[string]struct {
		status  int  // of the answer to all introspections but the first
		reset   bool // instead of an answer
		gone    bool // the server no longer listens
		renewed bool // the introspections are of a token that was valid
		opens   bool
	}{
		"500 to unknown tokens":           {status: 500},
		"503 to unknown tokens":           {status: 503},
		"401 to unknown tokens":           {status: 401},
		"resets by unknown tokens":        {reset: true},
		"nobody listens":                  {gone: true, opens: true},
		"500 to a token that was good":    {status: 500, renewed: true, opens: true},
		"resets by a token that was good": {reset: true, renewed: true, opens: true},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			var fails atomic.Bool
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				switch {
				case fails.Load() && test.reset:
					panic(http.ErrAbortHandler)
				case fails.Load():
					w.WriteHeader(test.status)
				default:
					_, _ = io.WriteString(w, `{"active":true,"pdpp_token_kind":"client"}`)
				}
			}))
			t.Cleanup(server.Close)
			observed := &breakerChanges{}
			introspector, err := auth.NewIntrospector(
				auth.IntrospectorOptions{
					LookupOptions: auth.LookupOptions{Endpoint: server.URL, ClientID: "c", ClientSecret: rs.NewToken("s"), Observer: observed},
				},
			)
			if err != nil {
				t.Fatal(err)
			}
			now := time.Unix(1_700_000_000, 0)
			cache := auth.NewTokenCache(auth.TokenCacheOptions{Authority: introspector, Now: func() time.Time { return now }})
			if _, err := cache.Authenticate(t.Context(), rs.NewToken("good")); err != nil {
				t.Fatal(err)
			}
			fails.Store(true)
			if test.gone {
				server.Close()
			}
			for i := range 30 {
				token := fmt.Sprint("guess", i)
				if test.renewed {
					token, now = "good", now.Add(time.Minute)
				}
				if _, err := cache.Authenticate(t.Context(), rs.NewToken(token)); err == nil {
					t.Fatal("let in")
				}
			}
			if opened := observed.opened.Load() > 0; opened != test.opens {
				t.Errorf("the breaker opened: %v", opened)
			}
		})
	}
}

type breakerChanges struct {
	rsclient.Observer
	opened atomic.Int64
}

func (*breakerChanges) Read(string, int, time.Duration) {}
func (*breakerChanges) Retried(string)                  {}
func (*breakerChanges) RetryDenied(string)              {}
func (b *breakerChanges) BreakerChanged(_, state string) {
	if state == "open" {
		b.opened.Add(1)
	}
}
