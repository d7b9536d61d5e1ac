package tools_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

func resourceNamed(t testing.TB, name string) tools.Resource {
	t.Helper()
	for _, resource := range tools.Resources(tools.All(tools.Options{RecordBase: recordBase})) {
		if resource.Name == name {
			return resource
		}
	}
	t.Fatalf("no resource %s", name)
	return tools.Resource{}
}

func handleOf(json string) string { return base64.RawURLEncoding.EncodeToString([]byte(json)) }

// S1-2b S1-5c: reading a resource URI makes exactly the read of the tool call that it stands for.
func TestResourcesMakeTheReadsOfTools(t *testing.T) {
	for name, row := range map[string]struct {
		resource, uri   string
		tool, arguments string // the call with the same read
		read            string
	}{
		"the list of streams": {"streams", "pdpp://streams", "list_streams", `{}`, "/v1/streams"},
		"one stream":          {"stream", "pdpp://stream/messages", "schema", `{"stream":"messages"}`, "/v1/schema?stream=messages&view=compact"},
		"one stream whose name is escaped": {
			"stream", "pdpp://stream/a%20b%C3%A9", "schema", `{"stream":"a bé"}`, "/v1/schema?stream=a bé&view=compact",
		},
		"S1-5c one record": {
			"record", rs.Ref{ConnectionID: "cin_1", Stream: "messages", RecordID: "m1"}.URI(),
			"fetch", `{"id":"cin_1/messages:m1"}`, "/v1/streams/messages/records/m1?connection_id=cin_1",
		},
		"S1-5c one record whose id has slashes": {
			"record", rs.Ref{Stream: "files", RecordID: "a/b"}.URI(),
			"fetch", `{"id":"` + rs.Ref{Stream: "files", RecordID: "a/b"}.URI() + `"}`, "/v1/streams/files/records/a%2Fb",
		},
		"S1-2b the start of a field": {
			"field-window", render.WindowQuery{Ref: rs.Ref{ConnectionID: "cin_1", Stream: "messages", RecordID: "m1"}, Field: "body"}.URI(),
			"read_record_field", `{"id":"cin_1/messages:m1","field":"body"}`,
			"/v1/streams/messages/records/m1/field-window?connection_id=cin_1&field=body",
		},
		"S1-2b a later part of a field": {
			"field-window", render.WindowQuery{Ref: rs.Ref{Stream: "messages", RecordID: "m1"}, Field: "parts.text", Offset: 4096, Limit: 100}.URI(),
			"read_record_field", `{"id":"messages:m1","field":"parts.text","offset_chars":4096,"limit_chars":100}`,
			"/v1/streams/messages/records/m1/field-window?field=parts.text&limit_chars=100&offset_chars=4096",
		},
		"S1-2b a match in a field": {
			"field-window", render.WindowQuery{Ref: rs.Ref{Stream: "messages", RecordID: "m1"}, Field: "body", Q: "tax", Before: new(10), After: new(20)}.URI(),
			"read_record_field", `{"id":"messages:m1","field":"body","q":"tax","before_chars":10,"after_chars":20}`,
			"/v1/streams/messages/records/m1/field-window?after_chars=20&before_chars=10&field=body&q=tax",
		},
		"S1-2b a window of any implementation": {
			"field-window", render.WindowURIPrefix + handleOf(`{"field":"body","id":"cin_1/messages:m1","v":1,"kind":"field_window"}`),
			"read_record_field", `{"id":"cin_1/messages:m1","field":"body"}`,
			"/v1/streams/messages/records/m1/field-window?connection_id=cin_1&field=body",
		},
		"one attachment": {
			"blob", render.BlobQuery{BlobID: "blob_sha256_ab", ConnectionID: "cin_1"}.URI(),
			"fetch_blob", `{"blob_id":"blob_sha256_ab","connection_id":"cin_1"}`, "/v1/blobs/blob_sha256_ab",
		},
		"one attachment in the form of older answers": {
			"blob", "pdpp://blob/" + handleOf(`{"v":1,"kind":"blob","blob_id":"blob_sha256_ab","connection_id":"cin_1"}`),
			"fetch_blob", `{"blob_id":"blob_sha256_ab","connection_id":"cin_1"}`, "/v1/blobs/blob_sha256_ab",
		},
		"one attachment of no known connection": {
			"blob", render.BlobQuery{BlobID: "blob_sha256_ab"}.URI(),
			"fetch_blob", `{"blob_id":"blob_sha256_ab"}`, "/v1/blobs/blob_sha256_ab",
		},
	} {
		t.Run(name, func(t *testing.T) {
			call, err := resourceNamed(t, row.resource).Call(row.uri)
			if err != nil {
				t.Fatal(err)
			}
			if call.Tool.Name != row.tool || call.URI != row.uri {
				t.Errorf("a call of %s for %s", call.Tool.Name, call.URI)
			}
			got, err := requestOf(call.Tool, call.Raw)
			if err != nil {
				t.Fatal(err)
			}
			want, err := requestOf(toolNamed(t, row.tool), json.RawMessage(row.arguments))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(row.read, middlewaretest.Line(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBadResourceURIs(t *testing.T) {
	window := func(members string) string {
		return render.WindowURIPrefix + handleOf(`{"v":1,"kind":"field_window",`+members+`}`)
	}
	for name, row := range map[string]struct {
		resource, uri string
		want          rs.Code
	}{
		"a stream without a name":             {"stream", "pdpp://stream/", "invalid_uri"},
		"a stream that traverses":             {"stream", "pdpp://stream/..", "invalid_uri"},
		"a stream that traverses, escaped":    {"stream", "pdpp://stream/%2e%2e", "invalid_uri"},
		"a stream with a slash, escaped":      {"stream", "pdpp://stream/a%2Fb", "invalid_uri"},
		"a stream with a slash":               {"stream", "pdpp://stream/a/b", "invalid_uri"},
		"a stream with a NUL":                 {"stream", "pdpp://stream/a%00", "invalid_uri"},
		"a stream with half an escape":        {"stream", "pdpp://stream/a%2", "invalid_uri"},
		"a stream under another address":      {"stream", "https://stream/a", "invalid_uri"},
		"a record without a handle":           {"record", "pdpp://record/", "invalid_uri"},
		"a record whose handle is not base64": {"record", "pdpp://record/a+b", "invalid_uri"},
		"a record of another version":         {"record", "pdpp://record/" + handleOf(`{"v":2,"kind":"record","stream":"a","record_id":"b"}`), "invalid_uri"},
		"a record that traverses":             {"record", "pdpp://record/" + handleOf(`{"v":1,"kind":"record","stream":"..","record_id":"b"}`), "invalid_uri"},
		"an id in the place of an address":    {"record", "messages:m1", "invalid_uri"},
		"a window without a handle":           {"field-window", "pdpp://field-window/", "invalid_uri"},
		"a window under another address":      {"field-window", handleOf(`{"v":1,"kind":"field_window","id":"a:b","field":"c"}`), "invalid_uri"},
		"a window without a field":            {"field-window", window(`"id":"a:b"`), "invalid_uri"},
		"a window without a record":           {"field-window", window(`"field":"body"`), "invalid_uri"},
		"a window of another version":         {"field-window", render.WindowURIPrefix + handleOf(`{"v":2,"kind":"field_window","id":"a:b","field":"c"}`), "invalid_uri"},
		"a record's handle as a window":       {"field-window", render.WindowURIPrefix + handleOf(`{"v":1,"kind":"record","id":"a:b","field":"c"}`), "invalid_uri"},
		"a window of a traversal":             {"field-window", window(`"id":"../a:b","field":"c"`), "invalid_id"},
		"a window of no record":               {"field-window", window(`"id":"a","field":"c"`), "invalid_id"},
		"a window of a bracketed field":       {"field-window", window(`"id":"a:b","field":"c[0]"`), "invalid_arguments"},
		"a window that starts before zero":    {"field-window", window(`"id":"a:b","field":"c","offset_chars":-1`), "invalid_arguments"},
		"a window of a million characters":    {"field-window", window(`"id":"a:b","field":"c","limit_chars":1000000`), "invalid_arguments"},
		"a window of a match and an offset":   {"field-window", window(`"id":"a:b","field":"c","q":"x","offset_chars":5`), "invalid_arguments"},
		"a blob without a handle":             {"blob", "pdpp://blob/", "invalid_uri"},
		"a blob without an id":                {"blob", "pdpp://blob/" + handleOf(`{"v":1,"kind":"blob"}`), "invalid_uri"},
		"a blob under another kind":           {"blob", "pdpp://blob/" + handleOf(`{"v":1,"kind":"record","blob_id":"b"}`), "invalid_uri"},
		"a blob that traverses":               {"blob", "pdpp://blob/" + handleOf(`{"v":1,"kind":"blob","blob_id":"../../x"}`), "invalid_id"},
		"a blob of a traversal":               {"blob", "pdpp://blob/-/..%2Fx", "invalid_id"},
		"a blob with half an escape":          {"blob", "pdpp://blob/-/a%2", "invalid_uri"},
		"a blob of a connection, without id":  {"blob", "pdpp://blob/cin_a/", "invalid_arguments"},
		"a blob under another address":        {"blob", handleOf(`{"v":1,"kind":"blob","blob_id":"b"}`), "invalid_uri"},
	} {
		t.Run(name, func(t *testing.T) {
			call, err := resourceNamed(t, row.resource).Call(row.uri)
			if err == nil {
				_, err = requestOf(call.Tool, call.Raw)
			}
			var typed *rs.Error
			if !errors.As(err, &typed) || typed.Code != row.want || typed.Hint == "" {
				t.Fatalf("error %v, want %s with a hint", err, row.want)
			}
			if typed.Code == "invalid_uri" && !strings.Contains(typed.Message, row.uri[:min(len(row.uri), 40)]) {
				t.Errorf("the message does not quote the address: %s", typed.Message)
			}
		})
	}
}

// The server lists exactly the templates that it can read.
func TestResourcesList(t *testing.T) {
	var got []string
	for _, resource := range tools.Resources(tools.All(tools.Options{RecordBase: recordBase})) {
		got = append(got, resource.URI)
		if resource.Template != strings.Contains(resource.URI, "{") || resource.Title == "" || resource.Description == "" {
			t.Errorf("resource %+v", resource)
		}
	}
	want := []string{"pdpp://streams", "pdpp://stream/{name}", "pdpp://record/{+record}", "pdpp://field-window/{handle}", "pdpp://blob/{+blob}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// An invalid URI never makes a read.
func FuzzResourceURI(f *testing.F) {
	f.Add("pdpp://stream/messages")
	f.Add("pdpp://record/" + handleOf(`{"v":1,"kind":"record","stream":"a","record_id":"b"}`))
	f.Add(render.WindowURIPrefix + handleOf(`{"v":1,"kind":"field_window","id":"a:b","field":"c","limit_chars":-5}`))
	f.Add(render.BlobURIPrefix + handleOf(`{"v":1,"kind":"blob","blob_id":".."}`))
	resources := tools.Resources(tools.All(tools.Options{RecordBase: recordBase}))
	f.Fuzz(func(t *testing.T, uri string) {
		for _, resource := range resources {
			call, err := resource.Call(uri)
			var request rs.Request
			if err == nil {
				request, err = requestOf(call.Tool, call.Raw)
			}
			var typed *rs.Error
			if err != nil {
				if !errors.As(err, &typed) {
					t.Errorf("%q: %v", uri, err)
				}
				continue
			}
			checkRequest(t, resource.Name, request)
		}
	})
}
