package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sizes in bytes of what the stub sends, without the few bytes around a list. The usual ones are those of recorded
// answers; the large ones are what a wide grant, or a mailbox of whole letters, gives to a client that asks for a full page.
const (
	schemaBytes, largeSchemaBytes = 2_500, 100_000
	recordBytes, largeRecordBytes = 800, 8_000
	hitBytes                      = 1_520 // 25 of them are 38 KB
	usualItems, largeItems        = 25, 100
)

// prose is what fills a field up: letters of one byte and of several.
const prose = "The invoice for the apollo release was discussed with the team over lunch; Zoë’s naïve café draft – 🚀 – comes next week. "

// fill makes a text of so many bytes.
func fill(size int) string {
	text := strings.Repeat(prose, size/len(prose)+1)[:size]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text + strings.Repeat(".", size-len(text))
}

// padded is what make gives for a filling that brings it to a size.
func padded(size int, from func(filling string) string) string {
	return from(fill(max(0, size-len(from("")))))
}

// A listing is the answer to a read of a list. It sends no more items than are asked for.
type listing struct {
	head, tail string
	items      string // joined by commas
	ends       []int  // where each item ends
}

func newListing(n int, item func(i int) string) listing {
	l := listing{head: `{"object":"list","has_more":true,"next_cursor":"eyJvZmYiOjI1LCJzbmFwIjoiMWYzYSJ9","data":[`, tail: `],"meta":{"warnings":[]}}`}
	var items strings.Builder
	for i := range n {
		if i > 0 {
			items.WriteByte(',')
		}
		items.WriteString(item(i))
		l.ends = append(l.ends, items.Len())
	}
	l.items = items.String()
	return l
}

// serve answers with the first items, as many as the limit says.
func (l listing) serve(w http.ResponseWriter, limit string) {
	n, err := strconv.Atoi(limit)
	if err != nil || n < 1 {
		n = usualItems
	}
	items := l.items[:l.ends[min(n, len(l.ends))-1]]
	serveJSON(w, l.head, items, l.tail)
}

func serveJSON(w http.ResponseWriter, parts ...string) {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(size))
	for _, part := range parts {
		if _, err := w.Write([]byte(part)); err != nil { // #nosec G705 -- JSON, and no browser
			return // the reader has gone
		}
	}
}

// record is one of a stream of mail.
func record(i, size int) string {
	return padded(size, func(text string) string {
		return fmt.Sprintf(`{"object":"record","id":"m-%04[1]d","stream":"messages","emitted_at":"2026-08-16T18:18:00.000Z","connection_id":"cin_mail","display_name":"Mail",`+
			`"data":{"id":"m-%04[1]d","subject":"Apollo release, part %[1]d","from_email":"ada@example.com","from_name":"Ada Lovelace","to":[{"name":"Me","email":"me@example.com"}],`+
			`"cc":[],"labels":["INBOX","IMPORTANT"],"date":"2026-08-16T18:18:00.000Z","size_bytes":5763,"is_seen":true,"is_flagged":false,"thread_id":"t-%04[1]d","in_reply_to":null,"snippet":"%[2]s"}}`, i, text)
	})
}

// hit is one that a search found, with its excerpt said twice, as resource servers do.
func hit(i int, connection string) string {
	return padded(hitBytes, func(text string) string {
		half := 0
		for half < len(text)/2 {
			_, size := utf8.DecodeRuneInString(text[half:])
			half += size
		}
		return fmt.Sprintf(`{"object":"search_result","stream":"bodies","record_key":"m-%04[1]d","record_url":"/v1/streams/bodies/records/m-%04[1]d","connector_id":"mail","connection_id":"%[2]s","display_name":"Mail",`+
			`"emitted_at":"2026-01-01T00:00:00.000Z","matched_fields":["body_text"],"snippet":{"field":"body_text","text":"…the <mark>invoice</mark> %[3]s"},`+
			`"evidence_excerpts":[{"object":"evidence_excerpt","field_path":"body_text","preview_text":"…the <mark>invoice</mark> %[4]s","provenance":"lexical_match","truncated":true,`+
			`"read":{"object":"field_window_read","method":"GET","route":"/v1/streams/bodies/records/m-%04[1]d/field-window","record_id":"m-%04[1]d","stream":"bodies","field":"body_text","connection_id":"%[2]s"}}],`+
			`"score":{"kind":"bm25","order":"lower_is_better","value":-3.1933314771437535}}`, i, connection, text[:half], text[half:])
	})
}

// schema is the compact view of one connection with as many streams as make up the size or a little more. capability is what it says of
// each field.
func schema(connection, capability string, size int) string {
	names := []string{"id", "subject", "from_email", "from_name", "to", "cc", "labels", "received_at", "size_bytes", "is_seen", "thread_id", "snippet"}
	var fields []string
	for _, name := range names {
		fields = append(fields, fmt.Sprintf("%q:%q", name, capability))
	}
	stream := func(name string, fields []string) string {
		return fmt.Sprintf(`{"name":%q,"primary_key":[],"field_capabilities":{%s},"expand_capabilities":[]}`, name, strings.Join(fields, ","))
	}
	document := func(streams []string) string {
		return fmt.Sprintf(`{"object":"schema","detail":"compact","bearer":{"scope":"grant","token_kind":"client","grant_id":"grt_load","client_id":"load"},"connector_count":1,"stream_count":%d,`+
			`"connectors":[{"object":"connector","source":{"id":"https://registry.example/connectors/mail","kind":"connector"},"connector_key":"mail","connector_id":"mail",`+
			`"granted_connections":[{"connection_id":%q,"display_name":"Mail"}],"stream_count":%[1]d,"streams":[%[3]s]}]}`, len(streams), connection, strings.Join(streams, ","))
	}
	streams := []string{stream("messages", fields)}
	for len(document(streams)) < size {
		streams = append(streams, stream(fmt.Sprintf("stream_%03d", len(streams)), fields))
	}
	return document(streams)
}
