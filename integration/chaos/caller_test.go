//go:build chaos

package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A caller is a host: it keeps its connections and sends calls over them.
type caller struct {
	http *http.Client
	url  string
}

func newCaller(url string, connections int) caller {
	return caller{&http.Client{Transport: &http.Transport{
		MaxIdleConns: connections, MaxIdleConnsPerHost: connections, DisableCompression: true,
	}}, url}
}

func (c caller) close() { c.http.CloseIdleConnections() }

// A call is a tool and its arguments.
type call struct{ tool, arguments string }

// callsOf returns one call of each tool that reads the named stream.
func callsOf(name string) []call {
	return []call{
		{"schema", `{"stream":"` + name + `"}`},
		{"query_records", `{"stream":"` + name + `"}`},
		{"aggregate", `{"stream":"` + name + `","metric":"count"}`},
		{"search", `{"q":"` + name + `"}`},
		{"fetch", `{"id":"` + name + `:1"}`},
		{"read_record_field", `{"id":"` + name + `:1","field":"body"}`},
	}
}

// An answer is what a host receives. code is "ok" for a successful result.
type answer struct {
	status     int
	code       string
	message    string
	retryAfter string
	body       string
	took       time.Duration
	err        error // of the connection, if there is no answer
}

// String describes the answer.
func (a answer) String() string {
	if a.err != nil {
		return fmt.Sprintf("no answer after %s: %v", a.took, a.err)
	}
	return fmt.Sprintf("%d %s %s after %s", a.status, a.code, a.message, a.took)
}

// patience is the longest time that a caller waits; nothing may take as long.
const patience = 50 * time.Second

// give sends one call and reads the complete answer.
func (c caller) give(ctx context.Context, token string, what call) (a answer) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	begin := time.Now()
	defer func() { a.took = time.Since(begin) }()
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + what.tool + `","arguments":` + what.arguments + `}}`
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(message))
	if err != nil {
		return answer{err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := c.http.Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{err: err}
	}
	a = answer{status: response.StatusCode, body: string(body), retryAfter: response.Header.Get("Retry-After")}
	a.code, a.message = readAnswer(body)
	return a
}

// readAnswer returns the code of an answer, which is a result, an error result or a refusal of the HTTP chain. For anything else the code
// is empty.
func readAnswer(body []byte) (code, message string) {
	type typed struct {
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
	}
	var document struct {
		Error  *typed `json:"error"`
		Result *struct {
			IsError    bool `json:"isError"`
			Structured struct {
				Error typed `json:"error"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	if json.Unmarshal(body, &document) != nil {
		return "", ""
	}
	var found typed
	switch {
	case document.Result != nil && !document.Result.IsError:
		return "ok", ""
	case document.Result != nil:
		found = document.Result.Structured.Error
	case document.Error != nil:
		found = *document.Error
	}
	_ = json.Unmarshal(found.Code, &code) // JSON-RPC has numbers, which mean nothing to a model
	return code, found.Message
}

// documented matches the codes in docs/errors.md.
var documented = regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\|")

// A checker has the allowed codes and checks answers.
type checker map[string]bool // the allowed codes

func newChecker(t testing.TB, further ...string) checker {
	t.Helper()
	page, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	c := checker{"ok": true}
	for _, match := range documented.FindAllStringSubmatch(string(page), -1) {
		c[match[1]] = true
	}
	for _, code := range further {
		c[code] = true
	}
	delete(c, "internal_error") // never because another program fails
	return c
}

// check returns an error unless the answer has an allowed code and came within the limit.
func (c checker) check(a answer, limit time.Duration) error {
	switch {
	case a.err != nil:
		return fmt.Errorf("no answer after %s: %w", a.took, a.err)
	case !c[a.code]:
		return fmt.Errorf("an answer without a code of docs/errors.md, but %q: %d %.300s", a.code, a.status, a.body)
	case a.code != "ok" && a.message == "":
		return fmt.Errorf("%s without a sentence", a.code)
	case a.took > limit:
		return fmt.Errorf("%s after %s, not within %s", a.code, a.took, limit)
	case (a.status == http.StatusServiceUnavailable || a.status == http.StatusTooManyRequests) && a.retryAfter == "":
		return fmt.Errorf("%d %s without Retry-After", a.status, a.code)
	case strings.Contains(a.body, secret):
		return fmt.Errorf("%s repeats what the resource server sent: %.300s", a.code, a.body)
	}
	return nil
}
