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
	connections := indexConnections
	page := func(n int) []string { return d.lines(from, from+n, connections) }
	fits := func(n, max int) bool {
		lines := page(n)
		size := len(tail)
		for _, line := range lines {
			size += len(line) + 1
		}
		return size <= max && len(lines)+strings.Count(tail, "\n") <= TextLines
	}
	all := len(d.units) - from
	if d.q.Stream == "" && !fits(all, TextTarget) {
		connections = shortIndex
	}
	count := min(all, max(1, most(all, func(n int) bool { return fits(n, TextHard) })))
	return strings.Join(page(count), "\n") + tail
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

// lines are the text that shows some units. Where to read on stands first and again last: some hosts cut the middle.
func (d *schemaDocument) lines(from, to, connections int) []string {
	var lines []string
	if d.q.Stream == "" {
		lines = append(lines, d.counts())
	}
	next := ""
	if to < len(d.units) {
		next = `Next: the same call with "offset":` + strconv.Itoa(to)
		if a, whole := d.next(to); whole && !longerThan(a.call("schema"), LineChars-10) {
			next = "Next: " + a.call("schema")
		}
	}
	if from > 0 || next != "" {
		lines = append(lines, strings.TrimRight("Shown: "+d.shown(from, to)+". "+next, " "))
	}
	if len(d.unknown) > 0 {
		lines = append(lines, wrap("Not in this stream: ", "  ", quotedNames(d.unknown, unknownBytes))...)
	}
	if d.q.Stream == "" {
		lines = append(lines, d.index(d.units[from:to], connections)...)
	} else {
		lines = append(lines, d.detail(d.units[from:to])...)
	}
	if next != "" {
		lines = append(lines, next)
	}
	if d.q.Stream == "" {
		for i := range d.rows {
			if s := d.rows[i].stream; sendableName(s) {
				lines = append(lines, "One stream's fields, filters, sorting and aggregates: "+new(arguments).text("stream", s).call("schema")+"; connection_id narrows.")
				break
			}
		}
	}
	return lines
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
	return fmt.Sprintf("%s, %s, %s.", plural(len(connectors), "connector"), plural(len(d.rows), "stream"), plural(len(ids), "connection"))
}

// index names streams by connector, a line each where that is long enough (S0-5a). A connector with the same streams as an
// earlier one says so.
func (d *schemaDocument) index(units []schemaUnit, connections int) []string {
	var lines []string
	same := map[string]string{} // the first connector with a list of streams
	for start := 0; start < len(units); {
		first := &d.rows[units[start].row]
		var streams []string
		seen := map[string]bool{}
		end := start
		for ; end < len(units) && d.rows[units[end].row].group == first.group; end++ {
			if s := d.rows[units[end].row].stream; !seen[s] {
				seen[s] = true
				streams = append(streams, shownName(s))
			}
		}
		start = end
		granted := d.groups[first.group]
		head := connectorName(first.connector)
		who := head
		if len(granted) > 0 {
			head += " (" + connectionWord(len(granted)) + strings.Join(connectionList(granted, connections, connectionLineBytes), ", ") + ")"
			if id := granted[0].id; len(id) <= longestName {
				who += " " + name(id)
			}
		}
		list := strings.Join(streams, ", ")
		if twin, ok := same[list]; ok {
			short := "the same " + plural(len(streams), "stream") + " as " + twin
			if len(short) < len(list) {
				streams = []string{short}
			}
		} else {
			same[list] = who
		}
		lines = append(lines, wrap(head+": ", "  ", streams)...)
	}
	return lines
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

// shownName is name, or for one that is too long to be sent back its beginning and a note.
func shownName(s string) string {
	if len(s) <= longestName {
		return name(s)
	}
	return fmt.Sprintf("%s (%d bytes, cannot be named)", quote(clip(s, labelChars)), len(s))
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

// wrap writes items behind a beginning, and behind indent on further lines where one is too short.
func wrap(beginning, indent string, items []string) []string {
	var lines []string
	line := beginning
	for i, item := range items {
		if i < len(items)-1 {
			item += ", "
		}
		if line != indent && longerThan(line+item, LineChars-10) {
			lines = append(lines, strings.TrimRight(line, " "))
			line = indent
		}
		line += item
	}
	return append(lines, clip(line, LineChars))
}

// detail says of each row all that the next call needs, its fields by what can be done with them (S0-5b, S0-5c).
func (d *schemaDocument) detail(units []schemaUnit) []string {
	var lines []string
	described := map[string]string{}
	var used usage
	for start := 0; start < len(units); {
		end := start + 1
		for end < len(units) && units[end].row == units[start].row {
			end++
		}
		r := &d.rows[units[start].row]
		granted := r.connections
		if d.q.ConnectionID != "" {
			granted = slices.DeleteFunc(slices.Clone(granted), func(c connection) bool { return c.id != d.q.ConnectionID })
		}
		head := []string{shownName(r.stream) + " (" + connectorName(r.connector) + ")"}
		if len(granted) > 0 {
			list := connectionList(granted, len(granted), connectionListBytes)
			list[len(list)-1] += ")"
			head = wrap(strings.TrimSuffix(head[0], ")")+"; connection_id ", "      ", list)
			used.choice = used.choice || len(granted) > 1 || start > 0
		}
		body := r.describe(units[start:end], d.q.Full, &used)
		key := strings.Join(body, "\n")
		if twin, ok := described[key]; ok && len(key) > len(twin) {
			body = []string{"  the same as in " + twin}
		} else {
			described[key] = clip(head[0], 200)
		}
		lines = append(append(lines, head...), body...)
		if units[start].first && (len(granted) > 0 || d.q.ConnectionID == "") {
			lines = append(lines, r.examples(granted)...)
		}
		start = end
	}
	return append(lines, used.legend())
}

// usage is which capabilities were named, so that the legend explains those and no others.
type usage struct {
	exact, ranges, sort bool
	choice              bool     // of connections
	modes, kinds        []string // of search, and of aggregation
}

// legend says how to send what a field can do (S0-5d).
func (u *usage) legend() string {
	var parts []string
	if u.exact {
		parts = append(parts, `exact filter:{"field":value}`)
	}
	if u.ranges {
		parts = append(parts, `range filter:{"field":{"gte":value}}, also gt lte lt, and sort:"field" or "-field"`)
	} else if u.sort {
		parts = append(parts, `sort:"field" or "-field"`)
	}
	if len(u.modes) > 0 {
		parts = append(parts, strings.Join(u.modes, ", ")+": search mode")
	}
	if len(u.kinds) > 0 {
		parts = append(parts, strings.Join(u.kinds, ", ")+": aggregate")
	}
	if u.choice {
		parts = append(parts, "connection_id to choose one")
	}
	return "Use: " + strings.Join(append(parts, `aggregate count or count:"exact"`, `fields:["field"]`), "; ") + "."
}

// describe lists a row's fields by what can be done with them.
func (r *schemaRow) describe(units []schemaUnit, full bool, used *usage) []string {
	var lines, signatures []string
	names := map[string][]string{}
	denied := 0
	for _, u := range units {
		if u.field < 0 {
			lines = append(lines, "  no fields listed")
			continue
		}
		f := &r.fields[u.field]
		if !f.granted {
			denied++
			continue
		}
		signature := f.signature(used)
		if full {
			if f.line == "" {
				f.line = withJSON("  "+signature+": "+shownName(f.name), f.jsonSchema())
			}
			lines = append(lines, f.line)
			continue
		}
		if names[signature] == nil {
			signatures = append(signatures, signature)
		}
		names[signature] = append(names[signature], shownName(f.name))
	}
	for _, signature := range signatures {
		lines = append(lines, wrap("  "+signature+": ", "    ", names[signature])...)
	}
	if denied > 0 {
		lines = append(lines, "  not granted: "+plural(denied, "field"))
	}
	if !units[0].first {
		return lines
	}
	if !r.advertised() {
		return append(lines, "  no capability is advertised; filter, sort, aggregate and search may be tried")
	}
	if r.cursor != "" && len(r.cursor) <= longestName {
		used.sort = true
		lines = append(lines, "  sorted by "+name(r.cursor)+", newest first")
	}
	if len(r.expand) > 0 {
		lines = append(lines, wrap("  expand: ", "    ", r.relations())...)
	}
	return lines
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
func (f *field) signature(used *usage) string {
	var words []string
	add := func(word string, is bool) bool {
		if is {
			words = append(words, word)
		}
		return is
	}
	add(preview(f.kind, labelChars), f.kind != "")
	add("("+preview(f.role, labelChars)+")", f.role != "")
	used.exact = add("exact", f.exact) || used.exact
	if len(f.ranges) > 0 {
		word := "range"
		if ops := strings.Join(f.ranges, " "); ops != "gte gt lte lt" {
			word = "range[" + preview(ops, labelChars) + "]"
		}
		used.ranges = add(word, true)
	}
	note := func(list *[]string, word string) {
		if !slices.Contains(*list, word) && len(*list) < mostKinds {
			*list = append(*list, word)
		}
	}
	if add("lexical", f.lexical) {
		note(&used.modes, "lexical")
	}
	if add("semantic", f.vector) {
		note(&used.modes, "semantic")
	}
	for _, kind := range f.aggregates[:min(len(f.aggregates), mostKinds)] {
		if word := preview(kind, 30); add(word, word != "") {
			note(&used.kinds, word)
		}
	}
	if len(words) == 0 {
		return "fields"
	}
	return strings.Join(words, " ")
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
func (r *schemaRow) examples(granted []connection) []string {
	if !sendableName(r.stream) {
		return nil
	}
	scope := func() *arguments {
		a := new(arguments).text("stream", r.stream)
		if i := slices.IndexFunc(granted, func(c connection) bool { return sendableName(c.id) }); i >= 0 {
			a.text("connection_id", granted[i].id)
		}
		return a
	}
	query := scope()
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
	if bucket != "" {
		query.put("filter", new(arguments).put(bucket, `{"gte":"2026-01-01T00:00:00Z"}`).String())
	}
	if sendableField(r.cursor) {
		query.text("sort", "-"+r.cursor)
	}
	lines := []string{"  example: " + query.number("limit", 10).call("query_records")}
	if group != "" {
		lines = append(lines, "  example: "+scope().text("metric", "count").text("group_by", group).call("aggregate"))
	}
	return slices.DeleteFunc(lines, func(line string) bool { return len(line) > exampleBytes })
}
