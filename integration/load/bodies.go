package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// The items of a usual page and of a large one. The sizes of items are those of recorded answers.
const usualItems, largeItems = 25, 100

// prose fills text fields. It has characters of one and of several bytes.
const prose = "The invoice for the apollo release was discussed with the team over lunch; Zoë’s naïve café draft – 🚀 – comes next week. "

func list(n int, item func(i int) string) []string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return items
}

// serveList answers with the first items up to a limit.
func serveList(w http.ResponseWriter, items []string, limit string) {
	n, err := strconv.Atoi(limit)
	if err != nil || n < 1 {
		n = usualItems
	}
	serveJSON(w, `{"object":"list","has_more":true,"next_cursor":"eyJvZmYiOjI1LCJzbmFwIjoiMWYzYSJ9","data":[`+strings.Join(items[:min(n, len(items))], ",")+`],"meta":{"warnings":[]}}`)
}

func serveJSON(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write([]byte(body)) // #nosec G705 -- JSON, and no browser
}

// record returns a mail: 0.8 KB with two sentences, 8 KB with 58.
func record(i, sentences int) string {
	return fmt.Sprintf(`{"object":"record","id":"m-%04[1]d","stream":"messages","emitted_at":"2026-08-16T18:18:00.000Z","connection_id":"cin_mail","display_name":"Mail",`+
		`"data":{"id":"m-%04[1]d","subject":"Apollo release, part %[1]d","from_email":"ada@example.com","from_name":"Ada Lovelace","to":[{"name":"Me","email":"me@example.com"}],`+
		`"cc":[],"labels":["INBOX","IMPORTANT"],"date":"2026-08-16T18:18:00.000Z","size_bytes":5763,"is_seen":true,"is_flagged":false,"thread_id":"t-%04[1]d","in_reply_to":null,"snippet":"%[2]s"}}`,
		i, strings.Repeat(prose, sentences))
}

// hit returns a search result of 1.5 KB. Its excerpt occurs twice, as resource servers send it.
func hit(i int) string {
	return fmt.Sprintf(`{"object":"search_result","stream":"bodies","record_key":"m-%04[1]d","record_url":"/v1/streams/bodies/records/m-%04[1]d","connector_id":"mail","connection_id":"cin_mail","display_name":"Mail",`+
		`"emitted_at":"2026-01-01T00:00:00.000Z","matched_fields":["body_text"],"snippet":{"field":"body_text","text":"…the <mark>invoice</mark> %[2]s"},`+
		`"evidence_excerpts":[{"object":"evidence_excerpt","field_path":"body_text","preview_text":"…the <mark>invoice</mark> %[2]s","provenance":"lexical_match","truncated":true,`+
		`"read":{"object":"field_window_read","method":"GET","route":"/v1/streams/bodies/records/m-%04[1]d/field-window","record_id":"m-%04[1]d","stream":"bodies","field":"body_text","connection_id":"cin_mail"}}],`+
		`"score":{"kind":"bm25","order":"lower_is_better","value":-3.1933314771437535}}`, i, strings.Repeat(prose, 2))
}

// stream returns an entry of the list of streams, with its counts.
func stream(i int) string {
	return fmt.Sprintf(`{"object":"stream","name":%q,"record_count":%d,"last_updated":"2026-08-16T18:18:00.000Z","connection_id":"cin_mail","display_name":"Mail",`+
		`"freshness":{"status":"current","captured_at":"2026-08-16T18:18:00.000Z","last_attempted_at":"2026-08-17T06:00:00.000Z"}}`, streamName(i), 100*i)
}

func streamName(i int) string {
	if i == 0 {
		return "messages"
	}
	return fmt.Sprintf("stream_%03d", i)
}

// schema returns the compact schema of one connection with some streams. capability describes every field.
func schema(connection, capability string, count int) string {
	var streams []string
	for i := range count {
		var fields []string
		for _, field := range []string{"id", "subject", "from_email", "from_name", "to", "cc", "labels", "received_at", "size_bytes", "is_seen", "thread_id", "snippet"} {
			fields = append(fields, fmt.Sprintf("%q:%q", field, capability))
		}
		streams = append(streams, fmt.Sprintf(`{"name":%q,"primary_key":[],"field_capabilities":{%s},"expand_capabilities":[]}`, streamName(i), strings.Join(fields, ",")))
	}
	return fmt.Sprintf(`{"object":"schema","detail":"compact","bearer":{"scope":"grant","token_kind":"client","grant_id":"grt_load","client_id":"load"},"connector_count":1,"stream_count":%d,`+
		`"connectors":[{"object":"connector","source":{"id":"https://registry.example/connectors/mail","kind":"connector"},"connector_key":"mail","connector_id":"mail",`+
		`"granted_connections":[{"connection_id":%q,"display_name":"Mail"}],"stream_count":%[1]d,"streams":[%[3]s]}]}`, len(streams), connection, strings.Join(streams, ","))
}
