package integration

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	rollingClients = 32
	readDelay      = 40 * time.Millisecond // of the stub, so that calls are always in flight
	callsBetween   = 500                   // good calls between two disturbances
)

// TestRollingRestart restarts three replicas behind a proxy configured as in deploy/, under load, and kills one. It needs nginx and
// HAProxy: make rolling.
func TestRollingRestart(t *testing.T) {
	if os.Getenv("ROLLING") == "" {
		t.Skip("make rolling runs this")
	}
	stub := newStub(t)
	var replicas []*replica
	for n := range 3 {
		r := &replica{address: freeAddress(t), source: fmt.Sprintf("%s/%d", stub.URL, n), inFlight: &stub.inFlight[n]}
		r.start(t)
		replicas = append(replicas, r)
	}
	t.Cleanup(func() {
		for _, r := range replicas {
			if err := r.stop(); err != nil {
				t.Error(err)
			}
		}
	})
	certificate, trusted := newCertificate(t)

	for _, proxy := range []struct {
		name  string
		start func(*testing.T, []*replica, string, bool) string
	}{{"nginx", startNginx}, {"haproxy", startHAProxy}} {
		t.Run(proxy.name+", as documented", func(t *testing.T) {
			work := newLoad(t, proxy.start(t, replicas, certificate, true), trusted)
			work.proceed(t)
			for n, r := range replicas {
				if err := r.stop(); err != nil {
					t.Error(err)
				}
				r.start(t)
				work.proceed(t)
				t.Logf("replica %d restarted: %s", n+1, work)
			}
			inFlight := replicas[0].kill(t)
			work.proceed(t)
			t.Logf("replica 1 killed with %d reads in flight: %s", inFlight, work)
			replicas[0].start(t)
			work.proceed(t)
			for _, failed := range work.end() {
				t.Errorf("failed: %+v", failed)
			}
			t.Logf("in all: %s", work)
		})
		t.Run(proxy.name+", sending nothing again", func(t *testing.T) {
			work := newLoad(t, proxy.start(t, replicas, certificate, false), trusted)
			work.proceed(t)
			inFlight := replicas[1].kill(t)
			killed := time.Now()
			work.proceed(t)
			replicas[1].start(t)
			work.proceed(t)
			failed := work.end()
			t.Logf("replica 2 killed with %d reads in flight: %s", inFlight, work)
			if len(failed) == 0 {
				t.Error("no call failed, so the retry was not tested")
			}
			for _, failure := range failed {
				if failure.begun.After(killed.Add(100 * time.Millisecond)) { // time for the proxy to notice
					t.Errorf("a call failed that was not in flight: %s after the kill: %+v", failure.begun.Sub(killed), failure)
				}
			}
		})
	}
}

// A stub is a resource server that gives everybody the same answer after a delay. Each replica reads it below a different path.
type stub struct {
	*httptest.Server
	inFlight [3]atomic.Int64 // reads, by replica
}

func newStub(t *testing.T) *stub {
	t.Helper()
	s := &stub{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path[2:]
		if !strings.HasPrefix(path, "/v1/streams/") {
			body(200, "application/json", `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"connectors":[]}`)(w, r)
			return
		}
		count := &s.inFlight[r.URL.Path[1]-'0']
		count.Add(1)
		defer count.Add(-1)
		select {
		case <-time.After(readDelay):
			body(200, "application/json", emptyList)(w, r)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// A replica is a server that restarts at the same address.
type replica struct {
	*process
	address, source string
	inFlight        *atomic.Int64
}

func (r *replica) start(t *testing.T) {
	t.Helper()
	p, err := start(t.TempDir(), nil, "serve", "--listen", r.address, "--rs-url", r.source, "--public-url", "https://mcp.example", "--log-level", "warn")
	if err != nil {
		t.Fatal(err)
	}
	r.process = p
	for deadline := time.Now().Add(startTime); ; { // at this log level it does not print that it listens
		response, err := http.Get("http://" + r.address + "/readyz")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ready: %v\n%s", err, p.stderr)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// kill ends it without notice while it serves, and returns how many reads it had in flight.
func (r *replica) kill(t *testing.T) int64 {
	t.Helper()
	inFlight := r.inFlight.Load()
	for deadline := time.Now().Add(startTime); inFlight < 3; inFlight = r.inFlight.Load() {
		if time.Now().After(deadline) {
			t.Fatal("nothing is in flight")
		}
		time.Sleep(time.Millisecond)
	}
	signal(t, r.process, syscall.SIGKILL)
	within(t, r.ended, "end")
	return inFlight
}

// freeAddress returns a free port below those for outgoing connections, so that it is still free when its server restarts.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20000+mathrand.IntN(12000))
		if listener, err := net.Listen("tcp", address); err == nil {
			listener.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// newCertificate writes a key and a certificate for mcp.example into one file, the format for both proxies.
func newCertificate(t *testing.T) (string, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mcp.example"}, DNSNames: []string{"mcp.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	path := filepath.Join(t.TempDir(), "mcp.example.pem")
	if err := os.WriteFile(path, append(public, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), 0o600); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(public)
	return path, pool
}

// deployed writes a file of deploy/ with the addresses of this test and returns its path. It fails unless everything to be replaced
// occurs.
func deployed(t *testing.T, name string, replicas []*replica, replace map[string]string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for n, r := range replicas {
		replace[fmt.Sprintf("127.0.0.1:770%d", n+1)] = r.address
	}
	var pairs []string
	for old, now := range replace {
		if !strings.Contains(text, old) {
			t.Fatalf("deploy/%s has no %q", name, old)
		}
		pairs = append(pairs, old, now)
	}
	text = strings.NewReplacer(pairs...).Replace(text) // in one pass, since replacements may contain other keys
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// without removes the lines of a file that match a pattern.
func without(t *testing.T, path, pattern string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shorter := regexp.MustCompile(`(?m)^\s*(`+pattern+`).*\n`).ReplaceAll(data, nil)
	if len(shorter) == len(data) {
		t.Fatalf("%s has nothing that matches %s", path, pattern)
	}
	if err := os.WriteFile(path, shorter, 0o600); err != nil {
		t.Fatal(err)
	}
}

func startNginx(t *testing.T, replicas []*replica, certificate string, again bool) string {
	t.Helper()
	address, scratch := freeAddress(t), t.TempDir()
	path := deployed(t, "nginx.conf", replicas, map[string]string{
		"listen 443 ssl": "listen " + address + " ssl", "mcp.example.pem": certificate, "mcp.example.key": certificate,
		"access_log off;": "access_log off; client_body_temp_path " + scratch + "; proxy_temp_path " + scratch + ";",
	})
	if !again {
		without(t, path, "proxy_next_upstream")
	}
	runProxy(t, address, "nginx", "-e", "stderr", "-p", scratch, "-c", path, "-g", "daemon off; user root; pid "+scratch+"/pid;")
	return address
}

func startHAProxy(t *testing.T, replicas []*replica, certificate string, again bool) string {
	t.Helper()
	address := freeAddress(t)
	path := deployed(t, "haproxy.cfg", replicas, map[string]string{"bind :443": "bind " + address, "mcp.example.pem": certificate})
	if !again {
		without(t, path, "retry-on")
	}
	runProxy(t, address, "haproxy", "-db", "-f", path)
	return address
}

// runProxy starts a proxy for one test and waits until it accepts connections.
func runProxy(t *testing.T, address, name string, args ...string) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := run(exec.Command(program, args...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		<-p.ended
	})
	for deadline := time.Now().Add(startTime); ; {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			connection.Close()
			return
		}
		select {
		case <-p.ended:
			t.Fatalf("%s: %v\n%s", name, p.err, p.stderr)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not listen\n%s", name, p.stderr)
		}
	}
}

// A load is clients that call without a pause, half of them in each era.
type load struct {
	client  *http.Client
	stop    chan struct{}
	clients sync.WaitGroup
	begun   time.Time

	mu      sync.Mutex
	good    int
	longest time.Duration
	failed  []failure
	changed chan struct{} // closed and replaced at every good call
}

// A failure is a call that was not answered.
type failure struct {
	begun time.Time
	outcome
}

func newLoad(t *testing.T, address string, trusted *x509.CertPool) *load {
	t.Helper()
	transport := &http.Transport{
		MaxIdleConnsPerHost: rollingClients,
		TLSClientConfig:     &tls.Config{RootCAs: trusted},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		},
	}
	l := &load{client: &http.Client{Transport: transport, Timeout: callTime}, stop: make(chan struct{}), changed: make(chan struct{}), begun: time.Now()}
	for n := range rollingClients {
		l.clients.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				default:
					l.call(fmt.Sprintf("token-%d", n), []string{legacyEra, modernEra}[n%2])
				}
			}
		})
	}
	t.Cleanup(func() {
		l.end()
		transport.CloseIdleConnections()
	})
	return l
}

func (l *load) call(token, era string) {
	begun := time.Now()
	request, err := toolCall("https://mcp.example/mcp", token, era, "query_records", `{"stream":"notes"}`)
	got := outcome{err: err}
	if err == nil {
		got = send(l.client, request)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.longest = max(l.longest, time.Since(begun))
	if got.err != nil || got.status != http.StatusOK || !strings.Contains(got.body, `"result"`) || strings.Contains(got.body, `"isError":true`) {
		l.failed = append(l.failed, failure{begun, got})
		return
	}
	l.good++
	close(l.changed)
	l.changed = make(chan struct{})
}

// proceed waits for more good calls.
func (l *load) proceed(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	want := l.good + callsBetween
	l.mu.Unlock()
	for {
		l.mu.Lock()
		good, changed, failed := l.good, l.changed, len(l.failed)
		l.mu.Unlock()
		if good >= want {
			return
		}
		if failed > 10*rollingClients {
			t.Fatalf("%s; the first: %+v", l, l.failed[0])
		}
		within(t, changed, "good call")
	}
}

// end stops the clients and returns the failures.
func (l *load) end() []failure {
	l.mu.Lock()
	select {
	case <-l.stop:
	default:
		close(l.stop)
	}
	l.mu.Unlock()
	l.clients.Wait()
	return l.failed
}

// String describes the load so far.
func (l *load) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%d calls of %d clients in %s, %d failed, the longest took %s",
		l.good+len(l.failed), rollingClients, time.Since(l.begun).Round(100*time.Millisecond), len(l.failed), l.longest.Round(time.Millisecond))
}
