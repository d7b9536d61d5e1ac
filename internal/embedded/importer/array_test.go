package importer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

func TestArraysAreReadItemByItem(t *testing.T) {
	tests := []struct {
		name, text string
		ids        []string
		skips      []Skip
	}{
		{"an array", `[{"id":1},{"id":"b"}, {}]`, []string{"1", "b", "3"}, nil},
		{"an object with an array", `{"v":[1],"about":{"list":[{}]},"things":[{"id":1},{"id":2}],"n":null}`, []string{"1", "2"}, []Skip{{"a.json", 1, `the field "v" is an array too; only "things", the one with the most items, is loaded`}, {"a.json", 1, `only the array "things" is loaded, and not what is beside it: about`}}},
		{"a mark and lines", "\xef\xbb\xbf[\n {\"id\":1},\n 7,\n {\"id\":\n1}\n]\n", []string{"1", "1-2"}, []Skip{{"a.json", 3, "item 2 is not a JSON object"}}},
		{"an object to a line", "{\"id\":1}\n{\"id\":2}\n", []string{"1", "2"}, nil},
		{"a field twice", `[{"a":1,"a":2},{"id":5}]`, []string{"5"}, []Skip{{"a.json", 1, `item 1 is ambiguous: it has the field "a" twice`}}},
		{"bytes that are not UTF-8", "[{\"a\":\"\xff\"},{\"id\":5}]", []string{"5"}, []Skip{{"a.json", 1, "item 1 is not valid UTF-8"}}},
		{"an end too early", `[{"id":1},{"id":2`, []string{"1"}, []Skip{{"a.json", 1, "item 2 is not JSON, and it and what follows are left out: it ends too early"}}},
		{"no end of the array", `[{"id":1}`, []string{"1"}, []Skip{{"a.json", 1, "the array does not end: it ends too early"}}},
		{"broken in the middle", `[{"id":1},{"id"},{"id":3}]`, []string{"1"}, []Skip{{"a.json", 1, "item 2 is not JSON, and it and what follows are left out: invalid character '}' after object key"}}},
		{"an object without an array is a record", "\xef\xbb\xbf{\"id\":\"one\",\"a\":{\"b\":[1,2]}}\n", []string{"one"}, nil},
		{"an object without an array, and more", `{"id":1} {"id":2}`, []string{"1"}, []Skip{{"a.json", 1, "what follows the object is left out"}}},
		{"deeper than an answer may be", `[{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `},{"id":5}]`, []string{"5"}, []Skip{{"a.json", 1, "item 1 is nested more than 200 levels deep"}}},
		{"an object without an array and with a field twice", `{"a":1,"a":2}`, nil, []Skip{{"a.json", 1, `item 1 is ambiguous: it has the field "a" twice`}}},
		{"an object without an array that does not end", `{"a":1`, nil, []Skip{{"a.json", 0, "not JSON: it ends too early"}}},
		{"a chat with more participants than messages", `{"participants":[{},{}],"messages":[{"id":"m"}]}`, []string{"m"}, []Skip{{"a.json", 1, `the field "participants" is an array too; only "messages" is loaded`}}},
		{"an object with an array of words, or of nothing", `{"id":"7","type":"DM","recipients":["1","2"],"more":[]}`, []string{"7"}, nil},
		{"what is said of a list", `{"kind":"list","version":2,"next":null,"items":[{"id":1}]}`, []string{"1"}, nil},
		{"a person with addresses", `{"name":{"first":"Nora"},"emails":[{"id":"n@x.example"}],"birthday":"1980-01-15"}`, []string{"n@x.example"}, []Skip{{"a.json", 1, `only the array "emails" is loaded, and not what is beside it: name, birthday`}}},
		{"an array of nothing", `{"messages":[]}`, nil, nil},
		{"a word", `"a"`, nil, []Skip{{"a.json", 0, "neither a JSON array nor an object"}}},
		{"no JSON", `hello`, nil, []Skip{{"a.json", 0, "not JSON: invalid character 'h' looking for beginning of value"}}},
		{"nothing", "", nil, nil},
		{"binary garbage", "\x89PNG\x00", nil, []Skip{{"a.json", 0, "not text: it holds bytes that are 0"}}},
		{"a string of a megabyte", `[{"id":"` + strings.Repeat("x", 1<<20) + `"}]`, []string{strings.Repeat("x", 1<<20)}, nil},
		{"an item of more than 16 MiB", `[{"id":1},{"a":"` + strings.Repeat("x", item.MaxLine) + `"},{"id":3}]`, []string{"1", "3"}, []Skip{{"a.json", 1, "item 2 is longer than 16 MiB"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			corpus, skips := openFolder(t, writeFolder(t, map[string]string{"a.json": test.text, "zz.jsonl": ""}))
			if diff := cmp.Diff(test.skips, skips); diff != "" {
				t.Errorf("skips (-want +got)\n%s", diff)
			}
			var ids []string
			for _, record := range collectRecords(t, corpus) {
				ids = append(ids, record.ID)
			}
			if diff := cmp.Diff(test.ids, ids); diff != "" {
				t.Errorf("ids (-want +got)\n%s", diff)
			}
		})
	}
}

// FuzzArray holds the reader to this: it takes any bytes, its records are valid, and reading them again gives the same.
func FuzzArray(f *testing.F) {
	for _, seed := range []string{`[{"id":1},2]`, `{"a":[],"b":{"c":[{}]},"d":[{"id":"x"}]}`, `[`, `{"a":[{}`, `{"a":[{}]]`, `[[]]`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		scanned(t, fileStream{stream: "a", format: formatArray, idField: "id"}, text)
	})
}
