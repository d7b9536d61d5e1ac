package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/connect"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport"
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
				e := &embeddedServer{loaded: make(chan struct{})}
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
		e := &embeddedServer{loaded: make(chan struct{})}
		answer, begun := httptest.NewRecorder(), time.Now()
		e.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/v1/schema", nil))
		if waited := time.Since(begun); waited >= middleware.DefaultDeadline || answer.Code != http.StatusServiceUnavailable ||
			!strings.Contains(answer.Body.String(), "still being read") || answer.Header().Get("Retry-After") == "" {
			t.Errorf("after %s: %d %s", waited, answer.Code, answer.Body)
		}
	})
}

// The sample's own token is known, so that a session with the sample begins before it is loaded; any other token is
// asked about first.
func TestTheSampleIsNotAskedWhatItsTokenIs(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, `{"bearer":{"token_kind":"owner"}}`)
	}))
	defer server.Close()
	sample := provider{url: server.URL, own: rs.NewToken("t")}
	if _, principal, err := sample.pipeline(t.Context(), App{}, transport.PipelineOptions{Logger: zerolog.Nop()}, observe.Observation{}); err != nil ||
		principal.Admissible() != nil ||
		asked.Load() != 0 {
		t.Errorf("%+v, %v after %d questions", principal, err, asked.Load())
	}
	stored := credentials.Credential{ProviderURL: server.URL, Token: rs.NewToken("t")}
	sample.keepers = []*connect.Keeper{connect.NewKeeper(stored, "test", time.Now)}
	if _, principal, err := sample.pipeline(t.Context(), App{}, transport.PipelineOptions{Logger: zerolog.Nop()}, observe.Observation{}); err == nil ||
		asked.Load() != 1 {
		t.Errorf("%+v is let in after %d questions", principal, asked.Load())
	}
}

// Grants of a demo name the place of its resource server, which is the same at the next start; where another program has it, any other.
func TestTheDemosResourceServerKeepsItsPort(t *testing.T) {
	for listen, want := range map[string]string{"127.0.0.1:7710": "127.0.0.1:7711", ":7710": "127.0.0.1:7711", "127.0.0.1:0": "", "127.0.0.1:65535": "", "x": ""} {
		if got := portAfter(listen); got != want {
			t.Errorf("after %s: %q, want %q", listen, got, want)
		}
	}
	start := func(listen string) *embeddedServer {
		e, err := startEmbedded(
			t.Context(),
			embeddedConfig{listen: listen, progress: io.Discard, now: time.Now, log: zerolog.Nop(), behind: true},
		)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.close)
		return e
	}
	first := start("")
	second := start(strings.TrimPrefix(first.url, "http://"))
	if second.url == first.url {
		t.Error("two servers have one address")
	}
}
