package integration

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestATokenRequestGoesToOneReplica checks what docs/proxy.md says of the files of deploy/: a refresh token is valid once, so requests
// with the same one reach the same process, and none is repeated. It needs nginx and HAProxy: make rolling.
func TestATokenRequestGoesToOneReplica(t *testing.T) {
	if os.Getenv("ROLLING") == "" {
		t.Skip("make rolling runs this")
	}
	certificate, trusted := newCertificate(t)
	for name, start := range map[string]func(*testing.T, []*replica, string, bool) string{"nginx": startNginx, "HAProxy": startHAProxy} {
		t.Run(name, func(t *testing.T) {
			var requests [3]atomic.Int64
			var hangUp atomic.Bool
			var replicas []*replica
			var servers []*httptest.Server
			for n := range requests {
				server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					if r.URL.Path != "/token" {
						return // a probe
					}
					requests[n].Add(1)
					if hangUp.Load() {
						panic(http.ErrAbortHandler)
					}
				}))
				defer server.Close()
				servers = append(servers, server)
				replicas = append(replicas, &replica{address: server.Listener.Addr().String()})
			}
			address := start(t, replicas, certificate, true)
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: "mcp.example", MinVersion: tls.VersionTLS12}}}
			refresh := func() int { // 0: the connection was closed
				response, err := client.Post("https://"+address+"/token", "application/x-www-form-urlencoded", strings.NewReader("grant_type=refresh_token&refresh_token=rt_1"))
				if err != nil {
					return 0
				}
				defer response.Body.Close()
				return response.StatusCode
			}
			counts := func() string { return fmt.Sprint(requests[0].Load(), requests[1].Load(), requests[2].Load()) }
			var clients sync.WaitGroup
			for range 12 {
				clients.Go(func() {
					if status := refresh(); status != http.StatusOK {
						t.Errorf("answered %d", status)
					}
				})
			}
			clients.Wait()
			if got := counts(); got != "12 0 0" {
				t.Errorf("the replicas got %s", got)
			}
			hangUp.Store(true)
			if status := refresh(); status != 0 && status < 500 || counts() != "13 0 0" {
				t.Errorf("a replica that stopped: %d, and the replicas got %s", status, counts())
			}
			hangUp.Store(false)
			servers[0].Close()
			if status := refresh(); status != http.StatusOK || counts() != "13 1 0" {
				t.Errorf("a replica that is down: %d, and the replicas got %s", status, counts())
			}
		})
	}
}
