package transport_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// A prompt is filled in without anything being read, in every era; an empty or an endless question is refused.
func TestThePromptIsFilledIn(t *testing.T) {
	client, err := rsclient.New(rsclient.Options{Base: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	server := transport.NewPipeline(transport.PipelineOptions{Client: client, Version: "test"})
	clientEnd, serverEnd := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), serverEnd, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), clientEnd, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != 1 || list.Prompts[0].Name != "ask" {
		t.Fatalf("%v %+v", err, list)
	}
	got, err := session.GetPrompt(
		t.Context(),
		&mcp.GetPromptParams{Name: "ask", Arguments: map[string]string{"question": "When is the dentist?"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	text := got.Messages[0].Content.(*mcp.TextContent).Text
	if !strings.Contains(text, "When is the dentist?") || !strings.Contains(text, "schema") {
		t.Errorf("message %q", text)
	}
	for name, question := range map[string]string{"empty": " ", "endless": strings.Repeat("a", 5000)} {
		t.Run(name, func(t *testing.T) {
			if _, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "ask", Arguments: map[string]string{"question": question}}); err == nil {
				t.Error("no error")
			}
		})
	}
}
