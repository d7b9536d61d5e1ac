package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// How much of each answer the tour prints; a model gets all of it.
const (
	tourLines = 14
	lineRunes = 400
)

// printTour is a first walk through a server, as a model makes it: schema, search, fetch, aggregate. It prints each call
// with the text that a model sees. It searches for words; without words, it asks what the data can answer: for a word of the newest record,
// and counts by month or by a text.
func printTour(ctx context.Context, out io.Writer, url, token, words string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "pdpp-mcp-tour", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   url,
		HTTPClient: oauth2.NewClient(ctx, oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})),
	}, nil)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	guide := guide{session: session, out: out}

	schema, err := guide.call(ctx, "schema", map[string]any{})
	if err != nil {
		return err
	}
	stream, err := largestStream(schema)
	if err != nil {
		return err
	}
	count, newest := map[string]any{"stream": stream, "metric": "count"}, ""
	if words == "" {
		searched, err := guide.fields(ctx, stream, count)
		if err != nil {
			return err
		}
		if newest, words, err = guide.newest(ctx, stream, searched); err != nil || newest == "" {
			return err
		}
	}
	id, err := guide.firstHit(ctx, words)
	if err != nil {
		return err
	}
	if id = cmp.Or(id, newest); id != "" {
		if _, err := guide.call(ctx, "fetch", map[string]any{"id": id}); err != nil {
			return err
		}
	}
	_, err = guide.call(ctx, "aggregate", count)
	return err
}

type guide struct {
	session *mcp.ClientSession
	out     io.Writer
}

// call makes one call and prints it.
func (g guide) call(ctx context.Context, tool string, arguments any) (*mcp.CallToolResult, error) {
	shown, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(g.out, "› %s %s\n", tool, shown)
	result, err := g.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	var text string
	if content, ok := result.Content[0].(*mcp.TextContent); ok {
		text = content.Text
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if i == tourLines {
			fmt.Fprintf(g.out, "  … %d more lines\n", len(lines)-i)
			break
		}
		if runes := []rune(line); len(runes) > lineRunes {
			line = string(runes[:lineRunes]) + "…"
		}
		fmt.Fprintf(g.out, "  %s\n", line)
	}
	fmt.Fprintln(g.out)
	if result.IsError {
		return nil, errors.New(text)
	}
	return result, nil
}

// fields asks for the fields of a stream. It returns those that are searched, and completes a count by month or by a text.
func (g guide) fields(ctx context.Context, stream string, count map[string]any) ([]string, error) {
	schema, err := g.call(ctx, "schema", map[string]any{"stream": stream})
	if err != nil {
		return nil, err
	}
	document, err := json.Marshal(schema.StructuredContent)
	if err != nil {
		return nil, err
	}
	var searched []string
	text, month := "", ""
	for _, connector := range rs.AsObject(string(document)).Object("data").Array("connectors") {
		for _, described := range rs.AsObject(connector).Array("streams") {
			for _, field := range rs.AsObject(described).Object("field_capabilities") {
				if strings.Contains(field.Value, ",lex") {
					searched = append(searched, field.Name)
					if text == "" && strings.Contains(field.Value, "group_by") {
						text = field.Name
					}
				}
				if strings.Contains(field.Value, "role=event-time") && strings.Contains(field.Value, "group_by_time") {
					month = field.Name
				}
			}
		}
	}
	switch {
	case month != "":
		count["group_by_time"], count["granularity"] = month, "month"
	case text != "":
		count["group_by"] = text
	}
	return searched, nil
}

// newest returns the id of the newest record of a stream, and the longest word of the first of some fields that has one.
func (g guide) newest(ctx context.Context, stream string, fields []string) (id, word string, err error) {
	page, err := g.call(ctx, "query_records", map[string]any{"stream": stream, "limit": 1})
	if err != nil {
		return "", "", err
	}
	var list struct {
		Data struct {
			Data []struct {
				ID           string         `json:"id"`
				ConnectionID string         `json:"connection_id"`
				Data         map[string]any `json:"data"`
			} `json:"data"`
		} `json:"data"`
	}
	if err := structured(page, &list); err != nil || len(list.Data.Data) == 0 {
		return "", "", err
	}
	record := list.Data.Data[0]
	for _, field := range fields {
		value, _ := record.Data[field].(string)
		for _, each := range strings.FieldsFunc(value, func(c rune) bool { return !unicode.IsLetter(c) }) {
			if len(each) > len(word) {
				word = each
			}
		}
		if word != "" {
			break
		}
	}
	return rs.Ref{ConnectionID: record.ConnectionID, Stream: stream, RecordID: record.ID}.String(), word, nil
}

// firstHit searches for words and returns the id of the first record, or "".
func (g guide) firstHit(ctx context.Context, words string) (string, error) {
	if words == "" {
		return "", nil
	}
	found, err := g.call(ctx, "search", map[string]any{"q": words, "limit": 3})
	if err != nil {
		return "", err
	}
	var hits struct {
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
	}
	if err := structured(found, &hits); err != nil || len(hits.Results) == 0 {
		return "", err
	}
	return hits.Results[0].ID, nil
}

// largestStream names the stream of the schema that has the most records.
func largestStream(schema *mcp.CallToolResult) (string, error) {
	var document struct {
		Data struct {
			Connections []struct {
				Streams []struct {
					Name    string `json:"name"`
					Records int    `json:"records"`
				} `json:"streams"`
			} `json:"connections"`
		} `json:"data"`
	}
	if err := structured(schema, &document); err != nil {
		return "", err
	}
	name, most := "", -1
	for _, connection := range document.Data.Connections {
		for _, stream := range connection.Streams {
			if stream.Records > most {
				name, most = stream.Name, stream.Records
			}
		}
	}
	if name == "" {
		return "", errors.New("the schema names no stream")
	}
	return name, nil
}

func structured(result *mcp.CallToolResult, into any) error {
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
