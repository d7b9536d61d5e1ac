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
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/connect"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// If the credential could not be stored, nothing is requested from the server.
func TestConnectChecksTheCacheFirst(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("unexpected request for %s", r.URL) }))
	defer server.Close()
	root := filepath.Join(t.TempDir(), "root")
	if err := os.WriteFile(root, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := connectCommand{Request: connect.Request{Source: "mail", Way: "auto"}, cacheFlags: cacheFlags{root}}.run(t.Context(), App{}, server.URL)
	var failed *exit.Error
	if !errors.As(err, &failed) || failed.Code != exit.CannotWrite || !strings.Contains(failed.Message, "the owner was not asked") {
		t.Error(err)
	}
}

// A flag with an empty value is refused before anything is done.
func TestConnectRefusesFlagsThatAreEmpty(t *testing.T) {
	root := t.TempDir()
	for _, flag := range []string{"--source", "--connection", "--stream", "--field", "--since", "--name"} {
		for _, words := range [][]string{{flag, ""}, {flag + "="}, {flag, " "}, {flag, ","}, {"--stream", "messages", flag, ""}} {
			var output strings.Builder
			app := App{Out: io.Discard, Err: &output, Getenv: func(string) string { return "" }}
			args := append([]string{"connect", "http://127.0.0.1:1", "--cache-root", root, "--source", "mail"}, words...)
			if code := Run(t.Context(), args, app); code != exit.Usage || !strings.Contains(output.String(), flag+" is empty") {
				t.Errorf("%q: exit %d with %s", words, code, output.String())
			}
		}
	}
}

// Waiting for a line ends with the context, and returns a line that was entered.
func TestReadLineEndsWithItsContext(t *testing.T) {
	in, typed := io.Pipe()
	defer typed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if line, err := readLine(ctx, App{In: in}); !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", line, err)
	}
	if line, err := readLine(t.Context(), App{In: strings.NewReader(" cex_1 \n")}); err != nil || line != "cex_1" {
		t.Errorf("%q, %v", line, err)
	}
	if line, err := readLine(t.Context(), App{In: strings.NewReader("\n")}); err == nil {
		t.Errorf("%q", line)
	}
}

// A grant is stored even without a home folder; then no client to set up is named, and connect does not fail.
func TestWithoutAHomeNoClientIsNamed(t *testing.T) {
	for _, name := range []string{"HOME", "USERPROFILE", "home"} {
		t.Setenv(name, "")
	}
	var out strings.Builder
	if (providerFlags{ProviderURL: "https://rs.example"}).printNextSteps(App{Getenv: os.Getenv, Out: &out}); out.Len() > 0 {
		t.Error(out.String())
	}
}

// Ctrl-C while another program has the lock is reported as an interrupt, not as a disk error.
func TestAWaitForTheLockCanBeInterrupted(t *testing.T) {
	root := t.TempDir()
	unlock, err := credentials.Lock(t.Context(), filepath.Join(root, "clients", "places"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if err := (connectCommand{Request: connect.Request{Source: "mail", Way: "auto"}, cacheFlags: cacheFlags{root}}).run(ctx, App{}, "http://127.0.0.1:1"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
