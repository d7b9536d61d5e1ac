package integration

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// If the Content-Length of an answer is too short, the bytes after it may contain records; they must not reach a log.
func TestBytesAfterAnAnswerAreNotLogged(t *testing.T) {
	const secret = "bytes-of-a-record"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := `{"object":"list","data":[],"has_more":false}`
		if r.URL.Path == "/v1/schema" {
			text = `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"connectors":[]}`
		}
		if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_, _ = fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s%s", len(text), text, strings.Repeat(secret, 10))
		}
	}))
	defer server.Close()
	url, process := serve(t, "--rs-url", server.URL)
	for range 20 {
		if status, _, text := post(t, url, "a-token", readOf("notes")); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	line, err := process.stderr.find(callTime, func(line string) bool {
		return strings.Contains(line, secret) || strings.Contains(line, "a library reported a fault")
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, process.stderr)
	}
	if log := process.stderr.String(); strings.Contains(log, secret) {
		t.Errorf("the log shows %s", line)
	}
}
