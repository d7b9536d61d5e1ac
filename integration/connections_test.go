package integration

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A dialed is a raw connection to a server.
type dialed struct {
	net.Conn
	answers *bufio.Reader
}

// dialTo connects to the server of a URL. Reads fail the test after stopTime.
func dialTo(t *testing.T, url string) *dialed {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(stopTime))
	return &dialed{c, bufio.NewReader(c)}
}

// ask sends text and reads one answer.
func (c *dialed) ask(t *testing.T, text string) (*http.Response, string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		t.Fatalf("%q is not answered: %v", text, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// closed checks that the server closes the connection without sending more.
func (c *dialed) closed(t *testing.T) {
	t.Helper()
	rest, err := io.ReadAll(c.answers)
	if len(rest) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection is not closed: %q %v", rest, err)
	}
}

const plainCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`

// head returns the head of a request to the endpoint, with additional lines.
func head(lines ...string) string {
	return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + strings.Join(lines, "\r\n") + "\r\n\r\n"
}

const (
	bearerLine = "Authorization: Bearer a-token"
	lengthLine = "Content-Length: 1000"
)

func TestARefusalDoesNotWaitForTheBody(t *testing.T) {
	held := newHeldRS(t)
	url, _ := serve(t, "--rs-url", held.URL, "--authorization-servers", "https://as.example") // otherwise the resource server is asked for the issuer
	before := held.requests.Load()
	for _, row := range []struct {
		name, request string
		status        int
	}{
		{"no token", head(lengthLine) + "{", 401},
		{"no token and a chunked body", head("Transfer-Encoding: chunked") + "5\r\n{\"jso", 401},
		{"no token and nothing of the body", head(lengthLine), 401},
		{"no token and a body that is not too large", head("Content-Length: 100000") + "{", 401},
		{"a malformed token", head("Authorization: Basic x", lengthLine) + "{", 401},
		{"two tokens", head(bearerLine, bearerLine, lengthLine) + "{", 401},
		{"a body that is too large", head("Content-Length: 100000000") + "{", 413},
		{"another host", strings.Replace(head(lengthLine), "localhost", "evil.example", 1) + "{", 421},
		{"another origin", head("Origin: https://evil.example", lengthLine) + "{", 403},
		{"another path", strings.Replace(head(lengthLine), "/mcp", "/none", 1) + "{", 404},
		{"a probe", strings.Replace(head(lengthLine), "POST /mcp", "GET /livez", 1) + "{", 200},
		{"the metadata", strings.Replace(head(lengthLine), "POST /mcp", "GET "+mcpMetadata, 1) + "{", 200},
		{"another method", strings.Replace(head(lengthLine), "POST /mcp", "DELETE /livez", 1) + "{", 405},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := dialTo(t, url)
			response, _ := c.ask(t, row.request)
			if response.StatusCode != row.status || !response.Close {
				t.Errorf("%d, close %v; want %d and the end of the connection", response.StatusCode, response.Close, row.status)
			}
			c.closed(t)
		})
	}
	t.Cleanup(func() {
		if requests := held.requests.Load() - before; requests != 0 {
			t.Errorf("the resource server got %d requests", requests)
		}
	})
}

func TestAClientThatSendsItsBodyLateGetsTheReason(t *testing.T) {
	held := newHeldRS(t)
	url, _ := serve(t, "--rs-url", held.URL)
	c := dialTo(t, url)
	response, text := c.ask(t, head("Content-Length: "+strconv.Itoa(len(plainCall))))
	if response.StatusCode != 401 || !strings.Contains(text, "not_authenticated") {
		t.Errorf("%d %s", response.StatusCode, text)
	}
	if _, err := io.WriteString(c, plainCall); err != nil {
		t.Errorf("the connection was reset: %v", err)
	}
	rest, err := io.ReadAll(c.answers)
	if err != nil || len(rest) > 0 {
		t.Errorf("then %q %v", rest, err)
	}
}

func TestAGoodClientKeepsItsConnection(t *testing.T) {
	held := newHeldRS(t)
	url, _ := serve(t, "--rs-url", held.URL)
	c := dialTo(t, url)
	for _, request := range []string{
		head(bearerLine, "Content-Length: "+strconv.Itoa(len(plainCall))) + plainCall,
		head(bearerLine, "Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(plainCall), plainCall),
		"\r\n" + head(bearerLine, "transfer-encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(plainCall), plainCall),
		"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n",
		head(bearerLine, "Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(plainCall), plainCall),
	} {
		if response, text := c.ask(t, request); response.StatusCode != 200 || response.Close {
			t.Errorf("%q is answered %d, close %v: %s", request, response.StatusCode, response.Close, text)
		}
	}
}

func TestARequestWithTwoLengthsIsRefused(t *testing.T) {
	held := newHeldRS(t)
	url, _ := serve(t, "--rs-url", held.URL)
	whole := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(plainCall), plainCall)
	smuggled := head(bearerLine, "Content-Length: "+strconv.Itoa(len(plainCall))) + plainCall
	length := "Content-Length: " + strconv.Itoa(len(whole))
	for name, request := range map[string]string{
		"Content-Length first":      head(bearerLine, length, "Transfer-Encoding: chunked") + whole + smuggled,
		"Transfer-Encoding first":   head(bearerLine, "Transfer-Encoding: chunked", length) + whole + smuggled,
		"lower case":                head(bearerLine, strings.ToLower(length), "transfer-encoding: chunked") + whole + smuggled,
		"a length on the next line": head(bearerLine, "Content-Length:\r\n "+strconv.Itoa(len(whole)), "Transfer-Encoding: chunked") + whole,
		"bare line feeds":           strings.ReplaceAll(head(bearerLine, length, "Transfer-Encoding: chunked"), "\r\n", "\n") + whole,
		"HTTP/1.0":                  strings.Replace(head(bearerLine, "Connection: keep-alive", length, "Transfer-Encoding: chunked"), "HTTP/1.1", "HTTP/1.0", 1) + whole,
		"no token":                  head(length, "Transfer-Encoding: chunked") + whole,
		"a probe":                   strings.Replace(head(length, "Transfer-Encoding: chunked"), "POST /mcp", "GET /livez", 1) + whole,
		"a length of 0":             head(bearerLine, "Content-Length: 0", "Transfer-Encoding: chunked") + whole + smuggled,
		"an empty line before":      "\r\n" + head(bearerLine, length, "Transfer-Encoding: chunked") + whole,
	} {
		t.Run(name, func(t *testing.T) {
			c := dialTo(t, url)
			before := held.requests.Load()
			response, text := c.ask(t, request)
			if response.StatusCode != 400 || !response.Close {
				t.Errorf("%d, close %v: %s", response.StatusCode, response.Close, text)
			}
			c.closed(t)
			if requests := held.requests.Load() - before; requests != 0 {
				t.Errorf("the resource server got %d requests", requests)
			}
		})
	}
	t.Run("after a good request, before its answer", func(t *testing.T) {
		c := dialTo(t, url)
		if response, text := c.ask(t, smuggled+head(bearerLine, length, "Transfer-Encoding: chunked")+whole); response.StatusCode != 200 {
			t.Errorf("%d %s", response.StatusCode, text)
		}
		if response, text := c.ask(t, ""); response.StatusCode != 400 || !response.Close {
			t.Errorf("%d, close %v: %s", response.StatusCode, response.Close, text)
		}
		c.closed(t)
	})
	both := head(bearerLine, "Content-Length: 3", "X-A: POST /mcp HTTP/1.1", "Transfer-Encoding: chunked")
	for name, first := range map[string]string{
		"a probe": "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", "a call": smuggled,
		"chunks": head(bearerLine, "Transfer-Encoding: chunked") + whole,
	} {
		for _, part := range []string{
			"P", "POS", "POST", "POST /mcp HTTP/1.1\r\n", "Content-", "Content-Length: 3", "Content-Length: 3\r\n",
			"X-A: ", "chunked", "chunked\r\n", "chunked\r\n\r\n",
		} {
			t.Run(fmt.Sprintf("in two parts, the first with %s and up to %q", name, part), func(t *testing.T) {
				t.Parallel()
				c, sent := dialTo(t, url), strings.Index(both, part)+len(part)
				if response, text := c.ask(t, first+both[:sent]); response.StatusCode != 200 {
					t.Fatalf("%d %s", response.StatusCode, text)
				}
				if response, text := c.ask(t, both[sent:]+whole); response.StatusCode != 400 || !response.Close {
					t.Errorf("%d, close %v: %s", response.StatusCode, response.Close, text)
				}
				c.closed(t)
			})
		}
	}
}

func TestOneAddressCannotHoldAllConnections(t *testing.T) {
	held := newHeldRS(t)
	url, p := serve(t, "--rs-url", held.URL, "--max-connections-per-address", "3")
	const probe = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
	var open []*dialed
	for range 3 {
		c := dialTo(t, url)
		if response, _ := c.ask(t, probe); response.StatusCode != 200 {
			t.Errorf("%d", response.StatusCode)
		}
		open = append(open, c)
	}
	for range 2 {
		dialTo(t, url).closed(t)
	}
	logged(t, p, "this client address has as many connections as it may")
	if response, _ := open[1].ask(t, probe); response.StatusCode != 200 {
		t.Errorf("an open connection is answered %d", response.StatusCode)
	}
	_ = open[0].Close()
	for deadline := time.Now().Add(startTime); ; {
		c := dialTo(t, url)
		_, _ = io.WriteString(c, probe)
		if response, err := http.ReadResponse(c.answers, nil); err == nil && response.StatusCode == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no further connection is served after one has ended")
		}
	}
	if lines := strings.Count(p.stderr.String(), "as many connections as it may"); lines != 1 {
		t.Errorf("the log reports it %d times", lines)
	}
}

func TestATrustedProxyIsNotOneClient(t *testing.T) {
	held := newHeldRS(t)
	url, _ := serve(t, "--rs-url", held.URL, "--max-connections-per-address", "1", "--trusted-proxies", "127.0.0.0/8")
	for range 5 {
		if response, _ := dialTo(t, url).ask(t, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"); response.StatusCode != 200 {
			t.Errorf("%d", response.StatusCode)
		}
	}
}

func TestTheAdminListenerAnswersProbesWhenAllConnectionsAreTaken(t *testing.T) {
	held := newHeldRS(t)
	url, p := serve(t, "--rs-url", held.URL, "--max-connections", "1", "--admin-listen", "127.0.0.1:0")
	_, address, _ := strings.Cut(logged(t, p, "serving /metrics"), `"address":"`)
	address, _, _ = strings.Cut(address, `"`)
	dialTo(t, url).ask(t, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
	for path, want := range map[string]string{
		"/livez":  `{"status":"live"}`,
		"/readyz": `{"status":"ready","checks":{"resource_server":"reachable","token_authority":"reachable"}}`,
	} {
		if status, _, text := get(t, "http://"+address+path, "10.0.0.1:1", nil); status != 200 || strings.TrimSpace(text) != want {
			t.Errorf("%s: %d %s; want %q", path, status, text, want)
		}
	}
	if status, _, _ := get(t, "http://"+address+"/mcp", "", nil); status != 404 {
		t.Errorf("/mcp is answered %d on the admin listener", status)
	}
}

func TestTheStartSaysWhatCannotBeReached(t *testing.T) {
	held := newHeldRS(t)
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(untrusted.Close)
	const suffix = " cannot be reached; calls fail until it can"
	for _, row := range []struct{ name, rs, authority, packages, says string }{
		{"the resource server", "http://127.0.0.1:1", held.URL, held.URL, "the resource server"},
		{"a resource server whose certificate is not trusted", untrusted.URL, held.URL, held.URL, "the resource server"},
		{"the authority", held.URL, "http://127.0.0.1:1/introspect", held.URL, "the token authority"},
		{"the directory", held.URL, held.URL, "http://127.0.0.1:1/packages", "the directory of packages"},
	} {
		t.Run(row.name, func(t *testing.T) {
			url, p := serve(t, "--rs-url", row.rs, "--introspection-url", row.authority, "--packages-url", row.packages,
				"--introspection-client-id", "me", "--introspection-client-secret", "hush-hush")
			if line := logged(t, p, row.says+suffix); !strings.Contains(line, `"level":"warn"`) || !strings.Contains(line, `"error":`) {
				t.Errorf("the log says %s", line)
			}
			if text := p.stderr.String(); strings.Count(text, suffix) != 1 || strings.Contains(text, "hush-hush") {
				t.Errorf("the log says\n%s", text)
			}
			if status, _, _ := get(t, strings.TrimSuffix(url, "/mcp")+"/livez", "", nil); status != 200 {
				t.Errorf("/livez: %d", status)
			}
		})
	}
	if requests := held.requests.Load(); requests != 0 {
		t.Errorf("the resource server got %d requests at the start", requests)
	}
}

// sockets returns how many connections without a token one address opens: PDPP_SOCKETS, or a number that any machine supports.
func sockets() int {
	if n, err := strconv.Atoi(os.Getenv("PDPP_SOCKETS")); err == nil {
		return n
	}
	return 600
}

// TestSocketsWithoutATokenDoNotStopTheServer opens more connections than the server accepts, each with an incomplete body.
func TestSocketsWithoutATokenDoNotStopTheServer(t *testing.T) {
	held := newHeldRS(t)
	count := sockets()
	url, _ := serve(t, "--rs-url", held.URL, "--max-connections", strconv.Itoa(count-count/100), "--max-connections-per-address", "0")
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	var opening sync.WaitGroup
	turns := make(chan struct{}, 64)
	for range count {
		opening.Add(1)
		turns <- struct{}{}
		go func() {
			defer opening.Done()
			defer func() { <-turns }()
			c, err := net.DialTimeout("tcp", address, stopTime)
			if err != nil {
				t.Errorf("a connection: %v", err)
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			_, _ = io.WriteString(c, head(lengthLine)+"{")
		}()
	}
	opening.Wait()
	began := time.Now()
	client := &http.Client{Timeout: 2 * stopTime, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + address + "/livez")
	if err != nil {
		t.Fatalf("/livez with %d sockets: %v", count, err)
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("/livez with %d sockets: %d", count, response.StatusCode)
	}
	t.Logf("/livez behind %d sockets is answered after %s", count, time.Since(began).Round(time.Millisecond))
}
