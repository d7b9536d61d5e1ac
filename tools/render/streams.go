package render

import (
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Streams renders the granted streams, a line per stream and connection (S3-2a). Structured is {"data": body}.
func Streams(body []byte) (Result, error) {
	const what = "list_streams"
	o, raw, err := decode(body, what)
	if err != nil {
		return Result{}, err
	}
	l, err := readListing(o, what)
	if err != nil {
		return Result{}, err
	}
	p := newPage(listText)
	p.add(plural(len(l.items), "stream row") + ", one for each stream and connection")
	const last = `Call schema {"stream":"…"} for the fields of one.`
	note := "Shown 0000 of 0000 rows in text; all are in structured output."
	p.reserve(last, note)
	shown := 0
	for _, item := range l.items {
		if !p.add(streamLine(rs.AsObject(item))) {
			break
		}
		shown++
	}
	p.release(last, note)
	if shown < len(l.items) {
		p.add(fmt.Sprintf("Shown %d of %d rows in text; all are in structured output.", shown, len(l.items)))
	}
	if cursor := l.envelope.Text("next_cursor"); cursor != "" {
		p.add(cursorLine("next_cursor", cursor))
	}
	if len(l.items) > 0 {
		p.add(last)
	}
	return dataResult(withUnavailable(p.String(), l.envelope), raw), nil
}

func streamLine(o object) string {
	line := name(o.Text("name", "stream"))
	if conn := connectionID(o); conn != "" {
		line += " — " + name(conn)
		if label := o.Text("display_name"); label != "" {
			line += " " + quote(preview(label, labelChars))
		}
	}
	if key := connectorKey(o); key != "" {
		line += " (" + preview(key, labelChars) + ")"
	}
	sep := ": "
	if n, ok := o.Number("record_count"); ok {
		line += sep + plural(n, "record")
		sep = ", "
	}
	if t := o.Text("last_updated"); t != "" {
		line += sep + "updated " + preview(t, 40)
		sep = ", "
	}
	if status := o.Object("freshness").Text("status"); status != "" {
		line += sep + "freshness " + preview(status, 40)
	}
	return line
}
