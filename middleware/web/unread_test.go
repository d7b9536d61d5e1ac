package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

func watching(next http.Handler) http.Handler {
	return web.Observe(web.ChainOptions{Logger: zerolog.Nop()})(next)
}

// A deadlineRecorder records the read deadline for the rest of a body.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (r *deadlineRecorder) SetReadDeadline(until time.Time) error {
	r.until = until
	return nil
}

// A client that does not send the rest of its body keeps its connection for only half a second after the answer.
func TestAnUnreadBodyWaitsHalfASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
		handler := watching(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader("{}")))
		if left := time.Until(w.until); left != 500*time.Millisecond {
			t.Errorf("the rest of the body is awaited for %s", left)
		}
	})
}

// A handler behind the chain can set a deadline of the connection through all ResponseWriters of the chain.
func TestTheConnectionIsReached(t *testing.T) {
	w, until := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}, time.Unix(1e9, 0)
	chain := web.ChainOptions{Authenticator: &webAuthority{}, Public: web.Public{Origin: "https://mcp.example"}, Logger: zerolog.Nop()}.AuthenticatedChain()
	request := httptest.NewRequest(http.MethodPost, "https://mcp.example/mcp", nil)
	request.Header.Set("Authorization", "Bearer good")
	chain.ThenFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).SetReadDeadline(until); err != nil {
			t.Error(err)
		}
	}).ServeHTTP(w, request)
	if !w.until.Equal(until) {
		t.Errorf("the deadline is %s", w.until)
	}
}

// closed is a ResponseWriter whose connection is closed.
type closed struct{ *httptest.ResponseRecorder }

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A handler gets the error when the connection is closed.
func TestAnAnswerThatCannotBeWritten(t *testing.T) {
	watching(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, err := io.WriteString(w, "answered"); err == nil {
			t.Error("it is written")
		}
	})).ServeHTTP(closed{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/mcp", nil))
}

func TestCloseUnread(t *testing.T) {
	for name, test := range map[string]struct {
		body   string
		answer http.HandlerFunc
		closed bool
	}{
		"an unread body, and a 200": {"{}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }, true},
		"an unread body, and a 401": {"{}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, true},
		"an unread body, and no status": {"{}", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "answered")
		}, true},
		"a body that was read in part": {"{}", func(w http.ResponseWriter, r *http.Request) {
			_, _ = r.Body.Read(make([]byte, 1))
			w.WriteHeader(http.StatusOK)
		}, true},
		"a body that was read": {"{}", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusOK)
		}, false},
		"a body that was read after early hints": {"{}", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusOK)
		}, false},
		"no body": {"", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(watching(test.answer))
			defer server.Close()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			response, err := server.Client().Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			if response.Close != test.closed {
				t.Errorf("the connection is closed: %v, want %v", response.Close, test.closed)
			}
		})
	}
}
