package rsclient_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// A neighbourhood is a resource server that many grants read, some of which fail. The token is the name of the grant.
type neighbourhood struct {
	*host
	client *rsclient.Client
	fails  roundTrip // for tokens that begin with "bad"
}

func newNeighbourhood(t *testing.T, fails roundTrip) *neighbourhood {
	t.Helper()
	n := &neighbourhood{host: &host{}, fails: fails}
	n.now(func(r *http.Request) (*http.Response, error) {
		if strings.HasPrefix(r.Header.Get("Authorization"), "Bearer bad") {
			return n.fails(r)
		}
		return answer(200, `{}`), nil
	})
	n.client = clientFor(t, n.host, rsclient.Options{})
	return n
}

func (n *neighbourhood) read(ctx context.Context, token string) rs.Code {
	_, err := n.client.For(caller(token)).Do(ctx, rs.Request{Path: "/v1/x"})
	return code(err)
}

// The shared breaker opens at ten failures, of which at most four of each grant count, if at least half of the grants fail.
func TestFailuresOfSeveralGrantsOpenTheSharedBreaker(t *testing.T) {
	for name, row := range map[string]struct {
		good, bad, failures int
		opens               bool
	}{
		"one grant is not several":            {0, 1, 100, false},
		"two grants are not":                  {0, 2, 100, false},
		"three grants with four failures":     {0, 3, 4, true},
		"three grants with three failures":    {0, 3, 3, false},
		"ten grants with one failure":         {0, 10, 1, true},
		"nine grants with one failure":        {0, 9, 1, false},
		"half of the grants":                  {10, 10, 4, true},
		"less than half of the grants":        {11, 10, 100, false},
		"three of thirty, who fail very much": {27, 3, 500, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNeighbourhood(t, status(500))
				for i := range row.good {
					n.read(t.Context(), fmt.Sprint("good-", i))
				}
				for i := range row.bad * row.failures {
					n.read(t.Context(), fmt.Sprint("bad-", i%row.bad))
				}
				requests := n.requests.Load()
				if got := n.read(t.Context(), "new") == "server_unavailable"; got != row.opens {
					t.Errorf("open for a new grant: %t, want %t", got, row.opens)
				}
				if row.opens && n.requests.Load() != requests {
					t.Error("the server received the refused read")
				}
			})
		})
	}
}

// A failure no longer counts after half a minute, or after a successful read of the grant.
func TestOldFailuresOfGrantsAreForgotten(t *testing.T) {
	for name, between := range map[string]func(*testing.T, *neighbourhood){
		"half a minute": func(*testing.T, *neighbourhood) { time.Sleep(31 * time.Second) },
		"good answers": func(t *testing.T, n *neighbourhood) {
			n.fails = status(200)
			for i := range 9 {
				n.read(t.Context(), fmt.Sprint("bad-", i))
			}
			n.fails = status(500)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNeighbourhood(t, status(500))
				for i := range 9 {
					n.read(t.Context(), fmt.Sprint("bad-", i))
				}
				between(t, n)
				n.read(t.Context(), "bad-9")
				if got := n.read(t.Context(), "new"); got != "" {
					t.Errorf("a new grant is answered %s", got)
				}
			})
		})
	}
}

// Tokens that are not introspected yet, such as guessed ones, do not count as grants.
func TestUnknownTokensDoNotOpenTheSharedBreaker(t *testing.T) {
	n := newNeighbourhood(t, status(500))
	for i := range 8 { // two grants with four failures each: one more failing grant would open the breaker
		n.read(t.Context(), fmt.Sprint("bad-", i%2))
	}
	for i := range 100 {
		_, _ = n.client.For(rsclient.Caller{Token: rs.NewToken(fmt.Sprint("bad-guess-", i))}).Do(t.Context(), rs.Request{Path: "/v1/schema"})
	}
	if got := n.read(t.Context(), "good"); got != "" || n.requests.Load() != 109 {
		t.Errorf("%s after %d", got, n.requests.Load())
	}
}

// A new token of a grant shares the breaker of the grant.
func TestAllTokensOfAGrantShareItsBreaker(t *testing.T) {
	n := newNeighbourhood(t, status(500))
	read := func(i int) rs.Code {
		p := rsclient.Caller{Token: rs.NewToken(fmt.Sprint("bad-", i)), Kind: auth.KindClient, GrantID: "g1"}
		_, err := n.client.For(p).Do(t.Context(), rs.Request{Path: "/v1/x"})
		return code(err)
	}
	for i := range 10 {
		read(i)
	}
	if got := read(10); got != "server_unavailable" || n.requests.Load() != 10 {
		t.Errorf("%s after %d", got, n.requests.Load())
	}
	if got := n.read(t.Context(), "good"); got != "" {
		t.Errorf("another grant is answered %s", got)
	}
}

// opened returns a neighbourhood whose shared breaker was open and can now be tried again.
func opened(t *testing.T, fails roundTrip) *neighbourhood {
	t.Helper()
	n := newNeighbourhood(t, refusing)
	for range 10 {
		n.read(t.Context(), "bad-0")
	}
	if n.read(t.Context(), "good") != "server_unavailable" {
		t.Fatal("it is not open")
	}
	time.Sleep(6 * time.Second)
	n.fails = fails
	return n
}

// One grant cannot keep the shared breaker open, neither by failing nor by blocking a trial attempt.
func TestOneGrantDoesNotKeepTheSharedBreakerOpen(t *testing.T) {
	for name, fails := range map[string]roundTrip{"500": status(500), "silence": silent, "429": status(429)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := opened(t, fails)
				ctx, hangUp := context.WithTimeout(t.Context(), 9*time.Second)
				defer hangUp()
				for range 32 {
					go n.read(ctx, "bad-0")
				}
				synctest.Wait()
				if n.requests.Load() > 11 && name != "429" {
					t.Errorf("the failing grant made %d requests", n.requests.Load()-10)
				}
				for range 20 {
					if got := n.read(t.Context(), "good"); got != "" {
						t.Fatalf("a healthy grant is answered %s", got)
					}
				}
				<-ctx.Done()
				synctest.Wait()
				if got := n.read(t.Context(), "good"); got != "" {
					t.Errorf("then a healthy grant is answered %s", got)
				}
			})
		})
	}
}

// While the shared breaker is half open, grants that fail or hang do not keep a healthy one from closing it, however many they are and
// however often they try.
func TestBrokenGrantsDoNotKeepTheSharedBreakerOpen(t *testing.T) {
	for name, row := range map[string]struct {
		fails   roundTrip
		grants  int
		seconds int // how long they try before the healthy grant does
	}{
		"three that fail":               {status(500), 3, 0},
		"three that hang":               {silent, 3, 0},
		"three with 429":                {status(429), 3, 0},
		"eleven that fail":              {status(500), 11, 0},
		"a hundred of them":             {status(503), 100, 0},
		"a hundred hang":                {silent, 100, 0},
		"a hundred that go on to fail":  {status(503), 100, 14},
		"a hundred that go on to hang":  {silent, 100, 14},
		"a hundred that go on with 429": {status(429), 100, 14},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := opened(t, row.fails)
				began := n.requests.Load()
				for range 3 * (row.seconds + 1) {
					for i := range row.grants {
						go n.read(t.Context(), fmt.Sprint("bad-", i))
					}
					synctest.Wait()
					if row.seconds > 0 {
						time.Sleep(time.Second / 3)
					}
				}
				most := row.grants * (row.seconds/5 + 1) // one attempt of each grant in five seconds
				if got := int(n.requests.Load() - began); got > most && !strings.Contains(name, "429") {
					t.Errorf("%d requests reached the server, want at most %d", got, most)
				}
				if got := n.read(t.Context(), "good"); got != "" {
					t.Errorf("a healthy grant is answered %s", got)
				}
			})
		})
	}
}

// While the shared breaker is half open, a failed connection opens it again, whoever makes it.
func TestAFailedConnectionOpensTheSharedBreakerAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := opened(t, refusing)
		if got := n.read(t.Context(), "bad-0"); got != "server_unreachable" {
			t.Fatalf("it could not try: %s", got)
		}
		if got := n.read(t.Context(), "good"); got != "server_unavailable" {
			t.Errorf("a healthy grant is answered %q", got)
		}
		time.Sleep(5 * time.Second)
		if got := n.read(t.Context(), "good"); got != "" {
			t.Errorf("after the rest a healthy grant is answered %s", got)
		}
	})
}

// While the breaker of an authority is half open, a token for which the authority fails or hangs does not keep it open for other tokens,
// whether the token was ever active or not.
func TestABrokenTokenDoesNotKeepTheBreakerOfAnAuthorityOpen(t *testing.T) {
	for name, row := range map[string]struct {
		fails roundTrip
		known bool
	}{
		"a known token fails": {status(500), true}, "a known token hangs": {silent, true},
		"an unknown token fails": {status(500), false}, "an unknown token hangs": {silent, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{}
				introspector, err := auth.NewIntrospector(auth.IntrospectorOptions{
					LookupOptions: auth.LookupOptions{Endpoint: "https://as.example/introspect", ClientSecret: rs.NewToken("s"), Transport: h},
				})
				if err != nil {
					t.Fatal(err)
				}
				ask := func(token string) error {
					ctx := t.Context()
					if token == "bad" && !row.known {
						ctx = rsclient.WithUnknownToken(ctx)
					}
					_, err := introspector.Introspect(ctx, rs.NewToken(token))
					return err
				}
				h.now(refusing)
				for range 10 {
					_ = ask("any")
				}
				time.Sleep(6 * time.Second)
				h.now(func(r *http.Request) (*http.Response, error) {
					if body, _ := io.ReadAll(r.Body); string(body) == "token=bad" {
						return row.fails(r)
					}
					return answer(200, `{"active":false}`), nil
				})
				go func() { _ = ask("bad") }()
				synctest.Wait()
				if err := ask("good"); err != nil {
					t.Errorf("another token: %v", err)
				}
			})
		})
	}
}

// If no other grant reads, a grant that failed while the breaker was half open may try again after the rest.
func TestALonelyGrantClosesTheSharedBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := opened(t, status(500))
		n.read(t.Context(), "bad-0")
		n.fails = status(200)
		if got := n.read(t.Context(), "bad-0"); got != "server_unavailable" {
			t.Errorf("at once: %q", got)
		}
		time.Sleep(5 * time.Second)
		if got := n.read(t.Context(), "bad-0"); got != "" {
			t.Errorf("after a rest: %s", got)
		}
	})
}

// A panic of the transport counts as a failed attempt, and releases the trial attempt of a half-open breaker.
func TestAPanicIsAFailedAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		h.now(func(*http.Request) (*http.Response, error) { panic("a bug") })
		doer := clientOf(t, h, rsclient.Options{})
		panics := func() (code_ rs.Code) {
			defer func() {
				if recover() != nil {
					code_ = "panic"
				}
			}()
			_, err := doer.Do(t.Context(), rs.Request{Path: "/v1/x"})
			return code(err)
		}
		for range 10 {
			panics()
		}
		if got := panics(); got != "server_unavailable" || h.requests.Load() != 10 {
			t.Errorf("after ten panics: %q, requests %d", got, h.requests.Load())
		}
		time.Sleep(6 * time.Second)
		if got := panics(); got != "panic" {
			t.Errorf("after the rest: %q", got)
		}
		time.Sleep(6 * time.Second)
		h.now(status(200))
		if got := panics(); got != "" {
			t.Errorf("the panic kept its place: %q", got)
		}
	})
}
