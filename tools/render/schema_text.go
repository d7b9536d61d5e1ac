package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// How much of a list stands in the text of a schema, in bytes unless said otherwise.
const (
	connectionLineBytes = 1400    // the connections of a connector in an index, which stand in its first line
	connectionListBytes = 6 << 10 // the connections of a stream
	expandListBytes     = 2 << 10
	exampleBytes        = 1 << 10
	fieldSchemaBytes    = 1500
	unavailableBytes    = 3 << 10
	mostKinds           = 12 // of aggregation
	indexConnections    = 12 // connections of one connector in an index
	shortIndex          = 2  // and in a long index
)

// text names as many streams of the index, or describes as many fields of the stream, as fit, from the offset on.
func (d *schemaDocument) text() string {
	tail := d.unavailable()
	if len(d.rows) == 0 {
		return clip(d.nothing(), LineChars) + tail
	}
	from := min(d.q.Offset, len(d.units))
	all := len(d.units) - from
	connections := indexConnections
	l := &lines{b: make([]byte, 0, 2<<10)}
	fits := func(bytes, lines int) bool {
		return len(l.b)+1+len(tail) <= bytes && l.count()+strings.Count(tail, "\n") <= lines
	}
	if d.q.Stream == "" || all <= TextLines {
		d.write(l, from, from+all, connections)
		// A part takes at most as much again as the whole, because a list may not be folded that was, and the bytes that say
		// where to read on. So any part fits of what takes a third of the budget, and nothing has to be tried.
		if fits(TextHard/3, TextLines/3) {
			return string(append(l.b, tail...))
		}
		if d.q.Stream == "" && !fits(TextTarget, TextLines) {
			connections = shortIndex
		}
	}
	count := most(all, func(n int) bool {
		d.write(l, from, from+n, connections)
		return fits(TextHard, TextLines)
	})
	d.write(l, from, from+min(all, max(1, count)), connections)
	return string(append(l.b, tail...))
}

// noStream says what an empty grant needs.
const noStream = "This grant covers no stream. The user has to approve access to a source first."

// unavailable is what the document could not include, in lines that each begin a line.
func (d *schemaDocument) unavailable() string {
	text := withUnavailable("", d.Members)
	if len(text) <= unavailableBytes {
		return text
	}
	cut := strings.LastIndexByte(text[:unavailableBytes], '\n')
	return text[:max(cut, 0)] + "\nMore connections could not be read; see structured output."
}

// nothing says why there are no rows, and what to do.
func (d *schemaDocument) nothing() string {
	switch q := d.q; {
	case q.Stream != "" && q.ConnectionID != "":
		return "No granted stream is named " + name(q.Stream) + " in connection " + name(q.ConnectionID) + ". Call schema without arguments for the streams and connections of this grant."
	case q.Stream != "":
		return "No granted stream is named " + name(q.Stream) + ". Call schema without arguments for the streams and connections of this grant."
	case q.ConnectionID != "":
		return "Connection " + name(q.ConnectionID) + " has no granted stream. Call schema without arguments for the connections that have."
	}
	return noStream
}

// write writes the text that shows some units. Where to read on stands first and again last: some hosts cut the middle.
func (d *schemaDocument) write(l *lines, from, to, connections int) {
	l.b = l.b[:0]
	if d.q.Stream == "" {
		l.open(d.counts())
	}
	next := ""
	if to < len(d.units) {
		next = `Next: the same call with "offset":` + strconv.Itoa(to)
		if a, whole := d.next(to); whole && !longerThan(a.call("schema"), LineChars-10) {
			next = "Next: " + a.call("schema")
		}
	}
	if from > 0 || next != "" {
		l.open("Shown: ", d.shown(from, to), ".")
		if next != "" {
			l.add(" ", next)
		}
	}
	if len(d.unknown) > 0 {
		l.open("Not in this stream: ")
		l.list("  ", quotedNames(d.unknown, unknownBytes))
	}
	if d.q.Stream == "" {
		d.index(l, d.units[from:to], connections)
	} else {
		d.detail(l, d.units[from:to])
	}
	if next != "" {
		l.open(next)
	}
	if d.q.Stream == "" {
		if i := slices.IndexFunc(d.rows, func(r schemaRow) bool { return sendableName(r.Name) }); i >= 0 {
			l.open("One stream's fields, filters, sorting and aggregates: schema {")
			l.b = (&arguments{l.b}).text("stream", d.rows[i].Name).shut('}').b
			l.add("; connection_id narrows.")
		}
	}
}

// counts is "5 connectors, 11 streams, 6 connections."
func (d *schemaDocument) counts() string {
	connectors, ids := map[string]bool{}, map[string]bool{}
	for i := range d.rows {
		connectors[d.rows[i].ConnectorKey] = true
	}
	for _, group := range d.groups {
		for _, c := range group {
			ids[c.ID] = true
		}
	}
	return plural(len(connectors), "connector") + ", " + plural(len(d.rows), "stream") + ", " + plural(len(ids), "connection") + "."
}

// index names streams by connector, a line each where that is long enough (S0-5a). A connector with the same streams as an
// earlier one says so.
func (d *schemaDocument) index(l *lines, units []schemaUnit, connections int) {
	same := map[string]string{} // the first connector with a list of streams
	var streams []string
	for len(units) > 0 {
		first := &d.rows[units[0].row]
		seen := map[string]bool{}
		streams = streams[:0]
		for ; len(units) > 0 && d.rows[units[0].row].group == first.group; units = units[1:] {
			if s := d.rows[units[0].row].Name; !seen[s] {
				seen[s] = true
				streams = append(streams, shownName(s))
			}
		}
		granted := d.groups[first.group]
		who := connectorName(first.ConnectorKey)
		l.open(who)
		if len(granted) > 0 {
			l.add(" (", connectionWord(len(granted)), strings.Join(connectionList(granted, connections, connectionLineBytes), ", "), ")")
			if id := granted[0].ID; len(id) <= longestName {
				who += " " + name(id)
			}
		}
		l.add(": ")
		list := strings.Join(streams, ", ")
		if twin, ok := same[list]; ok {
			short := "the same " + plural(len(streams), "stream") + " as " + twin
			if len(short) < len(list) {
				streams = append(streams[:0], short)
			}
		} else {
			same[list] = who
		}
		l.list("  ", streams)
	}
}

// connectionWord names the argument that a list of connections is for.
func connectionWord(n int) string {
	if n == 1 {
		return "connection "
	}
	return "connections "
}

func connectorName(key string) string {
	if key == "" {
		return "(no connector key)"
	}
	return shownName(key)
}

func quotedNames(names []string, max int) []string {
	var list []string
	shown := within(names, max)
	for _, s := range shown {
		list = append(list, shownName(s))
	}
	if n := len(names) - len(shown); n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	return list
}

// connectionList is `cin_a "Work mail"`, `cin_b "Personal mail"`, at most max of them in so many bytes. Ids are whole or not
// there.
func connectionList(list []rs.Connection, max, bytes int) []string {
	var parts []string
	size := 0
	for _, c := range list {
		if len(parts) == max {
			break
		}
		part := name(c.ID)
		if c.DisplayName != "" {
			part += " " + quote(preview(c.DisplayName, labelChars))
		}
		if len(c.ID) > longestName || size+len(part)+2 > bytes {
			continue
		}
		parts, size = append(parts, part), size+len(part)+2
	}
	if n := len(list) - len(parts); n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	return parts
}
