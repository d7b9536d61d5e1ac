package auth_test

import (
	"context"
	"net/http"
	"reflect"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/wire"
)

// The cache keeps the hash of a token, never the token, even if the TokenInfo of the authority has it.
func TestTokenCacheKeepsNoToken(t *testing.T) {
	token := rs.NewToken("tok_kept")
	cache := auth.NewTokenCache(auth.TokenCacheOptions{
		Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
		Authority: authorityFunc(func(_ context.Context, token rs.Token) (auth.TokenInfo, error) {
			return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: auth.KindClient, GrantID: "grt_1"}}, nil
		}),
	})
	again := func(ctx context.Context, token rs.Token) (auth.Principal, error) {
		return cache.Revalidate(ctx, token, "")
	}
	for _, ask := range []func(context.Context, rs.Token) (auth.Principal, error){cache.Authenticate, again, cache.Authenticate} {
		if p, err := ask(t.Context(), token); err != nil || p.Token != token {
			t.Fatalf("%+v, %v", p, err)
		}
	}
	w := walker{seen: map[uintptr]bool{}}
	w.walk(reflect.ValueOf(cache))
	if w.tokens > 0 || w.grants == 0 {
		t.Errorf("the memory holds %d tokens, and the grant %d times", w.tokens, w.grants)
	}
}

// A walker counts what is reachable from a value: tokens that are not empty, and principals with a grant.
type walker struct {
	seen           map[uintptr]bool
	tokens, grants int
}

func (w *walker) walk(v reflect.Value) {
	if v.IsValid() && v.Type() == reflect.TypeFor[rs.Token]() {
		if !v.IsZero() {
			w.tokens++
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !w.seen[v.Pointer()] {
			w.seen[v.Pointer()] = true
			w.walk(v.Elem())
		}
	case reflect.Interface:
		w.walk(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[auth.Principal]() && v.FieldByName("GrantID").String() != "" {
			w.grants++
		}
		for i := range v.NumField() {
			w.walk(v.Field(i))
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			w.walk(entries.Key())
			w.walk(entries.Value())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	}
}

// A failed revalidation keeps nothing of the answer that it failed with, which may have megabytes.
func TestAFailedRevalidationIsSmall(t *testing.T) {
	failing, asked := false, 0
	var envelope weak.Pointer[byte]
	cache := auth.NewTokenCache(auth.TokenCacheOptions{
		Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
		Authority: auth.SchemaProbe{For: func(rs.Token) rs.Doer {
			return probed(func(context.Context, rs.Request) (*rs.Response, error) {
				if asked++; !failing {
					return &rs.Response{Status: 200, Body: `{"bearer":{"token_kind":"client","grant_id":"g"}}`}, nil
				}
				body := `{"error":{"code":"broken","message":"Out of order.","request_id":"r1"}}`
				e := wire.ReadError(500, http.Header{"Retry-After": {"3"}}, []byte(body), nil)
				envelope = weak.Make(&e.Envelope[0])
				return nil, e
			})
		}},
	})
	token := rs.NewToken("client-token-1")
	if _, err := cache.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	failing = true
	for range 2 {
		_, err := cache.Revalidate(t.Context(), token, "context.active_false")
		e := rs.AsError(err)
		if e.Code != rs.AuthorityUnreachable || e.RetryAfter != 3*time.Second || e.RequestID != "r1" || e.Hint == "" || e.Message == "" {
			t.Errorf("%+v", e)
		}
	}
	if asked != 2 {
		t.Errorf("%d questions, want 2", asked)
	}
	runtime.GC()
	if envelope.Value() != nil {
		t.Error("the answer of the authority is kept")
	}
	runtime.KeepAlive(cache)
}
