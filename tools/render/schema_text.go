package render

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// text describes as many fields of the stream as fit, from the offset on.
func (d *schemaDocument) text() string {
	if len(d.rows) == 0 {
		return withUnavailable(clean.Clip(noneGranted(d.q.Stream, d.q.ConnectionID), lineChars), d.Members)
	}
	tail := withUnavailable("", d.Members)
	text, _ := d.page.fullest(func(to int) string { return strings.Join(d.lines(to), "\n") + tail }, fitsText)
	return text
}

// noneGranted says why there is no stream, and what to do.
func noneGranted(stream, connection string) string {
	const streams, connections = "the streams and connections of this grant.", "the connections that have."
	switch {
	case stream != "" && connection != "":
		return "No granted stream is named " + clean.Name(stream) + " in connection " + clean.Name(connection) + ". Call schema without arguments for " + streams
	case stream != "":
		return "No granted stream is named " + clean.Name(stream) + ". Call schema without arguments for " + streams
	case connection != "":
		return "Connection " + clean.Name(connection) + " has no granted stream. Call schema without arguments for " + connections
	}
	return "This grant covers no stream. The user has to approve access to a source first."
}

// lines describe the units up to one of them. Where to read on stands first and again last: some hosts cut the middle.
func (d *schemaDocument) lines(to int) []string {
	var lines []string
	shown, next := d.page.lines(to)
	if shown != "" {
		lines = append(lines, shown)
	}
	if len(d.unknown) > 0 {
		lines = append(lines, folded("Not in this stream: ", "  ", within(each(d.unknown, shownName), unknownBytes))...)
	}
	lines = append(append(lines, d.detail(d.units[d.page.from:to])...), freshness(d.q.Said)...)
	if next != "" {
		lines = append(lines, next)
	}
	return lines
}

// detail says of each row all that the next call needs, its fields by what can be done with them (S0-5b, S0-5c).
func (d *schemaDocument) detail(units []schemaUnit) []string {
	var lines []string
	described := map[string]string{} // the row that was described so
	var used usage
	for n := 0; len(units) > 0; n++ {
		own := ofRow(units)
		units = units[len(own):]
		r := &d.rows[own[0].row]
		granted := r.Connections
		if d.q.ConnectionID != "" {
			granted = slices.DeleteFunc(slices.Clone(granted), func(c rs.Connection) bool { return c.ID != d.q.ConnectionID })
		}
		head := []string{shownName(r.Name) + " (" + connectorName(r.ConnectorKey) + ")"}
		if len(granted) > 0 {
			list := connectionList(granted)
			list[len(list)-1] += ")"
			head = folded(strings.TrimSuffix(head[0], ")")+"; connection_id ", "      ", list)
			used.choice = used.choice || len(granted) > 1 || n > 0
		}
		lines = append(lines, head...)
		body := r.describe(own, d.q.Full, &used)
		all := strings.Join(body, "\n")
		if twin, ok := described[all]; ok && len(all) > len(twin) {
			body = []string{"  the same as in " + twin}
		} else if !ok {
			described[all] = clean.Clip(head[0], 200)
		}
		lines = append(lines, body...)
		if own[0].first && (len(granted) > 0 || d.q.ConnectionID == "") {
			lines = append(lines, r.examples(granted)...)
		}
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
	line := "Use: "
	if u.exact {
		line += `exact filter:{"field":value}; `
	}
	if u.ranges {
		line += `range filter:{"field":{"gte":value}}, also ` + strings.Join(rs.RangeOperators[1:], " ") + `, and sort:"field" or "-field"; `
	} else if u.sort {
		line += `sort:"field" or "-field"; `
	}
	if len(u.modes) > 0 {
		line += strings.Join(u.modes, ", ") + ": search mode; "
	}
	if len(u.kinds) > 0 {
		line += strings.Join(u.kinds, ", ") + ": aggregate; "
	}
	if u.choice {
		line += "connection_id to choose one; "
	}
	return line + `aggregate count or count:"exact"; fields:["field"].`
}

// describe lists a row's fields by what can be done with them.
func (r *schemaRow) describe(units []schemaUnit, full bool, used *usage) []string {
	var lines, signatures []string
	names := map[string][]string{} // by signature
	denied := 0
	for _, u := range units {
		if u.field < 0 {
			lines = append(lines, "  no fields listed")
			continue
		}
		f := &r.fields[u.field]
		if !f.Granted {
			denied++
			continue
		}
		signature := f.signature(used)
		if full {
			lines = append(lines, withJSON("  "+signature+": "+shownName(f.Name), f.JSONSchema()))
			continue
		}
		if names[signature] == nil {
			signatures = append(signatures, signature)
		}
		names[signature] = append(names[signature], shownName(f.Name))
	}
	for _, signature := range signatures {
		lines = append(lines, folded("  "+signature+": ", "    ", names[signature])...)
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
		lines = append(lines, "  sorted by "+clean.Name(r.cursor)+", newest first")
	}
	if len(r.expand) > 0 {
		lines = append(lines, folded("  expand: ", "    ", within(r.expand, expandListBytes))...)
	}
	return lines
}

// advertised reports whether anything can be done with the row beyond reading it.
func (r *schemaRow) advertised() bool {
	return r.cursor != "" || len(r.expand) > 0 || slices.ContainsFunc(r.fields, func(f field) bool { return f.Granted && f.advertised() })
}

// advertised reports whether a field has any capability at all.
func (f *field) advertised() bool {
	return f.Exact || f.Lexical || f.Semantic || len(f.Ranges) > 0 || len(f.Aggregates) > 0
}

// signature is what a field is and can do: "timestamp (event-time) exact range group_by_time max min".
func (f *field) signature(used *usage) string {
	var words []string
	add := func(word string) { words = append(words, word) }
	if f.Type != "" {
		add(typeName(clean.Preview(f.Type, labelChars)))
	}
	if f.Role != "" {
		add("(" + clean.Name(clean.Preview(f.Role, labelChars)) + ")")
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
			add("range[" + quotedWords(f.Ranges, labelChars) + "]")
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
		if word := clean.Preview(kind, 30); word != "" {
			note(&used.kinds, clean.Name(word))
			add(clean.Name(word))
		}
	}
	return cmp.Or(strings.Join(words, " "), "fields")
}

// typeName is the type of a field, such as string or string|null; quoted where it is more than such words.
func typeName(kind string) string {
	if clean.Unmistakable(strings.ReplaceAll(kind, "|", "")) {
		return kind
	}
	return clean.Quote(kind)
}

// quotedWords are words of a resource server in a line of ours, as many as have max characters together.
func quotedWords(list []string, max int) string {
	var words []string
	for _, word := range list {
		if max -= len(word) + 1; max < 0 {
			words = append(words, "…")
			break
		}
		words = append(words, clean.Name(word))
	}
	return strings.Join(words, " ")
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
		return clean.Clip(beginning, lineChars)
	}
	beginning += " "
	for remaining := max(min(fieldSchemaBytes, lineChars-len(beginning)-len(note)), 64); ; remaining /= 2 {
		line := beginning + jsonText(truncateJSON(raw, remaining))
		if len(raw) > remaining {
			line += note
		}
		if remaining < 16 || !clean.LongerThan(line, lineChars) {
			return clean.Clip(line, lineChars)
		}
	}
}

// jsonText is JSON as it is in a line of ours: what does not print is escaped, so that it stays the same JSON.
func jsonText(raw string) string {
	var b []byte
	for _, c := range raw {
		if clean.Shows(c) {
			b = utf8.AppendRune(b, c)
		} else {
			b = clean.AppendEscaped(b, string(c))
		}
	}
	return string(b)
}

// sendableName reports whether a tool takes a name of a stream or connection, and sendableField one of a field.
func sendableName(s string) bool { return len(s) <= longestName && rs.UnsafeName(s) == "" }

func sendableField(s string) bool { return len(s) <= longestName && rs.UnsafeField(s) == "" }

// examples are calls that this row's advertised capabilities allow, those that are not long.
func (r *schemaRow) examples(granted []rs.Connection) []string {
	if !sendableName(r.Name) {
		return nil
	}
	fieldFor := func(kind string, needed ...string) string {
		for i := range r.fields {
			f := &r.fields[i]
			ranges := func(operator string) bool { return !slices.Contains(f.Ranges, operator) }
			if f.Granted && sendableField(f.Name) && slices.Contains(f.Aggregates, kind) && !slices.ContainsFunc(needed, ranges) {
				return f.Name
			}
		}
		return ""
	}
	call := func() *arguments {
		a := new(arguments).text("stream", r.Name)
		if i := slices.IndexFunc(granted, func(c rs.Connection) bool { return sendableName(c.ID) }); i >= 0 {
			a.text("connection_id", granted[i].ID)
		}
		return a
	}
	query := call()
	if time := fieldFor("group_by_time", "gte"); time != "" {
		query.put("filter", new(arguments).put(time, `{"gte":"2026-01-01T00:00:00Z"}`).json())
	}
	if sendableField(r.cursor) {
		query.text("sort", "-"+r.cursor)
	}
	calls := []string{query.number("limit", 10).call("query_records")}
	if group := fieldFor("group_by"); group != "" {
		calls = append(calls, call().text("metric", "count").text("group_by", group).call("aggregate"))
	}
	var lines []string
	for _, call := range calls {
		if line := "  example: " + call; len(line) <= exampleBytes {
			lines = append(lines, line)
		}
	}
	return lines
}
