package rs_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

type authorityFunc func(context.Context, rs.Token) (rs.Verdict, error)

func (f authorityFunc) Judge(ctx context.Context, t rs.Token) (rs.Verdict, error) { return f(ctx, t) }

// cacheFixture is a cache over a scripted authority and a clock that stands still.
type cacheFixture struct {
	*rs.TokenCache
	asked   atomic.Int64
	now     time.Time
	verdict rs.Verdict
	err     error
}

func newCache(entries int) *cacheFixture {
	f := &cacheFixture{now: time.Unix(1_700_000_000, 0), verdict: rs.Verdict{Principal: rs.Principal{Kind: rs.KindClient}}}
	f.TokenCache = rs.NewTokenCache(rs.TokenCacheOptions{
		Authority: authorityFunc(func(_ context.Context, token rs.Token) (rs.Verdict, error) {
			f.asked.Add(1)
			verdict := f.verdict
			if verdict.Inactive == nil {
				verdict.Principal.Token = token
			}
			return verdict, f.err
		}),
		Entries: entries,
		Now:     func() time.Time { return f.now },
	})
	return f
}

// wantAsked asks about a token and compares the sum of questions so far.
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
	revoked := rs.Verdict{Inactive: &rs.Error{Code: "grant_revoked", Message: "Revoked."}}

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
		f.verdict.Expires = f.now.Add(10 * time.Second)
		_ = f.wantAsked(t, "a", 1)
		f.now = f.now.Add(10*time.Second - 1)
		_ = f.wantAsked(t, "a", 1)
		f.now = f.now.Add(1)
		_ = f.wantAsked(t, "a", 2)
	})
	t.Run("a bad token is refused for 5 s without asking", func(t *testing.T) {
		f := newCache(0)
		f.verdict = revoked
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
	t.Run("tokens are told apart", func(t *testing.T) {
		f := newCache(0)
		_ = f.wantAsked(t, "a", 1)
		_ = f.wantAsked(t, "b", 2)
		_ = f.wantAsked(t, "a", 2)
	})
	t.Run("the oldest token makes room", func(t *testing.T) {
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
		f.verdict = revoked
		if _, err := f.Recheck(context.Background(), rs.NewToken("a")); err == nil || f.asked.Load() != 2 {
			t.Errorf("error %v, asked %d", err, f.asked.Load())
		}
		if err := f.wantAsked(t, "a", 2); err == nil {
			t.Error("the old answer is still believed")
		}
	})
	t.Run("an authority that panics could not tell", func(t *testing.T) {
		cache := rs.NewTokenCache(rs.TokenCacheOptions{Authority: authorityFunc(func(context.Context, rs.Token) (rs.Verdict, error) { panic("x") })})
		var e *rs.Error
		if _, err := cache.Authenticate(context.Background(), rs.NewToken("a")); !errors.As(err, &e) || e.Code != rs.AuthorityUnreachable {
			t.Error(err)
		}
	})
}

func TestTokenCacheAsksOncePerTokenAtATime(t *testing.T) {
	begun, answer := make(chan struct{}), make(chan struct{})
	var asked atomic.Int64
	cache := rs.NewTokenCache(rs.TokenCacheOptions{Authority: authorityFunc(func(ctx context.Context, token rs.Token) (rs.Verdict, error) {
		asked.Add(1)
		close(begun)
		<-answer
		return rs.Verdict{Principal: rs.Principal{Token: token, Kind: rs.KindClient}}, ctx.Err()
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
	if err := <-firstDone; !errors.As(err, &e) || e.Code != rs.Canceled {
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
	cache := rs.NewTokenCache(rs.TokenCacheOptions{
		Now: func() time.Time { return time.Unix(now.Add(1), 0) },
		Authority: authorityFunc(func(context.Context, rs.Token) (rs.Verdict, error) {
			if asked.Add(1) == 1 { // the first question is answered last, with what was true when it was put
				close(slowBegun)
				<-slowAnswer
				return rs.Verdict{Principal: rs.Principal{Kind: rs.KindClient}}, nil
			}
			return rs.Verdict{Inactive: &rs.Error{Code: "grant_revoked", Message: "Revoked."}}, nil
		}),
	})
	slowDone := make(chan struct{})
	go func() {
		defer close(slowDone)
		_, _ = cache.Authenticate(context.Background(), rs.NewToken("a"))
	}()
	<-slowBegun
	if _, err := cache.Recheck(context.Background(), rs.NewToken("a")); err == nil {
		t.Fatal("the recheck let a dead token in")
	}
	close(slowAnswer)
	<-slowDone
	if _, err := cache.Authenticate(context.Background(), rs.NewToken("a")); err == nil || !strings.Contains(err.Error(), "grant_revoked") {
		t.Errorf("the old answer is believed: %v", err)
	}
}
