package integration

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A guessedAuthority is a resource server and its introspection endpoint. It accepts tokens that begin with "good" and answers every
// other token, a guess, with guess.
type guessedAuthority struct {
	*httptest.Server
	guess          http.HandlerFunc // nil: the token is not active
	asked, guessed atomic.Int64     // introspections of good tokens, and of guesses
	reads          atomic.Int64
	refuses        atomic.Bool // every read is answered with 401
}

func newGuessedAuthority(t *testing.T, guess http.HandlerFunc) *guessedAuthority {
	t.Helper()
	a := &guessedAuthority{guess: guess}
	if a.guess == nil {
		a.guess = body(200, "application/json", `{"active":false}`)
	}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/introspect" && strings.HasPrefix(r.FormValue("token"), "good"):
			a.asked.Add(1)
			body(200, "application/json", `{"active":true,"aud":"mcp","pdpp_token_kind":"client","grant_id":"`+r.FormValue("token")+`"}`)(w, r)
		case r.URL.Path == "/introspect" && strings.HasPrefix(r.FormValue("token"), "guess"):
			a.guessed.Add(1)
			a.guess(w, r)
		case r.URL.Path == "/introspect": // the readiness probe
			body(200, "application/json", `{"active":false}`)(w, r)
		case a.refuses.Load():
			a.reads.Add(1)
			body(401, "application/json", `{"error":{"code":"context.stream_not_allowed","message":"The stream is not granted."}}`)(w, r)
		default:
			a.reads.Add(1)
			body(200, "application/json", `{"object":"list","data":[],"has_more":false}`)(w, r)
		}
	}))
	t.Cleanup(a.Close)
	return a
}

// serve starts the program with this authority.
func (a *guessedAuthority) serve(t *testing.T, args ...string) string {
	t.Helper()
	url, _ := serve(t, append([]string{
		"--rs-url", a.URL, "--introspection-url", a.URL + "/introspect", "--introspection-client-id", "mcp",
		"--introspection-client-secret", "s3cret", "--audiences", "mcp",
	}, args...)...)
	return url
}

// postFrom makes a read with a token as a trusted proxy forwards it for an address; an empty address forwards none.
func postFrom(t *testing.T, url, token, address string) (int, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(readOf("notes")))
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	if address != "" {
		request.Header.Set("X-Forwarded-For", address)
	}
	status, header, _ := do(t, request)
	return status, header
}

// The number of guesses from an address that reach the authority is limited, whatever it answers, and calls with a known good token from
// the same address are all served.
func TestGuessesDoNotLockOutAKnownToken(t *testing.T) {
	for name, guess := range map[string]http.HandlerFunc{
		"inactive": nil,
		"401":      body(401, "application/json", `{"error":"invalid_token"}`),
		"500":      body(500, "text/plain", "no"),
		"reset":    func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			const workers, guesses, calls, burst = 8, 150, 100, 20
			authority := newGuessedAuthority(t, guess)
			url := authority.serve(t, "--address-rate", "0.01", "--address-burst", fmt.Sprint(burst), "--token-rate", "0")
			if status, _ := postFrom(t, url, "good-1", ""); status != http.StatusOK {
				t.Fatalf("the good token is answered %d", status)
			}
			var refused atomic.Int64
			var all sync.WaitGroup
			for w := range workers {
				all.Go(func() {
					for i := range guesses {
						if status, _ := postFrom(t, url, fmt.Sprintf("guess-%d-%d", w, i), ""); status < 400 {
							t.Errorf("a guess is answered %d", status)
						}
					}
				})
			}
			all.Go(func() {
				for range calls {
					if status, _ := postFrom(t, url, "good-1", ""); status != http.StatusOK {
						refused.Add(1)
					}
				}
			})
			all.Wait()
			t.Logf("%d of %d guesses reached the authority; %d of %d good calls were refused",
				authority.guessed.Load(), workers*guesses, refused.Load(), calls)
			// An introspection whose connection failed is repeated once.
			if limit := int64(2 * (burst + workers)); authority.guessed.Load() > limit || refused.Load() != 0 {
				t.Errorf("want at most %d guesses and no refused call", limit)
			}
		})
	}
}

// If the authority answers guesses from many addresses with 500, or not at all, its circuit breaker stays closed: a new good token from
// elsewhere is still introspected.
func TestGuessesDoNotOpenTheBreakerOfTheAuthority(t *testing.T) {
	for name, guess := range map[string]http.HandlerFunc{
		"500":   body(500, "text/plain", "no"),
		"503":   body(503, "text/plain", "no"),
		"reset": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			authority := newGuessedAuthority(t, guess)
			url := authority.serve(t, "--trusted-proxies", "127.0.0.1")
			for i := range 60 {
				postFrom(t, url, fmt.Sprint("guess-", i), fmt.Sprintf("203.0.113.%d", i+1))
			}
			for i := range 3 {
				if status, header := postFrom(t, url, fmt.Sprint("good-", i), "198.51.100.1"); status != http.StatusOK {
					t.Errorf("a new good token is answered %d, Retry-After %q", status, header.Get("Retry-After"))
				}
			}
		})
	}
}

// If many reads of one token are answered with 401, the token is introspected once (D7).
func TestA401OfManyCallsIsIntrospectedOnce(t *testing.T) {
	const calls, atOnce = 50, 10
	authority := newGuessedAuthority(t, nil)
	url := authority.serve(t)
	if status, _ := postFrom(t, url, "good-1", ""); status != http.StatusOK || authority.asked.Load() != 1 {
		t.Fatalf("answered %d after %d questions", status, authority.asked.Load())
	}
	authority.refuses.Store(true)
	before := authority.reads.Load()
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for range calls / atOnce {
				if status, _ := postFrom(t, url, "good-1", ""); status != http.StatusOK {
					t.Errorf("a call is answered %d", status)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d questions for %d calls that met a 401", authority.asked.Load()-1, calls)
	if asked := authority.asked.Load() - 1; asked > 2 || authority.reads.Load()-before != 2*calls {
		t.Errorf("%d questions and %d reads, want 1 question for %d calls, and a read of the schema for each", asked, authority.reads.Load()-before, calls)
	}
}
