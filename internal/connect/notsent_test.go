package connect

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// If the server's certificate is not trusted, or the connection breaks before the handshake, nothing of the request was sent, so the
// refresh token is sent again later.
func TestARenewalThatWasNotSentIsSentLater(t *testing.T) {
	untrusted := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request was sent") }))
	defer untrusted.Close()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_ = connection.Close()
		}
	}()
	for name, endpoint := range map[string]string{
		"a certificate that is not trusted": untrusted.URL, "a handshake that is cut": "https://" + listener.Addr().String(), "nobody listens": "https://127.0.0.1:1",
	} {
		t.Run(name, func(t *testing.T) {
			k := newKept(t, says(200, renewed))
			good := k.stored(t)
			bad := k.stored(t)
			bad.Refresh.TokenEndpoint = endpoint
			k.store(t, bad)
			k.current.Document = bad
			k.now = k.now.Add(9*time.Minute + 30*time.Second)
			if got := k.token(t); got != "at_1" {
				t.Error(got)
			}
			if _, err := os.Stat(k.path + ".next"); !errors.Is(err, fs.ErrNotExist) {
				t.Error("a reservation is left")
			}
			k.store(t, good)
			k.now = k.now.Add(time.Minute)
			if got := k.token(t); got != "at_2" {
				t.Errorf("after the network is repaired: %s", got)
			}
		})
	}
}

// If a proxy does not listen, or a call ends before there is a connection, nothing was sent.
func TestWithoutAConnectionNothingIsSent(t *testing.T) {
	c := newClient("test")
	c.once.HTTP.Transport.(*http.Transport).Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:1"})
	if _, err := c.post(t.Context(), "https://as.example/oauth/token", url.Values{}); !errors.Is(err, errNotSent) {
		t.Errorf("a proxy that is away: %v", err)
	}
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	for address, why := range map[string]string{server.URL: "certificate", "https://127.0.0.1:1": "refused"} {
		_, err := newClient("test").post(t.Context(), address+"/secret", url.Values{})
		if !errors.Is(err, errNotSent) || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "secret") {
			t.Errorf("the error has no reason: %v", err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newClient("test").post(ended, "https://127.0.0.1:1", url.Values{}); !errors.Is(err, errNotSent) || !errors.Is(err, context.Canceled) {
		t.Errorf("a call that ended: %v", err)
	}
}
