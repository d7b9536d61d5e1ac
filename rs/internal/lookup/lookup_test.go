package lookup_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/lookup"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

func TestAnEndpointIsAnHTTPURLWithoutCredentials(t *testing.T) {
	for _, endpoint := range []string{"", "as.example/introspect", "ftp://as.example", "https://", "https://a:b@as.example/introspect", "://"} {
		if _, err := lookup.New("introspection", "introspection", lookup.Options{Endpoint: endpoint}); err == nil || strings.Contains(err.Error(), "a:b") {
			t.Errorf("endpoint %q: %v", endpoint, err)
		}
	}
}

// statuses records the statuses of the reads.
type statuses struct {
	rsclient.Observer // its breaker does not change
	read              []int
}

func (s *statuses) Read(_ string, status int, _ time.Duration) { s.read = append(s.read, status) }
func (*statuses) Retried(string)                               {}

// An introspection is sent once more if the connection was closed, but not for a status. Its answer has at most 1 MiB.
func TestAQuestionIsPutTwiceAtMost(t *testing.T) {
	const bytes = 1 << 20
	large := func(bytes int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			const body = `{"active":false}`
			_, _ = io.WriteString(w, body+strings.Repeat(" ", bytes-len(body)))
		}
	}
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		asked  int64
		status int // as reported to the observer; 0 for no readable answer
	}{
		"a connection that is closed": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 2, 0},
		"an answer that breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
		}, 1, 0},
		"a status that may pass": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, 1, 503},
		"the largest answer":     {large(bytes), 1, 200},
		"a larger one":           {large(bytes + 1), 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				row.answer(w, r)
			}))
			defer server.Close()
			counted := &statuses{}
			endpoint, err := lookup.New("introspection", "introspection", lookup.Options{
				Endpoint: server.URL, ClientID: "c", ClientSecret: rs.NewToken("s"), NoBreaker: true, Observer: counted,
			})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := endpoint.Ask(t.Context(), rs.NewToken("t"))
			if (err == nil) != (row.status == 200) || err == nil && len(answer) != bytes || asked.Load() != row.asked || !slices.Equal(
				counted.read,
				[]int{row.status},
			) {
				t.Errorf("%d bytes, %v after %d questions, counted as %v", len(answer), err, asked.Load(), counted.read)
			}
		})
	}
}
