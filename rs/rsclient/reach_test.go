package rsclient_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

func TestReach(t *testing.T) {
	for name, row := range map[string]struct {
		status int
		want   rs.Code // "" if it is reachable
	}{
		"a document is an answer":            {200, ""},
		"a refusal is an answer":             {401, ""},
		"so is not knowing":                  {404, ""},
		"so is a redirect, not followed":     {302, ""},
		"so is being asked to slow down":     {429, ""},
		"a proxy before nothing is none":     {502, "server_unreachable"},
		"a server that is starting is none":  {503, "server_unreachable"},
		"a server that fails it all is none": {500, "server_unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				if r.Header.Get("Authorization") != "" || r.URL.Path != "/base/.well-known/oauth-protected-resource" {
					t.Errorf("asked %s with %q", r.URL, r.Header.Get("Authorization"))
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(row.status)
			}))
			defer server.Close()
			checkReach(t.Context(), t, server.URL+"/base", row.want)
			if asked != 1 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
	t.Run("nobody listens", func(t *testing.T) { checkReach(t.Context(), t, "http://127.0.0.1:1", "server_unreachable") })
	t.Run("nobody waits", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		checkReach(ctx, t, "http://127.0.0.1:1", "canceled")
	})
}

// A probe reads at most 16 KiB of an endless answer.
func TestAProbeReadsSoMuch(t *testing.T) {
	read := 0
	client := clientOver(t, func(*http.Request) (*http.Response, error) {
		response := answer(200, "")
		response.Body = io.NopCloser(readerFunc(func(p []byte) (int, error) { read += len(p); return len(p), nil }))
		return response, nil
	})
	if err := client.Reach(t.Context()); err != nil || read != 16<<10 {
		t.Errorf("%d bytes are read: %v", read, err)
	}
}

func checkReach(ctx context.Context, t *testing.T, base string, want rs.Code) {
	t.Helper()
	client, err := rsclient.New(rsclient.Options{Base: base})
	if err != nil {
		t.Fatal(err)
	}
	var got *rs.Error
	if err := client.Reach(ctx); err != nil && !errors.As(err, &got) {
		t.Fatalf("%T", err)
	}
	if got == nil && want != "" || got != nil && got.Code != want {
		t.Errorf("got %v, want %q", got, want)
	}
}
