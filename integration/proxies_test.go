package integration

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestGuessesThroughAProxy sends guesses with forged forwarding headers through a proxy configured as in deploy/: only the guesser is
// limited, by its real address. It needs nginx and HAProxy: make rolling.
func TestGuessesThroughAProxy(t *testing.T) {
	if os.Getenv("ROLLING") == "" {
		t.Skip("make rolling runs this")
	}
	const guesses, workers, burst = 1500, 4, 20
	certificate, trusted := newCertificate(t)
	for _, proxy := range []struct {
		name  string
		start func(*testing.T, []*replica, string, bool) string
	}{{"nginx", startNginx}, {"haproxy", startHAProxy}} {
		for name, forged := range map[string]func(i int) string{
			"a header that rotates":    func(i int) string { return fmt.Sprintf("203.0.113.%d", i%250+1) },
			"a victim's address":       func(int) string { return "127.0.0.3" },
			"a list with the victim's": func(i int) string { return fmt.Sprintf("198.51.100.%d, 127.0.0.3", i%250+1) },
			"no header":                nil,
		} {
			t.Run(proxy.name+", "+name, func(t *testing.T) {
				authority := newGuessedAuthority(t, nil)
				url := authority.serve(t, "--public-url", "https://mcp.example", "--trusted-proxies", deployedProxies(t),
					"--address-rate", "0.01", "--address-burst", fmt.Sprint(burst))
				address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
				entrance := proxy.start(t, []*replica{{address: address}, {address: address}, {address: address}}, certificate, true)

				guesser, victim := clientAt("127.0.0.2", entrance, trusted), clientAt("127.0.0.3", entrance, trusted)
				var all sync.WaitGroup
				for w := range workers {
					all.Go(func() {
						for i := w; i < guesses; i += workers {
							header := ""
							if forged != nil {
								header = forged(i)
							}
							if status := readThrough(t, guesser, fmt.Sprint("guess-", i), header); status != 401 && status != 429 {
								t.Errorf("a guess is answered %d", status)
							}
						}
					})
				}
				all.Wait()
				status := readThrough(t, victim, "good-1", "")
				t.Logf("%d of %d guesses reached the authority; a new good token from the victim's address is answered %d", authority.guessed.Load(), guesses, status)
				if authority.guessed.Load() > burst+workers || status != http.StatusOK {
					t.Errorf("want at most %d guesses, and 200", burst+workers)
				}
			})
		}
	}
}

// deployedProxies returns the proxies that deploy/config.json trusts.
func deployedProxies(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "deploy", "config.json"))
	var config struct {
		Proxies []string `json:"trusted-proxies"`
	}
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	if err != nil || len(config.Proxies) == 0 {
		t.Fatalf("deploy/config.json trusts no proxy: %v", err)
	}
	return strings.Join(config.Proxies, ",")
}

// clientAt returns a client with an address of this machine, for which https://mcp.example is at entrance.
func clientAt(source, entrance string, trusted *x509.CertPool) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(source)}}
	return &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 8,
		TLSClientConfig:     &tls.Config{RootCAs: trusted},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", entrance)
		},
	}}
}

// readThrough makes a read with a token and a forwarding header, and returns the status.
func readThrough(t *testing.T, client *http.Client, token, forwarded string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://mcp.example/mcp", strings.NewReader(readOf("notes")))
	if err != nil {
		t.Error(err)
		return 0
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	if forwarded != "" {
		request.Header.Set("X-Forwarded-For", forwarded)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}
