package cli

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
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/connect"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// The token of the sample needs no introspection, so a session can begin before the sample is loaded; any other token is introspected
// first.
func TestTheTokenOfTheSampleIsNotIntrospected(t *testing.T) {
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

// A command that is stopped while it loads files ends like any other stopped command.
func TestAStoppedLoadEndsAsStopped(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.md"), []byte("A note."), 0o600); err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("interrupt signal received"))
	var said strings.Builder
	app := App{Out: io.Discard, Err: &said, Getenv: func(string) string { return "" }}
	code := Run(stopped, []string{"call", "schema", "--data", folder, "--db", filepath.Join(t.TempDir(), "index.db")}, app)
	if code != exitStopped || strings.Contains(said.String(), "context canceled") {
		t.Errorf("%d %s", code, said.String())
	}
}
