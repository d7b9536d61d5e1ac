package importer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
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
		{"broken in the middle", `[{"id":1},{"id"},{"id":3}]`, []string{"1"}, []Skip{{"a.json", 1, "item 2 is not JSON, and it and what follows are left out: invalid character '}' after object name (expecting ':')"}}},
		{"an object without an array is a record", "\xef\xbb\xbf{\"id\":\"one\",\"a\":{\"b\":[1,2]}}\n", []string{"one"}, nil},
		{"an object without an array, and more", `{"id":1} {"id":2}`, []string{"1"}, []Skip{{"a.json", 1, "what follows the first JSON value is left out"}}},
		{"an array, and more", "[{\"id\":1}]\n[{\"id\":2}]", []string{"1"}, []Skip{{"a.json", 2, "what follows the first JSON value is left out"}}},
		{"an object with an array, and more", `{"a":[{"id":1}]}}`, []string{"1"}, []Skip{{"a.json", 1, "what follows the first JSON value is left out"}}},
		{"objects under their keys, and more", `{"a":{"v":1},"b":{"v":2},"c":{"v":3},"d":{"v":4},"e":{"v":5}} junk`, []string{"1", "2", "3", "4", "5"}, []Skip{{"a.json", 1, "what follows the first JSON value is left out"}}},
		{"an object with two arrays, and more", `{"a":[{"id":1}],"b":[{"at":2}]} {"a":[{"id":3}]}`, []string{"1"}, []Skip{{"a.json", 1, `the field "b" is an array too; only "a", the one with the most items, is loaded`}, {"a.json", 1, "what follows the first JSON value is left out"}}},
		{"deeper than an answer may be", `[{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `},{"id":5}]`, []string{"5"}, []Skip{{"a.json", 1, "item 1 is nested more than 200 levels deep"}}},
		{"an object without an array and with a field twice", `{"a":1,"a":2}`, nil, []Skip{{"a.json", 1, `the object is ambiguous: it has the field "a" twice`}}},
		{"an object without an array that does not end", `{"a":1`, nil, []Skip{{"a.json", 0, "not JSON: it ends too early"}}},
		{"a chat with more participants than messages", `{"participants":[{},{}],"messages":[{"id":"m"}]}`, []string{"m"}, []Skip{{"a.json", 1, `the field "participants" is an array too; only "messages" is loaded`}}},
		{"an object with an array of words, or of nothing", `{"id":"7","type":"DM","recipients":["1","2"],"more":[]}`, []string{"7"}, nil},
		{"an empty object beside a list", `{"about":{},"items":[{"id":1}]}`, []string{"1"}, nil},
		{"an object with facts about its list", `{"kind":"list","version":2,"next":null,"items":[{"id":1}]}`, []string{"1"}, nil},
		{"a person with addresses", `{"name":{"first":"Nora"},"emails":[{"id":"n@x.example"}],"birthday":"1980-01-15"}`, []string{"n@x.example"}, []Skip{{"a.json", 1, `only the array "emails" is loaded, and not what is beside it: name, birthday`}}},
		{"an empty array", `{"messages":[]}`, nil, []Skip{{"a.json", 0, model.NoRecord}}},
		{"a word", `"a"`, nil, []Skip{{"a.json", 0, "neither a JSON array nor an object"}}},
		{"not JSON", `hello`, nil, []Skip{{"a.json", 0, "not JSON: invalid character 'h' at start of value"}}},
		{"nothing", "", nil, []Skip{{"a.json", 0, model.NoRecord}}},
		{"binary garbage", "\x89PNG\x00", nil, []Skip{{"a.json", 0, "not text: it contains zero bytes"}}},
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

// If an object has several arrays of objects, or its only one is within objects that have nothing else, each array is a stream and the
// rest is a record. Nothing is left out.
func TestArraysOfAnObjectAreStreams(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       map[string][]string
	}{
		{"two, and what is beside them", `{"exported":"2026-01-05","version":2,"accounts":[{"id":1,"name":"A"}],"empty":[],"payments":[{"id":7,"sum":1.50},{"id":8,"sum":2}],"words":["x"]}`, map[string][]string{
			"a_accounts": {`{"id":1,"name":"A"}`}, "a_payments": {`{"id":7,"sum":1.50}`, `{"id":8,"sum":2}`}, "a": {`{"exported":"2026-01-05","version":2,"empty":[],"words":["x"]}`},
		}},
		{"some in objects, of which two have one name", `{"Activity":{"Likes":{"List":[{"Date":"2026-01-15"}]},"Views":{"List":[{"Link":"x"}],"Count":{"n":1}}},"Profile":{"Name":"Ann"}}`, map[string][]string{
			"a_Activity_Likes_List": {`{"Date":"2026-01-15"}`}, "a_Activity_Views_List": {`{"Link":"x"}`}, "a": {`{"Activity.Views.Count.n":1,"Profile.Name":"Ann"}`},
		}},
		{"those of one kind below keys", `{"Chats":{"With ann":[{"From":"ann","Text":"1"}],"With bo":[{"From":"bo","Text":"2"},{"From":"me","Text":"3"}]},"Logins":[{"IP":"::1"}]}`, map[string][]string{
			"a_Chats":  {`{"list":"With ann","From":"ann","Text":"1"}`, `{"list":"With bo","From":"bo","Text":"2"}`, `{"list":"With bo","From":"me","Text":"3"}`},
			"a_Logins": {`{"IP":"::1"}`},
		}},
		{"those of one kind in objects of one kind", `{"c1":{"title":"One","messages":[{"m":1}]},"c2":{"title":"Two","messages":[{"m":2}]}}`, map[string][]string{
			"a_messages": {`{"list":"c1","m":1}`, `{"list":"c2","m":2}`}, "a": {`{"c1.title":"One","c2.title":"Two"}`},
		}},
		{"the only one, in objects that hold nothing else", `{"log":{"version":"1.2","entries":[{"n":1},{"n":2}]}}`, map[string][]string{"a": {`{"n":1}`, `{"n":2}`}}},
		{"the only one, in objects that hold more", `{"id":"7","author":{"name":"Ann","emails":[{"at":"x"}]}}`, map[string][]string{"a": {`{"id":"7","author.name":"Ann","author.emails":[{"at":"x"}]}`}}},
		{"what a timeline is about, with more raw signals", `{"rawSignals":[{"x":1},{"x":2}],"semanticSegments":[{"startTime":"2026-01-15T02:00:00Z"}],"profile":{"home":"Bonn"}}`, map[string][]string{
			"a": {`{"startTime":"2026-01-15T02:00:00Z"}`}, "a_rawSignals": {`{"x":1}`, `{"x":2}`}, "a_rest": {`{"profile.home":"Bonn"}`},
		}},
		{"lists that are most of what is in each object", `{"user":"me","playlists":[{"name":"Run","on":"2026-01-15","items":[{"track":{"name":"a"},"added":"2026-01-02"},{"track":{"name":"b"},"added":"2026-01-03"}]},{"name":"Walk","items":[]},` +
			`{"name":"Sleep","items":[{"track":{"name":"c"},"added":"2026-01-04"}]}]}`, map[string][]string{
			"a":       {`{"name":"Run","on":"2026-01-15"}`, `{"name":"Walk"}`, `{"name":"Sleep"}`},
			"a_items": {`{"list":"Run","parent":"1","track.name":"a","added":"2026-01-02"}`, `{"list":"Run","parent":"1","track.name":"b","added":"2026-01-03"}`, `{"list":"Sleep","parent":"3","track.name":"c","added":"2026-01-04"}`}, "a_rest": {`{"user":"me"}`},
		}},
		{"such lists in the objects of an array", `[{"id":"c1","who":"Ann","messages":[{"id":"m1","text":"one or several"},{"id":"m2","list":"x"}]},{"id":"c2","messages":null},{"id":"c3","messages":[{"id":"m3","text":"three"}]}]`, map[string][]string{
			"a": {`{"id":"c1","who":"Ann"}`, `{"id":"c2"}`, `{"id":"c3"}`}, "a_messages": {`{"list":"c1","parent":"c1","id":"m1","text":"one or several"}`, `{"parent":"c1","id":"m2","list":"x"}`, `{"list":"c3","parent":"c3","id":"m3","text":"three"}`},
		}},
		{"lists of one thing, of what is alike in nothing, and of texts", `[{"n":1,"data":[{"post":"a long text about something"},{"updated":1768443300}],"tags":["one","two"]},{"n":2,"one":[{"href":"https://x.example","value":"y"}]}]`, map[string][]string{
			"a": {`{"n":1,"data":[{"post":"a long text about something"},{"updated":1768443300}],"tags":["one","two"]}`, `{"n":2,"one":[{"href":"https://x.example","value":"y"}]}`},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			corpus, skips := openFolder(t, writeFolder(t, map[string]string{"a.json": test.text}))
			if len(skips) > 0 {
				t.Errorf("skipped: %v", skips)
			}
			got := map[string][]string{}
			for _, record := range collectRecords(t, corpus) {
				got[record.Stream] = append(got[record.Stream], string(record.Data))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A stream declared in a manifest has what its file had when there was one stream for each file. Many files of one kind have a stream for
// each of their arrays.
func TestArraysOfManyFiles(t *testing.T) {
	const text = `{"cards":[{"id":"c"}],"lists":[{"id":"l"},{"id":"m"}]}`
	corpus, _ := openFolder(t, writeFolder(t, map[string]string{"manifest.json": `{"streams":{"a":{"types":{"id":"string"}}}}`, "a.json": text}))
	if got := corpus.Connectors[0].Streams; len(got) != 1 || got[0].Name != "a" {
		t.Errorf("a stream that a manifest names: %d streams", len(got))
	}
	files := map[string]string{}
	for number := range manyFiles + 1 {
		files[fmt.Sprintf("b%d.json", number)] = text
	}
	corpus, skips := openFolder(t, writeFolder(t, files))
	counts := map[string]int{}
	for _, record := range collectRecords(t, corpus) {
		counts[record.Stream]++
	}
	if diff := cmp.Diff(map[string]int{"b": manyFiles + 1, "b_lists": 2 * (manyFiles + 1)}, counts); diff != "" || len(skips) > 0 {
		t.Errorf("(-want +got)\n%s\n%v", diff, skips)
	}
}

// FuzzArray checks that the reader accepts any bytes, returns valid records, and returns the same records when it reads again.
func FuzzArray(f *testing.F) {
	for _, seed := range []string{`[{"id":1},2]`, `{"a":[],"b":{"c":[{}]},"d":[{"id":"x"}]}`, `[`, `{"a":[{}`, `{"a":[{}]]`, `[[]]`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		scanned(t, fileStream{stream: "a", format: formatArray, idField: "id"}, text)
	})
}

// An object that contains many similar objects, or a value for each day, is read as records with the key as a field.
func TestObjectsByTheirKeysAreRecords(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"alike", `{"a":{"n":1,"x":"p"},"b":{"n":2},"c":{"n":3,"x":"q"},"d":{"n":4,"key":"own"},"e":{"n":5,"x":"r","m":{"k":1}}}`, []string{
			`{"key":"a","n":1,"x":"p"}`, `{"key":"b","n":2}`, `{"key":"c","n":3,"x":"q"}`, `{"n":4,"key":"own"}`, `{"key":"e","n":5,"x":"r","m.k":1}`}},
		{"days", `{"2026-01-15":5,"2026-01-16":null,"2026-01-17":7,"2026-01-18":8,"2026-01-19":9.5}`, []string{
			`{"key":"2026-01-15","value":5}`, `{"key":"2026-01-16","value":null}`, `{"key":"2026-01-17","value":7}`, `{"key":"2026-01-18","value":8}`, `{"key":"2026-01-19","value":9.5}`}},
		{"a number that JSON does not allow", `{"2026-01-15":NaN,"2026-01-16":1,"2026-01-17":7,"2026-01-18":8,"2026-01-19":9.5}`, []string{
			`{"key":"2026-01-15","value":null}`, `{"key":"2026-01-16","value":1}`, `{"key":"2026-01-17","value":7}`, `{"key":"2026-01-18","value":8}`, `{"key":"2026-01-19","value":9.5}`}},
		{"few", `{"a":{"n":1},"b":{"n":2}}`, []string{`{"a.n":1,"b.n":2}`}},
		{"different objects", `{"a":{"n":1},"b":{"m":2},"c":{"o":3},"d":{"p":4},"e":{"q":5}}`, []string{`{"a.n":1,"b.m":2,"c.o":3,"d.p":4,"e.q":5}`}},
		{"with another member", `{"a":{"n":1},"b":{"n":2},"c":{"n":3},"d":{"n":4},"e":{"n":5},"version":1}`, []string{`{"a.n":1,"b.n":2,"c.n":3,"d.n":4,"e.n":5,"version":1}`}},
		{"settings", `{"a":1,"b":2,"c":3,"d":4,"e":5}`, []string{`{"a":1,"b":2,"c":3,"d":4,"e":5}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			corpus, skips := openFolder(t, writeFolder(t, map[string]string{"a.json": test.text}))
			var got []string
			for _, record := range collectRecords(t, corpus) {
				got = append(got, string(record.Data))
			}
			if diff := cmp.Diff(test.want, got); diff != "" || len(skips) > 0 {
				t.Errorf("skipped %v (-want +got)\n%s", skips, diff)
			}
		})
	}
}

// Some programs write numbers that JSON does not allow. Such a number becomes null, each one is reported, and the rest of the file is
// read.
func TestNumbersThatJSONDoesNotAllowAreNull(t *testing.T) {
	const said = " NaN or Infinity, which is no number in JSON; it is kept with null there"
	for _, test := range []struct {
		name, file, text string
		want             map[string][]string
		said             []Skip
	}{
		{
			"in an array", "a.json", "[{\"x\":1.5,\"y\":-1},\n{\"x\":NaN},\n{\"x\":[-Infinity,-2,Infinity]},\n{\"x\":\"NaN, \\\"NaN\\\"\"}]",
			map[string][]string{"a": {`{"x":1.5,"y":-1}`, `{"x":null}`, `{"x":[null,-2,null]}`, `{"x":"NaN, \"NaN\""}`}},
			[]Skip{{"a.json", 2, "item 2 has" + said}, {"a.json", 3, "item 3 has" + said}},
		},
		{
			"to a line", "a.jsonl", "{\"x\":1}\n{\"x\":NaN}\n{\"x\":\"NaN\"}\n", map[string][]string{"a": {`{"x":1}`, `{"x":null}`, `{"x":"NaN"}`}},
			[]Skip{{"a.jsonl", 2, "the line has" + said}},
		},
		{
			"to a line of a .json file", "a.json", "{\"x\":NaN}\n{\"x\":2}\n", map[string][]string{"a": {`{"x":null}`, `{"x":2}`}},
			[]Skip{{"a.json", 1, "the line has" + said}},
		},
		{
			"in several arrays and beside them", "a.json", `{"n":1,"mean":NaN,"b":[{"x":Infinity}],"c":[{"y":1},{"y":NaN}]}`,
			map[string][]string{"a": {`{"n":1,"mean":null}`}, "a_b": {`{"x":null}`}, "a_c": {`{"y":1}`, `{"y":null}`}},
			[]Skip{{"a.json", 1, "item 1 has" + said}, {"a.json", 1, "item 2 has" + said}, {"a.json", 1, "what is beside the arrays has" + said}},
		},
		{
			"alone beside several arrays", "a.json", `{"b":[{"x":1}],"mean":NaN,"c":[{"y":1}]}`,
			map[string][]string{"a": {`{"mean":null}`}, "a_b": {`{"x":1}`}, "a_c": {`{"y":1}`}},
			[]Skip{{"a.json", 1, "what is beside the arrays has" + said}},
		},
		{
			"alone beside an array", "a.json", `{"b":[{"x":1},{"x":null}],"mean":-Infinity,"none":null}`, map[string][]string{"a": {`{"x":1}`, `{"x":null}`}},
			[]Skip{{"a.json", 1, `only the array "b" is loaded, and not what is beside it: mean`}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var said []Skip
			got := map[string][]string{}
			note := func(s Skip) { said = append(said, s) }
			watch := Watch{Skipped: note, Kept: note}
			corpus, err := Open(t.Context(), writeFolder(t, map[string]string{test.file: test.text}), nil, watch)
			if err != nil {
				t.Fatal(err)
			}
			for _, record := range collectRecords(t, corpus) {
				got[record.Stream] = append(got[record.Stream], string(record.Data))
			}
			if diff := cmp.Diff(test.want, got) + cmp.Diff(test.said, said); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A list below a wrapper is records, whatever is beside it.
func TestAListBelowAWrapperIsRecords(t *testing.T) {
	for text, want := range map[string]map[string][]string{
		`{"response":{"game_count":2,"games":[{"appid":1},{"appid":2}]}}`:                  {"a": {`{"appid":1}`, `{"appid":2}`}, "a_rest": {`{"response.game_count":2}`}},
		`{"export":{"version":2,"app":"x","records":[{"m":1}]}}`:                           {"a": {`{"m":1}`}, "a_rest": {`{"export.version":2,"export.app":"x"}`}},
		`{"version":3,"data":{"user":{"id":7,"posts":[{"p":1},{"p":2}]}}}`:                 {"a": {`{"p":1}`, `{"p":2}`}, "a_rest": {`{"version":3,"data.user.id":7}`}},
		`{"app":"x","data":{"unit":"kg","weights":[{"w":1},{"w":2}]}}`:                     {"a": {`{"app":"x","data.unit":"kg"}`}, "a_weights": {`{"w":1}`, `{"w":2}`}},
		`{"app":"x","data":{"unit":"kg","weights":[{"w":1}]}}`:                             {"a": {`{"app":"x","data.unit":"kg","data.weights":[{"w":1}]}`}},
		`{"response":{"game_count":2,"games":[{"appid":1},{"appid":2}],"tags":["b","c"]}}`: {"a": {`{"appid":1}`, `{"appid":2}`}, "a_rest": {`{"response.game_count":2,"response.tags":["b","c"]}`}},
		`{"response":{"total":2,"games":[{"appid":1},{"appid":2}]}}`:                       {"a": {`{"appid":1}`, `{"appid":2}`}},
	} {
		corpus, skips := openFolder(t, writeFolder(t, map[string]string{"a.json": text}))
		got := map[string][]string{}
		for _, record := range collectRecords(t, corpus) {
			got[record.Stream] = append(got[record.Stream], string(record.Data))
		}
		if diff := cmp.Diff(want, got); diff != "" || len(skips) > 0 {
			t.Errorf("%s: skipped %v (-want +got)\n%s", text, skips, diff)
		}
	}
}
