package embedded

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const longField = "/v1/streams/message_bodies/records/b-0/field-window?field=body_text"

func TestFieldWindowsJoinToTheField(t *testing.T) {
	r := newRig(t)
	want := testLongText()
	for _, limit := range []int{61, 997, 16384} {
		t.Run(fmt.Sprintf("%d code points at a time", limit), func(t *testing.T) {
			var got strings.Builder
			offset := 0
			for range len(want) + 1 {
				page := r.ok("tok-client", fmt.Sprintf("%s&offset_chars=%d&limit_chars=%d", longField, offset, limit))
				got.WriteString(text(page.at("window", "text")))
				next, more := page.at("window", "next_offset_chars").(float64)
				if more != (page.at("window", "has_more") == true) {
					t.Fatalf("has_more: %s", page.text)
				}
				if !more {
					break
				}
				offset = int(next)
			}
			if got.String() != want {
				t.Errorf("the windows join to %d bytes, want %d", got.Len(), len(want))
			}
		})
	}
}

func TestFieldWindow(t *testing.T) {
	r := newRig(t)
	total := float64(len([]rune(testLongText())))
	for _, test := range []struct {
		name, target string
		want         map[string]any
	}{
		{
			name: "offsets are code points", target: longField + "&offset_chars=15&limit_chars=12",
			want: map[string]any{
				"complete": false, "start_chars": 15.0, "end_chars": 27.0, "limit_chars": 12.0, "has_more": true, "next_offset_chars": 27.0,
				"previous_offset_chars": 3.0, "match_start_chars": nil, "match_end_chars": nil, "text": "afé 🚀 会議. Pa", "total_chars": total,
			},
		},
		{
			name: "a query is found in either case", target: longField + "&q=" + url.QueryEscape("CAFÉ 🚀 会") + "&before_chars=3&after_chars=2",
			want: map[string]any{
				"complete": false, "start_chars": 11.0, "end_chars": 24.0, "limit_chars": 13.0, "has_more": true, "next_offset_chars": 24.0,
				"previous_offset_chars": 0.0, "match_start_chars": 14.0, "match_end_chars": 22.0, "text": " — café 🚀 会議.", "total_chars": total,
			},
		},
		{
			name: "a short field is complete", target: "/v1/streams/message_bodies/records/b-1/field-window?field=body_text",
			want: map[string]any{
				"complete": true, "start_chars": 0.0, "end_chars": 26.0, "limit_chars": 4096.0, "has_more": false, "next_offset_chars": nil,
				"previous_offset_chars": nil, "match_start_chars": nil, "match_end_chars": nil, "text": japaneseBody, "total_chars": 26.0,
			},
		},
		{
			name: "a path leads into objects and lists", target: "/v1/streams/message_bodies/records/b-1/field-window?field=origin.lines.1",
			want: map[string]any{
				"complete": true, "start_chars": 0.0, "end_chars": 6.0, "limit_chars": 4096.0, "has_more": false, "next_offset_chars": nil,
				"previous_offset_chars": nil, "match_start_chars": nil, "match_end_chars": nil, "text": "second", "total_chars": 6.0,
			},
		},
		{
			name: "an offset past the end is an empty window", target: "/v1/streams/message_bodies/records/b-1/field-window?field=body_text&offset_chars=900",
			want: map[string]any{
				"complete": false, "start_chars": 26.0, "end_chars": 26.0, "limit_chars": 4096.0, "has_more": false, "next_offset_chars": nil,
				"previous_offset_chars": 0.0, "match_start_chars": nil, "match_end_chars": nil, "text": "", "total_chars": 26.0,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(any(test.want), r.ok("tok-client", test.target).at("window")); diff != "" {
				t.Errorf("window (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFieldWindowRefusals(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		name, token, target, code string
		status                    int
	}{
		{"no field", "tok-client", "/v1/streams/messages/records/w-000/field-window", "invalid_field_path", 400},
		{"a field that is not a text", "tok-client", "/v1/streams/messages/records/w-000/field-window?field=size_bytes", "field_not_text", 422},
		{"a field that is an object", "tok-client", "/v1/streams/message_bodies/records/b-0/field-window?field=origin", "field_not_text", 422},
		{"a path to nothing", "tok-client", "/v1/streams/message_bodies/records/b-0/field-window?field=origin.nothing", "invalid_field_path", 400},
		{"an unknown field", "tok-client", "/v1/streams/messages/records/w-000/field-window?field=bogus", "field_not_granted", 403},
		{"a field outside the grant", "tok-narrow", "/v1/streams/messages/records/w-040/field-window?field=snippet", "field_not_granted", 403},
		{"a query that does not occur", "tok-client", longField + "&q=nowhere", "query_not_found", 404},
		{"a query without text", "tok-client", longField + "&q=%FF", "query_not_found", 404},
		{"a query and an offset", "tok-client", longField + "&q=x&offset_chars=1", "invalid_request", 400},
		{"an unknown record", "tok-client", "/v1/streams/message_bodies/records/zzz/field-window?field=body_text", "not_found", 404},
		{"a record of two connections", "tok-client", "/v1/streams/messages/records/dup:1%2Fa%20b/field-window?field=subject", "ambiguous_connection", 409},
		{"a stream outside the grant", "tok-narrow", longField, "context.stream_not_allowed", 401},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := r.get(test.token, test.target)
			if got.status != test.status || got.code() != test.code {
				t.Errorf("status %d code %q, want %d %q", got.status, got.code(), test.status, test.code)
			}
		})
	}
}

// A query is found at its first occurrence, in either case.
func TestAQueryIsFoundAtItsFirstOccurrence(t *testing.T) {
	for _, row := range []struct {
		text, query string
		want        int
	}{
		{"Rang, then ran", "RAN", 0},
		{"Rang all the way", "ran", 0},
		{"a-ran", "ran", 2},
		{"orange", "ran", 1},
		{"京都駅で", "都駅", 1},
		{"none", "ran", -1},
		{"İ, ẞ and 5 K", "ß AND 5 \u212a", 3},
		{"a\xff\xffb", "B", 3},
		{strings.Repeat("a", 1<<24), strings.Repeat("a", 1<<14) + "b", -1}, // in hours, if each place were compared in turn
	} {
		got, _, found := findText(row.text, row.query)
		if !found {
			got = -1
		}
		if got != row.want {
			t.Errorf("%q is at %d of %q, want %d", row.query, got, row.text, row.want)
		}
	}
}
