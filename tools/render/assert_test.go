package render

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const base = "https://rs.example"

// Shared with golden_test.go, which cannot be in this package because it uses the tools: it calls AssertResult, and sets AssertSendable
// to check that the tools accept the printed calls.
var (
	AssertResult   = assertResult
	AssertSendable = func(_ *testing.T, _ string, _ Result) {}
)

// assertResult checks what holds for every result: both channels within their budgets, valid UTF-8, short lines, no characters that must
// not reach a host, handles that can be sent back.
func assertResult(t *testing.T, tool string, r Result) {
	t.Helper()
	r = r.Clean(&rs.Response{})
	limit := write.TextHard
	switch tool {
	case "search":
		limit = searchAsked + searchHard - searchTarget
	case "error":
		limit = errorBytes
	}
	if len(r.Text) > limit {
		t.Errorf("text has %d bytes, at most %d are allowed", len(r.Text), limit)
	}
	if r.Text == "" {
		t.Error("text is empty")
	}
	if !utf8.ValidString(r.Text) || !utf8.ValidString(r.Structured) {
		t.Error("not valid UTF-8")
	}
	if again := r.Clean(&rs.Response{}); again.Text != r.Text || again.Structured != r.Structured {
		t.Error("D19: a character that must not reach a host is left")
	}
	if lines := strings.Count(r.Text, "\n") + 1; lines > write.TextLines {
		t.Errorf("text has %d lines", lines)
	}
	for line := range strings.SplitSeq(r.Text, "\n") {
		if tool != "fetch" && utf8.RuneCountInString(line) > write.LineChars {
			t.Errorf("a line has %d characters: %.80s…", utf8.RuneCountInString(line), line)
		}
	}
	if rs.Kind(r.Structured) != "object" || !json.Valid([]byte(r.Structured)) {
		t.Errorf("structured output is not a JSON object: %.80s", r.Structured)
	}
	if len(r.Structured) > write.StructuredHard {
		t.Errorf("structured output has %d bytes, at most %d are allowed", len(r.Structured), write.StructuredHard)
	}
	if tool == "fetch" && r.Text != r.Structured {
		t.Error("the text differs from the structured document")
	}
	if strings.Contains(r.Structured, WindowURIPrefix) || strings.Contains(r.Text, WindowURIPrefix) {
		t.Error("a field-window URI is visible (S1-R4)")
	}
	AssertSendable(t, tool, r)
}

// answered returns a successful response with the body, as the client makes it.
func answered(body string) *rs.Response {
	response, err := rs.ReadResponse(body)
	if err != nil {
		panic(err)
	}
	return response
}
