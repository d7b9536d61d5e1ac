package auth_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
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
