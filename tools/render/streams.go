package render

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
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
	l, err := readListing(response, what, "")
	if err != nil {
		return Result{}, err
	}
	page, err := newOffsetPage("row", len(l.Items), q.Offset, "list_streams", func(offset int) *arguments {
		return new(arguments).text("connection_id", q.ConnectionID).number("offset", offset)
	})
	if err != nil {
		return Result{}, err
	}
	text, _ := page.fullest(func(to int) string { return q.text(l, page, to) }, func(text string) bool {
		return len(text) <= listText && strings.Count(text, "\n") < textLines
	})
	structured := object{pair("data", l.Raw)}.JSON()
	if page.from > 0 || !fitsStructured(structured) {
		head := truncateEnvelope(l.Envelope, documentHead)
		structured, _ = page.fullest(func(to int) string {
			rows := l.Items[page.from:to]
			list := rs.JoinItems(rows)
			if len(rows) == 1 && len(list) > structuredTarget { // a row that fills a page alone
				list = rs.JoinArray([]string{truncateJSON(rows[0].Raw, structuredTarget)})
			}
			return page.begin(new(arguments), to).put("data", head.With("data", list).JSON()).json()
		}, fitsStructured)
	}
	return Result{Text: withUnavailable(text, l.Envelope), Structured: []byte(structured)}, nil
}

// text is a line for each of the rows, and how to read on.
func (q StreamsQuery) text(l listing, page offsetPage, to int) string {
	lines := []string{q.head(page.total)}
	for _, row := range l.Items[page.from:to] {
		lines = append(lines, streamLine(row.Members))
	}
	if shown, _ := page.lines(to); shown != "" {
		lines = append(lines, shown)
	}
	if cursor := l.Envelope.Text("next_cursor"); cursor != "" {
		lines = append(lines, cursorLine("next_cursor", cursor))
	}
	if page.total > 0 {
		lines = append(lines, `Call schema {"stream":"…"} for the fields of one.`)
	}
	for i, line := range lines {
		lines[i] = clean.Clip(line, lineChars)
	}
	return strings.Join(lines, "\n")
}

// head is how many rows there are, or why there are none.
func (q StreamsQuery) head(total int) string {
	switch {
	case total > 0:
		return plural(total, "stream row") + ", one for each stream and connection"
	case q.ConnectionID != "":
		return "Connection " + clean.Name(q.ConnectionID) + " has no granted stream. Call schema without arguments for the connections that have."
	}
	return noStream
}

func streamLine(o object) string {
	line := shownName(o.Text("name", "stream"))
	if conn := rs.ConnectionID(o); conn != "" {
		line += " — " + labelled(shownName(conn), o.Text("display_name"))
	}
	if key := rs.ConnectorKey(o); key != "" {
		line += " (" + clean.Bare(clean.Preview(key, labelChars)) + ")"
	}
	sep := ": "
	if n, ok := o.Number("record_count"); ok {
		line += sep + plural(n, "record")
		sep = ", "
	}
	if t := o.Text("last_updated"); t != "" {
		line += sep + "updated " + clean.Name(clean.Preview(t, 40))
		sep = ", "
	}
	if status := o.Object("freshness").Text("status"); status != "" {
		line += sep + "freshness " + clean.Name(clean.Preview(status, 40))
	}
	return line
}
