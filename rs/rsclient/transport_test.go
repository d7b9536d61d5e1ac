package rsclient_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// HTTP/2 is used if the server offers it, and answers may be compressed.
func TestOverTLSReadsUseHTTP2(t *testing.T) {
	var protocol, packing string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol, packing = r.Proto, r.Header.Get("Accept-Encoding")
		_, _ = io.WriteString(w, `{}`)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	transport := rsclient.NewTransport()
	transport.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	defer transport.CloseIdleConnections()
	client, err := rsclient.New(rsclient.Options{Base: server.URL, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.For(rsclient.Caller{Token: rs.NewToken("t")}).Do(t.Context(), rs.Request{Path: "/v1/schema"}); err != nil {
		t.Fatal(err)
	}
	if protocol != "HTTP/2.0" || packing != "gzip" {
		t.Errorf("%s, Accept-Encoding %q", protocol, packing)
	}
}

// A server that takes a connection but does not answer the TLS handshake is given up after five seconds, as docs/limits.md says.
func TestAHandshakeEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := rsclient.NewTransport()
		transport.Proxy = nil
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, there) }()
			return here, nil
		}
		client, err := rsclient.New(rsclient.Options{Base: "https://rs.example", Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = client.ForToken(rs.NewToken("t")).Do(t.Context(), rs.Request{Path: "/v1/schema"})
		if code(err) != "deadline_exceeded" || time.Since(began) != 5*time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// IsLoopback accepts only names and addresses of this machine, for which plain http is allowed.
func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true,
		"192.0.2.1": false, "2001:db8::1": false, "rs.example": false, "localhost.example": false, "": false,
	} {
		if rsclient.IsLoopback(host) != want {
			t.Errorf("%q is this machine: %v", host, !want)
		}
	}
}

// If the connection is refused, the dialer returns an error and a nil connection.
func TestNoConnectionIsAnError(t *testing.T) {
	if connection, err := rsclient.NewTransport().DialContext(t.Context(), "tcp", "127.0.0.1:1"); err == nil || connection != nil {
		t.Errorf("a connection to nobody: %v", connection)
	}
	if kept := rsclient.NewTransport().IdleConnTimeout; kept != 90*time.Second {
		t.Errorf("an idle connection is kept for %s", kept)
	}
}

// Requests over plain http do not ask for compression, but a compressed answer is decompressed all the same.
func TestOverPlainHTTPNothingIsPacked(t *testing.T) {
	for name, body := range map[string]string{"an answer": `{"data":[]}`, "nothing": ""} {
		t.Run(name, func(t *testing.T) {
			packing := "unknown"
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				packing = r.Header.Get("Accept-Encoding")
				w.Header().Set("Content-Encoding", "GZIP")
				var packed bytes.Buffer
				zip := gzip.NewWriter(&packed)
				_, _ = io.WriteString(zip, body)
				_ = zip.Close()
				if body != "" {
					_, _ = packed.WriteTo(w)
				}
			}))
			defer server.Close()
			client, err := rsclient.New(rsclient.Options{Base: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.For(rsclient.Caller{Token: rs.NewToken("t")}).Do(t.Context(), rs.Request{Path: "/v1/blobs/b", Binary: true})
			if err != nil || response.Body != body || packing != "" {
				t.Errorf("%v, %v, Accept-Encoding %q", response, err, packing)
			}
		})
	}
}
