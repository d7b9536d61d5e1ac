package render

import (
	"fmt"
	"slices"
	"strings"
)

// schemaIndex names every granted stream by connector; nothing is ever left out of the names (S0-5a).
func schemaIndex(rows []schemaRow, q SchemaQuery) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r schemaRow) bool { return !r.matches(q) })
	if len(rows) == 0 {
		if q.ConnectionID != "" {
			return "Connection " + name(q.ConnectionID) + " has no granted stream. Call schema without arguments for the connections that have."
		}
		return "This grant covers no stream. The user has to approve access to a source first."
	}
	text := indexText(rows, 12)
	if len(text) > TextTarget {
		text = indexText(rows, 2)
	}
	return text
}

// indexText lists at most maxConnections connections of a connector; the streams always all.
func indexText(rows []schemaRow, maxConnections int) string {
	var lines []string
	connectors, all := map[string]bool{}, map[string]bool{}
	for start := 0; start < len(rows); {
		end := start + 1
		for end < len(rows) && rows[end].group == rows[start].group {
			end++
		}
		group := rows[start:end]
		start = end
		connectors[group[0].connector] = true
		var granted []connection
		var streams []string
		listed, grants := map[string]bool{}, map[connection]bool{}
		for _, r := range group {
			for _, c := range r.connections {
				if !grants[c] {
					granted = append(granted, c)
				}
				grants[c], all[c.id] = true, true
			}
			if s := name(r.stream); !listed[s] {
				streams = append(streams, s)
				listed[s] = true
			}
		}
		head := connectorName(group[0].connector)
		if len(granted) > 0 {
			head += " — connections: " + connectionList(granted, maxConnections)
		}
		lines = append(lines, clip(head, LineChars))
		lines = append(lines, wrapList("  streams: ", streams)...)
	}
	first := fmt.Sprintf("%s, %s, %s.", plural(len(connectors), "connector"), plural(len(rows), "stream"), plural(len(all), "connection"))
	call := new(arguments).text("stream", rows[0].stream)
	last := "For fields, filters, sorting and aggregates of one stream: " + call.call("schema") + ", with connection_id for one connection."
	return strings.Join(append(append([]string{first}, lines...), clip(last, LineChars)), "\n")
}

func connectorName(key string) string {
	if key == "" {
		return "(no connector key)"
	}
	return name(key)
}

// connectionList is `cin_a "Work mail", cin_b "Personal mail"`.
func connectionList(list []connection, max int) string {
	var parts []string
	for i, c := range list {
		if i == max {
			parts = append(parts, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		part := name(c.id)
		if c.label != "" {
			part += " " + quote(preview(c.label, labelChars))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// wrapList writes items behind a prefix, on as many lines as they need.
func wrapList(prefix string, items []string) []string {
	var lines []string
	line := prefix
	for i, item := range items {
		if i < len(items)-1 {
			item += ", "
		}
		if line != prefix && longerThan(line+item, LineChars-50) {
			lines = append(lines, strings.TrimRight(line, " "))
			line = prefix
		}
		line += item
	}
	return append(lines, line)
}

// schemaDetail says of each matching row all that the next call needs (S0-5b, S0-5c).
func schemaDetail(rows []schemaRow, q SchemaQuery) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r schemaRow) bool { return !r.matches(q) })
	if len(rows) == 0 {
		what := "No granted stream is named " + name(q.Stream)
		if q.ConnectionID != "" {
			what += " in connection " + name(q.ConnectionID)
		}
		return clip(what, LineChars-100) + ". Call schema without arguments for the streams and connections of this grant."
	}
	p := newPage(TextHard - 1024)
	described := map[string]string{}
	missing := 0
	for i := range rows {
		r := &rows[i]
		head := name(r.stream) + " — " + connectorName(r.connector)
		granted := r.connections
		if q.ConnectionID != "" {
			granted = slices.DeleteFunc(slices.Clone(granted), func(c connection) bool { return c.id != q.ConnectionID })
		}
		if len(granted) > 0 {
			head += " — connection_id: " + connectionList(granted, 12)
		}
		lines := append([]string{clip(head, LineChars)}, r.describe()...)
		key := strings.Join(lines[1:], "\n")
		if first, ok := described[key]; ok {
			lines = append(lines[:1], "  the same fields and capabilities as "+first)
		} else {
			described[key] = clip(head, 200)
		}
		if len(granted) > 0 || q.ConnectionID == "" {
			lines = append(lines, r.examples(granted)...)
		}
		if !p.block(lines...) {
			missing++
		}
	}
	p.max = TextHard
	if missing > 0 {
		p.add(fmt.Sprintf("%s of this stream left out here; all are in structured output, or name a connection_id.", plural(missing, "row")))
	}
	if q.Full {
		p.add("The full document, with the JSON Schema of each field, is in structured output.")
	}
	return p.String()
}

// describe lists a row's fields by what can be done with them.
func (r *schemaRow) describe() []string {
	var lines []string
	list := func(label string, items []string) {
		if len(items) > 0 {
			lines = append(lines, wrapList("  "+label+": ", items)...)
		}
	}
	pick := func(label string, want func(*field) bool) {
		var items []string
		for i := range r.fields {
			if want(&r.fields[i]) {
				items = append(items, name(r.fields[i].name))
			}
		}
		list(label, items)
	}
	var fields []string
	advertised := r.cursor != "" || len(r.expand) > 0
	for i := range r.fields {
		f := &r.fields[i]
		item := name(f.name)
		if f.kind != "" {
			item += " " + preview(f.kind, 40)
		}
		if f.role != "" {
			item += " (" + preview(f.role, 40) + ")"
		}
		fields = append(fields, item)
		advertised = advertised || f.advertised()
	}
	if len(fields) == 0 {
		fields = []string{"none listed"}
	}
	list("fields", fields)
	lines = append(lines, `  projection: fields:["…"] with any of these; count: "exact" with query_records; order: asc or desc`)
	if !advertised {
		lines = append(lines, "  capabilities: none advertised for this grant. Fields may be tried in filter, sort, aggregate and search; the server says "+
			"what it supports. expand: none")
		return lines
	}
	pick(`filter exact (filter:{"field":value})`, func(f *field) bool { return f.exact })
	for _, ops := range r.operatorSets() {
		pick(`filter range (filter:{"field":{"gte":value}}; `+preview(ops, 60)+")", func(f *field) bool { return strings.Join(f.ranges, " ") == ops && ops != "" })
	}
	if sortable := r.sortable(); len(sortable) > 0 {
		list("sort (prefix - for descending)", sortable)
	} else {
		lines = append(lines, "  sort: no sortable field is advertised; order works")
	}
	pick("search lexical", func(f *field) bool { return f.lexical })
	pick("search semantic", func(f *field) bool { return f.vector })
	lines = append(lines, "  aggregate count: the stream")
	for _, kind := range r.aggregateKinds() {
		pick("aggregate "+preview(kind, 30), func(f *field) bool { return slices.Contains(f.aggregates, kind) })
	}
	if len(r.expand) == 0 {
		return append(lines, "  expand: none")
	}
	list("expand", r.expand)
	return lines
}

// sortable are the field that records come sorted by, and those with a range, which have an order.
func (r *schemaRow) sortable() []string {
	var list []string
	if r.cursor != "" {
		list = append(list, name(r.cursor)+" (the default, newest first)")
	}
	for i := range r.fields {
		if f := &r.fields[i]; len(f.ranges) > 0 && f.name != r.cursor {
			list = append(list, name(f.name))
		}
	}
	return list
}

// maxKinds is how many sets of operators, and how many kinds of aggregation, are told apart. The contract has fewer than ten.
const maxKinds = 32

func (r *schemaRow) operatorSets() []string {
	var sets []string
	for i := range r.fields {
		if len(sets) == maxKinds {
			break
		}
		if ops := strings.Join(r.fields[i].ranges, " "); ops != "" && !slices.Contains(sets, ops) {
			sets = append(sets, ops)
		}
	}
	return sets
}

func (r *schemaRow) aggregateKinds() []string {
	var kinds []string
	for i := range r.fields {
		for _, k := range r.fields[i].aggregates {
			if k != "" && len(kinds) < maxKinds && !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	slices.Sort(kinds)
	return kinds
}

// examples are calls that this row's advertised capabilities allow.
func (r *schemaRow) examples(granted []connection) []string {
	scope := func() *arguments {
		a := new(arguments).text("stream", r.stream)
		if len(granted) > 0 {
			a.text("connection_id", granted[0].id)
		}
		return a
	}
	query := scope()
	var group, bucket string
	for i := range r.fields {
		f := &r.fields[i]
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
	if r.cursor != "" {
		query.text("sort", "-"+r.cursor)
	}
	lines := []string{"  example: " + query.number("limit", 10).call("query_records")}
	if group != "" {
		lines = append(lines, "  example: "+scope().text("metric", "count").text("group_by", group).call("aggregate"))
	}
	return slices.DeleteFunc(lines, func(line string) bool { return longerThan(line, LineChars) })
}
