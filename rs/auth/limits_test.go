package auth_test

import (
	"context"
	"math"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/lookup"
)

// The defaults are those of docs/limits.md and docs/configure.md.
func TestTheDefaultsAreDocumented(t *testing.T) {
	if auth.DefaultTokenEntries != 10_000 || auth.DefaultTokenTTL != time.Minute || auth.DefaultNegativeTTL != 5*time.Second {
		t.Error("not 10,000 tokens, 60 seconds and 5 seconds")
	}
	if got := auth.DefaultLookupLimits(); got != (auth.LookupLimits{Rate: 100, Burst: 1000, AtOnce: 256, Wait: time.Second}) {
		t.Errorf("questions about unknown tokens: %+v", got)
	}
	text, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, phrase := range []string{
		"10,000 good ones for 60 seconds, 10,000 bad ones for 5 seconds",
		"| 100 a second, 1,000 at once | `--unknown-token-rate`",
		"| such introspections under way | 256;",
		"all for one token 10 s",
		"| answer of the authority or directory, uncompressed | 1 MiB |",
	} {
		if !strings.Contains(string(text), phrase) {
			t.Errorf("docs/limits.md does not say %q", phrase)
		}
	}
}

// A caller waits at most ten seconds for an authority that hangs: two introspections of five seconds.
func TestAHangingAuthorityIsLeftAfterTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := auth.NewTokenCache(auth.TokenCacheOptions{Authority: authorityFunc(func(
			ctx context.Context,
			_ rs.Token,
		) (auth.TokenInfo, error) {
			<-ctx.Done()
			return auth.TokenInfo{}, lookup.Unreachable(ctx.Err())
		})})
		began := time.Now()
		if _, err := cache.Authenticate(
			t.Context(),
			rs.NewToken("a"),
		); rs.AsError(err).Code != rs.AuthorityUnreachable || time.Since(began) != 10*time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// Invalid limits are refused with the name of the flag that sets them.
func TestLimitsThatAreNoneAreNamed(t *testing.T) {
	for _, row := range []struct {
		limits auth.LookupLimits
		flag   string // "" for valid limits
	}{
		{auth.LookupLimits{}, ""},
		{auth.LookupLimits{Rate: 0.5, Burst: 1, AtOnce: 1}, ""},
		{auth.LookupLimits{Rate: -1, Burst: 1}, "--unknown-token-rate -1"},
		{auth.LookupLimits{Rate: math.NaN(), Burst: 1}, "--unknown-token-rate NaN"},
		{auth.LookupLimits{Rate: math.Inf(1), Burst: 1}, "--unknown-token-rate +Inf"},
		{auth.LookupLimits{Rate: math.Inf(-1), Burst: 1}, "--unknown-token-rate -Inf"},
		{auth.LookupLimits{Rate: 1}, "--unknown-token-burst 0"},
		{auth.LookupLimits{AtOnce: -1}, "--max-unknown-tokens -1"},
	} {
		err := row.limits.Check()
		if (err == nil) != (row.flag == "") || err != nil && !strings.HasPrefix(err.Error(), row.flag+":") {
			t.Errorf("%+v: %v", row.limits, err)
		}
	}
}

// If a refused token becomes valid and is then evicted, the authority is asked again: the old refusal is not used.
func TestAnOldRefusalDoesNotComeBack(t *testing.T) {
	f := newCache(1)
	f.info = auth.TokenInfo{Inactive: &rs.Error{Code: rs.TokenInactive}}
	if err := f.wantAsked(t, "a", 1); err == nil {
		t.Error("a bad token is let in")
	}
	f.now, f.info = f.now.Add(time.Millisecond), auth.TokenInfo{Principal: auth.Principal{Kind: auth.KindClient}}
	if _, err := f.Revalidate(t.Context(), rs.NewToken("a"), ""); err != nil {
		t.Error(err)
	}
	_ = f.wantAsked(t, "b", 3)
	if err := f.wantAsked(t, "a", 4); err != nil {
		t.Error(err)
	}
}

// An answered introspection releases its slot to those that wait and to later ones.
func TestAnAnsweredQuestionMakesPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		cache := auth.NewTokenCache(auth.TokenCacheOptions{
			Unknown: &auth.LookupLimits{AtOnce: 1, Wait: 2 * time.Second},
			Authority: authorityFunc(func(context.Context, rs.Token) (auth.TokenInfo, error) {
				if asked.Add(1) > 1 {
					t.Error("two questions at once")
				}
				time.Sleep(time.Second - time.Millisecond)
				asked.Add(-1)
				return auth.TokenInfo{Principal: auth.Principal{Kind: auth.KindClient}}, nil
			}),
		})
		for _, at := range []string{"first", "next"} {
			for _, token := range []string{"a", "b", "c"} {
				go func() {
					if _, err := cache.Authenticate(t.Context(), rs.NewToken(at+token)); err != nil {
						t.Errorf("%s %s: %v", at, token, err)
					}
				}()
			}
			time.Sleep(time.Minute)
		}
	})
}

// held is a package with two tokens and one time limit.
type held struct{ auth.Package }

func (held) Tokens() []rs.Token { return []rs.Token{rs.NewToken("a"), rs.NewToken("b")} }

func (held) Limits() []rs.TimeLimit { return []rs.TimeLimit{{Stream: "package"}} }

// Only a package has members, and only a package is refused because packages are not configured.
func TestOnlyAPackageHasMembers(t *testing.T) {
	bearer := rs.NewToken("t")
	if got := (auth.Principal{Token: bearer, Kind: auth.KindPackage, Package: held{}}).MemberTokens(); len(got) != 2 {
		t.Errorf("a package's tokens are %v", got)
	}
	if got := (auth.Principal{Token: bearer, Kind: auth.KindClient}).MemberTokens(); got != nil {
		t.Errorf("a client's are %v", got)
	}
	for kind, want := range map[string]string{
		auth.KindPackage: "packages are not configured",
		"x":              `kind "x"`,
		auth.KindOwner:   "owner token",
		"":               "unknown kind",
	} {
		if err := (auth.Principal{Token: bearer, Kind: kind}).Admissible(); err == nil || !strings.Contains(rs.AsError(err).Message, want) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
