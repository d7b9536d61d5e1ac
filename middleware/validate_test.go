package middleware_test

import (
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
		read            string // what the checked arguments stand for
	}{
		"good arguments pass, checked":          {"query_records", `{"stream":"messages","limit":2}`, "", "/v1/streams/messages/records?limit=2"},
		"D9 a string filter is its own error":   {"query_records", `{"stream":"messages","filter":"a=1"}`, rs.InvalidFilter, ""},
		"an unknown argument does not pass":     {"schema", `{"stram":"messages"}`, rs.InvalidArguments, ""},
		"D6 full without a stream is not read":  {"schema", `{"detail":"full"}`, rs.InvalidArguments, ""},
		"an id that breaks the grammar is none": {"fetch", `{"id":"a/b/c:d"}`, rs.InvalidID, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var core middlewaretest.Spy
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
