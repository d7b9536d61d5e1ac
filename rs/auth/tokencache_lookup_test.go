package auth_test

import (
	"context"
	"slices"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

func TestTokenCacheTellsWhetherItKnew(t *testing.T) {
	var hits []bool
	cache := auth.NewTokenCache(auth.TokenCacheOptions{
		Authority: authorityFunc(func(_ context.Context, token rs.Token) (auth.TokenInfo, error) {
			return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: auth.KindClient}}, nil
		}),
		OnLookup: func(hit bool) { hits = append(hits, hit) },
	})
	for _, token := range []string{"a", "a", "b", "a"} {
		if _, err := cache.Authenticate(t.Context(), rs.NewToken(token)); err != nil {
			t.Fatal(err)
		}
	}
	if want := []bool{false, true, false, true}; !slices.Equal(hits, want) {
		t.Errorf("notified of %v, want %v", hits, want)
	}
}
