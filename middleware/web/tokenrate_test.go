package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

func TestTokenRate(t *testing.T) {
	clock := newClock()
	entered := map[string]int{}
	limiter := web.NewLimiter(web.Limits{TokenRate: 2, TokenBurst: 3}, clock.now)
	handler := web.Limit(limiter)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { entered[r.Header.Get("Who")]++ }))
	send := func(token string) int {
		return limited(handler, func(r *http.Request) { bearerOf(token, "one-grant")(r); r.Header.Set("Who", token) }).Code
	}
	for i := range 3 {
		if status := send("a"); status != 200 {
			t.Fatalf("request %d of a burst of 3 is answered %d", i+1, status)
		}
	}
	refused := limited(handler, bearerOf("a", "one-grant"))
	wantLater(t, refused, "rate_limited", "1")
	if body := refused.Body.String(); !strings.Contains(body, "too fast") || !strings.Contains(body, "Wait 1 second,") {
		t.Errorf("the refusal says %s", body)
	}
	if status := send("b"); status != 200 {
		t.Errorf("another token is answered %d", status)
	}
	clock.pass(499 * time.Millisecond)
	if status := send("a"); status != 429 {
		t.Errorf("too early is answered %d: what was refused must cost nothing, and gain nothing", status)
	}
	clock.pass(time.Millisecond)
	if first, second := send("a"), send("a"); first != 200 || second != 429 {
		t.Errorf("half a second later: %d, %d; want one more request", first, second)
	}
	clock.pass(time.Hour)
	for range 9 {
		send("a")
	}
	if entered["a"] != 3+1+3 {
		t.Errorf("%d requests entered, want 7: a long rest saves up no more than one burst", entered["a"])
	}
}

func TestTokenRateSaysHowLongToWait(t *testing.T) {
	for rate, want := range map[float64]string{0.1: "10", 0.4: "3", 1: "1", 100: "1"} {
		limiter := web.NewLimiter(web.Limits{TokenRate: rate, TokenBurst: 1}, newClock().now)
		handler := web.Limit(limiter)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		limited(handler, bearerOf("t", "g"))
		refused := limited(handler, bearerOf("t", "g"))
		wantLater(t, refused, "rate_limited", want)
		if says := "Wait " + want + " second"; !strings.Contains(refused.Body.String(), says) {
			t.Errorf("%s, without %s", refused.Body, says)
		}
	}
}

func TestNoTokenRate(t *testing.T) {
	handler := web.Limit(web.NewLimiter(web.Limits{}, newClock().now))(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for range 1000 {
		if w := limited(handler, bearerOf("t", "g")); w.Code != 200 {
			t.Fatalf("answered %d without a limit", w.Code)
		}
	}
}

// More tokens than there are buckets are served, each with its own burst.
func TestTokenRateForgetsTheOldest(t *testing.T) {
	limiter := web.NewLimiter(web.Limits{TokenRate: 1, TokenBurst: 1}, newClock().now)
	handler := web.Limit(limiter)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for i := range 10_001 {
		if w := limited(handler, bearerOf(fmt.Sprint("t", i), "g")); w.Code != 200 {
			t.Fatalf("token %d is answered %d", i, w.Code)
		}
	}
	if w := limited(handler, bearerOf("t10000", "g")); w.Code != 429 {
		t.Errorf("the newest token is forgotten: %d", w.Code)
	}
	if w := limited(handler, bearerOf("t0", "g")); w.Code != 200 {
		t.Errorf("the oldest token is still counted: %d", w.Code)
	}
}

// A request without a token is charged only to the address of its client.
func TestAddressesAreCharged(t *testing.T) {
	limiter := web.NewLimiter(web.Limits{AddressRate: 1, AddressBurst: 1}, newClock().now)
	var took []bool
	handler := watching(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { took = append(took, limiter.ChargeAddress(r)) }))
	for _, address := range []string{"203.0.113.7", "203.0.113.7", "203.0.113.8"} {
		limited(handler, from(address, ""))
	}
	if !slices.Equal(took, []bool{true, false, true}) {
		t.Errorf("taken: %v", took)
	}
}

// Of many concurrent requests with one token, exactly its burst passes.
func TestAFloodOfOneToken(t *testing.T) {
	var entered, refused atomic.Int64
	limiter := web.NewLimiter(web.Limits{TokenRate: 1, TokenBurst: 20}, newClock().now)
	handler := web.Limit(limiter)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { entered.Add(1) }))
	var flood sync.WaitGroup
	for range 300 {
		flood.Go(func() {
			if limited(handler, bearerOf("t", "g")).Code == http.StatusTooManyRequests {
				refused.Add(1)
			}
		})
	}
	flood.Wait()
	if entered.Load() != 20 || refused.Load() != 280 {
		t.Errorf("%d entered and %d were refused, want 20 and 280", entered.Load(), refused.Load())
	}
}
