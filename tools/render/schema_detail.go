package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// detail says of each row all that the next call needs, its fields by what can be done with them (S0-5b, S0-5c).
func (d *schemaDocument) detail(l *lines, units []schemaUnit) {
	described := map[string]string{}
	var used usage
	for n := 0; len(units) > 0; n++ {
		own := ofRow(units)
		units = units[len(own):]
		r := &d.rows[own[0].row]
		granted := r.Connections
		if d.q.ConnectionID != "" {
			granted = slices.DeleteFunc(slices.Clone(granted), func(c rs.Connection) bool { return c.ID != d.q.ConnectionID })
		}
		l.open(shownName(r.Name), " (", connectorName(r.ConnectorKey))
		head := l.start
		if len(granted) > 0 {
			list := connectionList(granted, connectionListBytes)
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
		if !f.Granted {
			denied++
			continue
		}
		signature = f.signature(signature[:0], used)
		if full {
			if f.line == "" {
				f.line = withJSON("  "+string(signature)+": "+shownName(f.Name), f.JSONSchema())
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
		fields[i].names = append(fields[i].names, shownName(f.Name))
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
	return r.cursor != "" || len(r.expand) > 0 || slices.ContainsFunc(r.fields, func(f field) bool { return f.Granted && f.advertised() })
}

// advertised reports whether a field has any capability at all.
func (f *field) advertised() bool {
	return f.Exact || f.Lexical || f.Semantic || len(f.Ranges) > 0 || len(f.Aggregates) > 0
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
	if f.Type != "" {
		add(typeName(preview(f.Type, labelChars)))
	}
	if f.Role != "" {
		add("(", name(preview(f.Role, labelChars)), ")")
	}
	if f.Exact {
		used.exact = true
		add("exact")
	}
	if len(f.Ranges) > 0 {
		used.ranges = true
		if slices.Equal(f.Ranges, rs.RangeOperators) {
			add("range")
		} else {
			add("range[", quotedWords(f.Ranges, labelChars), "]")
		}
	}
	if f.Lexical {
		note(&used.modes, "lexical")
		add("lexical")
	}
	if f.Semantic {
		note(&used.modes, "semantic")
		add("semantic")
	}
	for _, kind := range f.Aggregates[:min(len(f.Aggregates), mostKinds)] {
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

// note adds a word to a list that is not full and does not have it.
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
	for remaining := max(min(fieldSchemaBytes, LineChars-len(beginning)-len(note)), 64); ; remaining /= 2 {
		line := beginning + jsonText(fitted(raw, remaining))
		if len(raw) > remaining {
			line += note
		}
		if remaining < 16 || !longerThan(line, LineChars) {
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
func (r *schemaRow) examples(l *lines, granted []rs.Connection) {
	if !sendableName(r.Name) {
		return
	}
	var group, bucket string
	for i := range r.fields {
		f := &r.fields[i]
		if !f.Granted || !sendableField(f.Name) {
			continue
		}
		if group == "" && slices.Contains(f.Aggregates, "group_by") {
			group = f.Name
		}
		if bucket == "" && slices.Contains(f.Aggregates, "group_by_time") && slices.Contains(f.Ranges, "gte") {
			bucket = f.Name
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
func (r *schemaRow) example(l *lines, tool string, granted []rs.Connection, add func(*arguments)) {
	end := len(l.b)
	l.open("  example: ", tool, " {")
	a := (&arguments{l.b}).text("stream", r.Name)
	if i := slices.IndexFunc(granted, func(c rs.Connection) bool { return sendableName(c.ID) }); i >= 0 {
		a.text("connection_id", granted[i].ID)
	}
	add(a)
	if l.b = a.shut('}').b; len(l.b)-l.start > exampleBytes {
		l.b = l.b[:end]
	}
}
