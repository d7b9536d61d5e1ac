package web_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// A slowPipeline takes a given time for each call, and sends the callers to begun in the order in which their calls begin.
type slowPipeline struct {
	takes time.Duration
	begun chan string
}

func (s *slowPipeline) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	s.begun <- r.Header.Get("Who")
	time.Sleep(s.takes) // on the clock of synctest
}

func TestConcurrencyLimit(t *testing.T) {
	for _, test := range []struct {
		name    string
		limits  web.Limits
		takes   time.Duration
		grants  []string // of each call; all are made at once
		bytes   int      // of the body of each
		served  int
		refused int
	}{
		{
			"as many as may be under way are served at once",
			web.Limits{CallsPerGrant: 2}, time.Hour, []string{"a", "a"}, 2, 2, 0,
		},
		{
			"one more waits, and its turn comes",
			web.Limits{CallsPerGrant: 2, Wait: time.Second}, 900 * time.Millisecond, []string{"a", "a", "a"}, 2, 3, 0,
		},
		{
			"one more waits, and its turn does not come",
			web.Limits{CallsPerGrant: 2, Wait: time.Second}, time.Minute, []string{"a", "a", "a"}, 2, 2, 1,
		},
		{
			"as many wait as are under way, the rest is refused",
			web.Limits{CallsPerGrant: 2, Wait: time.Second}, 300 * time.Millisecond, []string{"a", "a", "a", "a", "a", "a"}, 2, 4, 2,
		},
		{
			"without a wait one more is refused",
			web.Limits{CallsPerGrant: 2}, time.Second, []string{"a", "a", "a"}, 2, 2, 1,
		},
		{
			"another grant is not held up",
			web.Limits{CallsPerGrant: 1}, time.Minute, []string{"a", "a", "b", "c"}, 2, 3, 1,
		},
		{
			"all together are bounded, too",
			web.Limits{CallsPerGrant: 2, Calls: 3}, time.Minute, []string{"a", "b", "c", "d"}, 2, 3, 1,
		},
		{
			"a call counts as one for each 8 KiB of its body",
			web.Limits{CallsPerGrant: 4}, time.Minute, []string{"a", "a", "a"}, 16 << 10, 2, 1,
		},
		{
			"a started 8 KiB counts",
			web.Limits{CallsPerGrant: 4}, time.Minute, []string{"a", "a"}, 16<<10 + 1, 1, 1,
		},
		{
			"so it does among all",
			web.Limits{CallsPerGrant: 4, Calls: 8}, time.Minute, []string{"a", "b", "c"}, 32 << 10, 2, 1,
		},
		{
			"larger ones wait as well, and as many",
			web.Limits{CallsPerGrant: 4, Wait: time.Second}, 300 * time.Millisecond, []string{"a", "a", "a", "a", "a"}, 16 << 10, 4, 1,
		},
		{
			"one that is larger than the limits waits for all of them",
			web.Limits{CallsPerGrant: 2, Calls: 3, Wait: time.Second}, 900 * time.Millisecond, []string{"a", "b"}, 128 << 10, 2, 0,
		},
		{
			"no limit",
			web.Limits{}, time.Minute, slices.Repeat([]string{"a"}, 500), 2, 500, 0,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipeline := &slowPipeline{test.takes, make(chan string, len(test.grants))}
				handler := web.Limit(web.NewLimiter(test.limits, time.Now))(pipeline)
				answers := make(chan *httptest.ResponseRecorder, len(test.grants))
				for _, grant := range test.grants {
					go func() {
						answers <- limited(handler, func(r *http.Request) {
							bearerOf("token of "+grant, grant)(r)
							r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat(" ", test.bytes))), int64(test.bytes)
						})
					}()
				}
				refused := 0
				for range test.grants {
					if w := <-answers; w.Code != http.StatusOK {
						refused++
						wantLater(t, w, "too_many_calls", "1")
					}
				}
				if served := len(pipeline.begun); served != test.served || refused != test.refused {
					t.Errorf("%d served and %d refused, want %d and %d", served, refused, test.served, test.refused)
				}
			})
		})
	}
}

// Waiting calls are served in the order in which they came, also across grants.
func TestTurnsComeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipeline := &slowPipeline{100 * time.Millisecond, make(chan string, 5)}
		handler := web.Limit(web.NewLimiter(web.Limits{CallsPerGrant: 3, Calls: 1, Wait: time.Second}, time.Now))(pipeline)
		// At a time, one call can be under way and one can wait.
		for _, who := range []string{"first", "second"} {
			go limited(handler, func(r *http.Request) { bearerOf("t", who)(r); r.Header.Set("Who", who) })
			synctest.Wait()
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		go limited(handler, func(r *http.Request) { bearerOf("t", "third")(r); r.Header.Set("Who", "third") })
		var order []string
		for range 3 {
			order = append(order, <-pipeline.begun)
		}
		if !slices.Equal(order, []string{"first", "second", "third"}) {
			t.Errorf("order %v", order)
		}
		time.Sleep(time.Minute) // until all have left
	})
}

// A slot is released when a waiting caller hangs up, and when the pipeline panics.
func TestATurnIsAlwaysGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := web.Limits{CallsPerGrant: 1, Calls: 1, Wait: 10 * time.Second}
		limiter := web.NewLimiter(limits, time.Now)
		pipeline := &slowPipeline{5 * time.Second, make(chan string, 9)}
		handler := web.Limit(limiter)(pipeline)
		go limited(handler, bearerOf("t", "g"))
		synctest.Wait()
		ctx, hangUp := context.WithCancel(t.Context())
		gone := make(chan int, 1)
		go func() {
			gone <- limited(handler, func(r *http.Request) { *r = *r.WithContext(ctx); bearerOf("t", "g")(r) }).Code
		}()
		synctest.Wait()
		hangUp()
		if status := <-gone; status != http.StatusTooManyRequests {
			t.Errorf("a caller that hung up is answered %d", status)
		}
		if w := limited(handler, bearerOf("t", "g")); w.Code != http.StatusOK {
			t.Errorf("its place is still taken: %d", w.Code)
		}

		falls := web.Limit(limiter)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a fault") }))
		func() {
			defer func() { _ = recover() }()
			limited(falls, bearerOf("t", "g"))
		}()
		begin := time.Now()
		if w := limited(handler, bearerOf("t", "g")); w.Code != http.StatusOK || time.Since(begin) != 5*time.Second {
			t.Errorf("after a panic: %d after %s", w.Code, time.Since(begin))
		}
	})
}

// The tokens of a grant share a limit, and a token without a grant has its own limit.
func TestWhoseCallsAreCountedTogether(t *testing.T) {
	for _, test := range []struct {
		name          string
		first, second func(*http.Request)
		together      bool
	}{
		{"two tokens of a grant", bearerOf("a", "g"), bearerOf("b", "g"), true},
		{"two grants", bearerOf("a", "g"), bearerOf("b", "h"), false},
		{"a token without a grant, twice", bearerOf("a", ""), bearerOf("a", ""), true},
		{"two tokens without a grant", bearerOf("a", ""), bearerOf("b", ""), false},
		{"a grant and a package of the same id", bearerOf("a", "g"), packageOf("b", "g"), false},
		{"two tokens of a package", packageOf("a", "g"), packageOf("b", "g"), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipeline := &slowPipeline{time.Second, make(chan string, 2)}
				handler := web.Limit(web.NewLimiter(web.Limits{CallsPerGrant: 1}, time.Now))(pipeline)
				go limited(handler, test.first)
				synctest.Wait()
				if refused := limited(handler, test.second).Code == 429; refused != test.together {
					t.Errorf("counted together is %v", refused)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// packageOf sets the principal that the HTTP chain sets for a package's token.
func packageOf(token, id string) func(*http.Request) {
	return func(r *http.Request) {
		p := auth.Principal{Token: rs.NewToken(token), Kind: auth.KindPackage, GrantID: id}
		*r = *r.WithContext(auth.WithPrincipal(r.Context(), p))
	}
}

// If a call is refused because all slots of the server are taken, the slot of its grant is released, also while another call
// of that grant is under way.
func TestACallRefusedForTheServerFreesItsGrantsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := map[string]chan struct{}{"first of a": make(chan struct{}), "of b": make(chan struct{}), "second of a": make(chan struct{})}
		handler := web.Limit(web.NewLimiter(web.Limits{CallsPerGrant: 2, Calls: 2}, time.Now))(
			http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-end[r.Header.Get("Who")] }))
		call := func(who, grant string) int {
			return limited(handler, func(r *http.Request) { bearerOf("token of "+grant, grant)(r); r.Header.Set("Who", who) }).Code
		}
		go call("first of a", "a")
		go call("of b", "b")
		synctest.Wait()
		for range 5 { // more than a grant has slots
			if status := call("second of a", "a"); status != http.StatusTooManyRequests {
				t.Fatalf("a third call of two is answered %d", status)
			}
		}
		close(end["of b"])
		synctest.Wait()
		close(end["second of a"])
		if status := call("second of a", "a"); status != http.StatusOK {
			t.Errorf("the second call of a grant is answered %d once the server has a slot", status)
		}
		close(end["first of a"])
	})
}
