package render

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// manyFields returns an object of n fields with the same value.
func manyFields(n int, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"f%d":%s`, i, value)
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}

// manyRelations returns a record with n empty relations.
func manyRelations(n int) string {
	return `{"object":"record","id":"m1","stream":"messages","connection_id":"c","data":{"a":1},"expanded":` + manyFields(n, `{"data":[]}`) + `}`
}

func distinctFields(n int) string {
	fields := make([]string, n)
	for i := range fields {
		fields[i] = fmt.Sprintf(`"f%d":"t=string,r=op%d,a=kind%d"`, i, i, i)
	}
	return strings.Join(fields, ",")
}

// Rendering cannot be interrupted, so its time must not grow with the square of the size of a document. Each of these takes less than a
// second; quadratic time would be a minute.
func TestWideDocumentsRenderInLinearTime(t *testing.T) {
	const n = 40_000
	ref := rs.Ref{Stream: "messages", RecordID: "m1"}
	for _, test := range []struct {
		name   string
		body   string
		render func([]byte) error
	}{
		{"a record of long texts", `{"object":"record","id":"m1","stream":"messages","data":` + manyFields(n, `"\n"`) + `}`, func(b []byte) error {
			_, err := Document(answered(string(b)), DocumentQuery{Ref: ref})
			return err
		}},
		{"a list of a wide record", `{"object":"list","data":[{"object":"record","id":"m1","stream":"messages","data":` + manyFields(4*n, `"x"`) + `}]}`, func(b []byte) error {
			_, err := Records(answered(string(b)), RecordsQuery{Stream: "messages"})
			return err
		}},
		{"a record of many relations", manyRelations(n), func(b []byte) error {
			_, err := Document(answered(string(b)), DocumentQuery{Ref: rs.Ref{ConnectionID: "c", Stream: "messages", RecordID: "m1"}})
			return err
		}},
		{"a list of a record of many relations", `{"object":"list","data":[` + manyRelations(n) + `]}`, func(b []byte) error {
			_, err := Records(answered(string(b)), RecordsQuery{Stream: "messages"})
			return err
		}},
		{"a list of a record of many relations with more records", `{"object":"list","data":[` +
			strings.ReplaceAll(manyRelations(n), `"data":[]`, `"data":[{"id":"x"}],"has_more":true`) + `]}`, func(b []byte) error {
			_, err := Records(answered(string(b)), RecordsQuery{Stream: "messages"})
			return err
		}},
		{"a list of a record with a wide related record", `{"object":"list","data":[` +
			strings.Replace(manyRelations(1), `"data":[]`, `"data":[{"id":"x","data":`+manyFields(4*n, `"y"`)+`}]`, 1) + `]}`, func(b []byte) error {
			_, err := Records(answered(string(b)), RecordsQuery{Stream: "messages"})
			return err
		}},
		{"a wrapped list with a wide envelope", `{"data":{"data":[],` + manyFields(n, "1")[1:] + `}`, func(b []byte) error {
			_, err := Records(answered(string(b)), RecordsQuery{Stream: "messages"})
			return err
		}},
		{"a stream of many fields with different operations", `{"streams":[{"name":"messages","field_capabilities":{` + distinctFields(n) + `}}]}`, func(b []byte) error {
			_, err := Schema(answered(string(b)), SchemaQuery{Stream: "messages"})
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			begin := time.Now()
			if err := test.render([]byte(test.body)); err != nil {
				t.Error(err)
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("took %s for %d bytes", took, len(test.body))
			}
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > uint64(1000*len(test.body)) {
				t.Errorf("took %d bytes for %d", used, len(test.body))
			}
		})
	}
}

// A list with more items than the maximum is refused.
func TestATooLongListIsRefused(t *testing.T) {
	list := func(n int) []byte {
		return []byte(`{"object":"list","data":[` + strings.TrimSuffix(strings.Repeat(`{},`, n), ",") + `]}`)
	}
	if _, err := Search(answered(string(list(rs.MaxItems))), SearchQuery{Q: "x"}); err != nil {
		t.Errorf("%d items: %v", rs.MaxItems, err)
	}
	_, err := Search(answered(string(list(rs.MaxItems+1))), SearchQuery{Q: "x"})
	if e := rs.AsError(err); err == nil || e.Code != "response_too_large" || !strings.Contains(e.Message, "10001 items") || e.Hint == "" {
		t.Errorf("got %v", err)
	}
}
