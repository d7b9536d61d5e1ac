package transport_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// deadlines counts the answers of 20 MiB that are to be received within 45 seconds.
type deadlines struct {
	http.ResponseWriter
	set *atomic.Int64
}

func (d deadlines) SetWriteDeadline(t time.Time) error {
	if left := time.Until(t); left > 44*time.Second && left <= 46*time.Second {
		d.set.Add(1)
	}
	return nil
}

// A blob counts among the answers in memory until its client has received it; any other large answer until it is rendered.
func TestABlobCountsUntilItIsSent(t *testing.T) {
	const bytes = 15 << 20 // much more than the buffers of a connection hold
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/blobs/") {
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write(make([]byte, bytes))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(
			w,
			`{"object":"list","data":[{"object":"record","id":"r","stream":"s","data":{"x":%q}}],"has_more":false}`,
			strings.Repeat("x", bytes),
		)
	}))
	defer source.Close()
	client, err := rsclient.New(rsclient.Options{Base: source.URL, ReadTimeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	blob := fmt.Sprintf(`{"uri":%q}`, render.BlobQuery{BlobID: "b"}.URI())
	handler := transport.Handler(transport.HandlerOptions{
		Server: transport.NewPipeline(
			transport.PipelineOptions{Client: client, Logger: zerolog.Nop()},
		), Authenticator: &authority{}, Logger: zerolog.Nop(),
	})
	var bounded atomic.Int64 // answers whose sending has a deadline
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(deadlines{w, &bounded}, r) }),
	)
	defer server.Close()
	// send returns a connection over which a call was sent, and the status of its answer, whose body is not read.
	send := func(method, params string) (*bufio.Reader, net.Conn) {
		connection, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
		_, err = fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: %s\r\n"+
			"Authorization: Bearer good-token-1\r\nContent-Type: application/json\r\n"+
			"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
			web.EndpointPath, server.Listener.Addr(), len(body), body)
		if err != nil {
			t.Fatal(err)
		}
		reader := bufio.NewReader(connection)
		if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("%q, %v", line, err)
		}
		return reader, connection
	}
	read := func() string {
		reader, connection := send("resources/read", blob)
		defer func() { _ = connection.Close() }()
		text, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		return string(text[:min(len(text), 2000)])
	}

	_, records := send("tools/call", `{"name":"query_records","arguments":{"stream":"s"}}`)
	defer func() { _ = records.Close() }()
	if got := read(); !strings.Contains(got, `"blob":"`) {
		t.Fatalf("while an answer waits that is no blob: %.500s", got)
	}
	if bounded.Load() != 1 {
		t.Errorf("of a blob and records %d had to be received within 45 seconds", bounded.Load())
	}
	slow, connection := send("resources/read", blob)
	if got := read(); !strings.Contains(got, "too_many_calls") {
		t.Errorf("a second blob of the grant: %.500s", got)
	}
	go func() { _, _ = io.Copy(io.Discard, slow) }()
	defer func() { _ = connection.Close() }()
	for range 10 { // each try waits for as long as a read may take
		if strings.Contains(read(), `"blob":"`) {
			return
		}
	}
	t.Error("a blob that was received still counts")
}
