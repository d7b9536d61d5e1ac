package rsclient_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// A scripted listener sends raw bytes on each connection and counts the connections.
type scripted struct {
	url         string
	connections atomic.Int32
}

func listen(t *testing.T, speak func(net.Conn)) *scripted {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{url: "http://" + listener.Addr().String()}
	done := make(chan struct{})
	t.Cleanup(func() { _ = listener.Close(); <-done })
	go func() {
		defer close(done)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			s.connections.Add(1)
			speak(connection)
			_ = connection.Close()
		}
	}()
	return s
}

// raw reads a request and answers with raw bytes.
func raw(text string) func(net.Conn) {
	return func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, text)
	}
}

func readRequest(c net.Conn) {
	buffer := make([]byte, 4096)
	for all := ""; !strings.Contains(all, "\r\n\r\n"); {
		n, err := c.Read(buffer)
		if err != nil {
			return
		}
		all += string(buffer[:n])
	}
}

// reset ends a connection with RST instead of FIN.
func reset(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

func http200(headers, body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n" + headers + "\r\n" + body
}

func length(n int) string { return "Content-Length: " + strconv.Itoa(n) + "\r\n" }

// Every fault of a server has its own code and message. Only transient faults are retried.
func TestFaultsOfAServer(t *testing.T) {
	whole := gzipped(`{"data":[` + strings.Repeat(`"abcdefgh",`, 200) + `"z"]}`)
	badSum := []byte(whole)
	badSum[len(badSum)-6] ^= 0xff // in the checksum
	flipped := []byte(whole)
	flipped[10] = 0xff // an invalid block type
	for name, row := range map[string]struct {
		speak    func(net.Conn)
		code     rs.Code
		says     string
		status   int
		attempts int32
	}{
		"the connection is closed before the answer": {readRequest, "server_unreachable", "closed the connection before it answered", 0, 3},
		"the connection is reset before the answer":  {func(c net.Conn) { readRequest(c); reset(c) }, "server_unreachable", "closed the connection before it answered", 0, 3},
		"the answer is not HTTP":                     {raw("SSH-2.0-OpenSSH_9.7\r\n"), "server_unreachable", "could not be reached", 0, 3},
		"the headers break off":                      {raw("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"), "server_unreachable", "closed the connection before it answered", 0, 3},
		"the body is cut short of its announced length": {
			raw(http200(length(100), `{"data":[]}`)), "response_truncated", "broke off", 0, 1,
		},
		"the connection is reset in the middle of the body": {
			func(c net.Conn) { raw(http200(length(1<<20), `{"data":[`))(c); reset(c) }, "response_truncated", "broke off", 0, 1,
		},
		"the body is cut between chunks": {
			raw(http200("Transfer-Encoding: chunked\r\n", "b\r\n{\"data\":[]}\r\n")), "response_truncated", "broke off", 0, 1,
		},
		"a chunk's length is no number": {
			raw(http200("Transfer-Encoding: chunked\r\n", "zz\r\n{\"data\":[]}\r\n0\r\n\r\n")), "response_truncated", "broke off", 0, 1,
		},
		"the announced length is too short": {
			raw(http200(length(5), `{"data":[]}`)), "invalid_response", `5 bytes of type "application/json" where JSON is expected`, 200, 1,
		},
		"the announced length is no number": {
			raw(http200("Content-Length: many\r\n", `{}`)), "server_unreachable", "could not be reached", 0, 3,
		},
		"the compression is none": {
			raw(http200("Content-Encoding: gzip\r\n"+length(11), `{"data":[]}`)), "response_undecodable", "could not be decompressed", 0, 1,
		},
		"the compression's checksum is wrong": {
			raw(http200("Content-Encoding: gzip\r\n"+length(len(badSum)), string(badSum))), "response_undecodable", "could not be decompressed", 0, 1,
		},
		"the compressed bytes are damaged": {
			raw(http200("Content-Encoding: gzip\r\n"+length(len(flipped)), string(flipped))), "response_undecodable", "could not be decompressed", 0, 1,
		},
		"the compressed bytes end too early": {
			raw(http200("Content-Encoding: gzip\r\n"+length(len(whole)-9), whole[:len(whole)-9])), "response_truncated", "broke off", 0, 1,
		},
		"the size limit holds for what comes out of a compressed body": {
			raw(http200("Content-Encoding: gzip\r\n", gzipped(`"`+strings.Repeat(" ", 8<<20)+`"`))), "response_too_large", "larger than 65536 bytes", 0, 1,
		},
		"a compression that nobody asked for": {
			raw(http200("Content-Encoding: br\r\n"+length(4), "\x8b\x01\x80{")), "response_undecodable", "could not be decompressed", 0, 1,
		},
		"a compression twice": {
			raw(http200("Content-Encoding: gzip, gzip\r\n", gzipped(gzipped(`{}`)))), "response_undecodable", "could not be decompressed", 0, 1,
		},
		"a part of an answer, although all of it was asked for": {
			raw("HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Range: bytes 0-10/90\r\n\r\n" + `{"data":[]}`),
			"response_truncated", "broke off", 0, 1,
		},
		"a redirect to an invalid address": {
			raw("HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: http://[::1\r\n\r\n"), "redirect_refused", "redirect (302)", 302, 1,
		},
		"a redirect whose body breaks off": {
			raw("HTTP/1.1 307 Away\r\nLocation: /\r\n" + length(100) + "\r\n"), "redirect_refused", "redirect (307)", 307, 1,
		},
		"D7 a 401 whose body breaks off": {
			raw("HTTP/1.1 401 No\r\n" + length(100) + "\r\n{"), "upstream_error", "answered 401 (Unauthorized)", 401, 1,
		},
		"D7 a 401 whose body is too large": {
			raw("HTTP/1.1 401 No\r\n" + length(1<<20) + "\r\n" + strings.Repeat(" ", 1<<20)),
			"upstream_error", "answered 401 (Unauthorized)", 401, 1,
		},
		"D25 a 403 in a compression that nobody asked for": {
			raw("HTTP/1.1 403 No\r\nContent-Encoding: br\r\n" + length(1) + "\r\n{"), "upstream_error", "answered 403 (Forbidden)", 403, 1,
		},
		"a page of HTML with 200": {
			raw("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n\r\n<html>login</html>"), "invalid_response", `18 bytes of type "text/html"`, 200, 1,
		},
		"a page of HTML with 500": {
			raw("HTTP/1.1 500 Oops\r\nConnection: close\r\nContent-Type: text/html\r\n\r\n<html>oops</html>"), "upstream_error", "answered 500 (Internal Server Error)", 500, 1,
		},
		"a page of HTML with 502": {
			raw("HTTP/1.1 502 Bad\r\nConnection: close\r\nContent-Type: text/html\r\n\r\n<html>nginx</html>"), "upstream_error", "answered 502 (Bad Gateway)", 502, 3,
		},
		"200 with nothing": {
			raw(http200(length(0), "")), "invalid_response", "an empty body", 200, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := listen(t, row.speak)
			client, err := rsclient.New(rsclient.Options{Base: server.url, MaxResponseBytes: 64 << 10})
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.For(caller(secretToken)).Do(t.Context(), rs.Request{Path: "/v1/x"})
			if response != nil || err == nil {
				t.Fatalf("%v, %v", response, err)
			}
			e := rs.AsError(err)
			if e.Code != row.code || !strings.Contains(e.Message, row.says) || e.Status != row.status || e.Hint == "" && e.Status < 400 {
				t.Errorf("%s (%d): %s %s (cause %v)", e.Code, e.Status, e.Message, e.Hint, e.Cause)
			}
			if got := server.connections.Load(); got != row.attempts {
				t.Errorf("%d attempts, want %d", got, row.attempts)
			}
			if strings.Contains(e.Message+e.Hint, "127.0.0.1") {
				t.Errorf("the address is shown: %s", e.Message)
			}
		})
	}
}

func TestFaultsOfTheWay(t *testing.T) {
	var attempts atomic.Int32
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }))
	secure.Listener = counting{secure.Listener, &attempts}
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }))
	defer plain.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(secure.Certificate())
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	nobody := &net.Resolver{
		PreferGo: true,
		Dial:     func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no resolver") },
	}
	dialled := func(dial func(context.Context, string, string) (net.Conn, error)) *http.Transport {
		return &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			attempts.Add(1)
			return dial(ctx, network, address)
		}}
	}
	for name, row := range map[string]struct {
		base      string
		transport http.RoundTripper
		code      rs.Code
		says      string
		attempts  int32
	}{
		"a refused connection is tried again": {
			"http://" + closed.Addr().String(), dialled(new(net.Dialer).DialContext), "server_unreachable", "could not be reached", 3,
		},
		"a name that nobody resolves": {
			"http://rs.example", dialled((&net.Dialer{Resolver: nobody}).DialContext), "server_name_unknown", "could not be resolved", 3,
		},
		"a certificate of an unknown issuer is final": {
			secure.URL, &http.Transport{TLSClientConfig: &tls.Config{}}, "server_certificate_refused", "certificate could not be verified", 1,
		},
		"a certificate of another host is final": {
			secure.URL, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: "other.example"}}, "server_certificate_refused", "certificate could not be verified", 1,
		},
		"an expired certificate is final": {
			secure.URL, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, Time: func() time.Time { return time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) }}},
			"server_certificate_refused", "certificate could not be verified", 1,
		},
		"a server without TLS": {
			strings.Replace(plain.URL, "http:", "https:", 1), dialled(new(net.Dialer).DialContext), "server_unreachable", "could not be reached", 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			attempts.Store(0)
			client, err := rsclient.New(rsclient.Options{Base: row.base, Transport: row.transport})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.For(caller(secretToken)).Do(t.Context(), rs.Request{Path: "/v1/x"})
			e := rs.AsError(err)
			if e.Code != row.code || !strings.Contains(e.Message, row.says) || e.Hint == "" || e.Cause == nil ||
				strings.Contains(e.Message+e.Hint, "example") {
				t.Errorf("%s: %s %s (cause %v)", e.Code, e.Message, e.Hint, e.Cause)
			}
			if got := attempts.Load(); got != row.attempts {
				t.Errorf("%d attempts, want %d", got, row.attempts)
			}
		})
	}
}

// If too little time is left for another attempt, a read returns the error of the last one.
func TestNoRetryIsBegunThatCannotBeFinished(t *testing.T) {
	for name, row := range map[string]struct {
		left     time.Duration // until the caller's deadline
		took     time.Duration // by each attempt
		attempts int
	}{
		"with time enough both retries are made":                                  {10 * time.Second, time.Second, 3},
		"an attempt that took half of the time is not repeated":                   {2 * time.Second, time.Second, 1},
		"an attempt is measured by the last one, not by all":                      {3500 * time.Millisecond, time.Second, 3},
		"the second retry needs its own reserve":                                  {3100 * time.Millisecond, time.Second, 2},
		"a quick failure close to the deadline is not repeated without a reserve": {150 * time.Millisecond, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				client := clientOver(t, func(*http.Request) (*http.Response, error) {
					attempts++
					time.Sleep(row.took)
					return answer(503, `{"error":{"code":"busy","message":"Come back later."}}`), nil
				})
				ctx, cancel := context.WithTimeout(t.Context(), row.left)
				defer cancel()
				_, err := client.For(caller(secretToken)).Do(ctx, rs.Request{Path: "/v1/x"})
				if rs.AsError(err).Code != "busy" || attempts != row.attempts {
					t.Errorf("%d attempts, want %d; %v", attempts, row.attempts, err)
				}
			})
		})
	}
}

func TestRetriesAreConfigured(t *testing.T) {
	for retries, want := range map[int]int{-1: 1, 0: 3, 1: 2, 2: 3, 9: 3} {
		t.Run(strconv.Itoa(retries), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				client, err := rsclient.New(rsclient.Options{Base: "https://rs.example", Retries: retries, Transport: roundTrip(func(*http.Request) (*http.Response, error) {
					attempts++
					return answer(503, `{}`), nil
				})})
				if err != nil {
					t.Fatal(err)
				}
				_, _ = client.For(caller(secretToken)).Do(t.Context(), rs.Request{Path: "/v1/x"})
				if attempts != want {
					t.Errorf("%d attempts, want %d", attempts, want)
				}
			})
		})
	}
}

// counting counts the connections of a listener.
type counting struct {
	net.Listener
	n *atomic.Int32
}

func (c counting) Accept() (net.Conn, error) {
	connection, err := c.Listener.Accept()
	if err == nil {
		c.n.Add(1)
	}
	return connection, err
}
