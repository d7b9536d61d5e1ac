package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// inferred returns the description of a stream whose file has these lines.
func inferred(t *testing.T, lines ...string) model.Stream {
	t.Helper()
	corpus, skips := openFolder(t, writeFolder(t, map[string]string{"s.jsonl": strings.Join(lines, "\n")}))
	if len(skips) > 0 && skips[0].Reason != model.NoRecord {
		t.Fatalf("skipped: %v", skips)
	}
	return corpus.Connectors[0].Streams[0]
}

func TestInferenceFindsTheNarrowestType(t *testing.T) {
	tests := []struct {
		name   string
		values []string // "" is a record without the field
		want   string
	}{
		{"words are strings", []string{`"blue"`, `""`, `"日本語"`}, "string"},
		{"a space makes a text", []string{`"blue"`, `"light blue"`}, "text"},
		{"a long string is a text", []string{`"` + strings.Repeat("語", 101) + `"`}, "text"},
		{"a string of a hundred characters is not a text", []string{`"` + strings.Repeat("語", 100) + `"`}, "string"},
		{"whole numbers are integers", []string{`1`, `-9007199254740992`}, "integer"},
		{"one fraction makes numbers", []string{`1`, `2.0`}, "number"},
		{"an exponent makes numbers", []string{`1e3`}, "number"},
		{"a number that programs would round is a string", []string{`1`, `9007199254740993`}, "string"},
		{"an integer of more than 64 bits is a string", []string{`9223372036854775808`}, "string"},
		{"a large integer among fractions is a number", []string{`0.5`, `9223372036854775808`}, "number"},
		{"true and false are boolean", []string{`true`, `false`}, "boolean"},
		{"RFC 3339 is a timestamp", []string{`"2026-03-01T10:00:00Z"`, `"2026-03-01T10:00:00.123456+02:00"`}, "timestamp"},
		{"a day is a date", []string{`"2026-03-01"`}, "date"},
		{"a date and a time with a space is a timestamp", []string{`"2026-03-01 10:00:00Z"`, `"2026-03-01 10:00:00.5"`}, "timestamp"},
		{"times without a zone are local", []string{`"2026-03-01 10:00:00"`, `"2026-03-01T10:00:00.5"`, `"2026-03-01"`}, "local_time"},
		{"a day that does not exist is not a timestamp", []string{`"2026-02-30"`}, "string"},
		{"a sentence that begins with a date is a text", []string{`"2026-03-01 was a good day"`}, "text"},
		{"one word among dates makes strings", []string{`"2026-03-01"`, `"soon"`}, "string"},
		{"lists are arrays", []string{`[]`, `[1,"a"]`}, "array"},
		{"members of objects are fields", []string{`{"a":1}`}, "integer"},
		{"an empty object is an object", []string{`{}`}, "object"},
		{"mixed values are strings", []string{`1`, `"a"`, `true`, `[]`}, "string"},
		{"a number among texts leaves a text", []string{`1`, `"a b"`}, "text"},
		{"only null is a string", []string{`null`}, "string|null"},
		{"null makes nullable", []string{`1`, `null`}, "integer|null"},
		{"absence makes nullable", []string{`"2026-03-01"`, ``}, "date|null"},
		{"days and times are timestamps", []string{`"2026-03-01"`, `"2026-03-01T10:00:00Z"`}, "timestamp"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var lines []string
			for _, value := range test.values {
				if value == "" {
					lines = append(lines, `{}`)
				} else {
					lines = append(lines, `{"f":`+value+`}`)
				}
			}
			field := inferred(t, lines...).Fields[0]
			got := field.Type
			if field.Nullable {
				got += "|null"
			}
			if got != test.want {
				t.Errorf("type %s, want %s", got, test.want)
			}
		})
	}
}

func TestInferenceFindsRolesByNameAndType(t *testing.T) {
	tests := []struct {
		name, line string
		want       map[string]string
	}{
		{
			"a message", `{"id":"1","subject":"Hi","from_name":"Ada","received_at":"2026-03-01","date":"2026-03-02","snippet":"Hello"}`,
			map[string]string{"subject": "primary-title", "from_name": "actor", "received_at": "event-time", "snippet": "secondary"},
		},
		{
			"a turn of a dialogue", `{"conversation_id":"1","speaker":"Ada","sent_at":"2026-03-01","text":"Hello"}`,
			map[string]string{"speaker": "actor", "sent_at": "event-time", "text": "secondary"},
		},
		{"a title comes before a name", `{"name":"a","title":"b"}`, map[string]string{"title": "primary-title"}},
		{"a number is not a title", `{"title":7,"name":"b"}`, map[string]string{"name": "primary-title"}},
		{"a text called date is not a time", `{"date":"soon","created_at":"2026-03-01"}`, map[string]string{"created_at": "event-time"}},
		{"the only timestamp is the event time", `{"repaired":"2024-03-01"}`, map[string]string{"repaired": "event-time"}},
		{"without a typical name neither of two timestamps is the event time", `{"repaired":"2024-03-01","sold":"2025-05-01"}`, map[string]string{}},
		{"a birthday is not the event time", `{"birthday":"1984-03-01"}`, map[string]string{}},
		{"a date of birth is not the event time, whatever its name", `{"Date of birth":"1984-03-01"}`, map[string]string{}},
		{"another date beside a birthday is the event time", `{"Geburtsdatum":"1984-03-01","joined":"2010-05-01"}`, map[string]string{"joined": "event-time"}},
		{"names in camel case, and a start before an end", `{"endTime":"2026-03-02T10:00:00Z","startTime":"2026-03-02T09:00:00Z"}`, map[string]string{"startTime": "event-time"}},
		{"created comes before changed", `{"updatedAt":"2026-03-02","createdAt":"2026-03-01"}`, map[string]string{"createdAt": "event-time"}},
		{"a field has one role", `{"summary":"a","other":1}`, map[string]string{"summary": "primary-title"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := map[string]string{}
			for _, field := range inferred(t, test.line).Fields {
				if field.Role != "" {
					got[field.Name] = field.Role
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestInferenceSettlesKeysAndTimes(t *testing.T) {
	tests := []struct {
		name                     string
		lines                    []string
		key                      []string
		cursorField, consentTime string
	}{
		{"an id and a time on each record", []string{`{"id":1,"date":"2026-03-01"}`}, []string{"id"}, "date", "date"},
		{"a time that some records lack is not the order", []string{`{"id":1,"date":"2026-03-01"}`, `{"id":2}`}, []string{"id"}, "", "date"},
		{"neither", []string{`{"a":1}`}, nil, "", ""},
		{"an empty file", nil, nil, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stream := inferred(t, test.lines...)
			want := model.Stream{Name: "s", PrimaryKey: test.key, CursorField: test.cursorField, ConsentTimeField: test.consentTime, Fields: stream.Fields}
			if diff := cmp.Diff(want, stream); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The labels and the recipients of a message are counted one by one.
func TestListsOfWordsCanBeGrouped(t *testing.T) {
	for _, field := range inferred(t, `{"labels":["a","b c"],"n":[1,"a"],"o":[{"a":1},{"a":2}]}`, `{"labels":[],"n":[],"o":[]}`).Fields {
		if is := field.Name == "labels"; field.Exact != is || slices.Contains(field.Aggregations, "group_by") != is {
			t.Errorf("%+v", field)
		}
	}
}

// A line break in a short value, such as a status, does not keep the others from being counted.
func TestShortTextsOfSeveralLinesCanBeGrouped(t *testing.T) {
	long := strings.Repeat("long ", 30)
	for _, field := range inferred(t, `{"status":"open","body":"a"}`, `{"status":"on\nhold","body":"`+long+`"}`).Fields {
		if is := field.Name == "status"; !field.Exact || slices.Contains(field.Aggregations, "group_by") != is {
			t.Errorf("%+v", field)
		}
	}
}

// The number of an order and an address are searched; a key that only a program uses is not.
func TestInferenceDoesNotSearchKeys(t *testing.T) {
	for _, field := range inferred(t, `{"id":"a","thread_id":"b","author.user_id":"b","source_url":"c","URL":"d","order_id":"f","Order ID":"g","city":"e"}`).Fields {
		if field.Lexical == slices.Contains([]string{"id", "thread_id", "author.user_id"}, field.Name) {
			t.Errorf("%s is searched: %v", field.Name, field.Lexical)
		}
	}
}

func TestInferenceDescribesAThousandFields(t *testing.T) {
	var line strings.Builder
	for number := range item.MaxFields {
		fmt.Fprintf(&line, `"f%d":1,`, number)
	}
	text := "{" + line.String() + `"extra":1}` + "\n" + `{"extra":1}`
	corpus, skips := openFolder(t, writeFolder(t, map[string]string{"s.jsonl": text}))
	want := []Skip{{"s.jsonl", 1, `the stream has more than 1000 fields: "extra" is not described, and only an owner sees it`}}
	if diff := cmp.Diff(want, skips); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if fields := corpus.Connectors[0].Streams[0].Fields; len(fields) != item.MaxFields || len(collectRecords(t, corpus)) != 2 {
		t.Errorf("%d fields", len(fields))
	}
}

// If there are several dates, the first with a typical name is the time of the row; the name of an activity is its title, not the name of
// its file.
func TestRolesOfWhatPeopleKeep(t *testing.T) {
	stream := inferred(t, `{"Day":"2026-01-15","Month":"2026-01-01","Filename":"1.gpx","Activity Name":"Run"}`)
	got := map[string]string{}
	for _, field := range stream.Fields {
		got[field.Name] = field.Role
	}
	if diff := cmp.Diff(map[string]string{"Day": "event-time", "Month": "", "Filename": "", "Activity Name": "primary-title"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
