package rsclient_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// A host is a transport whose answer can be changed, and that counts requests.
type host struct {
	requests atomic.Int32
	answer   atomic.Pointer[roundTrip]
}

func (h *host) now(f roundTrip) { h.answer.Store(&f) }

func (h *host) RoundTrip(r *http.Request) (*http.Response, error) {
	h.requests.Add(1)
	return h.answer.Load().RoundTrip(r)
}

func status(code int, headers ...string) roundTrip {
	return func(*http.Request) (*http.Response, error) { return answer(code, `{}`, headers...), nil }
}

func refusing(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

func silent(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// clientOf returns a client for one caller without retries, so that each read is one attempt.
func clientOf(t *testing.T, h *host, o rsclient.Options) rs.Doer {
	t.Helper()
	return clientFor(t, h, o).For(caller(secretToken))
}

// clientFor returns the client of [clientOf], for tests with several callers.
func clientFor(t *testing.T, h *host, o rsclient.Options) *rsclient.Client {
	t.Helper()
	o.Base, o.Transport = "https://rs.example", h
	if o.Retries == 0 {
		o.Retries = -1
	}
	client, err := rsclient.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func code(err error) rs.Code {
	if err == nil {
		return ""
	}
	return rs.AsError(err).Code
}

func TestWhatOpensTheBreaker(t *testing.T) {
	breaksOff := func(*http.Request) (*http.Response, error) {
		response := answer(200, "")
		response.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"data":`), broken{}))
		return response, nil
	}
	drips := func(r *http.Request) (*http.Response, error) {
		response := answer(200, "")
		response.Body = io.NopCloser(readerFunc(func([]byte) (int, error) { <-r.Context().Done(); return 0, r.Context().Err() }))
		return response, nil
	}
	dials := func(r *http.Request) (*http.Response, error) {
		dial := func(context.Context, string, string) (net.Conn, error) {
			time.Sleep(3 * time.Second)
			return nil, io.EOF
		}
		return (&http.Transport{DialContext: dial}).RoundTrip(r)
	}
	connects := func(r *http.Request) (*http.Response, error) {
		dial := func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, there) }()
			return here, nil
		}
		plain := r.Clone(r.Context())
		plain.URL.Scheme = "http"
		return (&http.Transport{DialContext: dial}).RoundTrip(plain)
	}
	for name, row := range map[string]struct {
		answer roundTrip
		within time.Duration // the caller's deadline; 0 for the client's own
		opens  bool
		shared bool // also for other grants
	}{
		"500":                       {status(500), 0, true, false},
		"502":                       {status(502), 0, true, false},
		"503, whatever it asks for": {status(503, "Retry-After", "60"), 0, true, false},
		"504":                       {status(504), 0, true, false},
		"599":                       {status(599), 0, true, false},
		"a refused connection":      {refusing, 0, true, true},
		"a certificate that does not verify": {func(*http.Request) (*http.Response, error) {
			return nil, &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
		}, 0, true, true},
		"an unknown name":                  {func(*http.Request) (*http.Response, error) { return nil, &net.DNSError{IsNotFound: true} }, 0, true, true},
		"silence on a connection":          {connects, 2 * time.Second, true, false},
		"no connection in time":            {dials, 2 * time.Second, true, true},
		"an answer that breaks off":        {breaksOff, 0, true, false},
		"silence":                          {silent, 0, true, false},
		"a body that does not come":        {drips, 0, true, false},
		"silence of two seconds":           {silent, 2 * time.Second, true, false},
		"not a deadline that left no time": {silent, 1900 * time.Millisecond, false, false},
		"not a good answer":                {status(200), 0, false, false},
		"not a redirect":                   {status(302), 0, false, false},
		"not 400":                          {status(400), 0, false, false},
		"not 401":                          {status(401), 0, false, false},
		"not 403":                          {status(403), 0, false, false},
		"not 404":                          {status(404), 0, false, false},
		"not 408":                          {status(408), 0, false, false},
		"not 410":                          {status(410), 0, false, false},
		"not 499":                          {status(499), 0, false, false},
		"not 429":                          {status(429), 0, false, false},
		"not 501, which is an answer":      {status(501), 0, false, false},
		"not a page of HTML":               {func(*http.Request) (*http.Response, error) { return answer(200, "<html>"), nil }, 0, false, false},
		"not an answer that is too large":  {func(*http.Request) (*http.Response, error) { return answer(200, strings.Repeat(" ", 2000)), nil }, 0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				defer time.Sleep(time.Minute) // until an abandoned connection has failed
				h := &host{}
				h.now(row.answer)
				client := clientFor(t, h, rsclient.Options{MaxResponseBytes: 1000})
				doer := client.For(caller(secretToken))
				read := func() error {
					ctx := t.Context()
					if row.within > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, row.within)
						defer cancel()
					}
					_, err := doer.Do(ctx, rs.Request{Path: "/v1/x"})
					return err
				}
				var readers sync.WaitGroup
				for range 10 { // concurrently, because each silent read lasts until its deadline
					readers.Go(func() {
						if err := read(); code(err) == "server_unavailable" {
							t.Errorf("open too early: %v", err)
						}
					})
				}
				readers.Wait()
				requests := h.requests.Load()
				err := read()
				if opened := code(err) == "server_unavailable"; opened != row.opens || requests != 10 {
					t.Fatalf("after %d attempts: %v", requests, err)
				}
				if row.opens && h.requests.Load() != requests {
					t.Error("the server received the refused read")
				}
				h.now(status(200))
				if _, err := client.For(caller("another")).Do(t.Context(), rs.Request{Path: "/v1/x"}); (code(err) == "server_unavailable") != row.shared {
					t.Errorf("another grant is answered %v", err)
				}
			})
		})
	}
}

func TestACallerThatHangsUpDoesNotOpenTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		h.now(silent)
		doer := clientOf(t, h, rsclient.Options{})
		for range 30 {
			ctx, hangUp := context.WithCancel(t.Context())
			time.AfterFunc(5*time.Second, hangUp)
			if _, err := doer.Do(ctx, rs.Request{Path: "/v1/x"}); code(err) != "canceled" {
				t.Fatal(err)
			}
		}
		if h.requests.Load() != 30 {
			t.Errorf("requests %d", h.requests.Load())
		}
	})
}

// The breaker opens only if there are at least ten failures and they are at least half of the attempts.
func TestTheBreakerStaysClosedWhileMostReadsSucceed(t *testing.T) {
	for name, row := range map[string]struct {
		good, bad int
		pause     time.Duration // before the last failure
		opens     bool
	}{
		"nine failures are too few":              {0, 9, 0, false},
		"ten are enough":                         {0, 10, 0, true},
		"half of all is enough":                  {10, 10, 0, true},
		"less than half is not":                  {11, 10, 0, false},
		"a failure of half a minute ago is over": {0, 10, 31 * time.Second, false},
		"one of twenty seconds ago is not":       {0, 10, 20 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{}
				doer := clientOf(t, h, rsclient.Options{})
				read := func(answer roundTrip) error {
					h.now(answer)
					_, err := doer.Do(t.Context(), rs.Request{Path: "/v1/x"})
					return err
				}
				for range row.good {
					_ = read(status(200))
				}
				for range row.bad - 1 {
					_ = read(status(500))
				}
				time.Sleep(row.pause)
				_ = read(status(500))
				if err := read(status(200)); (code(err) == "server_unavailable") != row.opens {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

func TestTheCourseOfABreaker(t *testing.T) {
	for name, row := range map[string]struct {
		fails  roundTrip
		code   rs.Code
		says   string
		states []string
	}{
		"a grant's own": {status(500), "upstream_error", "The resource server has been failing for this grant", nil},
		"the host's":    {refusing, "server_unreachable", "The resource server has been failing", []string{"open", "half-open", "open", "half-open", "closed"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, seen := &host{}, &record{}
				doer := clientOf(t, h, rsclient.Options{Observer: seen, Retries: -1})
				read := func() *rs.Error {
					_, err := doer.Do(t.Context(), rs.Request{Path: "/v1/schema"})
					if err == nil {
						return nil
					}
					return rs.AsError(err)
				}
				h.now(row.fails)
				for read(); len(seen.states) == 0 && h.requests.Load() < 10; read() {
					time.Sleep(time.Second)
				}
				first := time.Now().UTC().Format("15:04:05 UTC")
				attempts := h.requests.Load()

				time.Sleep(1500 * time.Millisecond)
				want := &rs.Error{
					Code: "server_unavailable", RetryAfter: 4 * time.Second,
					Message: row.says + " since " + first + " and is not called for a moment; nothing was sent.",
					Hint:    "Call again in 4 seconds; if it persists, tell the operator.",
				}
				began := time.Now()
				if diff := cmp.Diff(want, read(), withoutCause); diff != "" || time.Since(began) != 0 {
					t.Errorf("after %s: %s", time.Since(began), diff)
				}

				time.Sleep(want.RetryAfter) // an attempt after RetryAfter is let through
				if got := read(); got.Code != row.code || h.requests.Load() != attempts+1 {
					t.Fatalf("the first attempt after the rest: %v", got)
				}
				if got := read(); got.Code != "server_unavailable" || !strings.Contains(got.Message, first) || h.requests.Load() != attempts+1 {
					t.Errorf("a failed attempt begins the rest anew, since the first time: %v", got)
				}

				time.Sleep(6 * time.Second)
				h.now(status(404)) // an answer, although an error
				if got := read(); got.Code != "upstream_error" {
					t.Fatal(got)
				}
				h.now(status(200))
				for range 5 {
					if got := read(); got != nil {
						t.Error(got)
					}
				}
				if diff := cmp.Diff(row.states, seen.states); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// While the breaker is half open, one attempt at a time is let through. An attempt without a verdict, such as one whose caller hangs up
// or one that gets a 429, makes way for the next.
func TestOneAttemptAtATimeFindsOut(t *testing.T) {
	t.Run("of a grant", func(t *testing.T) { oneAtATime(t, status(500)) })
	t.Run("of a host", func(t *testing.T) { oneAtATime(t, refusing) })
}

func oneAtATime(t *testing.T, fails roundTrip) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		doer := clientOf(t, h, rsclient.Options{})
		h.now(fails)
		for range 10 {
			_, _ = doer.Do(t.Context(), rs.Request{Path: "/v1/x"})
		}
		time.Sleep(6 * time.Second)
		for name, answer := range map[string]roundTrip{"a caller that hangs up": silent, "429": status(429)} {
			h.now(answer)
			before := h.requests.Load()
			ctx, hangUp := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				_, err := doer.Do(ctx, rs.Request{Path: "/v1/x"})
				ended <- err
			}()
			if name != "429" {
				synctest.Wait()
				for range 20 {
					if _, err := doer.Do(t.Context(), rs.Request{Path: "/v1/x"}); code(err) != "server_unavailable" ||
						rs.AsError(err).RetryAfter != time.Second || !strings.HasPrefix(rs.AsError(err).Hint, "Call again in 1 second;") {
						t.Errorf("beside the attempt: %v", err)
					}
				}
				hangUp()
			}
			if err := <-ended; code(err) == "server_unavailable" || h.requests.Load() != before+1 {
				t.Errorf("%s: %v after %d attempts", name, err, h.requests.Load()-before)
			}
			hangUp()
		}
		h.now(status(200))
		if _, err := doer.Do(t.Context(), rs.Request{Path: "/v1/x"}); err != nil {
			t.Errorf("the next attempt: %v", err)
		}
	})
}

// If the breaker opens while a read is being retried, the read returns the error of the server.
func TestAnOpenBreakerEndsRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		h.now(func(*http.Request) (*http.Response, error) {
			return answer(503, `{"error":{"code":"busy","message":"Come back later."}}`), nil
		})
		doer := clientOf(t, h, rsclient.Options{Retries: 2})
		for range 3 {
			_, _ = doer.Do(t.Context(), rs.Request{Path: "/v1/x"})
		}
		time.Sleep(11 * time.Second)                              // the retry budget has recovered
		_, err := doer.Do(t.Context(), rs.Request{Path: "/v1/x"}) // its first attempt is the tenth
		if code(err) != "busy" || h.requests.Load() != 10 {
			t.Errorf("%v after %d attempts", err, h.requests.Load())
		}
	})
}

func TestTheBreakerCanBeOff(t *testing.T) {
	h := &host{}
	h.now(status(500))
	doer := clientOf(t, h, rsclient.Options{NoBreaker: true})
	for range 50 {
		if _, err := doer.Do(t.Context(), rs.Request{Path: "/v1/x"}); code(err) != "upstream_error" {
			t.Fatal(err)
		}
	}
}

// If all reads fail, retries add at most a tenth to the requests.
func TestARetryStormIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, seen := &host{}, &record{}
		h.now(status(503))
		client, err := rsclient.New(rsclient.Options{Base: "https://rs.example", Transport: h, NoBreaker: true, Observer: seen})
		if err != nil {
			t.Fatal(err)
		}
		var readers sync.WaitGroup
		for i := range 500 {
			readers.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				_, _ = client.For(caller("token-"+strings.Repeat("x", i%7))).Do(t.Context(), rs.Request{Path: "/v1/x"})
			})
		}
		readers.Wait()
		if retries := h.requests.Load() - 500; retries > 50 || retries < 40 || int(retries) != seen.retried || seen.denied == 0 {
			t.Errorf("%d retries of 500 reads; counted are %d and %d denied", retries, seen.retried, seen.denied)
		}
	})
}

// A read that gives up takes only the retries that it makes from the budget: after three failed reads one is left for the fourth.
func TestAReadTakesTheRetriesThatItMakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		h.now(status(503))
		client, err := rsclient.New(rsclient.Options{Base: "https://rs.example", Transport: h, NoBreaker: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int64{3, 6, 9, 10} {
			_, _ = client.For(caller("a")).Do(t.Context(), rs.Request{Path: "/v1/x"})
			if got := int64(h.requests.Load()); got != want {
				t.Errorf("%d requests after %d reads, want %d", got, i+1, want)
			}
		}
	})
}

// Each member of a package is a grant with its own breaker. To the shared breaker all members are one caller, however many fail.
func TestFailingMembersOfAPackageStopThemselvesOnly(t *testing.T) {
	h := &host{}
	client := clientFor(t, h, rsclient.Options{})
	members := make([]fanout.Member, 20)
	for i := range members {
		id := strconv.Itoa(i)
		members[i] = fanout.Member{
			Connection: rs.Connection{GrantID: "g" + id, ConnectorKey: "mail", ID: "cin_" + id},
			Streams:    []string{"notes"},
			Token:      rs.NewToken("tok_" + id),
		}
	}
	family := fanout.NewPackage(fanout.Membership{PackageID: "p", Members: members},
		func(token rs.Token) rs.Doer { return client.For(rsclient.Caller{Token: token}) }, fanout.PackageOptions{})
	holder := rsclient.WithCaller(t.Context(), rsclient.Caller{Token: rs.NewToken("package"), Kind: auth.KindPackage, GrantID: "p"})
	search := rs.Request{Path: rs.Path("search"), Query: url.Values{"q": {"x"}}}
	h.now(status(500))
	for range 10 {
		_, _ = family.Do(holder, search)
	}
	if h.requests.Load() != 200 {
		t.Fatalf("requests %d", h.requests.Load())
	}
	for _, request := range []rs.Request{search, {Path: rs.Path("schema")}, {Path: rs.Path("streams")}} {
		_, err := family.Do(holder, request)
		if e := rs.AsError(err); e.Code != "server_unavailable" || e.RetryAfter == 0 {
			t.Errorf("%s: %v", request.Path, err)
		}
	}
	if h.requests.Load() != 200 {
		t.Errorf("the server received %d reads", h.requests.Load()-200)
	}
	h.now(status(200))
	if _, err := client.For(caller("another")).Do(t.Context(), rs.Request{Path: "/v1/x"}); err != nil {
		t.Errorf("another grant is answered %v", err)
	}
}

func TestQuestionsToAnAuthority(t *testing.T) {
	judge := func(t *testing.T, h *host, observer rsclient.Observer) func() error {
		introspector, err := auth.NewIntrospector(
			auth.IntrospectorOptions{
				LookupOptions: auth.LookupOptions{
					Endpoint:     "https://as.example/introspect",
					ClientID:     "c",
					ClientSecret: rs.NewToken("s"),
					Transport:    h,
					Observer:     observer,
				},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		return func() error {
			verdict, err := introspector.Introspect(t.Context(), rs.NewToken(secretToken))
			if err == nil && verdict.Inactive != nil {
				return verdict.Inactive
			}
			return err
		}
	}
	members := func(t *testing.T, h *host, observer rsclient.Observer) func() error {
		directory, err := fanout.NewHTTPDirectory(
			auth.LookupOptions{
				Endpoint:     "https://as.example/packages",
				ClientID:     "c",
				ClientSecret: rs.NewToken("s"),
				Transport:    h,
				Observer:     observer,
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		return func() error {
			_, err := directory.Members(t.Context(), rs.NewToken(secretToken))
			return err
		}
	}
	good := roundTrip(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != "token="+secretToken || r.Method != http.MethodPost {
			return nil, errors.New("the question was not put whole")
		}
		return answer(200, `{"active":true,"status":"active"}`), nil
	})
	for what, question := range map[string]func(*testing.T, *host, rsclient.Observer) func() error{"introspection": judge, "packages": members} {
		t.Run(what+": a failed connection is tried once more", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, seen := &host{}, &record{}
				h.now(func(r *http.Request) (*http.Response, error) {
					h.now(good)
					return refusing(r)
				})
				if err := question(t, h, seen)(); err != nil || h.requests.Load() != 2 {
					t.Errorf("%v after %d attempts", err, h.requests.Load())
				}
				if diff := cmp.Diff([]string{what + " 200"}, seen.reads); diff != "" || seen.retried != 1 {
					t.Errorf("%d retries, %s", seen.retried, diff)
				}
			})
		})
		for name, row := range map[string]struct {
			answer   roundTrip
			attempts int32
			opens    bool
		}{
			"once more and no further": {refusing, 2, true},
			"a status is no reason":    {status(503), 1, true},
			"a certificate is no reason": {func(*http.Request) (*http.Response, error) {
				return nil, &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
			}, 1, true},
			"silence is no reason":               {silent, 1, true},
			"wrong credentials of our own":       {status(401), 1, false},
			"429 passes its Retry-After through": {status(429, "Retry-After", "7"), 1, false},
		} {
			t.Run(what+": "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := &host{}
					h.now(row.answer)
					ask := question(t, h, nil)
					first := rs.AsError(ask())
					if first.Code != rs.AuthorityUnreachable || h.requests.Load() != row.attempts {
						t.Errorf("%v after %d attempts", first, h.requests.Load())
					}
					if strings.HasPrefix(name, "429") && first.RetryAfter != 7*time.Second {
						t.Errorf("RetryAfter %s", first.RetryAfter)
					}
					var askers sync.WaitGroup
					for range 10 {
						askers.Go(func() { _ = ask() })
					}
					askers.Wait()
					requests := h.requests.Load()
					h.now(good)
					err := ask()
					if !row.opens {
						if err != nil {
							t.Error(err)
						}
						return
					}
					if e := rs.AsError(err); e.Code != rs.AuthorityUnreachable || e.RetryAfter < time.Second || e.RetryAfter > 6*time.Second ||
						h.requests.Load() != requests {
						t.Errorf("%v, RetryAfter %s, %d more requests", err, e.RetryAfter, h.requests.Load()-requests)
					}
					time.Sleep(6 * time.Second)
					if err := ask(); err != nil {
						t.Errorf("after the rest: %v", err)
					}
				})
			})
		}
	}
}

func TestTheObserverHearsOfEachRead(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/schema": "schema 200", "/v1/streams": "streams 200", "/v1/streams/a%2Fb": "stream 200",
		"/v1/streams/a/records": "records 200", "/v1/streams/a/records/1": "record 200", "/v1/streams/a/aggregate": "aggregate 200",
		"/v1/streams/a/records/1/field-window": "window 200", "/v1/search": "search 200", "/v1/search/semantic": "search 200",
		"/v1/blobs/b1": "blob 200", "/v1/streams/a/other": "other 200", "/v1/streams/a/records/1/x": "other 200", "/v1/canary": "other 200", "/": "other 200", "": "other 200",
	} {
		h, seen := &host{}, &record{}
		h.now(status(200))
		_, _ = clientOf(t, h, rsclient.Options{Observer: seen}).Do(t.Context(), rs.Request{Path: path})
		if diff := cmp.Diff([]string{want}, seen.reads); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	for name, row := range map[string]struct {
		answer roundTrip
		want   string
	}{
		"an error's status": {status(404), "schema 404"},
		"no answer":         {refusing, "schema 0"},
	} {
		h, seen := &host{}, &record{}
		h.now(row.answer)
		_, _ = clientOf(t, h, rsclient.Options{Observer: seen}).Do(t.Context(), rs.Request{Path: "/v1/schema"})
		if diff := cmp.Diff([]string{row.want}, seen.reads); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A record is an Observer that records events.
type record struct {
	mu              sync.Mutex
	reads           []string
	retried, denied int
	states          []string
}

func (r *record) Read(class string, status int, _ time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads = append(r.reads, class+" "+strconv.Itoa(status))
}

func (r *record) Retried(host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if strings.HasSuffix(host, ".example") {
		r.retried++
	}
}

func (r *record) RetryDenied(string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.denied++
}

func (r *record) BreakerChanged(host, state string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if host == "rs.example" {
		r.states = append(r.states, state)
	}
}
