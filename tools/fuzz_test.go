package tools_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A filter is sent only as bracketed parameters, and they have the same conditions as the filter.
func FuzzFilter(f *testing.F) {
	f.Add([]byte(`{"user_id":"U123"}`), "user_id", "U123")
	f.Add([]byte(`{"sent_at":{"gte":"2026-01-01","lt":2e3},"read":false}`), "a.b", "[x]=1&filter=2")
	f.Add([]byte(`{"filter[user_id]":"U123"}`), "a[gte]", "1")
	f.Add([]byte(`""`), "", "")
	f.Add([]byte(`{"a":{}}`), "\x00", "\xff")
	tool := tools.QueryRecords()
	f.Fuzz(func(t *testing.T, raw []byte, field, value string) {
		equality, err := json.Marshal(map[string]string{field: value})
		if err != nil {
			t.Fatal(err)
		}
		bounds, err := json.Marshal(map[string]map[string]string{field: {"gte": value, "lt": value}})
		if err != nil {
			t.Fatal(err)
		}
		for _, filter := range [][]byte{raw, equality, bounds} {
			if !json.Valid(filter) {
				continue
			}
			request, err := requestOf(tool, json.RawMessage(`{"stream":"s","filter":`+string(filter)+`}`))
			var typed *rs.Error
			if err != nil {
				if !errors.As(err, &typed) || typed.Code != "invalid_filter" || typed.Param != "filter" || typed.Hint == "" {
					t.Errorf("filter %q: %v", filter, err)
				}
				continue
			}
			parsed, err := url.ParseQuery(request.Query.Encode())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(conditions(t, filter), bracketed(t, parsed)); diff != "" {
				t.Errorf("filter %q: %s", filter, diff)
			}
		}
	})
}

// conditions returns the conditions of a filter: values by field and operator.
func conditions(t *testing.T, filter []byte) map[[2]string]string {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(filter))
	decoder.UseNumber()
	var fields map[string]any
	if string(bytes.TrimSpace(filter)) == "null" {
		return map[[2]string]string{}
	}
	if err := decoder.Decode(&fields); err != nil {
		t.Fatal(err)
	}
	all := map[[2]string]string{}
	for field, value := range fields {
		if operators, ok := value.(map[string]any); ok {
			for operator, bound := range operators {
				all[[2]string{field, operator}] = text(bound)
			}
			continue
		}
		all[[2]string{field}] = text(value)
	}
	return all
}

func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return "not a scalar"
}

// bracketed returns the conditions of bracketed parameters and fails on any other parameter.
func bracketed(t *testing.T, query url.Values) map[[2]string]string {
	t.Helper()
	all := map[[2]string]string{}
	for key, values := range query {
		inner, ok := strings.CutPrefix(key, "filter[")
		inner, closed := strings.CutSuffix(inner, "]")
		field, operator, _ := strings.Cut(inner, "][")
		if !ok || !closed || len(values) != 1 || strings.ContainsAny(field+operator, "[]") {
			t.Errorf("parameter %q = %q", key, values)
		}
		all[[2]string{field, operator}] = values[0]
	}
	return all
}

// A decoder returns either arguments or a typed error, and accepted arguments make one read below /v1 without a bare nested parameter.
func FuzzArguments(f *testing.F) {
	for _, arguments := range []string{
		``, `null`, `{}`, `[]`, `{"stream":"messages","limit":10}`, `{"id":"cin_1/messages:m1","field":"body","q":"x","before_chars":1}`,
		`{"q":"a","filter":{"a":{"gte":1}},"streams":["m"]}`, `{"stream":"m","metric":"count","group_by_time":"t","granularity":"day"}`,
		`{"stream":"m","expand":["r"],"expand_limit":{"r":1}}`, `{"stream":"m","stream":"n"}`, `{"blob_id":"b"}`, `{"stream":"..","connection_id":"a/b"}`,
		`{"id":"pdpp://record/eyJ2IjoxfQ"}`, `{"stream":"m","cursor":"a b"}`, `{"limit":1e400}`, "{\"q\":\"\xff\"}", `{"detail":"full","stream":"m"}`, `{"stream":"m","fields":["a"],"offset":9}`,
	} {
		f.Add([]byte(arguments))
	}
	all := tools.All(tools.Options{RecordBase: recordBase})
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, tool := range all {
			args, err := tool.Parse(raw)
			if (args == nil) == (err == nil) {
				t.Fatalf("%s: Decode(%q) = %v, %v", tool.Name, raw, args, err)
			}
			if err == nil {
				var scope rs.Scope
				if scope, err = args.Scope(); err == nil {
					checkRequest(t, tool.Name, args.Request(scope))
				}
			}
			var typed *rs.Error
			if err != nil && (!errors.As(err, &typed) || typed.Code == "" || typed.Message == "" || typed.Hint == "" || len(typed.Message) > 4096) {
				t.Errorf("%s: Decode(%q): error %v", tool.Name, raw, err)
			}
		}
	})
}

func checkRequest(t *testing.T, tool string, r rs.Request) {
	t.Helper()
	if !strings.HasPrefix(r.Path, "/v1/") || strings.Contains(r.Path, "//") || strings.ContainsAny(r.Path, "?# \x00") {
		t.Errorf("%s: path %q", tool, r.Path)
	}
	for _, segment := range strings.Split(r.Path, "/") {
		if segment == "." || segment == ".." {
			t.Errorf("%s: path %q", tool, r.Path)
		}
	}
	if r.Query.Has("filter") || r.Query.Has("expand_limit") || r.Query.Has("connector_instance_id") {
		t.Errorf("%s: query %v", tool, r.Query)
	}
	for key, values := range r.Query {
		if key == "" || len(values) == 0 {
			t.Errorf("%s: parameter %q = %q", tool, key, values)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	tool := tools.QueryRecords()
	raw := json.RawMessage(`{"stream":"messages","connection_id":"cin_gmail_work","limit":20,"sort":"-received_at","fields":["subject","from_email"],"filter":{"is_seen":false,"received_at":{"gte":"2026-01-01","lt":"2026-02-01"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := requestOf(tool, raw); err != nil {
			b.Fatal(err)
		}
	}
}
