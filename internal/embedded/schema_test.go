package embedded

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestCompactSchema(t *testing.T) {
	r, ranges := newRig(t), strings.Join(rs.Bounds, "|")
	for _, test := range []struct {
		name, token, target string
		want                any
		path                []any
	}{
		{
			name: "flags are right for a client", token: "tok-client", target: "/v1/schema?view=compact&stream=messages&connection_id=cin_mail_work",
			path: []any{"connectors", 0, "streams", 0, "field_capabilities"},
			want: map[string]any{
				"id": "t=string,eq", "thread_id": "t=string,eq,a=count_distinct", "subject": "t=text,role=primary-title,eq,lex",
				"from_email":  "t=string,role=actor,eq,lex,a=count_distinct|group_by",
				"received_at": "t=timestamp,role=event-time,eq,r=" + ranges + ",a=group_by_time|max|min",
				"size_bytes":  "t=integer|null,eq,r=" + ranges + ",a=max|min|sum", "is_seen": "t=boolean,eq,a=group_by", "labels": "t=array,eq,a=count_distinct|group_by",
				"snippet": "t=text,role=secondary,lex",
			},
		},
		{
			name: "a narrow grant sees only its fields", token: "tok-narrow", target: "/v1/schema?view=compact",
			path: []any{"connectors", 0, "streams", 0, "field_capabilities"},
			want: map[string]any{
				"id": "t=string,eq", "thread_id": "t=string,eq,a=count_distinct", "subject": "t=text,role=primary-title,eq,lex",
				"received_at": "t=timestamp,role=event-time,eq,r=" + ranges + ",a=group_by_time|max|min",
			},
		},
		{
			name: "a narrow grant sees only its connection", token: "tok-narrow", target: "/v1/schema?view=compact",
			path: []any{"connectors", 0, "granted_connections"}, want: []any{map[string]any{"connection_id": "cin_mail_work", "display_name": "Work mail"}},
		},
		{
			name: "the schema describes the bearer", token: "tok-client", target: "/v1/schema?view=compact", path: []any{"bearer"},
			want: map[string]any{"scope": "grant", "token_kind": "client", "grant_id": "grt_demo_client", "client_id": "personal_assistant"},
		},
		{
			name: "a relation whose stream is granted is usable", token: "tok-client", target: "/v1/schema?view=compact&stream=messages&connection_id=cin_mail_work",
			path: []any{"connectors", 0, "streams", 0, "expand_capabilities", 1},
			want: map[string]any{
				"name": "attachments", "stream": "attachments", "target_stream": "attachments", "cardinality": "has_many", "granted": true, "usable": true,
				"foreign_key": "message_id", "default_limit": float64(2), "max_limit": float64(5),
			},
		},
		{
			name: "a relation whose stream is not granted is not usable", token: "tok-narrow", target: "/v1/schema?view=compact",
			path: []any{"connectors", 0, "streams", 0, "expand_capabilities", 1, "usable"}, want: false,
		},
		{
			name: "a stream name of several connectors is under each", token: "tok-client", target: "/v1/schema?view=compact&stream=messages",
			path: []any{"connector_count"}, want: float64(2),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, r.ok(test.token, test.target).at(test.path...)); diff != "" {
				t.Errorf("%v (-want +got):\n%s", test.path, diff)
			}
		})
	}
}

func TestFullSchema(t *testing.T) {
	got := newRig(t).ok("tok-client", "/v1/schema?detail=full&stream=messages&connection_id=cin_mail_work")
	stream := got.at("connectors", 0, "streams", 0)
	no := map[string]any{"declared": false, "usable": false}
	yes := map[string]any{"declared": true, "usable": true}
	var operators []any
	for _, operator := range rs.Bounds {
		operators = append(operators, operator)
	}
	want := map[string]any{
		"type": "timestamp", "role": "event-time", "granted": true,
		"aggregation": map[string]any{
			"count_distinct": no, "group_by": no, "group_by_time": yes, "max": yes, "min": yes, "sum": no,
		},
		"lexical_search": no, "semantic_search": no, "exact_filter": yes,
		"range_filter": map[string]any{"declared": true, "usable": true, "operators": operators},
		"schema":       map[string]any{"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "event-time"},
	}
	if diff := cmp.Diff(any(want), walk(stream, "field_capabilities", "received_at")); diff != "" {
		t.Errorf("received_at (-want +got):\n%s", diff)
	}
	query := map[string]any{
		"search":        map[string]any{"lexical_fields": []any{"subject", "from_email", "snippet"}},
		"range_filters": map[string]any{"received_at": operators, "size_bytes": operators},
		"aggregations": map[string]any{
			"count": true, "count_distinct": []any{"thread_id", "from_email", "labels"}, "group_by": []any{"from_email", "is_seen", "labels"},
			"group_by_time": []any{"received_at"}, "max": []any{"received_at", "size_bytes"}, "min": []any{"received_at", "size_bytes"}, "sum": []any{"size_bytes"},
		},
		"expand": []any{map[string]any{"name": "message_bodies"}, map[string]any{"name": "attachments", "default_limit": float64(2), "max_limit": float64(5)}},
	}
	if diff := cmp.Diff(any(query), walk(stream, "query")); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
}

func TestStreams(t *testing.T) {
	r := newRig(t)
	t.Run("there is a row for each stream and connection", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/streams")
		if rows := got.list("data"); len(rows) != 3*2+1+2 {
			t.Errorf("%d rows: %s", len(rows), got.text)
		}
		want := map[string]any{
			"object": "stream", "name": "messages", "record_count": float64(workMessages + 1), "last_updated": "2026-05-28T21:30:00.000Z",
			"connection_id": "cin_mail_work", "connector_instance_id": "cin_mail_work", "connector_key": "mail", "display_name": "Work mail",
			"freshness": map[string]any{"status": "stale", "captured_at": "2026-05-28T21:30:00.000Z"},
		}
		if diff := cmp.Diff(any(want), got.at("data", 0)); diff != "" {
			t.Errorf("row (-want +got):\n%s", diff)
		}
	})
	t.Run("a stream without records has no date", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/streams?connection_id=cin_notes_b")
		if got.at("data", 0, "last_updated") != nil || got.at("data", 0, "freshness", "status") != "unknown" {
			t.Errorf("row: %s", got.text)
		}
	})
	t.Run("the count is within the time limit of the grant", func(t *testing.T) {
		got := r.ok("tok-narrow", "/v1/streams")
		if count := got.at("data", 0, "record_count"); count != float64(workMessages-24) || len(got.list("data")) != 1 {
			t.Errorf("rows: %s", got.text)
		}
	})
	t.Run("one stream is shown in full", func(t *testing.T) {
		got := r.ok("tok-narrow", "/v1/streams/messages")
		if diff := cmp.Diff(any([]any{"cin_mail_work"}), got.at("instance_ids")); diff != "" {
			t.Errorf("instance_ids (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(any([]any{map[string]any{"id": "envelope", "label": "Envelope", "fields": []any{"id", "subject"}}}), got.at("views")); diff != "" {
			t.Errorf("views (-want +got):\n%s", diff)
		}
	})
	t.Run("a name that connectors share is shown with a warning", func(t *testing.T) {
		if code := r.ok("tok-client", "/v1/streams/messages").at("meta", "warnings", 0, "code"); code != "partial_results" {
			t.Errorf("warning %v", code)
		}
	})
}

// All streams read from files have the same freshness, and records in the future do not count as new.
func TestFreshnessOfFilesIsTheTimeOfReading(t *testing.T) {
	index, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Close() }()
	corpus := model.Corpus{Connectors: testConnectors(), ReadAt: testNow.Add(-time.Minute), Records: func(yield func(model.Record, error) bool) {
		for i, at := range []time.Time{testNow.AddDate(-3, 0, 0), testNow.AddDate(2, 0, 0)} {
			if !yield(model.Record{ConnectionID: "cin_notes_a", Stream: "notes", ID: fmt.Sprint(i), EmittedAt: at, Data: json.RawMessage(`{}`)}, nil) {
				return
			}
		}
	}}
	if err := index.Load(t.Context(), corpus, "1", nil); err != nil {
		t.Fatal(err)
	}
	r, at := newRigOver(t, index, Options{}), "2026-06-01T11:59:00.000Z"
	want := map[string]any{"status": "current", "captured_at": at, "last_attempted_at": at}
	got := r.ok("tok-owner", "/v1/streams")
	for _, row := range got.list("data") {
		if diff := cmp.Diff(any(want), walk(row, "freshness")); diff != "" {
			t.Errorf("%v (-want +got):\n%s", walk(row, "name"), diff)
		}
	}
	if last := r.ok("tok-owner", "/v1/streams?connection_id=cin_notes_a").at("data", 0, "last_updated"); last != "2023-06-01T12:00:00.000Z" {
		t.Errorf("the newest record is of %v", last)
	}
}
