package integration

import (
	"testing"
)

// TestAListOfStreamsHasOneShape covers S3-2a: an answer is accepted as a list for a package exactly if it is for a grant.
func TestAListOfStreamsHasOneShape(t *testing.T) {
	t.Parallel()
	const row = `{"object":"stream","name":"notes","record_count":1,"connection_id":"cin_only"}`
	for _, shape := range []struct{ name, body, code string }{
		{"data", `{"data":[` + row + `]}`, ""},
		{"data.data", `{"data":{"data":[` + row + `]}}`, ""},
		{"results", `{"results":[` + row + `]}`, ""},
		{"hits", `{"data":{"hits":[` + row + `]}}`, ""},
		{"records", `{"records":[` + row + `]}`, ""},
		{"streams", `{"streams":[` + row + `]}`, "invalid_response"},
		{"data.streams", `{"data":{"streams":[` + row + `]}}`, "invalid_response"},
	} {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			f := newFamily(t, scriptedMember{"one", body(200, "application/json", shape.body)}, scriptedMember{"two", body(200, "application/json", shape.body)})
			s := dialFamily(t, f)
			for what, arguments := range map[string]string{"a package": `{}`, "one grant": `{"connection_id":"cin_one"}`} {
				result := s.call("list_streams", args(arguments))
				code := ""
				if result.IsError {
					code = s.refusal("list_streams", args(arguments)).Code
				}
				if code != shape.code {
					t.Errorf("%s: %q, want %q: %s", what, code, shape.code, textOf(result))
				}
			}
		})
	}
}
