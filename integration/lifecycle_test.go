package integration

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A heldRS is a resource server that accepts every token and holds reads of the stream "held".
type heldRS struct {
	*httptest.Server
	arrived  chan struct{} // one value for each read that is held
	released chan struct{} // closed to answer them
	gone     chan struct{} // one value for each read that ended before it was answered
	requests atomic.Int64  // requests of any kind
}

const emptyList = `{"object":"list","data":[],"has_more":false}`

func newHeldRS(t *testing.T) *heldRS {
	t.Helper()
	h := &heldRS{arrived: make(chan struct{}, 100), released: make(chan struct{}), gone: make(chan struct{}, 100)}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.requests.Add(1)
		switch {
		case strings.HasPrefix(r.URL.Path, "/v1/streams/held/"):
			h.arrived <- struct{}{}
			select {
			case <-h.released:
			case <-r.Context().Done():
				h.gone <- struct{}{}
			}
			body(200, "application/json", emptyList)(w, r)
		case strings.HasPrefix(r.URL.Path, "/v1/streams/"):
			body(200, "application/json", emptyList)(w, r)
		default:
			body(200, "application/json", `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"connectors":[]}`)(w, r)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// toolCall returns a tools/call request in the format of a protocol era.
func toolCall(url, token, era, tool, arguments string) (*http.Request, error) {
	meta := ""
	if era == modernEra {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + era + `","io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + meta + `}}`
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Mcp-Protocol-Version", era)
	if era == modernEra {
		request.Header.Set("Mcp-Method", "tools/call")
		request.Header.Set("Mcp-Name", tool)
	}
	return request, nil
}

// An outcome is the result of a call in the background.
type outcome struct {
	status int
	close  bool // the connection was closed too
	body   string
	err    error
}

func send(client *http.Client, request *http.Request) outcome {
	response, err := client.Do(request)
	if err != nil {
		return outcome{err: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return outcome{response.StatusCode, response.Close, string(text), err}
}

// begin makes a call in the background.
func begin(t *testing.T, url, era, stream string) <-chan outcome {
	t.Helper()
	request, err := toolCall(url, "a-token", era, "query_records", `{"stream":"`+stream+`"}`)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan outcome, 1)
	go func() { done <- send(http.DefaultClient, request) }()
	return done
}

// within waits for a value that the test needs.
func within[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(startTime):
		t.Fatalf("no %s within %s", what, startTime)
		panic("unreachable")
	}
}

// logged waits for a line of the log.
func logged(t *testing.T, p *process, text string) string {
	t.Helper()
	line, err := p.stderr.find(startTime, func(line string) bool { return strings.Contains(line, text) })
	if err != nil {
		t.Fatalf("no line with %q: %v\n%s", text, err, p.stderr)
	}
	return line
}

func signal(t *testing.T, p *process, s os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func TestProbesNameWhatCannotBeReached(t *testing.T) {
	held := newHeldRS(t)
	authority := httptest.NewServer(http.HandlerFunc(body(200, "application/json", `{"active":false}`)))
	for _, row := range []struct {
		name      string
		rs        string
		authority string
		status    int
		body      string
	}{
		{"everything is reachable", held.URL, authority.URL, 200, `{"status":"ready","checks":{"resource_server":"reachable","token_authority":"reachable"}}`},
		{"the resource server is down", "http://127.0.0.1:1", authority.URL, 503, `{"status":"not_ready","checks":{"resource_server":"unreachable","token_authority":"reachable"}}`},
		{"the authority is down", held.URL, "http://127.0.0.1:1", 503, `{"status":"not_ready","checks":{"resource_server":"reachable","token_authority":"unreachable"}}`},
		{"a resource server that refuses unknown clients is reachable", authority.URL + "/none", authority.URL, 200, `{"status":"ready","checks":{"resource_server":"reachable","token_authority":"reachable"}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			url, _ := serve(t, "--rs-url", row.rs, "--introspection-url", row.authority, "--introspection-client-id", "me", "--introspection-client-secret", "hush-hush")
			server := strings.TrimSuffix(url, "/mcp")
			// A probe uses the address of the machine, not a public name.
			if status, _, text := get(t, server+"/readyz", "10.1.2.3:7700", nil); status != row.status || strings.TrimSpace(text) != row.body {
				t.Errorf("/readyz: %d %s", status, text)
			}
			if status, _, text := get(t, server+"/livez", "10.1.2.3:7700", nil); status != 200 || strings.TrimSpace(text) != `{"status":"live"}` {
				t.Errorf("/livez: %d %s", status, text)
			}
		})
	}
	authority.Close()
}

func TestProbesDoNotHammerTheResourceServer(t *testing.T) {
	held := newHeldRS(t)
	url, _ := serve(t, "--rs-url", held.URL)
	begun := time.Now()
	for range 100 {
		if status, _, text := get(t, strings.TrimSuffix(url, "/mcp")+"/readyz", "", nil); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	// One request for each of the two checks, for every five seconds that this took.
	if most := 2 * (1 + int64(time.Since(begun)/(5*time.Second))); held.requests.Load() > most {
		t.Errorf("the resource server got %d requests, want at most %d", held.requests.Load(), most)
	}
}

func TestCallsInFlightFinishAtAStop(t *testing.T) {
	held := newHeldRS(t)
	url, p := serve(t, "--rs-url", held.URL)
	var calls []<-chan outcome
	for _, era := range []string{legacyEra, modernEra} {
		calls = append(calls, begin(t, url, era, "held"))
		within(t, held.arrived, "read")
	}
	signal(t, p, syscall.SIGTERM)
	logged(t, p, `"draining"`)
	eventuallyRefused(t, url)
	close(held.released)
	for i, call := range calls {
		if got := within(t, call, "answer"); got.err != nil || got.status != 200 || !strings.Contains(got.body, `"result"`) || strings.Contains(got.body, `"isError":true`) {
			t.Errorf("call %d: %+v", i, got)
		}
	}
	if within(t, p.ended, "end"); p.err != nil {
		t.Errorf("ended with %v", p.err)
	}
}

// eventuallyRefused waits until no connections are accepted any more.
func eventuallyRefused(t *testing.T, url string) {
	t.Helper()
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	for deadline := time.Now().Add(startTime); time.Now().Before(deadline); {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		connection.Close()
	}
	t.Fatal("connections are still accepted")
}

func TestCallsThatOutlastTheDrainGetServerStopping(t *testing.T) {
	held := newHeldRS(t)
	url, p := serve(t, "--rs-url", held.URL, "--drain-time", "100ms")
	var calls []<-chan outcome
	for _, era := range []string{legacyEra, modernEra} {
		calls = append(calls, begin(t, url, era, "held"))
		within(t, held.arrived, "read")
	}
	signal(t, p, syscall.SIGTERM)
	for i, call := range calls {
		if got := within(t, call, "answer"); got.err != nil || got.status != 200 || !strings.Contains(got.body, `"isError":true`) || !strings.Contains(got.body, `"server_stopping"`) {
			t.Errorf("call %d: %+v", i, got)
		}
	}
	if within(t, p.ended, "end"); p.err != nil {
		t.Errorf("ended with %v", p.err)
	}
	logged(t, p, "calls in flight are ended")
}

func TestADelayedDrainIsSeenByLoadBalancersFirst(t *testing.T) {
	held := newHeldRS(t)
	url, p := serve(t, "--rs-url", held.URL, "--drain-delay", "1m")
	if status, _, text := get(t, strings.TrimSuffix(url, "/mcp")+"/readyz", "", nil); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	signal(t, p, syscall.SIGTERM)
	logged(t, p, `"draining"`)
	if status, _, text := get(t, strings.TrimSuffix(url, "/mcp")+"/readyz", "", nil); status != 503 || strings.TrimSpace(text) != `{"status":"draining"}` {
		t.Errorf("/readyz: %d %s", status, text)
	}
	if status, _, _ := get(t, strings.TrimSuffix(url, "/mcp")+"/livez", "", nil); status != 200 {
		t.Errorf("/livez: %d", status)
	}
	got := within(t, begin(t, url, modernEra, "notes"), "answer")
	if got.status != 200 || !strings.Contains(got.body, `"result"`) || !got.close {
		t.Errorf("a call meanwhile: %+v", got)
	}

	signal(t, p, syscall.SIGTERM) // it must not wait any longer
	within(t, p.ended, "end")
	if p.err == nil {
		t.Error("after a second signal the process exits with 0")
	}
	p.killed = true
}

// reloaded triggers a reload of the configuration, and returns the line of the log about it.
func reloaded(t *testing.T, p *process) string {
	t.Helper()
	before := len(p.stderr.String())
	signal(t, p, syscall.SIGHUP)
	line, err := p.stderr.findAfter(before, startTime, func(line string) bool {
		return strings.Contains(line, "configuration reloaded") || strings.Contains(line, "the old one stays")
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, p.stderr)
	}
	return line
}

func TestASIGHUPReadsTheConfigurationAgain(t *testing.T) {
	dir := t.TempDir()
	config, secret := filepath.Join(dir, "config.json"), filepath.Join(dir, "secret")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	settings := func(more string) string {
		return fmt.Sprintf(`{"rs-url":%q,"introspection-url":%q,"introspection-client-id":%q,"introspection-client-secret-file":%q,
			"audiences":[%q],"deadline":"30s","max-connections":100%s}`,
			sample.RSURL, sample.IntrospectionURL, sample.IntrospectionClientID, secret, sample.RSURL, more)
	}
	write(secret, "not-the-secret")
	write(config, settings(""))
	url, p := serve(t, "--config", config)
	document := strings.TrimSuffix(url, "/mcp") + mcpMetadata
	expect := func(when, host string, want int) {
		t.Helper()
		if status, _, text := get(t, document, host, nil); status != want {
			t.Errorf("%s, %s gets %d %s; want %d", when, host, status, text, want)
		}
	}
	called := func() int {
		status, _, _ := post(t, url, sample.ClientToken, listRequest)
		return status
	}
	reload := func(message string) string {
		t.Helper()
		line := reloaded(t, p)
		if !strings.Contains(line, message) {
			t.Fatalf("%q is not logged, but %s", message, line)
		}
		return line
	}
	expect("before", "mcp.example", 421)
	if status := called(); status != 503 {
		t.Errorf("with a wrong secret a call gets %d", status)
	}

	write(secret, sample.IntrospectionClientSecret+"\n")
	write(config, settings(`,"allowed-hosts":["mcp.example"],"allowed-origins":"https://app.example"`))
	reload("configuration reloaded")
	expect("after", "mcp.example", 200)
	if status := called(); status != 200 {
		t.Errorf("with the new secret a call gets %d", status)
	}
	if status, _, _ := get(t, document, "", map[string]string{"Origin": "https://app.example"}); status != 200 {
		t.Errorf("the new origin gets %d", status)
	}

	for _, bad := range []struct{ file, says string }{
		{`{"rs-url":`, "not JSON"},
		{settings(`,"allowed-hots":["x"]`), `allowed-hots`},
		{settings(`,"allowed-origins":["https://app.example/path"]`), "--allowed-origins"},
		{settings(`,"log-level":"loud"`), "log-level"},
		{settings(`,"retries":5`), "retries"}, // needs a restart, which would refuse it
		{settings(`,"max-connections":-1`), "max-connections"},
		{settings(`,"introspection-client-secret":{"a":"hush-hush"}`), "introspection-client-secret"},
	} {
		write(config, bad.file)
		if line := reload("the old one stays"); !strings.Contains(line, bad.says) || strings.Contains(line, "hush-hush") {
			t.Errorf("the log has %s, want %q", line, bad.says)
		}
		expect("after a bad file", "mcp.example", 200)
	}
	if err := os.Remove(secret); err != nil {
		t.Fatal(err)
	}
	write(config, settings(""))
	reload("the old one stays")
	write(secret, sample.IntrospectionClientSecret)

	write(config, settings(`,"read-timeout":"9s","log-level":"warn"`))
	signal(t, p, syscall.SIGHUP)
	if line := logged(t, p, "only a restart"); !strings.Contains(line, `["--read-timeout"]`) {
		t.Errorf("the log says %s", line)
	}
	expect("after the last one", "mcp.example", 421)
	if status := called(); status != 200 {
		t.Errorf("at last a call gets %d", status)
	}
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	if _, quiet, _ := strings.Cut(p.stderr.String(), "only a restart"); strings.Contains(quiet, `"message":"request"`) {
		t.Errorf("requests are logged at level warn:\n%s", quiet)
	}
}

// TestReloadsUnderLoadFailNoCall reloads while calls are made.
func TestReloadsUnderLoadFailNoCall(t *testing.T) {
	held := newHeldRS(t)
	url, p := serve(t, "--rs-url", held.URL)
	stop := make(chan struct{})
	failed := make(chan outcome, 4)
	for i := range 4 {
		go func() {
			for {
				select {
				case <-stop:
					failed <- outcome{status: 200}
					return
				default:
				}
				request, err := toolCall(url, fmt.Sprintf("token-%d", i), []string{legacyEra, modernEra}[i%2], "query_records", `{"stream":"notes"}`)
				if err != nil {
					failed <- outcome{err: err}
					return
				}
				if got := send(http.DefaultClient, request); got.err != nil || got.status != 200 || !strings.Contains(got.body, `"result"`) {
					failed <- got
					return
				}
			}
		}()
	}
	for range 20 {
		if line := reloaded(t, p); !strings.Contains(line, "configuration reloaded") {
			t.Fatal(line)
		}
	}
	close(stop)
	for range 4 {
		if got := <-failed; got.err != nil || got.status != 200 {
			t.Errorf("%+v", got)
		}
	}
}

func TestSystemdIsNotified(t *testing.T) {
	held := newHeldRS(t)
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	next := func(skip string) string {
		t.Helper()
		_ = socket.SetReadDeadline(time.Now().Add(startTime))
		for buffer := make([]byte, 1024); ; {
			n, err := socket.Read(buffer)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(buffer[:n]); text != skip {
				return text
			}
		}
	}
	p, err := start(t.TempDir(), []string{"NOTIFY_SOCKET=" + path, "WATCHDOG_USEC=50000"}, "serve", "--listen", "127.0.0.1:0", "--rs-url", held.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.stop() })
	const alive = "WATCHDOG=1"
	if got := next(alive); got != "READY=1" {
		t.Errorf("first %q", got)
	}
	if got := next(""); got != alive {
		t.Errorf("then %q", got)
	}
	signal(t, p, syscall.SIGHUP)
	if got := next(alive); !regexp.MustCompile(`^RELOADING=1\nMONOTONIC_USEC=\d+\n$`).MatchString(got) {
		t.Errorf("on SIGHUP %q", got)
	}
	if got := next(alive); got != "READY=1" {
		t.Errorf("after the reload %q", got)
	}
	signal(t, p, syscall.SIGTERM)
	if got := next(alive); got != "STOPPING=1" {
		t.Errorf("on SIGTERM %q", got)
	}
	if within(t, p.ended, "end"); p.err != nil {
		t.Errorf("ended with %v", p.err)
	}
}

// TestAnInheritedSocketIsServed tests systemd's socket activation: descriptor 3 is already listening, and calls made before the process
// started are answered.
func TestAnInheritedSocketIsServed(t *testing.T) {
	held := newHeldRS(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	early := begin(t, "http://"+listener.Addr().String()+"/mcp", modernEra, "notes")
	for _, row := range []struct {
		count string
		says  string // the last line if it does not serve
	}{
		{"1", ""},
		{"2", "exactly one stream socket"},
	} {
		cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, binary, "serve", "--rs-url", held.URL, "--listen", "203.0.113.1:1")
		cmd.Env = environment(t.TempDir(), "LISTEN_FDS="+row.count)
		cmd.ExtraFiles = []*os.File{file, file}
		p, err := run(cmd)
		if err != nil {
			t.Fatal(err)
		}
		if row.says != "" {
			within(t, p.ended, "end")
			if code := cmd.ProcessState.ExitCode(); code != 64 || !strings.Contains(p.stderr.String(), row.says) {
				t.Errorf("%s sockets: %d %s; want %q", row.count, code, p.stderr, row.says)
			}
			continue
		}
		if line := logged(t, p, `"serving /mcp"`); !strings.Contains(line, listener.Addr().String()) {
			t.Errorf("serves %s", line)
		}
		if got := within(t, early, "answer"); got.status != 200 || !strings.Contains(got.body, `"result"`) {
			t.Errorf("the early call: %+v", got)
		}
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	}
}

func TestStdioEndsAfterItsLastAnswer(t *testing.T) {
	message := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"q":"fog"}}}`, id) + "\n"
	}
	input := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + legacyEra + `","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + message(1) + message(2) + message(3)
	got := finish(t, nil, input, "stdio", "--demo")
	if got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	var ids []int
	for line := range strings.Lines(got.stdout) {
		var answer struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Result == nil {
			t.Errorf("%v: %s", err, line)
		}
		ids = append(ids, answer.ID)
	}
	slices.Sort(ids)
	if !slices.Equal(ids, []int{0, 1, 2, 3}) {
		t.Errorf("answered %v", ids)
	}
}
