package middleware_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// toolNamed returns one tool as it is served.
func toolNamed(t testing.TB, name string) *tools.Tool {
	t.Helper()
	for _, tool := range tools.All(tools.Options{RecordBase: "https://rs.example"}) {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	return nil
}

// callOf is a call with a client's arguments.
func callOf(t testing.TB, tool, arguments string) tools.Call {
	t.Helper()
	return tools.Call{Tool: toolNamed(t, tool), Raw: json.RawMessage(arguments), Arguments: rs.AsObject(arguments)}
}

// as returns a context whose principal has the given kind.
func as(ctx context.Context, kind string) context.Context {
	return auth.WithPrincipal(ctx, auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: kind})
}

// standard is the pipeline over a scripted resource server.
func standard(server *middlewaretest.RS) tools.Handler {
	return middleware.Standard(middleware.Options{Log: zerolog.Nop(), Source: server.Source}, tools.Forward)
}

// codeOf returns the code of a typed error, or "" for nil. Any other error fails the test.
func codeOf(t testing.TB, err error) rs.Code {
	t.Helper()
	if err == nil {
		return ""
	}
	var typed *rs.Error
	if !errors.As(err, &typed) {
		t.Fatalf("error %v is not typed", err)
	}
	return typed.Code
}

// logLines returns the log, one map a line.
func logLines(t testing.TB, log *bytes.Buffer) []map[string]any {
	t.Helper()
	var lines []map[string]any
	decoder := json.NewDecoder(log)
	for decoder.More() {
		var line map[string]any
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// ticking is a clock that advances by one step at each reading.
func ticking(step time.Duration) func() time.Time {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		now = now.Add(step)
		return now
	}
}
