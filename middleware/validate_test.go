package middleware_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestValidate(t *testing.T) {
	for name, row := range map[string]struct {
		tool, arguments string
		want            rs.Code
		read            string // the read that the checked arguments lead to
	}{
		"good arguments pass, checked":          {"query_records", `{"stream":"messages","limit":2}`, "", "/v1/streams/messages/records?limit=2"},
		"D9 a string filter is its own error":   {"query_records", `{"stream":"messages","filter":"a=1"}`, "invalid_filter", ""},
		"an unknown argument does not pass":     {"schema", `{"stram":"messages"}`, "invalid_arguments", ""},
		"D6 full without a stream is not read":  {"schema", `{"detail":"full"}`, "invalid_arguments", ""},
		"an id that breaks the grammar is none": {"fetch", `{"id":"a/b/c:d"}`, "invalid_id", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var core spy
			_, err := middleware.Validate(core.Handle)(t.Context(), callOf(t, row.tool, row.arguments))
			if codeOf(t, err) != row.want {
				t.Fatalf("error %v, want %q", err, row.want)
			}
			calls := core.Calls()
			if row.want != "" {
				if len(calls) != 0 {
					t.Errorf("the core heard %v", calls)
				}
				return
			}
			if len(calls) != 1 || calls[0].Args == nil {
				t.Fatalf("the core heard %v", calls)
			}
			scope, err := calls[0].Args.Scope()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.read, middlewaretest.Line(calls[0].Args.Request(scope))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestResolveConnection(t *testing.T) {
	uri := rs.Ref{ConnectionID: "cin_1", Stream: "files", RecordID: "a/b"}.URI()
	for name, row := range map[string]struct {
		tool, arguments string
		want            rs.Scope
		code            rs.Code
	}{
		"S2-6 the connection in an id is the scope":              {"fetch", `{"id":"cin_1/messages:m1"}`, rs.Scope{Stream: "messages", RecordID: "m1", ConnectionID: "cin_1"}, ""},
		"S2-7 a legacy id goes with connection_id":               {"fetch", `{"id":"messages:m1","connection_id":"cin_1"}`, rs.Scope{Stream: "messages", RecordID: "m1", ConnectionID: "cin_1"}, ""},
		"S3-19c a legacy id alone has no connection":             {"fetch", `{"id":"messages:m1"}`, rs.Scope{Stream: "messages", RecordID: "m1"}, ""},
		"S2-8 the same connection twice is one":                  {"fetch", `{"id":"cin_1/messages:m1","connection_id":"cin_1"}`, rs.Scope{Stream: "messages", RecordID: "m1", ConnectionID: "cin_1"}, ""},
		"S2-8 S3-19d two connections are refused":                {"fetch", `{"id":"cin_1/messages:m1","connection_id":"cin_2"}`, rs.Scope{}, "conflicting_connection_id"},
		"S3-19d they are refused for a field as well":            {"read_record_field", `{"id":"cin_1/messages:m1","field":"body","connection_id":"cin_2"}`, rs.Scope{}, "conflicting_connection_id"},
		"S3-19d they are refused for a record URI as well":       {"fetch", `{"id":"` + uri + `","connection_id":"cin_2"}`, rs.Scope{}, "conflicting_connection_id"},
		"S3-19d another spelling of a connection is another one": {"fetch", `{"id":"cin_1/messages:m1","connection_id":"CIN_1"}`, rs.Scope{}, "conflicting_connection_id"},
		"S4-R5 expansion is noted":                               {"query_records", `{"stream":"messages","expand_limit":{"r":1}}`, rs.Scope{Stream: "messages", Expands: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var core spy
			handle := middleware.Chain(core.Handle, middleware.Validate)
			_, err := handle(t.Context(), callOf(t, row.tool, row.arguments))
			if codeOf(t, err) != row.code {
				t.Fatalf("error %v, want %q", err, row.code)
			}
			calls := core.Calls()
			if row.code != "" {
				if e := rs.AsError(err); len(calls) != 0 || !strings.Contains(e.Message, "cin_1") || e.Hint == "" {
					t.Errorf("the core heard %v; error %+v", calls, e)
				}
				return
			}
			if len(calls) != 1 {
				t.Fatalf("the core heard %v", calls)
			}
			if diff := cmp.Diff(row.want, calls[0].Scope); diff != "" {
				t.Error(diff)
			}
		})
	}
}
