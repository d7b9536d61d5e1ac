package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"
)

// How much of each answer the tour prints; a model gets all of it.
const (
	tourLines = 14
	lineRunes = 400
)

// printTour is a first walk through a server, as a model makes it: schema, search, fetch, aggregate. It prints each call
// with the text that a model sees.
func printTour(ctx context.Context, out io.Writer, url, token string) error {
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
	stream, err := firstStream(schema)
	if err != nil {
		return err
	}
	id, err := guide.firstID(ctx, stream)
	if err != nil || id == "" {
		return err
	}
	if _, err := guide.call(ctx, "fetch", map[string]any{"id": id}); err != nil {
		return err
	}
	_, err = guide.call(ctx, "aggregate", map[string]any{"stream": stream, "metric": "count"})
	return err
}

type guide struct {
	session *mcp.ClientSession
	out     io.Writer
}

// call makes one call and prints it.
func (g guide) call(ctx context.Context, tool string, arguments map[string]any) (*mcp.CallToolResult, error) {
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

// firstID finds a record: by a word of the sample year, else the newest of the stream.
func (g guide) firstID(ctx context.Context, stream string) (string, error) {
	found, err := g.call(ctx, "search", map[string]any{"q": "dentist", "limit": 3})
	if err != nil {
		return "", err
	}
	var hits struct {
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
	}
	if err := structured(found, &hits); err != nil {
		return "", err
	}
	if len(hits.Results) > 0 {
		return hits.Results[0].ID, nil
	}
	page, err := g.call(ctx, "query_records", map[string]any{"stream": stream, "limit": 1})
	if err != nil {
		return "", err
	}
	var list struct {
		Data struct {
			Data []struct {
				ID           string `json:"id"`
				ConnectionID string `json:"connection_id"`
			} `json:"data"`
		} `json:"data"`
	}
	if err := structured(page, &list); err != nil || len(list.Data.Data) == 0 {
		return "", err
	}
	return list.Data.Data[0].ConnectionID + "/" + stream + ":" + list.Data.Data[0].ID, nil
}

// firstStream names a stream of the schema.
func firstStream(schema *mcp.CallToolResult) (string, error) {
	var document struct {
		Data struct {
			Connections []struct {
				Streams []struct {
					Name string `json:"name"`
				} `json:"streams"`
			} `json:"connections"`
		} `json:"data"`
	}
	if err := structured(schema, &document); err != nil {
		return "", err
	}
	for _, connection := range document.Data.Connections {
		for _, stream := range connection.Streams {
			return stream.Name, nil
		}
	}
	return "", errors.New("the schema names no stream")
}

func structured(result *mcp.CallToolResult, into any) error {
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
