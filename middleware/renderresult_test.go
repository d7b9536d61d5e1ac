package middleware_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

const streamsBody = `{"object":"list","data":[{"object":"stream","name":"messages","record_count":3,"connection_id":"cin_1"}]}`

func TestRenderWritesBothChannels(t *testing.T) {
	for name, row := range map[string]struct {
		body       string
		err        error
		isError    bool
		text       []string // what the text contains
		structured map[string]any
	}{
		"a good answer is in text, and as it was in data": {
			body: streamsBody, text: []string{"messages", "3"},
			structured: map[string]any{"data": map[string]any{"object": "list", "data": []any{
				map[string]any{"object": "stream", "name": "messages", "record_count": 3.0, "connection_id": "cin_1"},
			}}},
		},
		"S3-R3 an error keeps its code, sentence and way out on both channels": {
			err:     &rs.Error{Code: "cursor_expired", Status: 410, Message: "The bookmark is too old.", Hint: "Start again.", RequestID: "req_1"},
			isError: true, text: []string{"cursor_expired", "The bookmark is too old.", "Start again.", "req_1"},
			structured: map[string]any{"error": map[string]any{
				"code": "cursor_expired", "message": "The bookmark is too old.", "hint": "Start again.", "status": 410.0, "request_id": "req_1",
			}},
		},
		"an error of a foreign type shows nothing of itself": {
			err:     errors.New(middlewaretest.CanaryRecord),
			isError: true, text: []string{"internal_error"},
			structured: map[string]any{"error": map[string]any{
				"code": "internal_error", "message": "The adapter failed to answer this call.", "hint": "Retry once; if it fails again, tell the operator.",
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			core := spy{Err: row.err}
			if row.err == nil {
				core.Reply.Response = middlewaretest.JSON(row.body)
			}
			reply, err := middleware.Render(core.Handle)(t.Context(), callOf(t, "list_streams", `{}`))
			if err != nil || reply.Result == nil || reply.Resource != nil {
				t.Fatalf("%+v, %v; want a result alone", reply, err)
			}
			text := textOf(t, reply.Result)
			for _, word := range row.text {
				if !strings.Contains(text, word) {
					t.Errorf("the text does not say %q: %s", word, text)
				}
			}
			var structured map[string]any
			data, err := json.Marshal(reply.Result.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &structured); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.structured, structured); diff != "" {
				t.Error(diff)
			}
			if reply.Result.IsError != row.isError {
				t.Errorf("isError = %v", reply.Result.IsError)
			}
			if strings.Contains(text+string(data), middlewaretest.CanaryRecord) {
				t.Error("the error shows its own text")
			}
		})
	}
}

func TestRenderTurnsAnUnreadableAnswerIntoAnError(t *testing.T) {
	core := spy{Reply: tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(`"` + middlewaretest.CanaryRecord + `"`)}}}
	reply, err := middleware.Render(core.Handle)(t.Context(), callOf(t, "list_streams", `{}`))
	if err != nil {
		t.Fatal(err)
	}
	if text := textOf(t, reply.Result); !reply.Result.IsError || !strings.Contains(text, "invalid_response") ||
		strings.Contains(text, middlewaretest.CanaryRecord) {
		t.Errorf("isError %v: %s", reply.Result.IsError, text)
	}
}

func TestRenderOfResources(t *testing.T) {
	t.Run("a resource is what the tool's structured result says", func(t *testing.T) {
		call := callOf(t, "list_streams", `{}`)
		call.URI = "pdpp://streams"
		core := spy{Reply: tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(streamsBody)}}}
		reply, err := middleware.Render(core.Handle)(t.Context(), call)
		if err != nil || reply.Result != nil {
			t.Fatalf("%+v, %v", reply, err)
		}
		want := []*mcp.ResourceContents{{URI: call.URI, MIMEType: "application/json", Text: `{"data":` + streamsBody + `}`}}
		if diff := cmp.Diff(want, reply.Resource.Contents); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a blob is its own bytes under its own type", func(t *testing.T) {
		call := callOf(t, "fetch_blob", `{"blob_id":"b1"}`)
		call.URI = "pdpp://blob/x"
		args, err := call.Tool.Parse(call.Raw)
		if err != nil {
			t.Fatal(err)
		}
		call.Args = args
		core := spy{
			Reply: tools.Reply{Answer: tools.Answer{Response: &rs.Response{Status: 200, Body: "\x89PNG\x00", ContentType: "image/png"}}},
		}
		reply, err := middleware.Render(core.Handle)(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		want := []*mcp.ResourceContents{{URI: call.URI, MIMEType: "image/png", Blob: []byte("\x89PNG\x00")}}
		if diff := cmp.Diff(want, reply.Resource.Contents); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a blob loses the token of its call, which also its type may hold", func(t *testing.T) {
		call := callOf(t, "fetch_blob", `{"blob_id":"b1"}`)
		call.URI = "pdpp://blob/x"
		call.Args, _ = call.Tool.Parse(call.Raw)
		blob := &rs.Response{Status: 200, Body: "before " + middlewaretest.CanaryToken, ContentType: "text/" + middlewaretest.CanaryToken}
		core := spy{Reply: tools.Reply{Answer: tools.Answer{Response: blob}}}
		reply, err := middleware.Render(core.Handle)(as(t.Context(), auth.KindClient), call)
		if err != nil {
			t.Fatal(err)
		}
		contents := reply.Resource.Contents[0]
		middlewaretest.WithoutSecrets(t, contents.MIMEType+string(contents.Blob))
		if !strings.HasPrefix(string(contents.Blob), "before ") {
			t.Errorf("the rest is %q", contents.Blob)
		}
	})
	for name, row := range map[string]struct {
		core *spy
		want rs.Code
	}{
		"an error is not the content of a resource":               {&spy{Err: &rs.Error{Code: "not_found", Status: 404}}, "not_found"},
		"an answer that cannot be rendered is an error":           {&spy{Reply: tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(`[]`)}}}, "invalid_response"},
		"an error of a foreign type becomes an internal one here": {&spy{Err: errors.New("x")}, "internal_error"},
	} {
		t.Run(name, func(t *testing.T) {
			call := callOf(t, "list_streams", `{}`)
			call.URI = "pdpp://streams"
			reply, err := middleware.Render(row.core.Handle)(t.Context(), call)
			if codeOf(t, err) != row.want || reply.Result != nil || reply.Resource != nil {
				t.Errorf("%+v, %v; want %s alone", reply, err, row.want)
			}
		})
	}
}

func textOf(t testing.TB, result *mcp.CallToolResult) string {
	t.Helper()
	if len(result.Content) != 1 {
		t.Fatalf("%d blocks of content", len(result.Content))
	}
	block, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("content of type %T", result.Content[0])
	}
	return block.Text
}
