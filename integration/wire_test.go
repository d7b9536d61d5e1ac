package integration

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const listRequest = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// TestBadRequestsGetAClearAnswer sends bytes that no client library would, and checks for the right status with a JSON body, and
// that the server continues (S3-18a, S3-R18).
func TestBadRequestsGetAClearAnswer(t *testing.T) {
	authority := strings.TrimSuffix(strings.TrimPrefix(sample.MCPURL, "http://"), "/mcp")
	bearer := "Authorization: Bearer " + sample.ClientToken
	const plain = "Content-Type: application/json"
	for _, row := range []struct {
		name    string
		line    string // the request line, or POST /mcp
		headers []string
		body    string
		status  int
		code    string // of the JSON-RPC error, as text, or of the refusal
	}{
		{"the body is not JSON", "", []string{bearer, plain}, `{"jsonrpc":"2.0",`, 400, "-32700"},
		{"the body is empty", "", []string{bearer, plain}, ``, 400, "-32700"},
		{"the body is a batch", "", []string{bearer, plain}, "[" + listRequest + "]", 400, "-32600"},
		{"the body is JSON but not a message", "", []string{bearer, plain}, `{"id":1}`, 400, "-32600"},
		{"the body is a JSON text", "", []string{bearer, plain}, `"hello"`, 400, "-32600"},
		{"the method does not exist", "", []string{bearer, plain}, `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, 0, "-32601"},
		{"the type is not JSON", "", []string{bearer, "Content-Type: text/plain"}, listRequest, 415, "unsupported_media_type"},
		{"two types", "", []string{bearer, plain, "Content-Type: text/plain"}, listRequest, 415, "unsupported_media_type"},
		{"there is no type", "", []string{bearer}, listRequest, 415, "unsupported_media_type"},
		{"the answer may not be JSON", "", []string{bearer, plain, "Accept: text/html"}, listRequest, 406, "not_acceptable"},
		{"GET", "GET /mcp HTTP/1.1", []string{bearer}, "", 405, "method_not_allowed"},
		{"DELETE", "DELETE /mcp HTTP/1.1", []string{bearer}, "", 405, "method_not_allowed"},
		{"PUT", "PUT /mcp HTTP/1.1", []string{bearer, plain}, listRequest, 405, "method_not_allowed"},
		{"two Authorization headers", "", []string{bearer, bearer, plain}, listRequest, 401, "invalid_request"},
		{"a good bearer and an owner's", "", []string{bearer, "Authorization: Bearer " + sample.OwnerToken, plain}, listRequest, 401, "invalid_request"},
		{"an empty bearer", "", []string{"Authorization: Bearer ", plain}, listRequest, 401, "invalid_request"},
		{"another scheme", "", []string{"Authorization: Basic cGRwcDpwZHBw", plain}, listRequest, 401, "invalid_request"},
		{"a bearer in the URL", "POST /mcp?access_token=" + sample.ClientToken + " HTTP/1.1", []string{plain}, listRequest, 401, "invalid_request"},
		{"a bearer in both places", "POST /mcp?access_token=x HTTP/1.1", []string{bearer, plain}, listRequest, 401, "invalid_request"},
		{"a foreign host", "", []string{"Host: evil.example", bearer, plain}, listRequest, 421, "host_refused"},
		{"a foreign page", "", []string{"Origin: https://evil.example", bearer, plain}, listRequest, 403, "origin_refused"},
		{"a page without an origin", "", []string{"Origin: null", bearer, plain}, listRequest, 403, "origin_refused"},
		{"another path", "POST /mcp/ HTTP/1.1", []string{bearer, plain}, listRequest, 404, "not_found"},
		{"a path with ..", "GET /../etc/passwd HTTP/1.1", nil, "", 404, "not_found"},
		{"a body with a length that is too large", "", []string{bearer, plain, "Content-Length: 99999999"}, "", 413, "request_too_large"},
		{"a body that is too large", "", []string{bearer, plain, "Transfer-Encoding: chunked"}, chunked(2 << 20), 413, "request_too_large"},
		{"a body that breaks off", "", []string{bearer, plain, "Content-Length: 500"}, `{"jsonrpc"`, 400, "invalid_request"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.line == "" {
				row.line = "POST /mcp HTTP/1.1"
			}
			has := func(name string) bool {
				return slices.ContainsFunc(row.headers, func(h string) bool { return strings.HasPrefix(h, name+":") })
			}
			lines := append([]string{row.line}, row.headers...)
			if !has("Host") {
				lines = append(lines, "Host: "+authority)
			}
			if !has("Content-Length") && !has("Transfer-Encoding") {
				lines = append(lines, fmt.Sprintf("Content-Length: %d", len(row.body)))
			}
			response, body := overSocket(t, authority, strings.Join(lines, "\r\n")+"\r\n\r\n"+row.body)
			if row.status != 0 && response.StatusCode != row.status {
				t.Errorf("status %d, want %d: %s", response.StatusCode, row.status, body)
			}
			if kind := response.Header.Get("Content-Type"); kind != "application/json" {
				t.Errorf("the answer is of type %q: %s", kind, body)
			}
			var document struct {
				Error struct {
					Code any `json:"code"`
				} `json:"error"`
			}
			if err := json.Unmarshal([]byte(body), &document); err != nil || fmt.Sprint(document.Error.Code) != row.code {
				t.Errorf("the body is %s, want the code %s (%v)", body, row.code, err)
			}
			switch response.StatusCode {
			case http.StatusMethodNotAllowed:
				if allow := response.Header.Get("Allow"); allow != "POST" {
					t.Errorf("Allow is %q", allow)
				}
			case http.StatusUnauthorized:
				if challenge := response.Header.Get("WWW-Authenticate"); !strings.Contains(challenge, "resource_metadata=") {
					t.Errorf("the challenge is %q", challenge)
				}
			}
			if strings.Contains(body, sample.ClientToken) || strings.Contains(body, sample.OwnerToken) {
				t.Errorf("the body repeats a token: %s", body)
			}
		})
	}
	overHTTP(t, sample.MCPURL, sample.ClientToken).text("aggregate", args(`{"stream":"notes","metric":"count"}`))
}

// overSocket sends bytes and reads one HTTP answer.
func overSocket(t *testing.T, address, message string) (*http.Response, string) {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(callTime))
	go func() { // a server may answer, and stop reading, before it has read everything
		_, _ = io.WriteString(connection, message)
		_ = connection.(*net.TCPConn).CloseWrite()
	}()
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// chunked returns a body of n bytes in chunks.
func chunked(n int) string {
	const piece = 1 << 16
	chunk := fmt.Sprintf("%x\r\n%s\r\n", piece, strings.Repeat(" ", piece))
	return strings.Repeat(chunk, n/piece) + "0\r\n\r\n"
}

// initialize has the first lines of a session over stdio.
const initialize = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// A reply is one line of stdout.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      any             `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// say sends lines to the program, closes its input, and returns the replies by id.
func say(t *testing.T, lines string, arguments ...string) (map[string]reply, exit) {
	t.Helper()
	got := finish(t, nil, initialize+lines, append([]string{"stdio"}, arguments...)...)
	replies := map[string]reply{}
	for line := range strings.SplitSeq(strings.TrimSuffix(got.stdout, "\n"), "\n") {
		var r reply
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Version != "2.0" {
			t.Fatalf("S3-R4: stdout has a line that is not a message: %q", line)
		}
		replies[fmt.Sprint(r.ID)] = r
	}
	return replies, got
}

// TestStdioSpeaksNothingButTheProtocol covers S3-R4 and S3-4a: whatever is in the input, stdout has only messages, the session continues,
// and calls before the end of the input are answered.
func TestStdioSpeaksNothingButTheProtocol(t *testing.T) {
	cache := cacheFile(t, sample.RSURL, map[string]any{"access_token": sample.ClientToken})
	arguments := []string{"--provider-url", sample.RSURL, "--cache-root", cache}
	const search = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":{"q":"Lisbon"}}}`

	t.Run("a request right before the end of the input is answered", func(t *testing.T) {
		replies, got := say(t, search, arguments...) // the line has no end
		if replies["7"].Result == nil || got.code != 0 {
			t.Errorf("exit %d, replies %v, stderr %s", got.code, replies, got.stderr)
		}
	})
	t.Run("all of many requests right before the end are answered", func(t *testing.T) {
		var lines strings.Builder
		for i := range 40 {
			lines.WriteString(strings.Replace(search, `"id":7`, fmt.Sprintf(`"id":%d`, 100+i), 1) + "\n")
		}
		replies, _ := say(t, lines.String(), arguments...)
		for i := range 40 {
			if replies[fmt.Sprint(100+i)].Result == nil {
				t.Errorf("the request %d is not answered", 100+i)
			}
		}
	})
	for name, bad := range map[string]struct {
		line string
		code int
	}{
		"a line that is not JSON":    {`{"jsonrpc":"2.0","id":3,`, -32700},
		"a line of words":            {`hello`, -32700},
		"a batch":                    {"[" + listRequest + "]", -32600},
		"JSON that is not a message": {`{"id":3}`, -32600},
		"a message of two MiB":       {`{"jsonrpc":"2.0","id":3,"method":"` + strings.Repeat("x", 2<<20) + `"}`, -32600},
		"invalid UTF-8":              {"\xff\xfe", -32700},
		"a number without a point":   {`1e`, -32700},
	} {
		t.Run(name+" is answered, and the session lives on", func(t *testing.T) {
			replies, got := say(t, bad.line+"\n\n"+search+"\n", arguments...)
			if refused := replies["<nil>"]; refused.Error == nil || refused.Error.Code != bad.code {
				t.Errorf("the bad line is answered %+v, want the code %d", refused, bad.code)
			}
			if replies["7"].Result == nil || got.code != 0 {
				t.Errorf("exit %d, replies %v, stderr %s", got.code, replies, got.stderr)
			}
		})
	}
	t.Run("S3-4a warnings go to stderr", func(t *testing.T) {
		open := cacheFile(t, sample.RSURL, map[string]any{"access_token": sample.ClientToken})
		files, err := filepath.Glob(filepath.Join(open, "clients", "*.json"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		if err := os.Chmod(files[0], 0o644); err != nil {
			t.Fatal(err)
		}
		replies, got := say(t, search, "--provider-url", sample.RSURL, "--cache-root", open)
		if replies["7"].Result == nil || !strings.Contains(got.stderr, "chmod 600") {
			t.Errorf("replies %v, stderr %q", replies, got.stderr)
		}
	})
	t.Run("a person's interrupt ends it", func(t *testing.T) {
		p, err := start(t.TempDir(), nil, "demo", "--json", "--listen", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.stdout.find(startTime, func(string) bool { return true }); err != nil {
			t.Fatal(err)
		}
		if err := p.stop(); err != nil {
			t.Error(err)
		}
		if lines := strings.Count(p.stdout.String(), "\n"); lines != 1 {
			t.Errorf("demo --json printed %d lines: %s", lines, p.stdout)
		}
	})
}
