package web_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

func TestLimitsThatCannotBe(t *testing.T) {
	if got := web.DefaultLimits(); got != (web.Limits{
		TokenRate: 50, TokenBurst: 200, AddressRate: 10, AddressBurst: 100, CallsPerGrant: 32, Calls: 1024, Wait: time.Second,
	}) {
		t.Errorf("the defaults are not those of docs/limits.md: %+v", got)
	}
	for _, test := range []struct {
		name   string
		change func(*web.Limits)
		says   string // "" if the limits are valid
	}{
		{"the defaults", func(*web.Limits) {}, ""},
		{"nothing limited", func(l *web.Limits) { *l = web.Limits{} }, ""},
		{"a rate of 0 needs no burst", func(l *web.Limits) { l.TokenRate, l.TokenBurst = 0, 0 }, ""},
		{"a rate below 0", func(l *web.Limits) { l.TokenRate = -1 }, "--token-rate -1"},
		{"a rate that is no number", func(l *web.Limits) { l.AddressRate = math.NaN() }, "--address-rate NaN"},
		{"a rate without end", func(l *web.Limits) { l.AddressRate = math.Inf(1) }, "--address-rate +Inf"},
		{"a rate without a burst", func(l *web.Limits) { l.TokenBurst = 0 }, "--token-burst 0"},
		{"a burst below 0", func(l *web.Limits) { l.AddressBurst = -3 }, "--address-burst -3"},
		{"fewer than no calls of a grant", func(l *web.Limits) { l.CallsPerGrant = -1 }, "--max-calls-per-grant -1"},
		{"fewer than no calls", func(l *web.Limits) { l.Calls = -1 }, "--max-calls -1"},
		{"a wait below 0", func(l *web.Limits) { l.Wait = -1 }, "--call-wait -1ns"},
		{"one at once", func(l *web.Limits) { l.TokenRate, l.TokenBurst = 0.1, 1 }, ""},
		{"a slow rate without a burst", func(l *web.Limits) { l.TokenRate, l.TokenBurst = 0.1, 0 }, "--token-burst 0"},
		{"the longest wait", func(l *web.Limits) { l.Wait = 10 * time.Second }, ""},
		{"a longer wait", func(l *web.Limits) { l.Wait = 10*time.Second + 1 }, "--call-wait 10.000000001s"},
		{"a wait that hosts do not sit out", func(l *web.Limits) { l.Wait = time.Minute }, "--call-wait 1m0s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			limits := web.DefaultLimits()
			test.change(&limits)
			err := limits.Check()
			if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %q", err, test.says)
			}
		})
	}
}

// limited sends one request through a handler and returns the answer. change may set a token, an address or a header.
func limited(handler http.Handler, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "https://mcp.example/mcp", strings.NewReader("{}"))
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// bearerOf sets the principal that the HTTP chain sets for a grant's token.
func bearerOf(token, grant string) func(*http.Request) {
	return func(r *http.Request) {
		p := auth.Principal{Token: rs.NewToken(token), Kind: auth.KindClient, GrantID: grant}
		*r = *r.WithContext(auth.WithPrincipal(r.Context(), p))
	}
}

// wantLater fails unless the answer is a 429 with the code and with Retry-After in whole seconds.
func wantLater(t *testing.T, w *httptest.ResponseRecorder, code, seconds string) {
	t.Helper()
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != seconds ||
		w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v %s, want 429 and Retry-After %s", w.Code, w.Header(), w.Body, seconds)
	}
	if got := refusalCode(t, w.Body.Bytes()); got != code {
		t.Errorf("code %s, want %s", got, code)
	}
}

// A clock stands still until the test advances it.
type clock struct{ at time.Time }

func newClock() *clock { return &clock{time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time { return c.at }

func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

func TestLimitsChangeWhileInUse(t *testing.T) {
	few, many := web.Limits{TokenRate: 1, TokenBurst: 1}, web.Limits{TokenRate: 1, TokenBurst: 3}
	limiter := web.NewLimiter(few, newClock().now)
	handler := web.Limit(limiter)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	passed := func() (n int) {
		for limited(handler, bearerOf("t", "g")).Code == http.StatusOK {
			n++
		}
		return n
	}
	if n := passed(); n != 1 {
		t.Errorf("%d requests passed, want 1", n)
	}
	limiter.Set(few)
	if n := passed(); n != 0 {
		t.Errorf("%d requests passed once the same limits were set again, want none", n)
	}
	limiter.Set(many)
	if n := passed(); n != 3 || limiter.Limits() != many {
		t.Errorf("%d requests passed under %+v, want 3", n, limiter.Limits())
	}
}

func TestALimiterWithoutAnAddressRateTakesEveryRequest(t *testing.T) {
	limiter := web.NewLimiter(web.Limits{}, nil)
	if !limiter.ChargeAddress(httptest.NewRequest("POST", "/token", nil)) {
		t.Error("a request was refused although no rate is set")
	}
}
