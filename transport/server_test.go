package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

func TestEveryEraIsServed(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			f := newFixture(t, echo)
			session := f.connect(t, version)

			hello := session.InitializeResult()
			if hello.ProtocolVersion != version || hello.Instructions != "Read the schema first." {
				t.Errorf("initialize: %+v", hello)
			}
			icons := []mcp.Icon{{Source: "https://mcp.example/icon.svg", MIMEType: "image/svg+xml", Sizes: []string{"any"}}}
			if diff := cmp.Diff(&mcp.Implementation{Name: "pdpp-mcp", Title: "PDPP", Version: "1.2.3", Icons: icons}, hello.ServerInfo); diff != "" {
				t.Errorf("S3-17a serverInfo (-want +got):\n%s", diff)
			}
			if got, _ := json.Marshal(hello.Capabilities); string(got) != `{"resources":{},"tools":{}}` {
				t.Errorf("capabilities %s", got)
			}

			list, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(list.Tools) != 1 || list.Tools[0].Name != "echo" || list.NextCursor != "" {
				t.Errorf("D1 an unlisted tool is listed, or a listed one is not: %+v", list.Tools)
			}
			if got, _ := json.Marshal(list.Tools[0].Annotations); string(got) != `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true,"title":"Echo"}` {
				t.Errorf("annotations %s", got)
			}
			for _, tool := range []string{"echo", "hidden"} {
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"a": 1}})
				if err != nil {
					t.Fatal(err)
				}
				if text := result.Content[0].(*mcp.TextContent).Text; text != tool+` {"a":1}` {
					t.Errorf("result %q", text)
				}
			}
			read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "pdpp://thing/7"})
			if err != nil || read.Contents[0].URI != "pdpp://thing/7" {
				t.Errorf("resource %+v, %v", read, err)
			}
			templates, err := session.ListResourceTemplates(t.Context(), nil)
			if err != nil || len(templates.ResourceTemplates) != 1 {
				t.Errorf("templates %+v, %v", templates, err)
			}
			resources, err := session.ListResources(t.Context(), nil)
			if err != nil || len(resources.Resources) != 1 || resources.Resources[0].URI != "pdpp://fixed" {
				t.Errorf("resources %+v, %v", resources, err)
			}
		})
	}
}

func TestErrorsOnTheWire(t *testing.T) {
	failing := func(err error) tools.Handler {
		return func(context.Context, tools.Call) (tools.Reply, error) { return tools.Reply{}, err }
	}
	callEcho := func(ctx context.Context, s *mcp.ClientSession) error {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "echo"})
		return err
	}
	readURI := func(uri string) func(context.Context, *mcp.ClientSession) error {
		return func(ctx context.Context, s *mcp.ClientSession) error {
			_, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
			return err
		}
	}
	for _, test := range []struct {
		name     string
		pipeline tools.Handler
		act      func(context.Context, *mcp.ClientSession) error
		code     int64
		data     string
	}{
		{
			name: "a fault of ours is an internal error that shows nothing of its cause", pipeline: failing(errors.New("secret cause")), act: callEcho,
			code: jsonrpc.CodeInternalError, data: `{"code":"internal_error","message":"The adapter failed to answer this call.","hint":"Retry once; if it fails again, tell the operator."}`,
		},
		{
			name: "a panic in a tool is an internal error", act: callEcho, code: jsonrpc.CodeInternalError,
			pipeline: middleware.Standard(middleware.Options{Source: func(auth.Principal) rs.Doer { panic("secret cause") }}, nil),
			data:     `{"code":"internal_error","message":"The adapter failed to answer this call.","hint":"Retry once; if it fails again, tell the operator."}`,
		},
		{
			name: "a panic in a resource is an internal error", act: readURI("pdpp://thing/7"), code: jsonrpc.CodeInternalError,
			pipeline: func(context.Context, tools.Call) (tools.Reply, error) { panic("secret cause") },
		},
		{
			name: "an unknown tool is invalid params", pipeline: echo, code: jsonrpc.CodeInvalidParams,
			act: func(ctx context.Context, s *mcp.ClientSession) error {
				_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "nope"})
				return err
			},
		},
		{
			name: "a URI that is not ours is invalid params with the URI", pipeline: echo, act: readURI("pdpp://thing/bad"),
			code: jsonrpc.CodeInvalidParams, data: `{"code":"invalid_uri","message":"Not one of ours.","hint":"Use pdpp://thing/ID.","uri":"pdpp://thing/bad"}`,
		},
		{
			name: "a URI that no template matches is invalid params with the URI", pipeline: echo, act: readURI("file:///etc/passwd"),
			code: jsonrpc.CodeInvalidParams, data: `{"uri":"file:///etc/passwd"}`,
		},
		{
			name: "a resource that does not exist is invalid params with the URI", act: readURI("pdpp://thing/7"),
			pipeline: failing(&rs.Error{Code: "blob_not_found", Status: 404, Message: "Blob not found.", RequestID: "req_1"}),
			code:     jsonrpc.CodeInvalidParams, data: `{"code":"blob_not_found","message":"Blob not found.","request_id":"req_1","uri":"pdpp://thing/7"}`,
		},
		{
			name: "a resource that is refused is a server error with the PDPP code", act: readURI("pdpp://thing/7"),
			pipeline: failing(&rs.Error{Code: "ambiguous_connection", Status: 409, Message: "Which?", RetryWith: "connection_id"}),
			code:     -32000, data: `{"code":"ambiguous_connection","message":"Which?","retry_with":"connection_id","uri":"pdpp://thing/7"}`,
		},
	} {
		for _, version := range eras[:2] {
			t.Run(test.name+"/"+version, func(t *testing.T) {
				f := newFixture(t, test.pipeline)
				session := f.connect(t, version)
				err := test.act(t.Context(), session)
				var wire *jsonrpc.Error
				if !errors.As(err, &wire) || wire.Code != test.code {
					t.Fatalf("error %v, want code %d", err, test.code)
				}
				if diff := cmp.Diff(test.data, string(wire.Data)); diff != "" {
					t.Errorf("data (-want +got):\n%s", diff)
				}
				if strings.Contains(wire.Message+string(wire.Data), "secret cause") {
					t.Errorf("the cause is shown: %v", err)
				}
				if err := session.Ping(t.Context(), nil); err != nil && version != eras[0] { // 2026-07-28 has no ping
					t.Errorf("the session is lost: %v", err)
				}
			})
		}
	}
}

func TestAPanicIsLoggedWithItsStack(t *testing.T) {
	f := newFixture(t, func(context.Context, tools.Call) (tools.Reply, error) { panic("the cause") })
	_, _ = f.connect(t, eras[0]).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "pdpp://thing/7"})
	f.Close()
	if text := f.log.String(); strings.Contains(text, "the cause") || !strings.Contains(text, "server_test.go") {
		t.Errorf("log %s", text)
	}
}

func TestWhatMayBeCached(t *testing.T) {
	f := newFixture(t, echo)
	session := f.connect(t, eras[0])
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || list.CacheScope != "public" || list.TTLMs != 300_000 {
		t.Errorf("tools/list: %+v, %v", list, err)
	}
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "pdpp://thing/7"})
	if err != nil || read.CacheScope != "private" || read.TTLMs != 0 {
		t.Errorf("resources/read: %+v, %v", read, err)
	}
	resources, err := session.ListResources(t.Context(), nil)
	if err != nil || resources.CacheScope != "private" || resources.TTLMs != 0 {
		t.Errorf("resources/list: %+v, %v", resources, err)
	}
}

// A client that hangs up ends its call, in every era: a read that nobody awaits is not finished.
func TestAHangUpEndsTheCall(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			begun, ended := make(chan struct{}), make(chan error, 1)
			f := newFixture(t, func(ctx context.Context, _ tools.Call) (tools.Reply, error) {
				close(begun)
				<-ctx.Done()
				ended <- ctx.Err()
				return tools.Reply{}, &rs.Error{Code: "canceled", Message: "The caller hung up."}
			})
			ctx, hangUp := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				f.rawCall(ctx, version)
			}()
			<-begun
			hangUp()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the call ended with %v", err)
			}
			<-done
		})
	}
}

func TestStructuredContentKeepsToOneLine(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{}}}` + "\n")
	if err := serveStdio(t.Context(), testServer(echo, io.Discard), in, &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line that is no message: %q", line)
		}
	}
	if strings.Count(out.String(), "\n") != 2 {
		t.Errorf("%q", out.String())
	}
}
