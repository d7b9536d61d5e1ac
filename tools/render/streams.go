package render

import (
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A StreamsQuery is the call that a list of streams answers.
type StreamsQuery struct {
	ConnectionID string
	Offset       int // how many rows an earlier answer showed
}

// Streams renders the granted streams, a line per stream and connection (S3-2a). Structured is {"data": body}. Rows that do
// not fit are left out on each channel for itself, with the call that reads on (D18). An offset past the end is
// rs.InvalidArguments.
func Streams(response *rs.Response, q StreamsQuery) (Result, error) {
	const what = "list_streams"
	l, err := readListing(response, what)
	if err != nil {
		return Result{}, err
	}
	total := len(l.Items)
	if total > 0 && q.Offset >= total {
		return Result{}, rs.Invalid("offset", fmt.Sprintf("offset %d is past the end of the %s.", q.Offset, plural(total, "row")),
			fmt.Sprintf("Send an offset from 0 to %d, or leave it out.", total-1))
	}
	q.Offset = min(q.Offset, total)
	p := newBoundedText(listText)
	p.add(q.head(total))
	const last = `Call schema {"stream":"…"} for the fields of one.`
	note := "Shown: " + q.shown(total, total) + ". Next: " + q.next(total).call("list_streams")
	p.reserve(last, note)
	end := q.Offset
	for end < total && p.add(streamLine(l.Items[end].Members)) {
		end++
	}
	p.release(last, note)
	if end < total {
		p.add("Shown: " + q.shown(end, total) + ". Next: " + q.next(end).call("list_streams"))
	} else if q.Offset > 0 {
		p.add("Shown: " + q.shown(end, total) + ".")
	}
	if cursor := l.Envelope.Text("next_cursor"); cursor != "" {
		p.add(cursorLine("next_cursor", cursor))
	}
	if total > 0 {
		p.add(last)
	}
	return Result{Text: withUnavailable(p.String(), l.Envelope), Structured: []byte(q.structured(l, l.Raw))}, nil
}

// head is how many rows there are, or why there are none.
func (q StreamsQuery) head(total int) string {
	switch {
	case total > 0:
		return plural(total, "stream row") + ", one for each stream and connection"
	case q.ConnectionID != "":
		return "Connection " + name(q.ConnectionID) + " has no granted stream. Call schema without arguments for the connections that have."
	}
	return noStream
}

func (q StreamsQuery) shown(end, total int) string {
	return fmt.Sprintf("rows %d-%d of %d", q.Offset+1, end, total)
}

func (q StreamsQuery) next(offset int) *arguments {
	return new(arguments).text("connection_id", q.ConnectionID).number("offset", offset)
}

// structured is the body as received when it fits, else with as many rows as do.
func (q StreamsQuery) structured(l listing, raw string) string {
	if out := (object{pair("data", raw)}).JSON(); q.Offset == 0 && len(out) <= StructuredHard {
		return out
	}
	total := len(l.Items)
	rows := slices.Clone(l.Items[q.Offset:])
	head := fitEnvelope(l.Envelope, documentHead)
	page := func(n int) string {
		out := object{pair("shown", encode(q.shown(q.Offset+n, total)))}
		if q.Offset+n < total {
			out = append(object{pair("next", q.next(q.Offset+n).json())}, out...)
		}
		return append(out, pair("data", head.With("data", rs.JoinItems(rows[:n])).JSON())).JSON()
	}
	count := most(len(rows), func(n int) bool { return len(page(n)) <= StructuredHard })
	if count == 0 && len(rows) > 0 {
		count = 1
		rows[0].Raw = fitted(rows[0].Raw, StructuredTarget)
	}
	return page(count)
}

func streamLine(o object) string {
	line := shownName(o.Text("name", "stream"))
	if conn := rs.ConnectionID(o); conn != "" {
		line += " — " + shownName(conn)
		if label := o.Text("display_name"); label != "" {
			line += " " + quote(preview(label, labelChars))
		}
	}
	if key := rs.ConnectorKey(o); key != "" {
		line += " (" + bare(preview(key, labelChars)) + ")"
	}
	sep := ": "
	if n, ok := o.Number("record_count"); ok {
		line += sep + plural(n, "record")
		sep = ", "
	}
	if t := o.Text("last_updated"); t != "" {
		line += sep + "updated " + name(preview(t, 40))
		sep = ", "
	}
	if status := o.Object("freshness").Text("status"); status != "" {
		line += sep + "freshness " + name(preview(status, 40))
	}
	return line
}
