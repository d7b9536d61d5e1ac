package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

func TestManifestMistakesAreNamed(t *testing.T) {
	tests := []struct {
		name, manifest, want string
	}{
		{"an unknown key", `{"streams":{},"title":"x"}`, `manifest.json: unknown key "title"`},
		{"an unknown key of a stream", `{"streams":{"a":{"time":"at"}}}`, `manifest.json: stream "a": unknown key "time"`},
		{"an unknown key of a relation", `{"streams":{"a":{"relations":[{"key":"x"}]}}}`, `manifest.json: stream "a": unknown key "key"`},
		{"text after the end", `{"streams":{}} {}`, `manifest.json: there is something after the end of the object`},
		{"a stream without a file", `{"streams":{"c":{}}}`, `manifest.json: stream "c": no file has this name`},
		{"an id field that no record has", `{"streams":{"a":{"id_field":"key"}}}`, `manifest.json: stream "a": no record has a field "key"`},
		{"a time field that no record has", `{"streams":{"a":{"time_field":"when"}}}`, `manifest.json: stream "a": no record has a field "when"`},
		{"a title field that no record has", `{"streams":{"a":{"title_field":"t"}}}`, `manifest.json: stream "a": no record has a field "t"`},
		{"a type for a field that no record has", `{"streams":{"a":{"types":{"t":"text"}}}}`, `manifest.json: stream "a": no record has a field "t"`},
		{
			"an unknown type", `{"streams":{"a":{"types":{"n":"float"}}}}`,
			`manifest.json: stream "a": field "n" has type "float": it is one of string, text, integer, number, boolean, timestamp, date, local_time, array, object`,
		},
		{"a relation without a name", `{"streams":{"a":{"relations":[{"foreign_key":"a"}]}}}`, `manifest.json: stream "a": a relation has no name`},
		{
			"a relation without a key", `{"streams":{"a":{"relations":[{"name":"b"}]}}}`,
			`manifest.json: stream "a": relation "b" has no foreign_key: name the field that holds the record id`,
		},
		{
			"an unknown cardinality", `{"streams":{"a":{"relations":[{"name":"b","foreign_key":"a","cardinality":"many"}]}}}`,
			`manifest.json: stream "a": relation "b" has cardinality "many": it is has_one or has_many`,
		},
		{
			"limits on has_one", `{"streams":{"a":{"relations":[{"name":"b","foreign_key":"a","cardinality":"has_one","max_limit":3}]}}}`,
			`manifest.json: stream "a": relation "b" is has_one, which has no limits`,
		},
		{
			"limits in the wrong order", `{"streams":{"a":{"relations":[{"name":"b","foreign_key":"a","cardinality":"has_many","default_limit":9,"max_limit":3}]}}}`,
			`manifest.json: stream "a": relation "b" has limits 9 and 3: default_limit is at least 1 and at most max_limit`,
		},
		{
			"a relation to an unknown stream", `{"streams":{"a":{"relations":[{"name":"c","foreign_key":"a","cardinality":"has_many"}]}}}`,
			`manifest.json: stream "a": relation "c": it leads to "c", and there is no such stream`,
		},
		{
			"a foreign key that no record has", `{"streams":{"a":{"relations":[{"name":"b","foreign_key":"x","cardinality":"has_many"}]}}}`,
			`manifest.json: stream "a": relation "b": stream "b" has no field "x"`,
		},
		{
			"a foreign key of an unsuitable type", `{"streams":{"a":{"relations":[{"name":"b","foreign_key":"list","cardinality":"has_many"}]}}}`,
			`manifest.json: stream "a": relation "b": field "list" of stream "b" is of type array: a foreign key is a string or a number`,
		},
		{"streams beside connectors", `{"connectors":[],"streams":{}}`, `manifest.json: display_name and streams belong to each of the connectors`},
		{"no connectors", `{"connectors":[]}`, `manifest.json: connectors is empty`},
		{"an unknown key of a connector", `{"connectors":[{"key":"k","name":"x"}]}`, `manifest.json: connector "k": unknown key "name"`},
		{"a connector without a key", `{"connectors":[{"connections":[]}]}`, `manifest.json: a connector has no key`},
		{"a connector without connections", `{"connectors":[{"key":"k"}]}`, `manifest.json: connector "k" has no connections`},
		{"two connectors of one key", `{"connectors":[{"key":"k","connections":[{"id":"1"}]},{"key":"k","connections":[{"id":"2"}]}]}`, `manifest.json: two connectors have the key "k"`},
		{"a connection without an id", `{"connectors":[{"key":"k","connections":[{"folder":"x"}]}]}`, `manifest.json: connector "k": a connection has no id`},
		{"two connections of one id", `{"connectors":[{"key":"k","connections":[{"id":"1","folder":"a"},{"id":"1","folder":"b"}]}]}`, `manifest.json: two connections have the id "1"`},
		{"a folder in the folder of another", `{"connectors":[{"key":"k","connections":[{"id":"1","folder":"a"},{"id":"2","folder":"a/b"}]}]}`, `manifest.json: connection "2": "a/b" is in the folder of another connection`},
		{"a folder outside the data", `{"connectors":[{"key":"k","connections":[{"id":"1","folder":"../x"}]}]}`, `manifest.json: connection "1": "../x" is not a folder below this one`},
		{"a folder that does not exist", `{"connectors":[{"key":"k","connections":[{"id":"1","folder":"x"}]}]}`, `manifest.json: connection "1": there is no folder "x"`},
		{"blobs outside the data", `{"blobs":"/tmp"}`, `manifest.json: blobs "/tmp" is not a folder below this one`},
		{"blobs that do not exist", `{"blobs":"files"}`, `manifest.json: blobs: there is no folder "files"`},
		{"a repeated stream", `{"streams":{"a":{},"a":{}}}`, `manifest.json: streams is ambiguous: it has the field "a" twice`},
		{"streams in a list", `{"streams":[]}`, `manifest.json: streams is not a JSON object`},
		{"fields and types", `{"streams":{"a":{"fields":[],"types":{"n":"text"}}}}`, `manifest.json: stream "a": fields says all about its fields: leave out time_field, title_field and types`},
		{"a field without a name", `{"streams":{"a":{"fields":[{"type":"text"}]}}}`, `manifest.json: stream "a": a field has no name`},
		{"a repeated field", `{"streams":{"a":{"fields":[{"name":"n","type":"text"},{"name":"n","type":"text"}]}}}`, `manifest.json: stream "a": field "n" is there twice`},
		{
			"an unknown declared type", `{"streams":{"a":{"fields":[{"name":"n","type":"float"}]}}}`,
			`manifest.json: stream "a": field "n" has type "float": it is one of string, text, integer, number, boolean, timestamp, date, local_time, array, object, blob`,
		},
		{
			"an unknown role", `{"streams":{"a":{"fields":[{"name":"n","type":"text","role":"title"}]}}}`,
			`manifest.json: stream "a": field "n" has role "title": it is one of primary-title, secondary, event-time, actor`,
		},
		{"a range of texts", `{"streams":{"a":{"fields":[{"name":"n","type":"text","range":true}]}}}`, `manifest.json: stream "a": field "n" is of type text, which cannot have a range`},
		{"a search in numbers", `{"streams":{"a":{"fields":[{"name":"n","type":"integer","lexical":true}]}}}`, `manifest.json: stream "a": field "n" is of type integer, which cannot be lexical`},
		{"an exact object", `{"streams":{"a":{"fields":[{"name":"n","type":"object","exact":true}]}}}`, `manifest.json: stream "a": field "n" is of type object, which cannot be exact`},
		{"a sum of texts", `{"streams":{"a":{"fields":[{"name":"n","type":"text","aggregations":["sum"]}]}}}`, `manifest.json: stream "a": field "n" is of type text, which has no aggregation "sum"`},
		{"a cursor field that is not declared", `{"streams":{"a":{"fields":[{"name":"n","type":"text"}],"cursor_field":"at"}}}`, `manifest.json: stream "a": no record has a field "at"`},
		{"a view of unknown fields", `{"streams":{"a":{"views":[{"id":"v","fields":["x"]}]}}}`, `manifest.json: stream "a": no record has a field "x"`},
		{"a view without fields", `{"streams":{"a":{"views":[{"id":"v"}]}}}`, `manifest.json: stream "a": a view has no id or no fields`},
		{
			"a declared foreign key that is not a string", `{"streams":{"a":{"fields":[{"name":"n","type":"integer"}],"relations":[{"name":"r","stream":"a","foreign_key":"n","cardinality":"has_one"}]}}}`,
			`manifest.json: stream "a": relation "r": field "n" of stream "a" is of type integer: a foreign key is a string`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Open(t.Context(), writeFolder(t, map[string]string{"a.jsonl": `{"n":1}`, "b.jsonl": `{"a":1,"list":[]}`, "manifest.json": test.manifest}), nil, Watch{})
			if err == nil || err.Error() != test.want {
				t.Errorf("error %v\nwant  %s", err, test.want)
			}
		})
	}
}

func TestManifestLimitsHaveDefaults(t *testing.T) {
	tests := []struct {
		name, limits string
		want         model.Relation
	}{
		{"no limits", ``, model.Relation{DefaultLimit: 10, MaxLimit: 50}},
		{"a low maximum lowers the default", `,"max_limit":4`, model.Relation{DefaultLimit: 4, MaxLimit: 4}},
		{"a high default raises the maximum", `,"default_limit":80`, model.Relation{DefaultLimit: 80, MaxLimit: 80}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			manifest := `{"streams":{"a":{"relations":[{"name":"b","foreign_key":"a","cardinality":"has_many"` + test.limits + `}]}}}`
			corpus, _ := openFolder(t, writeFolder(t, map[string]string{"a.jsonl": "{}", "b.jsonl": `{"a":1}`, "manifest.json": manifest}))
			want := test.want
			want.Name, want.Target, want.ForeignKey, want.Cardinality = "b", "b", "a", "has_many"
			if diff := cmp.Diff([]model.Relation{want}, corpus.Connectors[0].Streams[0].Relations); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestManifestTimeFieldIsATimestampWhateverItHolds(t *testing.T) {
	corpus, _ := openFolder(t, writeFolder(t, map[string]string{
		"a.jsonl":       "{\"at\":\"2026-01-02\"}\n{\"at\":\"unknown\"}",
		"manifest.json": `{"streams":{"a":{"time_field":"at"}}}`,
	}))
	if field := corpus.Connectors[0].Streams[0].Fields[0]; field.Type != "timestamp" || field.Role != "event-time" {
		t.Errorf("type %s, role %s", field.Type, field.Role)
	}
	if records := collectRecords(t, corpus); records[0].EmittedAt.Day() != 2 || !records[1].EmittedAt.IsZero() {
		t.Errorf("emitted at %v and %v", records[0].EmittedAt, records[1].EmittedAt)
	}
}

func TestManifestRelationMayLeadToAnEmptyFile(t *testing.T) {
	corpus, _ := openFolder(t, writeFolder(t, map[string]string{
		"a.jsonl": "{}", "b.jsonl": "",
		"manifest.json": `{"streams":{"a":{"relations":[{"name":"b","foreign_key":"a","cardinality":"has_many"}]}}}`,
	}))
	want := []model.Field{{Name: "a", Type: "string", Nullable: true, Exact: true, Aggregations: []string{"count_distinct", "group_by"}}}
	if diff := cmp.Diff(want, corpus.Connectors[0].Streams[1].Fields); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
