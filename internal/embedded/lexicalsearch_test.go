package embedded

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSearch(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		name, token, query string
		keys               []string
	}{
		{"all words must occur", "tok-client", "q=secretword+h+11", []string{"h-011"}},
		{"accents do not matter", "tok-client", "q=CAFE+h+10", []string{"h-010"}},
		{"a quoted phrase stands together", "tok-client", "q=" + url.QueryEscape(`"invoice number 7"`), []string{"h-007", "w-007"}},
		{"a Japanese word of two characters is found", "tok-client", "q=会議&streams=message_bodies&connection_id=cin_mail_work", []string{"b-1", "b-0"}},
		{"a Japanese word in the middle of a sentence is found", "tok-client", "q=京都", []string{"b-1"}},
		{"characters that do not stand together are not a word", "tok-client", "q=都京", []string{}},
		{"Arabic is found", "tok-client", "q=الاجتماع", []string{"b-2"}},
		{"operators of the index are words", "tok-client", "q=" + url.QueryEscape(`invoice* OR NEAR("`), []string{}},
		{"punctuation alone finds nothing", "tok-client", "q=" + url.QueryEscape(`"*" ()`), []string{}},
		{"a query of very many words is a query", "tok-client", "q=" + strings.Repeat("a+b+", maxQuery/4), []string{}},
		{"a prefix is not a word", "tok-client", "q=zeph", []string{}},
		{"streams limit the search", "tok-client", "q=invoice&streams=attachments", []string{}},
		{"a filter limits the search of one stream", "tok-client", "q=invoice&streams=messages&filter[size_bytes]=1011", []string{"h-011", "w-011"}},
		{"a field outside the grant does not match", "tok-narrow", "q=secretword", []string{}},
		{"a record before the grant's time does not match", "tok-narrow", "q=" + url.QueryEscape(`"invoice number 7"`), []string{}},
		{"a granted field matches", "tok-narrow", "q=" + url.QueryEscape(`"invoice number 59"`), []string{"w-059"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := r.ok(test.token, "/v1/search?"+test.query)
			keys := got.ids("record_key")
			keys = keys[:min(len(test.keys), len(keys))] // records with only some of the words follow
			less := cmp.Transformer("set", func(keys []string) map[string]bool {
				set := map[string]bool{}
				for _, key := range keys {
					set[key] = true
				}
				return set
			})
			if diff := cmp.Diff(test.keys, keys, less); diff != "" {
				t.Errorf("hits (-want +got):\n%s", diff)
			}
			if count := got.at("meta", "count"); count != float64(len(test.keys)) {
				t.Errorf("count %v", count)
			}
		})
	}
}

func TestSearchHit(t *testing.T) {
	r := newRig(t)
	t.Run("a hit has the match and where to read on", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/search?q=zephyr&connection_id=cin_mail_home")
		hit, _ := got.at("data", 0).(map[string]any)
		score, _ := walk(hit, "score", "value").(float64)
		delete(hit, "score")
		want := map[string]any{
			"object": "search_result", "connector_id": "mail", "stream": "messages", "record_key": "dup:1/a b",
			"record_url": "/v1/streams/messages/records/dup:1%2Fa%20b", "emitted_at": "2026-01-01T09:30:00.000Z", "authored_at": "2026-01-01T09:30:00Z", "authored_field": "received_at",
			"connection_id": "cin_mail_home", "connector_instance_id": "cin_mail_home", "display_name": "Home mail", "matched_fields": []any{"subject"},
			"title": "Zephyr", "actor": "ada@example.com", "match": "all",
			"snippet": map[string]any{"field": "subject", "text": "<mark>Zephyr</mark>"},
			"evidence_excerpts": []any{map[string]any{
				"object": "evidence_excerpt", "field_path": "subject", "preview_text": "<mark>Zephyr</mark>", "provenance": "lexical_match", "truncated": false,
				"start_chars": 0.0, "end_chars": 6.0,
				"read": map[string]any{
					"object": "field_window_read", "method": "GET", "route": "/v1/streams/messages/records/dup:1%2Fa%20b/field-window", "stream": "messages",
					"record_id": "dup:1/a b", "field": "subject", "connection_id": "cin_mail_home",
				},
			}},
		}
		if diff := cmp.Diff(want, hit); diff != "" || score >= 0 {
			t.Errorf("score %v, hit (-want +got):\n%s", score, diff)
		}
	})
	t.Run("tags in the text are not marks", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/search?q=gamma")
		if snippet := got.at("data", 0, "snippet", "text"); snippet != "alpha beta <mark>gamma</mark>" {
			t.Errorf("snippet %q", snippet)
		}
	})
	t.Run("a record without a time, its own or its parent's, has no authored_at", func(t *testing.T) {
		if got := r.ok("tok-client", "/v1/search?q=gamma"); got.at("data", 0, "authored_at") != nil {
			t.Errorf("hit: %s", got.text)
		}
	})
}

// A page ranks by the time of the first page: at midnight another day is yesterday.
func TestSearchPagesKeepTheirDay(t *testing.T) {
	r := newNotes(t, []note{{ID: "a", Text: "dentist", At: "2026-05-31"}, {ID: "b", Text: "dentist", At: "2026-06-01"}, {ID: "c", Text: "dentist", At: "2026-05-30"}})
	now, hits, cursor := testNow, []string{}, ""
	r.server.options.Now = func() time.Time { return now }
	for range 3 {
		page := r.ok("tok-owner", "/v1/search?limit=1&q=dentist+yesterday"+cursor)
		hits, cursor = append(hits, page.ids("record_key")...), "&cursor="+text(page.at("next_cursor"))
		now = now.Add(24 * time.Hour)
	}
	if !slices.Equal(hits, []string{"a", "b", "c"}) {
		t.Errorf("hits %v", hits)
	}
}

func TestSearchPages(t *testing.T) {
	r := newRig(t)
	want := r.ok("tok-client", "/v1/search?q=invoice&limit=100").ids("record_url")
	t.Run("pages together are the whole list", func(t *testing.T) {
		got := r.walkPages("tok-client", "/v1/search?q=invoice&limit=17", "record_url")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("hits (-want +got):\n%s", diff)
		}
	})
	t.Run("a cursor of which one character is another is refused", func(t *testing.T) {
		const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		cursor := text(r.ok("tok-client", "/v1/search?q=invoice&limit=1").at("next_cursor"))
		for i := range cursor {
			for n, letter := range letters {
				changed := cursor[:i] + string(letter) + cursor[i+1:]
				if changed == cursor || n%16 > 0 && i < len(cursor)-1 { // unused bits of the last character may differ
					continue
				}
				if got := r.get("tok-client", "/v1/search?q=invoice&limit=1&cursor="+changed); got.code() != "invalid_cursor" {
					t.Errorf("%s is accepted as %s: %s", changed, cursor, got.text)
				}
			}
		}
	})
	t.Run("a cursor is only valid for its query and grant", func(t *testing.T) {
		cursor := text(r.ok("tok-client", "/v1/search?q=invoice&limit=1").at("next_cursor"))
		for token, target := range map[string]string{"tok-client": "/v1/search?q=number&cursor=" + cursor, "tok-owner": "/v1/search?q=invoice&cursor=" + cursor} {
			if got := r.get(token, target); got.code() != "invalid_cursor" {
				t.Errorf("%s: %s", target, got.text)
			}
		}
	})
}

func TestSearchRefusals(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		name, token, target, code, param string
		status                           int
	}{
		{"no query", "tok-client", "/v1/search?q=+", "invalid_request", "q", 400},
		{"a query that is too long", "tok-client", "/v1/search?q=" + strings.Repeat("a", maxQuery+1), "invalid_request", "q", 400},
		{"a stream outside the grant", "tok-narrow", "/v1/search?q=x&streams=attachments", "grant_stream_not_allowed", "", 403},
		{"a connection outside the grant", "tok-narrow", "/v1/search?q=x&connection_id=cin_mail_home", "connection_not_found", "connection_id", 404},
		{"a filter without a stream", "tok-client", "/v1/search?q=x&filter[is_seen]=true", "invalid_request", "filter", 400},
		{"a filter with two streams", "tok-client", "/v1/search?q=x&streams=messages&streams=attachments&filter[id]=1", "invalid_request", "filter", 400},
		{"a filter outside the grant", "tok-narrow", "/v1/search?q=x&streams=messages&filter[from_email]=a", "field_not_granted", "", 403},
		{"a malformed cursor", "tok-client", "/v1/search?q=x&cursor=garbage", "invalid_cursor", "", 400},
		{"a parameter of another route", "tok-client", "/v1/search?q=x&fields=id", "invalid_request", "fields", 400},
		{"semantic search", "tok-client", "/v1/search/semantic?q=x&limit=2", "search_mode_unavailable", "", 400},
		{"hybrid search", "tok-client", "/v1/search/hybrid?q=x", "search_mode_unavailable", "", 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := r.get(test.token, test.target)
			if got.status != test.status || got.code() != test.code || text(got.at("error", "param")) != test.param {
				t.Errorf("status %d: %s; want %q", got.status, got.text, test.code)
			}
		})
	}
}
