package localserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// Requests to the sample before it is loaded are answered when it is, or fail if loading fails.
func TestRequestsWaitForTheData(t *testing.T) {
	for name, row := range map[string]struct {
		resources http.HandlerFunc
		status    int
	}{
		"until they are loaded":          {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }, http.StatusOK},
		"until they could not be loaded": {refusal(http.StatusInternalServerError, "index_failed", ""), http.StatusInternalServerError},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &Server{loaded: make(chan struct{})}
				answer := httptest.NewRecorder()
				var answered atomic.Bool
				go func() {
					e.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/schema", nil))
					answered.Store(true)
				}()
				synctest.Wait()
				if answered.Load() {
					t.Error("a request is answered before the data are loaded")
				}
				e.resources = row.resources
				close(e.loaded)
				synctest.Wait()
				if !answered.Load() || answer.Code != row.status {
					t.Errorf("answered %v, status %d, want %d", answered.Load(), answer.Code, row.status)
				}
			})
		})
	}
}

// A page of another site whose name was made to resolve to this machine (DNS rebinding) reads nothing, not even what needs no token.
func TestAnotherHostNameReadsNothing(t *testing.T) {
	e := &Server{URL: "http://127.0.0.1:7711", loaded: make(chan struct{}), resources: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }}
	close(e.loaded)
	for host, status := range map[string]int{
		"127.0.0.1:7711": http.StatusOK, "localhost:7711": http.StatusOK, "LOCALHOST:8000": http.StatusOK, "[::1]:7711": http.StatusOK, "127.0.0.1": http.StatusOK,
		"evil.example:7711": http.StatusMisdirectedRequest, "evil.example": http.StatusMisdirectedRequest, "localhost.evil.example:7711": http.StatusMisdirectedRequest,
		"127.0.0.1.evil.example": http.StatusMisdirectedRequest, "localhost:7711@evil.example": http.StatusMisdirectedRequest, "": http.StatusMisdirectedRequest,
	} {
		for _, path := range []string{"/.well-known/oauth-protected-resource", "/connectors/slack", "/v1/schema", "/"} {
			answer, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = host
			if e.ServeHTTP(answer, r); answer.Code != status {
				t.Errorf("%q %s: %d %s, want %d", host, path, answer.Code, answer.Body, status)
			}
		}
	}
}

// Records loaded before an interruption stay in the index; this start and the next one say so.
func TestAnInterruptedLoadContinues(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "n\n1\n2\n", "b.csv": "n\n" + strings.Repeat("1\n", 60_000)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var seconds int64
	now := func() time.Time { seconds += 2; return time.Unix(seconds, 0) }
	db := filepath.Join(t.TempDir(), "index.db")
	for _, row := range []struct {
		stopAt, said string
	}{
		{" loaded 2", "pdpp-mcp: interrupted while loading: what was loaded to its end is kept, and the next start goes on from there\n"},
		{"never", "pdpp-mcp: 1 of 2 streams were loaded before; going on with the others\n"},
	} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		progress := stopper{at: row.stopAt, stop: stop}
		server, err := Start(ctx, Config{Data: dir, DB: db, Progress: &progress, Now: now, Log: zerolog.Nop(), InBackground: true})
		if err != nil {
			t.Fatal(err)
		}
		<-server.loaded
		if ctx.Err() == nil && len(server.Connectors()[0].Streams) != 2 {
			t.Errorf("streams: %v", server.Connectors())
		}
		server.Close()
		if !strings.Contains(progress.String(), row.said) {
			t.Errorf("output:\n%s\nwant %s", progress.String(), row.said)
		}
	}
}

// A read of a file that does not stop when it is cancelled does not keep the process from ending.
func TestEndingDoesNotWaitForTheReading(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("a,b\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, behind := range []bool{true, false} {
		stuck := stuckWriter{begun: make(chan struct{}), goOn: make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			server, err := Start(ctx, Config{Data: dir, Progress: &stuck, Now: time.Now, Log: zerolog.Nop(), InBackground: behind})
			if err == nil {
				<-ctx.Done()
				server.Close()
			}
			ended <- err
		}()
		<-stuck.begun
		stop()
		select {
		case err := <-ended:
			if (err == nil) != behind {
				t.Errorf("with %v: %v", behind, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("with %v: it does not end", behind)
		}
		close(stuck.goOn)
	}
}

// A stuckWriter does not return from its first write.
type stuckWriter struct {
	stuck       atomic.Bool
	begun, goOn chan struct{}
}

func (s *stuckWriter) Write(text []byte) (int, error) {
	if s.stuck.CompareAndSwap(false, true) {
		close(s.begun)
		<-s.goOn
	}
	return len(text), nil
}

// A stopper records what is written, and interrupts when that contains a text.
type stopper struct {
	strings.Builder
	at   string
	stop func()
}

func (s *stopper) Write(text []byte) (int, error) {
	if strings.Contains(string(text), s.at) {
		s.stop()
	}
	return s.Builder.Write(text)
}

// S3-R3: if the first reading takes long, the call says when to ask again instead of timing out.
func TestALongReadingSaysWhenToAskAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Server{loaded: make(chan struct{})}
		answer, begun := httptest.NewRecorder(), time.Now()
		e.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/schema", nil))
		if waited := time.Since(begun); waited >= middleware.DefaultDeadline || answer.Code != http.StatusServiceUnavailable ||
			!strings.Contains(answer.Body.String(), "still being read") || answer.Header().Get("Retry-After") == "" {
			t.Errorf("after %s: %d %s", waited, answer.Code, answer.Body)
		}
	})
}

// If another program has the address, the server uses another one.
func TestAServerWhoseAddressIsTaken(t *testing.T) {
	start := func(listen string) *Server {
		e, err := Start(
			t.Context(),
			Config{Listen: listen, Progress: io.Discard, Now: time.Now, Log: zerolog.Nop(), InBackground: true},
		)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Close)
		return e
	}
	first := start("")
	second := start(strings.TrimPrefix(first.URL, "http://"))
	if second.URL == first.URL {
		t.Error("two servers have one address")
	}
	if first.OwnerSecret == second.OwnerSecret || len(first.OwnerSecret)*5 < 64 { // bits: guesses are not limited
		t.Error("the owner's secret can be guessed")
	}
}

// If the index cannot be created, the error names the file and what to do.
func TestAnIndexThatCannotBeCreated(t *testing.T) {
	for _, keepTokens := range []bool{false, true} {
		db := filepath.Join(t.TempDir(), "none", "index.db")
		_, err := Start(t.Context(), Config{Data: t.TempDir(), DB: db, KeepTokens: keepTokens, Progress: io.Discard, Now: time.Now, Log: zerolog.Nop()})
		refused, ok := errors.AsType[*exit.Error](err)
		if !ok || refused.Code != exit.NotReady || !strings.Contains(refused.Message, "index.db") || !strings.Contains(refused.Message, "name another") {
			t.Errorf("with tokens to keep %v: %v", keepTokens, err)
		}
	}
}
