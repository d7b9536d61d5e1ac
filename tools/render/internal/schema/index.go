package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// An index lists every granted stream by connection, with the number of its records and the date of the newest if the resource server sends
// them (S0-R5, S0-5a, D32). It is the complete answer of schema without a stream.
type index struct {
	*document
	connectors  int
	streams     int // of each connector
	connections []indexedConnection
	counted     bool     // the text has the numbers of records
	warnings    []string // of the resource server, such as which files it could not read
}

type indexedConnection struct {
	rs.Connection
	fresh   answer.Freshness
	streams []rs.ListedStream
}

func (d *document) warnings() []string {
	const mostWarnings = 18 // enough to list all files that were not read
	return answer.List{Meta: d.Members.Object("meta")}.Warnings(mostWarnings)
}

func newIndex(d *document) (x *index, err error) {
	x = &index{document: d, warnings: d.warnings()}
	rows := d.q.Counts.ListedStreams()
	listed := make(map[[2]string]int, len(rows)) // by connection and stream: the index of its last row
	for i, row := range rows {
		listed[[2]string{row.Connection, row.Name}] = i
	}
	connectors, streams, places := map[string]bool{}, map[[2]string]bool{}, map[[2]string]int{}
	known := map[[3]string]bool{}
	for _, r := range d.rows {
		connectors[r.ConnectorKey], streams[[2]string{r.ConnectorKey, r.Name}] = true, true
		if len(r.Connections) == 0 {
			r.Connections = []rs.Connection{{}}
		}
		for _, c := range r.Connections {
			key := [2]string{r.ConnectorKey, c.ID}
			if _, ok := places[key]; !ok {
				places[key] = len(x.connections)
				c.ConnectorKey = r.ConnectorKey
				x.connections = append(x.connections, indexedConnection{Connection: c})
			}
			if stream := [3]string{r.ConnectorKey, c.ID, r.Name}; !known[stream] {
				known[stream] = true
				row := rs.ListedStream{Name: r.Name, Records: -1}
				if i, ok := listed[[2]string{c.ID, r.Name}]; ok {
					row = rows[i]
				}
				c := &x.connections[places[key]]
				c.streams = append(c.streams, row)
				c.fresh.Add(row)
			}
		}
	}
	x.connectors, x.streams = len(connectors), len(streams)
	x.page, err = paging.NewByOffset("stream", len(known), d.q.Offset, "schema", d.q.at)
	return x, err
}

// part returns the connections with the streams of the page that ends before stream to, counted over all connections.
func (x *index) part(to int) []indexedConnection {
	var part []indexedConnection
	at := 0
	for _, c := range x.connections {
		first, last := x.page.Part(at, len(c.streams), to)
		at += len(c.streams)
		if first < last {
			c.streams = c.streams[first:last]
			part = append(part, c)
		}
	}
	return part
}

func (x *index) result() (text, structured string) {
	x.counted = x.q.Counts != nil
	text, to := x.page.Fullest(x.text, write.FitsText)
	if x.counted && (len(text) > write.TextTarget || to < x.page.Total && len(x.text(x.page.Total)) > write.TextTarget) {
		x.counted = false
		text, _ = x.page.Fullest(x.text, write.FitsText)
	}
	structured, _ = x.page.Fullest(x.structured, func(page string) bool { return len(text)+len(page) <= write.StructuredHard })
	return text, structured
}

func (x *index) text(to int) string {
	alike := x.freshness()
	first := write.Plural(x.connectors, "connector") + ", " + write.Plural(x.streams, "stream") + ", " +
		write.Plural(len(x.connections), "connection") + "." + write.When(x.q.Now != "", " now "+x.q.Now+"; times are UTC.") +
		write.When(x.counted, " to = newest emitted_at, which is not an event's date."+write.When(alike != "", " Every connector is "+alike+"."))
	shown, next := x.page.Lines(to)
	lines := write.NotEmpty(first, shown)
	same := map[string]string{} // the first connection with a list of streams
	example := ""
	for _, c := range x.part(to) {
		streams := make([]string, len(c.streams))
		for i, s := range c.streams {
			if streams[i] = write.ShownName(s.Name); x.counted {
				streams[i] = counts(s, c.streams[:i])
			}
			if example == "" && write.SendableName(s.Name) {
				example = s.Name
			}
		}
		list := strings.Join(streams, ", ")
		if twin, ok := same[list]; ok && !x.counted {
			streams = []string{"the same " + write.Plural(len(streams), "stream") + " as " + twin}
		} else if c.ID != "" && len(c.ID) <= write.LongestName {
			same[list] = clean.Name(c.ID)
		}
		if x.counted && c.fresh.Status != "" && alike == "" {
			streams[len(streams)-1] += "; connector " + c.freshness()
		}
		lines = append(lines, write.Folded(c.head()+": ", "  ", streams)...)
	}
	lines = append(append(lines, x.warnings...), next)
	call := new(write.Object).Text("stream", example).Call("schema")
	lines = append(lines, write.When(example != "", "One stream's fields, filters, sorting and aggregates: "+call+"; connection_id narrows."))
	return answer.WithUnavailable(strings.Join(write.NotEmpty(lines...), "\n"), x.Members)
}

// head returns `gmail, cin_mail_work "Work mail"`.
func (c *indexedConnection) head() string {
	return write.Labelled(connectorName(c.ConnectorKey)+write.When(c.ID != "", ", "+write.ShownName(c.ID)), c.DisplayName)
}

// freshness returns the freshness of the connections if there are several and it is the same for all; else "".
func (x *index) freshness() string {
	if len(x.connections) < 2 || x.connections[0].fresh.Status == "" {
		return ""
	}
	same := x.connections[0].freshness()
	if slices.ContainsFunc(x.connections, func(c indexedConnection) bool { return c.freshness() != same }) {
		return ""
	}
	return same
}

// freshness returns "current, data as of 2026-11-20". It is that of the connector, not of each of its connections.
func (c *indexedConnection) freshness() string {
	return clean.Name(c.fresh.Status) + ", " + cmp.Or(write.Lead("data as of ", write.Day(c.fresh.AsOf)), answer.SyncUnknown)
}

// counts returns "messages 803 (to 2026-11-20)", without the day if the stream before has the same.
func counts(s rs.ListedStream, before []rs.ListedStream) string {
	newest := write.Day(s.Updated)
	again := len(before) > 0 && write.Day(before[len(before)-1].Updated) == newest
	return write.ShownName(s.Name) + write.When(s.Records >= 0, " "+strconv.Itoa(s.Records)) +
		write.When(newest != "" && !again, " (to "+newest+")")
}

func (x *index) structured(to int) string {
	out := x.page.Begin(new(write.Object), to).Open("data", '{').Plain("object", "schema_index").
		Optional("now", x.q.Now).Open("connections", '[')
	for _, c := range x.part(to) {
		out.Open("", '{').Optional("connector_key", clean.Clip(c.ConnectorKey, write.LongestName))
		out.Optional("connection_id", write.When(len(c.ID) <= write.LongestName, c.ID)).Optional("display_name", write.Label(c.DisplayName))
		asOf := write.Day(c.fresh.AsOf)
		out.Optional("connector_status", c.fresh.Status).Optional("data_as_of", asOf)
		out.Optional("last_sync", write.When(c.fresh.Status != "" && asOf == "", "unknown")).Open("streams", '[')
		for _, s := range c.streams {
			out.Open("", '{').Plain("name", clean.Clip(s.Name, write.LongestName))
			out.Put("records", write.When(s.Records >= 0, write.JSON(s.Records))).Optional("newest_emitted", write.Day(s.Updated)).Close('}')
		}
		out.Close(']').Close('}')
	}
	out.Close(']').Put("warnings", write.When(len(x.warnings) > 0, write.JSON(x.warnings)))
	out.Put("unavailable_connections", write.Truncate(x.Members.Get("unavailable_connections"), answer.UnavailableBytes))
	return out.Close('}').JSON()
}

const listText = 8 << 10

// A ListQuery is the call that a list of streams answers.
type ListQuery struct {
	ConnectionID string
	Offset       int // how many rows earlier answers showed
}

// List renders the granted streams, a line per stream and connection (S3-2a). structured is {"data": body}. Each channel shows as many rows
// as fit, with the call that continues (D18). An offset past the end is "invalid_arguments".
func List(response *rs.Response, q ListQuery) (text, structured string, err error) {
	const what = "list_streams"
	l, err := answer.ReadList(response, what, "")
	if err != nil {
		return "", "", err
	}
	page, err := paging.NewByOffset("row", len(l.Items), q.Offset, "list_streams", func(offset int) *write.Object {
		return new(write.Object).Text("connection_id", q.ConnectionID).Number("offset", offset)
	})
	if err != nil {
		return "", "", err
	}
	text, _ = page.Fullest(func(to int) string { return q.text(l, page, to) }, func(text string) bool {
		return len(text) <= listText && strings.Count(text, "\n") < write.TextLines
	})
	structured = object{write.Pair("data", l.Raw)}.JSON()
	if page.From > 0 || !write.FitsStructured(structured) {
		head := write.TruncateEnvelope(l.Envelope, write.DocumentHead)
		structured, _ = page.Fullest(func(to int) string {
			rows := write.Each(l.Items[page.From:to], func(row rs.Item) string { return row.Raw })
			return page.Begin(new(write.Object), to).Put("data", head.With("data", answer.Joined(rows)).JSON()).JSON()
		}, write.FitsStructured)
	}
	if !write.FitsStructured(structured) {
		return "", "", answer.Invalid(what, "has so long a cursor, or so much else beside its rows, that none of them fits")
	}
	return answer.WithUnavailable(text, l.Envelope), structured, nil
}

func (q ListQuery) text(l answer.List, page paging.ByOffset, to int) string {
	lines := []string{write.Plural(page.Total, "stream row") + ", one for each stream and connection"}
	if page.Total == 0 {
		lines = []string{answer.NoneGranted("", q.ConnectionID)}
	}
	lines = append(lines, write.Each(l.Items[page.From:to], func(row rs.Item) string { return listedLine(rs.ReadListedStream(row.Members)) })...)
	shown, _ := page.Lines(to)
	cursor := l.Envelope.Text("next_cursor")
	lines = append(lines, shown, write.When(cursor != "", paging.CursorLine("next_cursor", cursor)),
		write.When(page.Total > 0, `Call schema {"stream":"…"} for the fields of one.`))
	return strings.Join(write.Clipped(write.NotEmpty(lines...)), "\n")
}

// listedLine returns `messages — cin_work "Work mail" (gmail): 803 records, updated 2026-11-20T10:00:00Z, freshness current`.
func listedLine(s rs.ListedStream) string {
	line := write.ShownName(s.Name) + write.When(s.Connection != "", " — "+write.Labelled(write.ShownName(s.Connection), s.Label)) +
		write.When(s.Connector != "", " ("+clean.Bare(write.Label(s.Connector))+")")
	facts := write.NotEmpty(write.When(s.Records >= 0, write.Plural(s.Records, "record")),
		write.When(s.Updated != "", "updated "+clean.Name(clean.Preview(s.Updated, 40))),
		write.When(s.Status != "", "freshness "+clean.Name(clean.Preview(s.Status, 40))))
	return line + write.Lead(": ", strings.Join(facts, ", "))
}
