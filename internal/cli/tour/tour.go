// Package tour makes and prints example calls to a server, as a model would make them.
package tour

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The most lines of an answer, and runes of a line, that the tour prints; a model gets the complete answer.
const (
	tourLines = 14
	lineRunes = 400
)

// Print calls schema, search, fetch and aggregate, and prints each call with the text that a model sees. It searches for words or, if words
// is empty, for a word of the newest record.
func Print(ctx context.Context, out io.Writer, tools *Tools, words string) error {
	g := &guide{tools: tools, out: out}
	stream, id := largestStream(g.call(ctx, "schema", map[string]any{})), ""
	if stream == "" {
		return cmp.Or(g.err, errors.New("the schema names no stream"))
	}
	if words == "" {
		if id, words = g.newest(ctx, stream); id == "" {
			return g.err
		}
	}
	if words != "" {
		found := g.call(ctx, "search", map[string]any{"q": words, "limit": 3})
		if hits := found.Array("results"); len(hits) > 0 {
			id = cmp.Or(rs.AsObject(hits[0]).Text("id"), id)
		}
	}
	if id != "" {
		g.call(ctx, "fetch", map[string]any{"id": id})
	}
	g.call(ctx, "aggregate", map[string]any{"stream": stream, "metric": "count"})
	return g.err
}

// Tools is an MCP client for the tools of a server, by the URL of its /mcp endpoint and a bearer token.
type Tools struct{ URL, Token string }

// maxAnswer is the most bytes of an answer. Answers of the tools are far smaller.
const maxAnswer = 8 << 20

// Ask sends one MCP request and returns its result as JSON.
func (t *Tools) Ask(ctx context.Context, method string, params any) (string, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+t.Token)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&answer); err != nil {
		return "", err
	}
	if answer.Error != nil {
		return "", errors.New(answer.Error.Message)
	}
	return string(answer.Result), nil
}

// A guide makes and prints the calls of the tour. After a call has failed, it makes no more.
type guide struct {
	tools *Tools
	out   io.Writer
	err   error
}

// call makes one call, prints it and returns the structured result; nil after an error.
func (g *guide) call(ctx context.Context, tool string, arguments map[string]any) rs.Object {
	if g.err != nil {
		return nil
	}
	fmt.Fprintf(g.out, "› %s %s\n", tool, rs.EncodeJSON(arguments))
	var answer string
	if answer, g.err = g.tools.Ask(ctx, "tools/call", map[string]any{"name": tool, "arguments": arguments}); g.err != nil {
		return nil
	}
	result, text := rs.AsObject(answer), ""
	if content := result.Array("content"); len(content) > 0 {
		text = rs.AsObject(content[0]).Text("text")
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if i == tourLines {
			fmt.Fprintf(g.out, "  … %d more lines\n", len(lines)-i)
			break
		}
		fmt.Fprintf(g.out, "  %s\n", rs.Clip(line, lineRunes))
	}
	fmt.Fprintln(g.out)
	if result.Flag("isError") {
		g.err = errors.New(text)
	}
	return result.Object("structuredContent")
}

// newest returns the id of the newest record of a stream, and the longest word in its fields.
func (g *guide) newest(ctx context.Context, stream string) (id, word string) {
	list := g.call(ctx, "query_records", map[string]any{"stream": stream, "limit": 1}).Object("data").Array("data")
	if len(list) == 0 {
		return "", ""
	}
	record := rs.AsObject(list[0])
	for _, field := range record.Object("data") {
		text, _ := rs.AsText(field.Value)
		for _, each := range strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) }) {
			if len(each) > len(word) {
				word = each
			}
		}
	}
	return rs.Ref{ConnectionID: record.Text("connection_id"), Stream: stream, RecordID: record.Text("id")}.String(), word
}

// largestStream returns the name of the stream with the most records, or "" if the schema has no streams.
func largestStream(schema rs.Object) (name string) {
	most := -1
	for _, connection := range schema.Object("data").Array("connections") {
		for _, raw := range rs.AsObject(connection).Array("streams") {
			stream := rs.AsObject(raw)
			if records, _ := stream.Number("records"); records > most {
				name, most = stream.Text("name"), records
			}
		}
	}
	return name
}
