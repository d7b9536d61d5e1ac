//go:build unix

package doctor_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/doctor"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// If doctor is stopped, it says so, and does not report the check that it was making as failed.
func TestAStoppedCheckIsNotAFailure(t *testing.T) {
	stop := errors.New("interrupt signal received")
	for name, row := range map[string]struct{ at, want string }{
		"before it begins":                 {"", "configuration ok, credential ok"},
		"during a request to the provider": {"/.well-known/oauth-protected-resource", "configuration ok, credential ok"},
		"during introspection":             {"/v1/schema", "configuration ok, credential ok, provider ok, clock ok, metadata ok"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			p := newProvider(t)
			answer := p.Config.Handler
			p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == row.at {
					cancel(stop)
					<-r.Context().Done()
					return
				}
				answer.ServeHTTP(w, r)
			})
			if row.at == "" {
				cancel(stop)
			}
			o := doctor.Options{
				Root: cache(t, p.URL, "", 0o600), ProviderURL: p.URL, Program: filepath.Join(t.TempDir(), "absent"),
				Place: clients.Place{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }},
				Now:   func() time.Time { return now },
			}
			var out bytes.Buffer
			err := doctor.Run(ctx, o, func(found doctor.Report) error { return found.Print(&out) })
			var stopped *transport.StoppedError
			if !errors.As(err, &stopped) || !strings.Contains(err.Error(), stop.Error()) {
				t.Errorf("ends with %v", err)
			}
			if got := states(doctor.Examine(ctx, o)); got != "configuration ok, credential ok" {
				t.Errorf("after the last request: %s", got)
			}
			for _, finding := range strings.Split(row.want, ", ") {
				check, state, _ := strings.Cut(finding, " ")
				if !strings.Contains(out.String(), state+"    "+check) {
					t.Errorf("%s is missing in\n%s", finding, &out)
				}
			}
			if strings.Contains(out.String(), doctor.Fail) && !strings.Contains(out.String(), "0 failed") || strings.Contains(
				out.String(),
				"cannot be reached",
			) {
				t.Errorf("something is blamed:\n%s", &out)
			}
		})
	}
}

// If a client's file is a pipe, it is reported, and doctor does not wait for it.
func TestAPipeInPlaceOfAClientsFileIsReported(t *testing.T) {
	place := clients.Place{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }}
	var pipes int
	for _, client := range clients.All() {
		path := client.Path(place)
		if path == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil && !errors.Is(err, os.ErrExist) { // two clients may have the same file
			t.Fatal(err)
		}
		pipes++
		_, err := clients.Plan(path, func(before []byte) ([]byte, error) { return before, nil })
		var refusal *clients.RefusedError
		if !errors.As(err, &refusal) {
			t.Errorf("%s: %v", client.Name, err)
		}
	}
	report := doctor.Examine(
		t.Context(),
		doctor.Options{Program: filepath.Join(t.TempDir(), "absent"), Place: place, Now: func() time.Time { return now }},
	)
	named := 0
	for _, finding := range report.Findings {
		if finding.Check == "client" && finding.Status == doctor.Warn && strings.Contains(
			finding.Message,
			"is not a regular file",
		) && finding.Next != "" {
			named++
		}
	}
	if pipes == 0 || named != pipes {
		t.Errorf("of %d pipes %d are named: %+v", pipes, named, report.Findings)
	}
}
