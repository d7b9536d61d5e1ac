package web_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// The body of a call may have 128 KiB, that of a sign-in request 32 KiB; one byte more is refused.
func TestBodyLimitByDefault(t *testing.T) {
	for size, status := range map[int]int{
		128 << 10: http.StatusOK, 128<<10 + 1: http.StatusRequestEntityTooLarge, 32 << 10: http.StatusOK, 32<<10 + 1: http.StatusRequestEntityTooLarge,
	} {
		options := web.ChainOptions{Authenticator: &webAuthority{}, Public: web.Public{Origin: "https://mcp.example"}, Logger: zerolog.Nop()}
		passed := options.AuthenticatedChain()
		if size < 128<<10 {
			passed = options.SignInChain()
		}
		chain := passed.ThenFunc(func(_ http.ResponseWriter, r *http.Request) {
			if n, err := io.Copy(io.Discard, r.Body); err != nil || n != int64(size) {
				t.Errorf("%d of %d bytes are read: %v", n, size, err)
			}
		})
		w := limited(chain, func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer good")
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat(" ", size))), int64(size)
		})
		if w.Code != status {
			t.Errorf("a body of %d bytes is answered %d, want %d", size, w.Code, status)
		}
	}
}

func TestBodyLimit(t *testing.T) {
	for _, test := range []struct {
		name   string
		body   io.Reader
		status int
		read   string
		large  bool
	}{
		{"a body at the limit is read", strings.NewReader("12345678"), 200, "12345678", false},
		{"one that announces more is refused unread", strings.NewReader("123456789"), 413, "", false},
		{"one that does not announce itself is cut", io.MultiReader(strings.NewReader("123456789")), 200, "12345678", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var read []byte
			var err error
			handler := web.BoundBody(8)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { read, err = io.ReadAll(r.Body) }))
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/mcp", test.body))
			var large *http.MaxBytesError
			if w.Code != test.status || string(read) != test.read || errors.As(err, &large) != test.large {
				t.Errorf("status %d, read %q, %v", w.Code, read, err)
			}
			if test.status == 413 && refusalCode(t, w.Body.Bytes()) != "request_too_large" {
				t.Errorf("body %s", w.Body)
			}
		})
	}
}

// A request with two lengths is refused and its connection closed: a proxy may take the rest for another request (request smuggling).
func TestTwoLengthsAreRefused(t *testing.T) {
	for name, row := range map[string]struct {
		head    *web.RequestHead // nil: no reader inspects heads
		chunked bool
		refused bool
	}{
		"one length":                            {&web.RequestHead{}, false, false},
		"chunks":                                {&web.RequestHead{}, true, false},
		"two lengths":                           {&web.RequestHead{TwoLengths: true}, true, true},
		"chunks, and a head that was not read":  {&web.RequestHead{Unseen: true}, true, true},
		"no chunks in a head that was not read": {&web.RequestHead{Unseen: true}, false, false},
		"nobody looks":                          {nil, true, false},
	} {
		entered := false
		handler := web.BoundBody(8)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { entered = true }))
		w := limited(handler, func(r *http.Request) {
			if row.chunked {
				r.TransferEncoding = []string{"chunked"}
			}
			if row.head != nil {
				*r = *r.WithContext(row.head.In(r.Context()))
			}
		})
		if refused := w.Code == http.StatusBadRequest && w.Header().Get("Connection") == "close"; refused != row.refused || entered == row.refused {
			t.Errorf("%s: %d, %v", name, w.Code, w.Header())
		}
		if row.refused && refusalCode(t, w.Body.Bytes()) != "invalid_request" {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
}
