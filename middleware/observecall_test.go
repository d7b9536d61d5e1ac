package middleware_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// callsSeen is a CallObserver that records the calls.
type callsSeen struct {
	underWay int
	ended    []middleware.Outcome
}

func (s *callsSeen) CallBegan() { s.underWay++ }

func (s *callsSeen) CallEnded(o middleware.Outcome) {
	s.underWay--
	s.ended = append(s.ended, o)
}

func TestMeasure(t *testing.T) {
	record := `{"object":"list","data":[],"text":"` + middlewaretest.CanaryRecord + `"}`
	for name, row := range map[string]struct {
		uri   string
		reply tools.Reply
		err   error
		want  middleware.Outcome
	}{
		"a good answer has its size on every channel": {
			reply: tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(record)}},
			want:  middleware.Outcome{Tool: "list_streams", Protocol: "2025-11-25", Code: "ok", RequestID: "req_scripted", ReadBytes: len(record), TextBytes: -1, StructuredBytes: -1},
		},
		"a package's answer may lack connections": {
			reply: tools.Reply{Answer: tools.Answer{Response: &rs.Response{Body: record, Unavailable: 2}}},
			want:  middleware.Outcome{Tool: "list_streams", Protocol: "2025-11-25", Code: "ok", ReadBytes: len(record), TextBytes: -1, StructuredBytes: -1, Unavailable: 2},
		},
		"an error that became a result is a failure": {
			err:  &rs.Error{Code: "grant_revoked", Status: 403, RequestID: "req_9", Message: middlewaretest.CanaryRecord},
			want: middleware.Outcome{Tool: "list_streams", Protocol: "2025-11-25", Code: "grant_revoked", Status: 403, RequestID: "req_9", TextBytes: -1, StructuredBytes: -1},
		},
		"an answer that cannot be rendered is a failure": {
			reply: tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(`[]`)}},
			want:  middleware.Outcome{Tool: "list_streams", Protocol: "2025-11-25", Code: "invalid_response", RequestID: "req_scripted", ReadBytes: 2, TextBytes: -1, StructuredBytes: -1},
		},
		"a resource has its size": {
			uri: "pdpp://streams", reply: tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(record)}},
			want: middleware.Outcome{Tool: "list_streams", Resource: true, Protocol: "2025-11-25", Code: "ok", RequestID: "req_scripted", ReadBytes: len(record), ResourceBytes: -1},
		},
		"a resource that cannot be rendered is a failure": {
			uri: "pdpp://streams", reply: tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(`[]`)}},
			want: middleware.Outcome{Tool: "list_streams", Resource: true, Protocol: "2025-11-25", Code: "invalid_response", RequestID: "req_scripted", ReadBytes: 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var seen callsSeen
			core := spy{Reply: row.reply, Err: row.err, Do: func(context.Context, tools.Call) {
				if seen.underWay != 1 {
					t.Errorf("%d calls are under way", seen.underWay)
				}
			}}
			call := callOf(t, "list_streams", `{"connection_id":"`+middlewaretest.CanaryArgument+`"}`)
			call.URI, call.Protocol = row.uri, "2025-11-25"
			handle := middleware.Chain(core.Handle, middleware.Observe(middleware.Options{Observer: &seen, Now: ticking(time.Second)}), middleware.Render)
			reply, err := handle(t.Context(), call)
			if row.want.TextBytes < 0 { // as many as were sent
				row.want.TextBytes, row.want.StructuredBytes = len(textOf(t, reply.Result)), len(reply.Rendered.Structured)
			}
			if row.want.ResourceBytes < 0 {
				row.want.ResourceBytes = len(reply.Resource.Contents[0].Text)
			}
			row.want.Took = time.Second
			if diff := cmp.Diff([]middleware.Outcome{row.want}, seen.ended); diff != "" || seen.underWay != 0 {
				t.Errorf("%d under way (%v)\n%s", seen.underWay, err, diff)
			}
		})
	}
	t.Run("a blob has its size", func(t *testing.T) {
		var seen callsSeen
		blob := tools.Reply{Resource: &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Blob: []byte("\x89PNG")}, {Text: "ab"}}}}
		core := spy{Reply: blob}
		_, err := middleware.Observe(middleware.Options{Observer: &seen, Now: ticking(0)})(core.Handle)(t.Context(), callOf(t, "fetch_blob", `{}`))
		if err != nil || seen.ended[0].ResourceBytes != 6 {
			t.Errorf("%+v (%v)", seen.ended, err)
		}
	})
	t.Run("an error goes on", func(t *testing.T) {
		refused := &rs.Error{Code: "not_found"}
		core := spy{Err: refused}
		_, err := middleware.Observe(middleware.Options{Observer: new(callsSeen), Now: ticking(0)})(core.Handle)(t.Context(), callOf(t, "fetch", `{}`))
		if err != error(refused) { //nolint:errorlint // the very same
			t.Errorf("error %v, want %v", err, refused)
		}
	})
	t.Run("cuts and removed characters are counted", func(t *testing.T) {
		var seen callsSeen
		core := spy{
			Reply: tools.Reply{
				Rendered: render.Result{Cuts: 3}.Clean(&rs.Response{Body: `"` + strings.Repeat(`\u0007`, 8) + strings.Repeat(`\u202e`, 9) + `"`}),
			},
		}
		if _, err := middleware.Observe(middleware.Options{Observer: &seen, Now: ticking(0)})(core.Handle)(t.Context(), callOf(t, "fetch", `{}`)); err != nil {
			t.Fatal(err)
		}
		if got := seen.ended[0]; got.Cuts != 3 || got.Removed != 17 {
			t.Errorf("%+v", got)
		}
	})
}

func TestBoundedCode(t *testing.T) {
	for code, want := range map[rs.Code]string{
		"ok": "ok", "invalid_filter": "invalid_filter", "cursor_expired": "cursor_expired", "made_up": "other", "": "other", middlewaretest.CanaryRecord: "other",
	} {
		if got := code.Label(); got != want {
			t.Errorf("%q is %q, want %q", code, got, want)
		}
	}
}
