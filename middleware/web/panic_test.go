package web_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

func TestObserveRecovers(t *testing.T) {
	var log bytes.Buffer
	handler := func(pipeline http.HandlerFunc) http.Handler {
		return web.Observe(web.ChainOptions{Logger: zerolog.New(&log)})(pipeline)
	}
	request := httptest.NewRequest(http.MethodPost, "/mcp", nil)

	t.Run("a panic becomes a 500 that says nothing of it; the log has the stack and not the value", func(t *testing.T) {
		w := httptest.NewRecorder()
		handler(func(http.ResponseWriter, *http.Request) { panic("the cause") }).ServeHTTP(w, request)
		if w.Code != 500 || refusalCode(t, w.Body.Bytes()) != "internal_error" || strings.Contains(w.Body.String(), "the cause") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if text := log.String(); strings.Contains(text, "the cause") || !strings.Contains(text, "panic_test.go") {
			t.Errorf("log %s", text)
		}
	})
	t.Run("a panic after the answer has begun breaks the connection", func(t *testing.T) {
		defer func() {
			if fault := recover(); fault != any(http.ErrAbortHandler) {
				t.Errorf("recovered %v", fault)
			}
		}()
		handler(
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "half"); panic("late") },
		).ServeHTTP(
			httptest.NewRecorder(),
			request,
		)
	})
	t.Run("an abort stays an abort", func(t *testing.T) {
		defer func() {
			if fault := recover(); fault != any(http.ErrAbortHandler) {
				t.Errorf("recovered %v", fault)
			}
		}()
		handler(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }).ServeHTTP(httptest.NewRecorder(), request)
	})
}
