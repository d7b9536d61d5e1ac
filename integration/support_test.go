package integration

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// do makes a request and reads the complete answer.
func do(t *testing.T, request *http.Request) (int, http.Header, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(body)
}

// A read is one request to a resource server.
type read struct{ path, token string }

// isData reports whether a read would return records.
func (r read) isData() bool {
	return strings.HasPrefix(r.path, "/v1/streams") || strings.HasPrefix(r.path, "/v1/search") || strings.HasPrefix(r.path, "/v1/blobs")
}

// A watch is a proxy before a resource server that records the requests and their tokens.
type watch struct {
	*httptest.Server
	mu   sync.Mutex
	seen []read
}

// newWatch starts a proxy. change, if given, may modify answers.
func newWatch(t *testing.T, target string, change ...func(*http.Response) error) *watch {
	t.Helper()
	base, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(base) }}
	if len(change) > 0 {
		proxy.ModifyResponse = change[0]
	}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.seen = append(w.seen, read{r.URL.Path, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")})
		w.mu.Unlock()
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.Close)
	return w
}

// requests returns the reads so far.
func (w *watch) requests() []read {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]read(nil), w.seen...)
}

// structured decodes the structured content of a result.
func structured(result *mcp.CallToolResult, into any) error {
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// bearerTransport sends a token with every request.
type bearerTransport string

// RoundTrip adds the Authorization header.
func (t bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}
