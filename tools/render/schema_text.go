package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// How much of a list stands in the text of a schema, in bytes unless said otherwise.
const (
	connectionListBytes = 6 << 10 // the connections of a stream
	expandListBytes     = 2 << 10
	exampleBytes        = 1 << 10
	fieldSchemaBytes    = 1500
	unavailableBytes    = 3 << 10
	mostKinds           = 12 // of aggregation
)

// text names as many streams of the index, or describes as many fields of the stream, as fit, from the offset on.
func (d *schemaDocument) text() string {
	tail := d.unavailable()
	if len(d.rows) == 0 {
		return clip(d.nothing(), LineChars) + tail
	}
	from := min(d.q.Offset, len(d.units))
	all := len(d.units) - from
	l := &lines{b: make([]byte, 0, 2<<10)}
	fits := func(bytes, lines int) bool {
		return len(l.b)+1+len(tail) <= bytes && l.count()+strings.Count(tail, "\n") <= lines
	}
	if all <= TextLines {
		d.write(l, from, from+all)
		// A part takes at most as much again as the whole, because a list may not be folded that was, and the bytes that say
		// where to read on. So any part fits of what takes a third of the budget, and nothing has to be tried.
		if fits(TextHard/3, TextLines/3) {
			return string(append(l.b, tail...))
		}
	}
	count := most(all, func(n int) bool {
		d.write(l, from, from+n)
		return fits(TextHard, TextLines)
	})
	d.write(l, from, from+min(all, max(1, count)))
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
func (d *schemaDocument) write(l *lines, from, to int) {
	l.b = l.b[:0]
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
	d.detail(l, d.units[from:to])
	if next != "" {
		l.open(next)
	}
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

// connectionList is `cin_a "Work mail"`, `cin_b "Personal mail"`, those that fit in so many bytes. Ids are whole or not
// there.
func connectionList(list []rs.Connection, bytes int) []string {
	var parts []string
	size := 0
	for _, c := range list {
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
