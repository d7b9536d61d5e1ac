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
		// A part takes at most as much again as the whole, because a list may not be folded that was, and the room to say
		// where to read on. So any part fits of what takes a third of the room, and nothing has to be tried.
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
	text := withUnavailable("", d.own)
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
		if i := slices.IndexFunc(d.rows, func(r schemaRow) bool { return sendableName(r.stream) }); i >= 0 {
			l.open("One stream's fields, filters, sorting and aggregates: schema {")
			l.b = (&arguments{l.b}).text("stream", d.rows[i].stream).shut('}').b
			l.add("; connection_id narrows.")
		}
	}
}

// counts is "5 connectors, 11 streams, 6 connections."
func (d *schemaDocument) counts() string {
	connectors, ids := map[string]bool{}, map[string]bool{}
	for i := range d.rows {
		connectors[d.rows[i].connector] = true
	}
	for _, group := range d.groups {
		for _, c := range group {
			ids[c.id] = true
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
			if s := d.rows[units[0].row].stream; !seen[s] {
				seen[s] = true
				streams = append(streams, shownName(s))
			}
		}
		granted := d.groups[first.group]
		who := connectorName(first.connector)
		l.open(who)
		if len(granted) > 0 {
			l.add(" (", connectionWord(len(granted)), strings.Join(connectionList(granted, connections, connectionLineBytes), ", "), ")")
			if id := granted[0].id; len(id) <= longestName {
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
func connectionList(list []connection, max, bytes int) []string {
	var parts []string
	size := 0
	for _, c := range list {
		if len(parts) == max {
			break
		}
		part := name(c.id)
		if c.label != "" {
			part += " " + quote(preview(c.label, labelChars))
		}
		if len(c.id) > longestName || size+len(part)+2 > bytes {
			continue
		}
		parts, size = append(parts, part), size+len(part)+2
	}
	if n := len(list) - len(parts); n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	return parts
}

// detail says of each row all that the next call needs, its fields by what can be done with them (S0-5b, S0-5c).
func (d *schemaDocument) detail(l *lines, units []schemaUnit) {
	described := map[string]string{}
	var used usage
	for n := 0; len(units) > 0; n++ {
		own := ofRow(units)
		units = units[len(own):]
		r := &d.rows[own[0].row]
		granted := r.connections
		if d.q.ConnectionID != "" {
			granted = slices.DeleteFunc(slices.Clone(granted), func(c connection) bool { return c.id != d.q.ConnectionID })
		}
		l.open(shownName(r.stream), " (", connectorName(r.connector))
		head := l.start
		if len(granted) > 0 {
			list := connectionList(granted, len(granted), connectionListBytes)
			list[len(list)-1] += ")"
			l.add("; connection_id ")
			l.list("      ", list)
			used.choice = used.choice || len(granted) > 1 || n > 0
		} else {
			l.add(")")
		}
		body := len(l.b)
		r.describe(l, own, d.q.Full, &used)
		if twin, ok := described[string(l.b[body:])]; ok && len(l.b)-body-1 > len(twin) {
			l.b = l.b[:body]
			l.open("  the same as in ", twin)
		} else if len(units) > 0 {
			first, _, _ := strings.Cut(string(l.b[head:body]), "\n")
			described[string(l.b[body:])] = clip(first, 200)
		}
		if own[0].first && (len(granted) > 0 || d.q.ConnectionID == "") {
			r.examples(l, granted)
		}
	}
	used.legend(l)
}

// usage is which capabilities were named, so that the legend explains those and no others.
type usage struct {
	exact, ranges, sort bool
	choice              bool     // of connections
	modes, kinds        []string // of search, and of aggregation
}

// legend says how to send what a field can do (S0-5d).
func (u *usage) legend(l *lines) {
	l.open("Use: ")
	if u.exact {
		l.add(`exact filter:{"field":value}; `)
	}
	if u.ranges {
		l.add(`range filter:{"field":{"gte":value}}, also `, strings.Join(rs.RangeOperators[1:], " "), `, and sort:"field" or "-field"; `)
	} else if u.sort {
		l.add(`sort:"field" or "-field"; `)
	}
	if len(u.modes) > 0 {
		l.add(strings.Join(u.modes, ", "), ": search mode; ")
	}
	if len(u.kinds) > 0 {
		l.add(strings.Join(u.kinds, ", "), ": aggregate; ")
	}
	if u.choice {
		l.add("connection_id to choose one; ")
	}
	l.add(`aggregate count or count:"exact"; fields:["field"].`)
}

// describe lists a row's fields by what can be done with them.
func (r *schemaRow) describe(l *lines, units []schemaUnit, full bool, used *usage) {
	type alike struct {
		signature string
		names     []string
	}
	var fields []alike
	at := map[string]int{} // in fields, by signature
	var signature []byte
	denied := 0
	for _, u := range units {
		if u.field < 0 {
			l.open("  no fields listed")
			continue
		}
		f := &r.fields[u.field]
		if !f.granted {
			denied++
			continue
		}
		signature = f.signature(signature[:0], used)
		if full {
			if f.line == "" {
				f.line = withJSON("  "+string(signature)+": "+shownName(f.name), f.jsonSchema())
			}
			l.open(f.line)
			continue
		}
		i, ok := at[string(signature)]
		if !ok {
			i = len(fields)
			fields = append(fields, alike{signature: string(signature)})
			at[fields[i].signature] = i
		}
		fields[i].names = append(fields[i].names, shownName(f.name))
	}
	for _, f := range fields {
		l.open("  ", f.signature, ": ")
		l.list("    ", f.names)
	}
	if denied > 0 {
		l.open("  not granted: ", plural(denied, "field"))
	}
	if !units[0].first {
		return
	}
	if !r.advertised() {
		l.open("  no capability is advertised; filter, sort, aggregate and search may be tried")
		return
	}
	if r.cursor != "" && len(r.cursor) <= longestName {
		used.sort = true
		l.open("  sorted by ", name(r.cursor), ", newest first")
	}
	if len(r.expand) > 0 {
		l.open("  expand: ")
		l.list("    ", r.relations())
	}
}

// advertised reports whether anything can be done with the row beyond reading it.
func (r *schemaRow) advertised() bool {
	return r.cursor != "" || len(r.expand) > 0 || slices.ContainsFunc(r.fields, func(f field) bool { return f.granted && f.advertised() })
}

func (r *schemaRow) relations() []string {
	size := 0
	for i, relation := range r.expand {
		if size += len(relation) + 2; size > expandListBytes {
			return append(slices.Clone(r.expand[:i]), fmt.Sprintf("and %d more", len(r.expand)-i))
		}
	}
	return r.expand
}

// signature is what a field is and can do: "timestamp (event-time) exact range group_by_time max min".
func (f *field) signature(b []byte, used *usage) []byte {
	words := 0
	add := func(parts ...string) {
		if words > 0 {
			b = append(b, ' ')
		}
		for _, part := range parts {
			b = append(b, part...)
		}
		words++
	}
	if f.kind != "" {
		add(typeName(preview(f.kind, labelChars)))
	}
	if f.role != "" {
		add("(", name(preview(f.role, labelChars)), ")")
	}
	if f.exact {
		used.exact = true
		add("exact")
	}
	if len(f.ranges) > 0 {
		used.ranges = true
		if slices.Equal(f.ranges, rs.RangeOperators) {
			add("range")
		} else {
			add("range[", quotedWords(f.ranges, labelChars), "]")
		}
	}
	if f.lexical {
		note(&used.modes, "lexical")
		add("lexical")
	}
	if f.vector {
		note(&used.modes, "semantic")
		add("semantic")
	}
	for _, kind := range f.aggregates[:min(len(f.aggregates), mostKinds)] {
		if word := preview(kind, 30); word != "" {
			word = name(word)
			note(&used.kinds, word)
			add(word)
		}
	}
	if words == 0 {
		add("fields")
	}
	return b
}

// typeName is the type of a field, such as string or string|null; quoted where it is more than such words.
func typeName(kind string) string {
	if unmistakable(strings.ReplaceAll(kind, "|", "")) {
		return kind
	}
	return quote(kind)
}

// quotedWords are words of a resource server in a line of ours, as many as have max characters together.
func quotedWords(list []string, max int) string {
	var b []byte
	for i, word := range list {
		if max -= len(word) + 1; max < 0 {
			return string(append(b, " …"...))
		}
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendName(b, word)
	}
	return string(b)
}

// note adds a word to a list that has room and does not have it.
func note(list *[]string, word string) {
	if !slices.Contains(*list, word) && len(*list) < mostKinds {
		*list = append(*list, word)
	}
}

// withJSON is a line that ends in JSON, shortened where that is too long, which it says.
func withJSON(beginning string, raw string) string {
	const note = " (shortened)"
	if raw == "" {
		return clip(beginning, LineChars)
	}
	beginning += " "
	for room := max(min(fieldSchemaBytes, LineChars-len(beginning)-len(note)), 64); ; room /= 2 {
		line := beginning + jsonText(fitted(raw, room))
		if len(raw) > room {
			line += note
		}
		if room < 16 || !longerThan(line, LineChars) {
			return clip(line, LineChars)
		}
	}
}

// jsonText is JSON as it stands in a line of ours: what does not print is escaped, so that it stays the same JSON.
func jsonText(raw string) string {
	var b []byte
	for _, c := range raw {
		switch {
		case shown(c):
			b = append(b, string(c)...)
		case c > 0xFFFF:
			c -= 0x10000
			b = appendEscape(appendEscape(b, 0xD800+c>>10), 0xDC00+c&0x3FF)
		default:
			b = appendEscape(b, c)
		}
	}
	return string(b)
}

// sendableName reports whether a tool takes a name of a stream or connection, and sendableField one of a field.
func sendableName(s string) bool  { return len(s) <= longestName && rs.UnsafeName(s) == "" }
func sendableField(s string) bool { return len(s) <= longestName && rs.UnsafeField(s) == "" }

// examples are calls that this row's advertised capabilities allow.
func (r *schemaRow) examples(l *lines, granted []connection) {
	if !sendableName(r.stream) {
		return
	}
	var group, bucket string
	for i := range r.fields {
		f := &r.fields[i]
		if !f.granted || !sendableField(f.name) {
			continue
		}
		if group == "" && slices.Contains(f.aggregates, "group_by") {
			group = f.name
		}
		if bucket == "" && slices.Contains(f.aggregates, "group_by_time") && slices.Contains(f.ranges, "gte") {
			bucket = f.name
		}
	}
	r.example(l, "query_records", granted, func(a *arguments) {
		if bucket != "" {
			a.open("filter", '{').put(bucket, `{"gte":"2026-01-01T00:00:00Z"}`).shut('}')
		}
		if sendableField(r.cursor) {
			a.text("sort", "-"+r.cursor)
		}
		a.number("limit", 10)
	})
	if group != "" {
		r.example(l, "aggregate", granted, func(a *arguments) { a.text("metric", "count").text("group_by", group) })
	}
}

// example is a call of a tool with the row's stream and connection and what else is added, unless it is long.
func (r *schemaRow) example(l *lines, tool string, granted []connection, add func(*arguments)) {
	end := len(l.b)
	l.open("  example: ", tool, " {")
	a := (&arguments{l.b}).text("stream", r.stream)
	if i := slices.IndexFunc(granted, func(c connection) bool { return sendableName(c.id) }); i >= 0 {
		a.text("connection_id", granted[i].id)
	}
	add(a)
	if l.b = a.shut('}').b; len(l.b)-l.start > exampleBytes {
		l.b = l.b[:end]
	}
}
