package embedded

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRecords(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		name, token, target string
		status              int
		code                string
		ids                 []string // of the records, if code is empty
	}{
		{
			name: "the newest come first", token: "tok-client", target: "/v1/streams/messages/records?connection_id=cin_mail_work&limit=2",
			status: 200, ids: []string{"w-059", "w-058"},
		},
		{
			name: "order asc reverses them, and ties keep the order of loading", token: "tok-client", target: "/v1/streams/messages/records?connection_id=cin_mail_work&limit=3&order=asc",
			status: 200, ids: []string{"w-000", "dup:1/a b", "w-001"},
		},
		{
			name: "sort takes a range-filterable field and puts a missing value last", token: "tok-client",
			target: "/v1/streams/messages/records?connection_id=cin_mail_home&limit=2&sort=-size_bytes", status: 200, ids: []string{"h-011", "h-010"},
		},
		{
			name: "sort refuses a field that is not advertised", token: "tok-client", target: "/v1/streams/messages/records?sort=subject",
			status: 400, code: "invalid_sort",
		},
		{
			name: "the limit is for each connection", token: "tok-client", target: "/v1/streams/messages/records?limit=1",
			status: 200, ids: []string{"w-059", "h-011", "c-4"},
		},
		{
			name: "an exact filter compares text", token: "tok-client",
			target: "/v1/streams/messages/records?connection_id=cin_mail_work&limit=2&filter[from_email]=grace@example.com", status: 200, ids: []string{"w-058", "w-055"},
		},
		{
			name: "an exact filter on a list asks for an item", token: "tok-client",
			target: "/v1/streams/messages/records?connection_id=cin_mail_work&limit=1&filter[labels]=alan@example.com", status: 200, ids: []string{"w-059"},
		},
		{
			name: "a range filter on a time is chronological, whatever the zone it is written in", token: "tok-client",
			target: "/v1/streams/messages/records?connection_id=cin_mail_work&filter[received_at][gte]=2026-01-03T22:30:00%2B01:00&filter[received_at][lt]=2026-01-08T00:00:00Z",
			status: 200, ids: []string{"w-002", "w-001"},
		},
		{
			name: "a range filter on a number is numeric", token: "tok-client",
			target: "/v1/streams/messages/records?connection_id=cin_mail_work&filter[size_bytes][gt]=999.5&filter[size_bytes][lte]=1001", status: 200, ids: []string{"w-001", "w-000"},
		},
		{
			name: "a filter leaves out connections that lack its field", token: "tok-client",
			target: "/v1/streams/messages/records?limit=1&filter[user_id]=u1", status: 200, ids: []string{"c-3"},
		},
		{
			name: "a filter on an unknown field is refused", token: "tok-client", target: "/v1/streams/messages/records?filter[bogus]=1",
			status: 400, code: "unknown_field",
		},
		{
			name: "an unknown operator is refused", token: "tok-client", target: "/v1/streams/messages/records?filter[received_at][like]=1",
			status: 400, code: "invalid_request",
		},
		{
			name: "a range on a field without one is refused", token: "tok-client", target: "/v1/streams/messages/records?filter[subject][gte]=a",
			status: 400, code: "invalid_request",
		},
		{
			name: "a value of the wrong type is refused", token: "tok-client", target: "/v1/streams/messages/records?filter[size_bytes]=big",
			status: 400, code: "invalid_request",
		},
		{name: "a bare filter is refused", token: "tok-client", target: "/v1/streams/messages/records?filter=foo", status: 400, code: "invalid_request"},
		{name: "an unknown parameter is refused", token: "tok-client", target: "/v1/streams/messages/records?bogus=1", status: 400, code: "invalid_request"},
		{name: "a view is not for clients", token: "tok-client", target: "/v1/streams/messages/records?view=envelope", status: 400, code: "invalid_request"},
		{name: "an unknown field is refused", token: "tok-client", target: "/v1/streams/messages/records?fields=bogus", status: 400, code: "unknown_field"},
		{name: "a field outside the grant is refused", token: "tok-narrow", target: "/v1/streams/messages/records?fields=snippet", status: 403, code: "field_not_granted"},
		{name: "a filter outside the grant is refused", token: "tok-narrow", target: "/v1/streams/messages/records?filter[from_email]=a", status: 403, code: "field_not_granted"},
		{name: "a sort outside the grant is refused", token: "tok-narrow", target: "/v1/streams/messages/records?sort=size_bytes", status: 403, code: "field_not_granted"},
		{name: "an unknown stream is refused", token: "tok-client", target: "/v1/streams/nosuch/records", status: 401, code: "context.stream_not_allowed"},
		{name: "a stream outside the grant is refused alike", token: "tok-narrow", target: "/v1/streams/attachments/records", status: 401, code: "context.stream_not_allowed"},
		{name: "an unknown connection is refused", token: "tok-client", target: "/v1/streams/messages/records?connection_id=cin_nope", status: 401, code: "context.instance_mismatch"},
		{name: "a connection outside the grant is refused alike", token: "tok-narrow", target: "/v1/streams/messages/records?connection_id=cin_mail_home", status: 401, code: "context.instance_mismatch"},
		{name: "a forged cursor is refused", token: "tok-client", target: "/v1/streams/messages/records?cursor=garbage", status: 400, code: "invalid_cursor"},
		{name: "a forged bookmark is refused", token: "tok-client", target: "/v1/streams/messages/records?changes_since=!!!", status: 400, code: "invalid_cursor"},
		{name: "changes exclude a sort", token: "tok-client", target: "/v1/streams/messages/records?changes_since=beginning&sort=-received_at", status: 400, code: "invalid_request"},
		{name: "an unknown relation is refused", token: "tok-client", target: "/v1/streams/messages/records?expand=nosuch", status: 400, code: "invalid_expand"},
		{name: "a relation that leads out of the grant is refused", token: "tok-narrow", target: "/v1/streams/messages/records?expand=attachments", status: 400, code: "invalid_expand"},
		{name: "an expansion keeps its limit", token: "tok-client", target: "/v1/streams/messages/records?expand=attachments&expand_limit[attachments]=6", status: 400, code: "invalid_expand"},
		{name: "a limit that is given twice is refused", token: "tok-client",
			target: "/v1/streams/messages/records?expand=attachments&expand_limit[attachments]=1&expand_limit[attachments]=2", status: 400, code: "invalid_request"},
		{name: "more filters than one condition can have are refused", token: "tok-client",
			target: "/v1/streams/messages/records?" + strings.Repeat("filter[size_bytes][gte]=1&", 1001), status: 400, code: "invalid_request"},
		{name: "a limit of nothing is refused", token: "tok-client", target: "/v1/streams/messages/records?limit=0", status: 400, code: "invalid_request"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := r.get(test.token, test.target)
			if got.status != test.status || got.code() != test.code {
				t.Fatalf("status %d code %q, want %d %q: %s", got.status, got.code(), test.status, test.code, got.text)
			}
			if test.code != "" {
				if got.at("error", "request_id") != got.header.Get("Request-Id") {
					t.Error("the error does not name the request")
				}
				return
			}
			if diff := cmp.Diff(test.ids, got.ids("id")); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPagesLoseAndRepeatNothing(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		name, target string
		want         int
	}{
		{"by the cursor field", "/v1/streams/messages/records?connection_id=cin_mail_work&limit=7", workMessages + 1},
		{"oldest first", "/v1/streams/messages/records?connection_id=cin_mail_work&limit=7&order=asc", workMessages + 1},
		{"by a field with a missing value", "/v1/streams/messages/records?connection_id=cin_mail_home&limit=2&sort=-size_bytes", homeMessages + 1},
		{"by a field with a missing value, ascending", "/v1/streams/messages/records?connection_id=cin_mail_home&limit=2&sort=size_bytes", homeMessages + 1},
		{"by emission without a cursor field", "/v1/streams/attachments/records?connection_id=cin_mail_work&limit=1", 3},
		{"with a filter", "/v1/streams/messages/records?connection_id=cin_mail_work&limit=2&filter[is_seen]=false", workMessages / 4},
		{"as changes of one connection", "/v1/streams/messages/records?connection_id=cin_mail_work&limit=7&changes_since=beginning", workMessages + 1},
		{"as changes of several", "/v1/streams/messages/records?limit=7&changes_since=beginning", workMessages + homeMessages + 2 + chatMessages},
	} {
		t.Run(test.name, func(t *testing.T) {
			ids := r.walkPages("tok-client", test.target, "id")
			if len(ids) != test.want {
				t.Errorf("%d records, want %d: %v", len(ids), test.want, ids)
			}
			if test.name != "as changes of several" {
				slices.Sort(ids)
				if distinct := len(slices.Compact(ids)); distinct != test.want {
					t.Errorf("%d distinct records, want %d", distinct, test.want)
				}
			}
		})
	}
}

func TestRecordEnvelope(t *testing.T) {
	r := newRig(t)
	t.Run("a page of several connections says that it is partial and has no cursor", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/streams/messages/records?limit=1&count=exact")
		if got.at("next_cursor") != nil || got.at("links", "next") != nil || got.at("has_more") != true {
			t.Errorf("paging: %s", got.text)
		}
		if code := got.at("meta", "warnings", 0, "code"); code != "partial_results" {
			t.Errorf("warning %v", code)
		}
		if value := got.at("meta", "count", "value"); value != float64(workMessages+homeMessages+2+chatMessages) {
			t.Errorf("count %v", value)
		}
	})
	t.Run("a limit above the maximum is reduced with a warning", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/streams/messages/records?limit=500&connection_id=cin_mail_work")
		if code := got.at("meta", "warnings", 0, "code"); code != "limit_clamped" || len(got.list("data")) != workMessages+1 {
			t.Errorf("warning %v, %d records", code, len(got.list("data")))
		}
	})
	t.Run("the deprecated alias works with a warning", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/streams/messages/records?limit=1&connector_instance_id=cin_mail_work")
		if code := got.at("meta", "warnings", 0, "code"); code != "deprecated_alias_used" || len(got.list("data")) != 1 {
			t.Errorf("warning %v: %s", code, got.text)
		}
	})
	t.Run("fields reduce the record", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/streams/messages/records?limit=1&connection_id=cin_mail_work&fields=subject&fields=size_bytes")
		want := map[string]any{"subject": "Invoice number 59", "size_bytes": float64(1059)}
		if diff := cmp.Diff(any(want), got.at("data", 0, "data")); diff != "" {
			t.Errorf("data (-want +got):\n%s", diff)
		}
	})
	t.Run("a view is refused", func(t *testing.T) {
		got := r.get("tok-owner", "/v1/streams/messages/records?limit=1&connector_id=mail&connection_id=cin_mail_work&view=envelope")
		if got.at("error", "code") != "invalid_request" {
			t.Error(got.text)
		}
	})
	t.Run("expansions come with the record, limited", func(t *testing.T) {
		got := r.ok(
			"tok-client",
			"/v1/streams/messages/records?connection_id=cin_mail_work&filter[id]=w-050&expand=message_bodies&expand[]=attachments",
		)
		if body := got.at("data", 0, "expanded", "message_bodies", "data", "body_text"); body != japaneseBody {
			t.Errorf("has_one: %v", body)
		}
		attachments := got.at("data", 0, "expanded", "attachments")
		if list, _ := walk(attachments, "data").([]any); len(list) != 2 || walk(attachments, "has_more") != true {
			t.Errorf("has_many: %v", attachments)
		}
	})
	t.Run("a has_one without a record is null", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/streams/messages/records?connection_id=cin_mail_work&limit=1&expand=message_bodies")
		expanded, _ := got.at("data", 0, "expanded").(map[string]any)
		if value, there := expanded["message_bodies"]; !there || value != nil {
			t.Errorf("expanded %v", expanded)
		}
	})
}

func TestCursorsAreBound(t *testing.T) {
	r := newRig(t)
	const query = "/v1/streams/messages/records?connection_id=cin_mail_work&limit=2"
	cursor := text(r.ok("tok-client", query).at("next_cursor"))
	first := "A"
	if strings.HasPrefix(cursor, first) { // as one cursor in 64: the key is random
		first = "B"
	}
	for _, test := range []struct {
		name, token, target string
		status              int
	}{
		{"the same query continues", "tok-client", query + "&cursor=" + cursor, 200},
		{"another page size continues", "tok-client", "/v1/streams/messages/records?connection_id=cin_mail_work&limit=5&cursor=" + cursor, 200},
		{"another connection is refused", "tok-client", "/v1/streams/messages/records?connection_id=cin_mail_home&cursor=" + cursor, 400},
		{"another filter is refused", "tok-client", query + "&filter[is_seen]=true&cursor=" + cursor, 400},
		{"another order is refused", "tok-client", query + "&order=asc&cursor=" + cursor, 400},
		{"another grant is refused", "tok-owner", query + "&cursor=" + cursor, 400},
		{"another stream is refused", "tok-client", "/v1/streams/attachments/records?connection_id=cin_mail_work&cursor=" + cursor, 400},
		{"a search is refused", "tok-client", "/v1/search?q=invoice&cursor=" + cursor, 400},
		{"a changed cursor is refused", "tok-client", query + "&cursor=" + first + cursor[1:], 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := r.get(test.token, test.target)
			if got.status != test.status {
				t.Fatalf("status %d: %s", got.status, got.text)
			}
			if got.status != http.StatusOK && got.code() != "invalid_cursor" {
				t.Errorf("code %q", got.code())
			}
		})
	}
}
