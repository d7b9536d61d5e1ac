package rsclient_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// A step is one answer of a scripted server: a status with its Retry-After, or an error of the connection.
type step struct {
	status     int
	retryAfter string
	date       string
	err        error
}

// The clock is that of synctest, so that waits are exact and take no real time.
func TestRetries(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	ok := step{status: 200}
	for name, row := range map[string]struct {
		steps    []step
		attempts int
		code     rs.Code // "" for success
		waits    [2]time.Duration
	}{
		"a good answer is not asked for again":     {[]step{ok}, 1, "", [2]time.Duration{0, 0}},
		"a refused connection is tried again":      {[]step{{err: refused}, ok}, 2, "", [2]time.Duration{50 * time.Millisecond, 100 * time.Millisecond}},
		"a closed connection is tried again":       {[]step{{err: io.ErrUnexpectedEOF}, ok}, 2, "", [2]time.Duration{50 * time.Millisecond, 100 * time.Millisecond}},
		"429 is tried again":                       {[]step{{status: 429}, ok}, 2, "", [2]time.Duration{50 * time.Millisecond, 100 * time.Millisecond}},
		"502 is tried again":                       {[]step{{status: 502}, ok}, 2, "", [2]time.Duration{50 * time.Millisecond, 100 * time.Millisecond}},
		"503 is tried again":                       {[]step{{status: 503}, ok}, 2, "", [2]time.Duration{50 * time.Millisecond, 100 * time.Millisecond}},
		"504 is tried again":                       {[]step{{status: 504}, ok}, 2, "", [2]time.Duration{50 * time.Millisecond, 100 * time.Millisecond}},
		"the second wait is twice the first":       {[]step{{status: 503}, {status: 502}, ok}, 3, "", [2]time.Duration{150 * time.Millisecond, 300 * time.Millisecond}},
		"two retries are the most":                 {[]step{{status: 503}, {status: 503}, {status: 503}, ok}, 3, "busy", [2]time.Duration{150 * time.Millisecond, 300 * time.Millisecond}},
		"two retries are the most for connections": {[]step{{err: refused}, {err: refused}, {err: refused}, ok}, 3, "server_unreachable", [2]time.Duration{150 * time.Millisecond, 300 * time.Millisecond}},
		"Retry-After in seconds is waited for":     {[]step{{status: 429, retryAfter: "3"}, ok}, 2, "", [2]time.Duration{3 * time.Second, 3 * time.Second}},
		"Retry-After as a date is measured from the answer's own date": {
			[]step{{status: 503, retryAfter: "Fri, 02 Jan 2026 10:00:02 GMT", date: "Fri, 02 Jan 2026 10:00:00 GMT"}, ok}, 2, "", [2]time.Duration{2 * time.Second, 2 * time.Second},
		},
		"a date in the past is no wait of its own": {
			[]step{{status: 503, retryAfter: "Fri, 02 Jan 2026 09:00:00 GMT", date: "Fri, 02 Jan 2026 10:00:00 GMT"}, ok}, 2, "", [2]time.Duration{50 * time.Millisecond, 100 * time.Millisecond},
		},
		"Retry-After of zero still backs off":                {[]step{{status: 429, retryAfter: "0"}, ok}, 2, "", [2]time.Duration{50 * time.Millisecond, 100 * time.Millisecond}},
		"Retry-After that is neither counts as unsaid":       {[]step{{status: 429, retryAfter: "soon"}, ok}, 2, "", [2]time.Duration{50 * time.Millisecond, 100 * time.Millisecond}},
		"a negative Retry-After counts as unsaid":            {[]step{{status: 429, retryAfter: "-1"}, ok}, 2, "", [2]time.Duration{50 * time.Millisecond, 100 * time.Millisecond}},
		"Retry-After of more than five seconds is reported":  {[]step{{status: 429, retryAfter: "6"}, ok}, 1, "busy", [2]time.Duration{0, 0}},
		"a wait that does not fit the deadline is not begun": {[]step{{status: 503, retryAfter: "5"}, {status: 503, retryAfter: "5"}, ok}, 2, "busy", [2]time.Duration{5 * time.Second, 5 * time.Second}},
		"400 is final":                        {[]step{{status: 400}, ok}, 1, "busy", [2]time.Duration{0, 0}},
		"401 is final":                        {[]step{{status: 401}, ok}, 1, "busy", [2]time.Duration{0, 0}},
		"403 is final":                        {[]step{{status: 403}, ok}, 1, "busy", [2]time.Duration{0, 0}},
		"404 is final":                        {[]step{{status: 404}, ok}, 1, "busy", [2]time.Duration{0, 0}},
		"409 is final":                        {[]step{{status: 409}, ok}, 1, "busy", [2]time.Duration{0, 0}},
		"410 is final":                        {[]step{{status: 410}, ok}, 1, "busy", [2]time.Duration{0, 0}},
		"500 is final":                        {[]step{{status: 500}, ok}, 1, "busy", [2]time.Duration{0, 0}},
		"a bad certificate is final":          {[]step{{err: &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}}, ok}, 1, "server_certificate_refused", [2]time.Duration{0, 0}},
		"a name that does not exist is final": {[]step{{err: &net.DNSError{Err: "no such host", IsNotFound: true}}, ok}, 1, "server_name_unknown", [2]time.Duration{0, 0}},
		"a name that nobody could look up is tried again": {[]step{{err: &net.DNSError{Err: "server misbehaving", IsTemporary: true}}, ok}, 2, "", [2]time.Duration{50 * time.Millisecond, 100 * time.Millisecond}},
		"a slow connection is final":                      {[]step{{err: &net.OpError{Op: "dial", Err: timeoutError{}}}, ok}, 1, "deadline_exceeded", [2]time.Duration{0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				client := clientOver(t, func(r *http.Request) (*http.Response, error) {
					attempts++
					now := row.steps[attempts-1]
					if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer "+secretToken {
						t.Errorf("attempt %d: %s with %q", attempts, r.Method, r.Header.Get("Authorization"))
					}
					if now.err != nil {
						return nil, now.err
					}
					if now.status == 200 {
						return answer(200, `{}`), nil
					}
					return answer(now.status, `{"error":{"code":"busy","message":"Come back later."}}`, "Retry-After", now.retryAfter, "Date", now.date), nil
				})
				start := time.Now()
				_, err := client.For(caller(secretToken)).Do(t.Context(), rs.Request{Path: "/v1/x"})
				waited := time.Since(start)
				var code rs.Code
				if err != nil {
					code = rs.AsError(err).Code
				}
				if code != row.code || attempts != row.attempts {
					t.Errorf("%d attempts, error %v; want %d attempts, code %q", attempts, err, row.attempts, row.code)
				}
				if waited < row.waits[0] || waited > row.waits[1] {
					t.Errorf("waited %s; want %s to %s", waited, row.waits[0], row.waits[1])
				}
				if code == "busy" && rs.AsError(err).Message != "Come back later." {
					t.Errorf("the last error's own sentence is lost: %v", err)
				}
			})
		})
	}
}

func TestRetryAfterIsReported(t *testing.T) {
	for name, row := range map[string]struct {
		header []string
		want   time.Duration
	}{
		"in seconds":                      {[]string{"Retry-After", "60"}, time.Minute},
		"as a date":                       {[]string{"Retry-After", "Fri, 02 Jan 2026 10:00:30 GMT", "Date", "Fri, 02 Jan 2026 10:00:00 GMT"}, 30 * time.Second},
		"a date without the answer's own": {[]string{"Retry-After", "Fri, 02 Jan 2026 10:00:30 GMT"}, 0},
		"at most a day":                   {[]string{"Retry-After", "Fri, 02 Jan 2027 10:00:30 GMT", "Date", "Fri, 02 Jan 2026 10:00:00 GMT"}, 24 * time.Hour},
		"absurd seconds are unsaid":       {[]string{"Retry-After", "99999999999999999999"}, 0},
		"unsaid":                          {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			client := clientOver(t, func(*http.Request) (*http.Response, error) { return answer(403, `{}`, row.header...), nil })
			_, err := client.For(caller(secretToken)).Do(t.Context(), rs.Request{Path: "/v1/x"})
			if got := rs.AsError(err).RetryAfter; got != row.want {
				t.Errorf("RetryAfter = %s, want %s", got, row.want)
			}
		})
	}
}

func TestReadTimeout(t *testing.T) {
	silent := roundTrip(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	slowBody := roundTrip(func(r *http.Request) (*http.Response, error) {
		response := answer(200, "")
		response.Body = io.NopCloser(readerFunc(func([]byte) (int, error) {
			<-r.Context().Done()
			return 0, r.Context().Err()
		}))
		return response, nil
	})
	for name, row := range map[string]struct {
		transport roundTrip
		caller    time.Duration // the caller's own deadline; 0 for none
		limit     time.Duration
		want      time.Duration
	}{
		"a server that says nothing is waited for so long as configured": {silent, 0, 7 * time.Second, 7 * time.Second},
		"the default is ten seconds":                                     {silent, 0, 0, 10 * time.Second},
		"the caller's own deadline ends it sooner":                       {silent, time.Second, 7 * time.Second, time.Second},
		"a body that does not come counts too":                           {slowBody, 0, 7 * time.Second, 7 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, err := rsclient.New(rsclient.Options{Base: "https://rs.example", Transport: row.transport, ReadTimeout: row.limit})
				if err != nil {
					t.Fatal(err)
				}
				ctx := t.Context()
				if row.caller > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, row.caller)
					defer cancel()
				}
				start := time.Now()
				_, err = client.For(caller(secretToken)).Do(ctx, rs.Request{Path: "/v1/x"})
				if e := rs.AsError(err); e.Code != "deadline_exceeded" || e.Hint == "" || strings.Contains(e.Message, "rs.example") {
					t.Errorf("error %v", err)
				}
				if waited := time.Since(start); waited != row.want {
					t.Errorf("waited %s, want %s", waited, row.want)
				}
			})
		})
	}
}

func TestHangUpEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		client := clientOver(t, func(*http.Request) (*http.Response, error) {
			attempts++
			return answer(503, `{}`, "Retry-After", "4"), nil
		})
		ctx, hangUp := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, hangUp)
		start := time.Now()
		_, err := client.For(caller(secretToken)).Do(ctx, rs.Request{Path: "/v1/x"})
		if rs.AsError(err).Code != "canceled" || attempts != 1 || time.Since(start) != time.Second {
			t.Errorf("%d attempts in %s: %v", attempts, time.Since(start), err)
		}
	})
}

// The answer of a read whose caller hangs up as it comes is closed, so that its connection is free.
func TestHangUpClosesTheAnswer(t *testing.T) {
	ctx, hangUp := context.WithCancel(t.Context())
	body := &closedBody{Reader: strings.NewReader(`{}`)}
	client := clientOver(t, func(*http.Request) (*http.Response, error) {
		hangUp()
		response := answer(200, "")
		response.Body = body
		return response, nil
	})
	_, err := client.For(caller(secretToken)).Do(ctx, rs.Request{Path: "/v1/x"})
	if rs.AsError(err).Code != "canceled" || !body.closed {
		t.Errorf("closed %v: %v", body.closed, err)
	}
}

type closedBody struct {
	io.Reader
	closed bool
}

func (b *closedBody) Close() error { b.closed = true; return nil }

// A retry is made only if more than a tenth of a second is left for it after the wait.
func TestAnAttemptWithoutTimeIsNotBegun(t *testing.T) {
	for left, want := range map[time.Duration]int{100 * time.Millisecond: 1, 101 * time.Millisecond: 2} {
		synctest.Test(t, func(t *testing.T) {
			attempts := 0
			client := clientOver(t, func(*http.Request) (*http.Response, error) {
				attempts++
				return answer(503, `{}`, "Retry-After", "1"), nil
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second+left)
			defer cancel()
			_, _ = client.For(caller(secretToken)).Do(ctx, rs.Request{Path: "/v1/x"})
			if attempts != want {
				t.Errorf("with %s left after the wait: %d attempts", left, attempts)
			}
		})
	}
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
