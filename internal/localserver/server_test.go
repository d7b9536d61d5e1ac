package localserver

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
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

// What is asked of the sample before it is loaded is answered once it is, or when loading failed, as a failure.
func TestRequestsWaitForTheData(t *testing.T) {
	for name, row := range map[string]struct {
		resources http.Handler
		status    int
	}{
		"until they are loaded":          {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }), http.StatusOK},
		"until they could not be loaded": {nil, http.StatusInternalServerError},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &Server{loaded: make(chan struct{})}
				answer := httptest.NewRecorder()
				var answered atomic.Bool
				go func() {
					e.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/v1/schema", nil))
					answered.Store(true)
				}()
				synctest.Wait()
				if answered.Load() {
					t.Error("it is answered before the data are there")
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

// S3-R3: a first reading that takes long is said in time, with when to ask again, instead of a call that runs out of time.
func TestALongReadingIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Server{loaded: make(chan struct{})}
		answer, begun := httptest.NewRecorder(), time.Now()
		e.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/v1/schema", nil))
		if waited := time.Since(begun); waited >= middleware.DefaultDeadline || answer.Code != http.StatusServiceUnavailable ||
			!strings.Contains(answer.Body.String(), "still being read") || answer.Header().Get("Retry-After") == "" {
			t.Errorf("after %s: %d %s", waited, answer.Code, answer.Body)
		}
	})
}

// Where another program has the address, the server is at any other.
func TestAServerWhoseAddressIsTaken(t *testing.T) {
	start := func(listen string) *Server {
		e, err := Start(
			t.Context(),
			Config{Listen: listen, Progress: io.Discard, Now: time.Now, Log: zerolog.Nop(), Behind: true},
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
}

// Where no index can be made, the error names the file and what to do.
func TestAnIndexWhereNothingCanBeWritten(t *testing.T) {
	for _, keepTokens := range []bool{false, true} {
		db := filepath.Join(t.TempDir(), "none", "index.db")
		_, err := Start(t.Context(), Config{Data: t.TempDir(), DB: db, KeepTokens: keepTokens, Progress: io.Discard, Now: time.Now, Log: zerolog.Nop()})
		refused, ok := errors.AsType[*exit.Error](err)
		if !ok || refused.Code != exit.NotReady || !strings.Contains(refused.Message, "index.db") || !strings.Contains(refused.Message, "name another") {
			t.Errorf("with tokens to keep %v: %v", keepTokens, err)
		}
	}
}
