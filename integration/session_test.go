package integration

import (
	"context"
	"encoding/json"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// callTime limits one call.
const callTime = 30 * time.Second

// The two protocol eras: with a handshake and sessions, and stateless.
const (
	legacyEra = "2025-11-25"
	modernEra = "2026-07-28"
)

// A session is an MCP client in a test.
type session struct {
	*mcp.ClientSession
	t *testing.T
}

// overHTTP connects to a hosted endpoint.
func overHTTP(t *testing.T, url, token string) session { return overHTTPIn(t, url, token, "") }

// overHTTPIn does so in one protocol era.
func overHTTPIn(t *testing.T, url, token, era string) session {
	t.Helper()
	return connect(t, era, &mcp.StreamableClientTransport{
		Endpoint:             url,
		HTTPClient:           &http.Client{Transport: bearerTransport(token)},
		MaxRetries:           -1,
		DisableStandaloneSSE: true,
	})
}

// overStdio starts the program as a host does, and connects to it.
func overStdio(t *testing.T, args ...string) session { return overStdioIn(t, "", args...) }

// overStdioIn does so in one protocol era.
func overStdioIn(t *testing.T, era string, args ...string) session {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(binary, append([]string{"stdio"}, args...)...)
	cmd.Dir, cmd.Env = "/", environment(home) // hosts start it in the root folder
	cmd.Stderr = newLineLog()
	return connect(t, era, &mcp.CommandTransport{Command: cmd, TerminateDuration: exitTime})
}

func connect(t *testing.T, era string, transport mcp.Transport) session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "integration", Version: "1"}, nil)
	connected, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connected.Close() })
	return session{connected, t}
}

// call calls a tool and fails the test if there is no result; the result may be an error.
func (s session) call(tool string, arguments any) *mcp.CallToolResult {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), callTime)
	defer cancel()
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		s.t.Fatalf("%s %s: %v", tool, compact(arguments), err)
	}
	return result
}

// text returns the text of a successful result, which is all that some hosts show to a model.
func (s session) text(tool string, arguments any) string {
	s.t.Helper()
	result := s.call(tool, arguments)
	text := textOf(result)
	if result.IsError {
		s.t.Fatalf("%s %s: %s", tool, compact(arguments), text)
	}
	return text
}

// structured decodes the structured content of a successful result, which is all that other hosts show to a model.
func (s session) structured(tool string, arguments, into any) {
	s.t.Helper()
	result := s.call(tool, arguments)
	if result.IsError {
		s.t.Fatalf("%s %s: %s", tool, compact(arguments), textOf(result))
	}
	if err := structured(result, into); err != nil {
		s.t.Fatalf("%s %s: %v", tool, compact(arguments), err)
	}
}

// refusal returns the error of a failed call, from both channels.
func (s session) refusal(tool string, arguments any) refusal {
	s.t.Helper()
	result := s.call(tool, arguments)
	if !result.IsError {
		s.t.Fatalf("%s %s was answered: %s", tool, compact(arguments), textOf(result))
	}
	var document struct {
		Error refusal `json:"error"`
	}
	if err := structured(result, &document); err != nil {
		s.t.Fatalf("%s %s: %v", tool, compact(arguments), err)
	}
	document.Error.text = textOf(result)
	if !strings.HasPrefix(document.Error.text, document.Error.Code+": ") {
		s.t.Errorf("%s %s: the text does not begin with the code %q:\n%s", tool, compact(arguments), document.Error.Code, document.Error.text)
	}
	return document.Error
}

// A refusal is an error result.
type refusal struct {
	Code        string    `json:"code"`
	Message     string    `json:"message"`
	Hint        string    `json:"hint"`
	Param       string    `json:"param"`
	RetryWith   string    `json:"retry_with"`
	Status      int       `json:"status"`
	Connections []offered `json:"available_connections"`
	text        string
}

// An offered is a connection to choose from.
type offered struct {
	ID           string `json:"connection_id"`
	GrantID      string `json:"grant_id"`
	ConnectorKey string `json:"connector_key"`
}

// textOf returns the text of a result.
func textOf(result *mcp.CallToolResult) string {
	var parts []string
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			parts = append(parts, text.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func compact(value any) string {
	data, _ := json.Marshal(value)
	return string(data)
}

// An example is a tool with literal arguments.
type example struct {
	tool      string
	arguments json.RawMessage
}

// args returns a tool's arguments as they are sent.
func args(text string) json.RawMessage { return json.RawMessage(text) }

// varying matches what differs from call to call: request ids, and bookmarks, which contain the time.
var varying = regexp.MustCompile(`req_[0-9A-Za-z]+|eyJrIjoiYm9va21hcmsi[A-Za-z0-9_-]+`)

// canonical returns a result as JSON, without what differs from call to call.
func canonical(value any) string {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err.Error()
	}
	return varying.ReplaceAllString(string(data), "VARYING")
}
