package rs_test

import (
	"context"
	"slices"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestTokenCacheTellsWhetherItKnew(t *testing.T) {
	var hits []bool
	cache := rs.NewTokenCache(rs.TokenCacheOptions{
		Authority: authorityFunc(func(_ context.Context, token rs.Token) (rs.Verdict, error) {
			return rs.Verdict{Principal: rs.Principal{Token: token, Kind: rs.KindClient}}, nil
		}),
		Recalled: func(hit bool) { hits = append(hits, hit) },
	})
	for _, token := range []string{"a", "a", "b", "a"} {
		if _, err := cache.Authenticate(t.Context(), rs.NewToken(token)); err != nil {
			t.Fatal(err)
		}
	}
	if want := []bool{false, true, false, true}; !slices.Equal(hits, want) {
		t.Errorf("told %v, want %v", hits, want)
	}
}
