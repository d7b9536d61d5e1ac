package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// An index names every granted stream by connection, with how many records it has and how new they are where the resource server says
// so (S0-R5, S0-5a, D32). It is all that schema without a stream answers.
type index struct {
	q           SchemaQuery
	connectors  int
	streams     int // of each connector
	connections []indexedConnection
	page        offsetPage
	counted     bool   // text says how many records there are
	unavailable string // what could not be read, in lines that each begin a line
	missing     string // the same as JSON; "" when all was read
	warnings    []string
}

type indexedConnection struct {
	rs.Connection
	status  string // of the data: of streams that differ the least fresh
	asOf    string // day until which they are known, where that is the same for all of these
	known   map[string]bool
	streams []indexedStream
}

type indexedStream struct {
	name string
	streamCount
}

// maxIndexWarnings bounds what the resource server says beside the index, such as which files it could not read.
const maxIndexWarnings = 4

// A streamCount is a row of the list of streams.
type streamCount struct {
	records      int    // -1 when the resource server does not say
	newest       string // day of the newest record
	status, asOf string
}

type streamKey struct{ connection, stream string }

// readCounts reads the list of streams by connection and stream.
func readCounts(response *rs.Response) map[streamKey]streamCount {
	counts := map[streamKey]streamCount{}
	if response == nil {
		return counts
	}
	list, _ := response.List()
	for _, item := range list.Items {
		o := item.Members
		count := streamCount{records: -1, newest: day(o.Text("last_updated"))}
		if n, ok := o.Number("record_count"); ok && n >= 0 {
			count.records = n
		}
		freshness := o.Object("freshness")
		if status := freshness.Text("status"); status != "" {
			count.status, count.asOf = status, day(freshness.Text("captured_at"))
		}
		counts[streamKey{rs.ConnectionID(o), o.Text("name", "stream")}] = count
	}
	return counts
}

func newIndex(d *schemaDocument) (x *index, err error) {
	x = &index{
		q: d.q, unavailable: withUnavailable("", d.Members), missing: d.Members.Get("unavailable_connections"),
		warnings: listing{meta: d.Members.Object("meta")}.warnings(maxIndexWarnings),
	}
	counts := readCounts(d.q.Counts)
	places := map[[2]string]int{} // of a connector's connection
	connectors, streams := map[string]bool{}, map[string]bool{}
	for i := range d.rows {
		r := &d.rows[i]
		connectors[r.ConnectorKey], streams[r.ConnectorKey+"\x00"+r.Name] = true, true
		connections := r.Connections
		if len(connections) == 0 {
			connections = []rs.Connection{{}}
		}
		for _, c := range connections {
			if d.q.ConnectionID != "" && c.ID != "" && c.ID != d.q.ConnectionID {
				continue
			}
			c.ConnectorKey = r.ConnectorKey
			key := [2]string{c.ConnectorKey, c.ID}
			at, known := places[key]
			if !known {
				at = len(x.connections)
				places[key] = at
				x.connections = append(x.connections, indexedConnection{Connection: c, known: map[string]bool{}})
			}
			x.connections[at].add(r.Name, counts)
		}
	}
	x.connectors, x.streams = len(connectors), len(streams)
	total := 0
	for i := range x.connections {
		total += len(x.connections[i].streams)
	}
	x.page, err = newOffsetPage("stream", total, d.q.Offset, "schema", d.q.at)
	return x, err
}

func (c *indexedConnection) add(stream string, counts map[streamKey]streamCount) {
	if c.known[stream] {
		return
	}
	c.known[stream] = true
	count, counted := counts[streamKey{c.ID, stream}]
	switch {
	case !counted:
		count.records = -1
	case count.status == "":
	case c.status == "" || slices.Index(freshest, count.status) < slices.Index(freshest, c.status):
		c.status, c.asOf = count.status, count.asOf
	case c.status == count.status && c.asOf != count.asOf:
		c.asOf = ""
	}
	c.streams = append(c.streams, indexedStream{stream, count})
}

// freshest are what data can be, those first that are said where streams differ.
var freshest = []string{"stale", "unknown", "current"}

// part are the connections with the streams of the page up to one of them, counted over all.
func (x *index) part(to int) []indexedConnection {
	var part []indexedConnection
	at := 0
	for _, c := range x.connections {
		first, last := max(x.page.from-at, 0), min(to-at, len(c.streams))
		at += len(c.streams)
		if first < last {
			c.streams = c.streams[first:last]
			part = append(part, c)
		}
	}
	return part
}

func (x *index) result() Result {
	x.counted = x.q.Counts != nil && len(x.text(x.page.total)) <= textTarget
	text, _ := x.page.fullest(x.text, fitsText)
	structured, _ := x.page.fullest(x.structured, func(page string) bool { return len(text)+len(page) <= StructuredHard })
	return Result{Text: text, Structured: []byte(structured)}
}

// text names the streams of each connection in a line, and where to read on in the first and the last: some hosts cut the middle.
func (x *index) text(to int) string {
	first := plural(x.connectors, "connector") + ", " + plural(x.streams, "stream") + ", " + plural(len(x.connections), "connection") + "."
	if x.q.Now != "" {
		first += " now " + x.q.Now + "; times are UTC."
	}
	lines := []string{first}
	shown, next := x.page.lines(to)
	if shown != "" {
		lines = append(lines, shown)
	}
	same := map[string]string{} // the first connection with a list of streams
	example := ""
	for _, c := range x.part(to) {
		streams := make([]string, len(c.streams))
		for i, s := range c.streams {
			streams[i] = s.text(x.counted, c.streams[:i])
			if example == "" && sendableName(s.name) {
				example = s.name
			}
		}
		list := strings.Join(streams, ", ")
		if twin, ok := same[list]; ok && !x.counted {
			streams = []string{"the same " + plural(len(streams), "stream") + " as " + twin}
		} else if c.ID != "" && len(c.ID) <= longestName {
			same[list] = clean.Name(c.ID)
		}
		if x.counted && c.status != "" {
			streams[len(streams)-1] += c.freshness()
		}
		lines = append(lines, folded(c.head()+": ", "  ", streams)...)
	}
	lines = append(lines, x.warnings...)
	if next != "" {
		lines = append(lines, next)
	}
	if example != "" {
		call := new(arguments).text("stream", example).call("schema")
		lines = append(lines, "One stream's fields, filters, sorting and aggregates: "+call+"; connection_id narrows.")
	}
	return strings.Join(lines, "\n") + x.unavailable
}

// head is `gmail, cin_mail_work "Work mail"`.
func (c *indexedConnection) head() string {
	head := connectorName(c.ConnectorKey)
	if c.ID != "" {
		head += ", " + shownName(c.ID)
	}
	return labelled(head, c.DisplayName)
}

// freshness says whether the data are current, and until when they are known.
func (c *indexedConnection) freshness() string {
	if c.asOf == "" {
		return "; " + clean.Name(clean.Preview(c.status, labelChars))
	}
	return "; " + clean.Name(clean.Preview(c.status, labelChars)) + ", data as of " + c.asOf
}

// text is "messages 803 (to 2026-11-20)", with the day where it is another than that of the stream before.
func (s indexedStream) text(counted bool, before []indexedStream) string {
	text := shownName(s.name)
	if !counted {
		return text
	}
	if s.records >= 0 {
		text += fmt.Sprintf(" %d", s.records)
	}
	if s.newest != "" && (len(before) == 0 || before[len(before)-1].newest != s.newest) {
		text += " (to " + s.newest + ")"
	}
	return text
}

// structured is the same as objects.
func (x *index) structured(to int) string {
	out := x.page.begin(new(arguments), to).open("data", '{').plain("object", "schema_index").optional("now", x.q.Now).open("connections", '[')
	for _, c := range x.part(to) {
		out.open("", '{').optional("connector_key", clean.Clip(c.ConnectorKey, longestName))
		if len(c.ID) <= longestName {
			out.optional("connection_id", c.ID)
		}
		out.optional("display_name", clean.Preview(c.DisplayName, labelChars))
		out.optional("freshness", clean.Preview(c.status, labelChars)).optional("data_as_of", c.asOf).open("streams", '[')
		for _, s := range c.streams {
			out.open("", '{').plain("name", clean.Clip(s.name, longestName))
			if s.records >= 0 {
				out.put("records", strconv.Itoa(s.records))
			}
			out.optional("newest", s.newest).close('}')
		}
		out.close(']').close('}')
	}
	out.close(']')
	if len(x.warnings) > 0 {
		out.put("warnings", encode(x.warnings))
	}
	if x.missing != "" {
		out.put("unavailable_connections", truncateJSON(x.missing, unavailableBytes))
	}
	return out.close('}').json()
}

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
	lines := []string{plural(page.total, "stream row") + ", one for each stream and connection"}
	if page.total == 0 {
		lines = []string{noneGranted("", q.ConnectionID)}
	}
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
	return strings.Join(clipped(lines), "\n")
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
