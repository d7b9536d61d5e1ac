package transport_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// probe asks a Health, and returns its status and body.
func probe(h http.Handler, method, path string) (int, string) {
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
	return answer.Code, strings.TrimSpace(answer.Body.String())
}

func expectProbe(t *testing.T, h http.Handler, path string, wantStatus int, want string) {
	t.Helper()
	if status, body := probe(h, http.MethodGet, path); status != wantStatus || body != want {
		t.Errorf("%s: %d %s; want %d %s", path, status, body, wantStatus, want)
	}
}

func TestReadyOnlyWhileItServes(t *testing.T) {
	h := transport.NewHealth(zerolog.Nop(), nil)
	expectProbe(t, h, web.ReadyPath, 503, `{"status":"starting"}`)
	expectProbe(t, h, web.LivePath, 200, `{"status":"live"}`)
	h.Serve()
	expectProbe(t, h, web.ReadyPath, 200, `{"status":"ready"}`)
	h.Drain()
	expectProbe(t, h, web.ReadyPath, 503, `{"status":"draining"}`)
	expectProbe(t, h, web.LivePath, 200, `{"status":"live"}`)
	if status, _ := probe(h, http.MethodHead, web.ReadyPath); status != 503 {
		t.Errorf("HEAD: %d", status)
	}
	if status, body := probe(h, http.MethodPost, web.LivePath); status != 405 || !strings.Contains(body, `"method_not_allowed"`) {
		t.Errorf("POST: %d %s", status, body)
	}
}

// The clock stands still except while everybody waits.
func TestAResultIsBelievedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked int
		var fault error
		var log bytes.Buffer
		h := transport.NewHealth(zerolog.New(&log), map[string]func(context.Context) error{"source": func(context.Context) error { asked++; return fault }})
		h.Serve()
		for _, row := range []struct {
			name  string
			wait  time.Duration
			fault error
			state string
			asked int
		}{
			{"the first is asked", 0, nil, "reachable", 1},
			{"the next is remembered", 4999 * time.Millisecond, errors.New("https://user:secret@rs.example is down"), "reachable", 1},
			{"after five seconds it is asked again", time.Millisecond, errors.New("https://user:secret@rs.example is down"), "unreachable", 2},
			{"a failure is remembered as long", 4999 * time.Millisecond, nil, "unreachable", 2},
			{"and then is over", time.Millisecond, nil, "reachable", 3},
		} {
			time.Sleep(row.wait)
			fault = row.fault
			status, body := probe(h, http.MethodGet, web.ReadyPath)
			if asked != row.asked || !strings.Contains(body, `"source":"`+row.state+`"`) || (status == 200) != (row.state == "reachable") {
				t.Errorf("%s: asked %d times, %d %s", row.name, asked, status, body)
			}
		}
		if text := log.String(); strings.Count(text, "\n") != 2 || strings.Contains(text, "secret") {
			t.Errorf("one line for each change is wanted, and no cause:\n%s", text)
		}
	})
}

func TestOneQuestionAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		h := transport.NewHealth(zerolog.Nop(), map[string]func(context.Context) error{
			"mute": func(ctx context.Context) error { asked.Add(1); <-ctx.Done(); return ctx.Err() },
			"slow": func(context.Context) error { time.Sleep(time.Second); return nil },
		})
		h.Serve()
		begun := time.Now()
		var probes sync.WaitGroup
		for range 50 {
			probes.Go(func() {
				expectProbe(t, h, web.ReadyPath, 503, `{"status":"not_ready","checks":{"mute":"unreachable","slow":"reachable"}}`)
			})
		}
		probes.Wait()
		if took := time.Since(begun); asked.Load() != 1 || took != transport.DefaultHealthTimeout {
			t.Errorf("%d questions in %s", asked.Load(), took)
		}
	})
}

// A prober who hangs up does not make the check fail for the others.
func TestAQuestionOutlivesItsAsker(t *testing.T) {
	h := transport.NewHealth(
		zerolog.Nop(), map[string]func(context.Context) error{"source": func(ctx context.Context) error { return ctx.Err() }},
	)
	h.Serve()
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, web.ReadyPath, nil))
	if answer.Code != 200 {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

// Who mounts the handler without a Health serves no probes.
func TestNoProbesWithoutHealth(t *testing.T) {
	f := newFixture(t, echo)
	for _, path := range []string{web.LivePath, web.ReadyPath} {
		if got := f.send(t, http.MethodGet, path, "", nil); got.status != http.StatusNotFound && got.status != http.StatusMisdirectedRequest {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// Probes come for ever, every few seconds: they are no news.
func TestProbesAreLoggedAtDebug(t *testing.T) {
	for level, want := range map[zerolog.Level]bool{zerolog.InfoLevel: false, zerolog.DebugLevel: true} {
		var log bytes.Buffer
		health := transport.NewHealth(zerolog.Nop(), nil)
		handler := transport.Handler(transport.HandlerOptions{
			Server: testServer(echo, io.Discard), Authenticator: &authority{}, Health: health, Logger: zerolog.New(&log).Level(level),
		})
		expectProbe(t, handler, web.LivePath, 200, `{"status":"live"}`)
		if got := strings.Contains(log.String(), `"path":"/livez"`); got != want {
			t.Errorf("at %s the log is %q", level, &log)
		}
	}
}

// While one probe asks again, no other gets what was found too long ago.
func TestNoProbeGetsAnOldResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := false
		h := transport.NewHealth(zerolog.Nop(), map[string]func(context.Context) error{
			"source": func(context.Context) error {
				time.Sleep(time.Second)
				if fails {
					return errors.New("down")
				}
				return nil
			},
		})
		h.Serve()
		expectProbe(t, h, web.ReadyPath, 200, `{"status":"ready","checks":{"source":"reachable"}}`)
		time.Sleep(time.Hour)
		fails = true
		var probes sync.WaitGroup
		for range 2 {
			probes.Go(func() {
				expectProbe(t, h, web.ReadyPath, 503, `{"status":"not_ready","checks":{"source":"unreachable"}}`)
			})
		}
		probes.Wait()
	})
}
