package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Limits of the lists in the text of a schema, in bytes.
const (
	connectionListBytes = 6 << 10 // the connections of a stream
	expandListBytes     = 2 << 10
	exampleBytes        = 1 << 10
)

// text describes as many fields of the stream as fit, beginning at the offset.
func (d *document) text() string {
	if len(d.rows) == 0 {
		return answer.WithUnavailable(clean.Clip(answer.NoneGranted(d.q.Stream, d.q.ConnectionID), write.LineChars), d.Members)
	}
	tail := answer.WithUnavailable("", d.Members)
	text, _ := d.page.Fullest(func(to int) string { return strings.Join(d.lines(to), "\n") + tail }, write.FitsText)
	return text
}

// lines describes each row of the page that ends before field to, with all that the next call needs (S0-5b, S0-5c). The call that continues
// comes first and last, because some hosts cut the middle.
func (d *document) lines(to int) []string {
	shown, next := d.page.Lines(to)
	lines := write.NotEmpty(shown)
	if len(d.unknown) > 0 {
		lines = append(lines, write.Folded("Not in this stream: ", "  ", write.Within(write.Each(d.unknown, write.ShownName), unknownBytes))...)
		lead := write.When(len(d.q.Meant) > 0, "Did you mean: ") + write.When(len(d.q.Meant) == 0, "All its fields: ")
		lines = append(lines, write.Offer(lead, d.q.meant().Call("schema"), write.LineChars))
	}
	rows := d.rowsTo(to)
	described := map[string]string{} // by lines: the first row that has them
	for i := range rows {
		r := &rows[i]
		head, body := r.head(), r.lines(d.q)
		all := strings.Join(body, "\n")
		if twin, ok := described[all]; ok && len(all) > len(twin) {
			body = []string{"  the same as in " + twin}
		} else if !ok {
			described[all] = clean.Clip(head[0], 200)
		}
		lines = append(append(lines, head...), body...)
		if !r.continued && (len(r.Connections) > 0 || d.q.ConnectionID == "") {
			lines = append(lines, r.examples()...)
		}
	}
	return write.NotEmpty(slices.Concat(lines, []string{legend(rows)}, d.q.Coverage.Lines(), d.warnings(), []string{next})...)
}

// head returns `messages (gmail; connection_id cin_a "Work mail", cin_b "Personal mail")`, with as many connections as fit.
func (r *streamRow) head() []string {
	head := write.ShownName(r.Name) + " (" + connectorName(r.ConnectorKey)
	if len(r.Connections) == 0 {
		return []string{head + ")"}
	}
	list := write.Within(write.Each(r.Connections, func(c rs.Connection) string {
		return write.Labelled(write.ShownName(c.ID), c.DisplayName)
	}), connectionListBytes)
	list[len(list)-1] += ")"
	return write.Folded(head+"; connection_id ", "      ", list)
}

// lines lists a row's fields by their capabilities, then the capabilities of the row.
func (r *streamRow) lines(q Query) []string {
	var lines, signatures []string
	names := map[string][]string{} // by signature
	denied := 0
	if r.described {
		lines = append(lines, "  no fields listed")
	}
	for i := range r.fields {
		f := &r.fields[i]
		if !f.Granted {
			denied++
			continue
		}
		able := signature(f)
		if q.Full {
			lines = append(lines, withJSON("  "+able+": "+write.ShownName(f.Name), f.JSONSchema()))
			continue
		}
		if names[able] == nil {
			signatures = append(signatures, able)
		}
		names[able] = append(names[able], write.ShownName(f.Name))
	}
	for _, able := range signatures {
		lines = append(lines, write.Folded("  "+able+": ", "    ", names[able])...)
	}
	if denied > 0 {
		lines = append(lines, "  not granted: "+write.Plural(denied, "field"))
	}
	if r.continued {
		return lines
	}
	relations := r.Relations()
	if r.cursor() == "" && len(relations) == 0 && !slices.ContainsFunc(r.all, advertises) {
		return append(lines, "  no capability is advertised; "+write.When(!q.NoFilter, "filter, ")+
			"sort, aggregate and search may be tried"+write.When(q.NoFilter, "; filters were refused to this token"))
	}
	if q.NoFilter {
		lines = append(lines, "  filters were refused to this token")
	}
	if r.sorted() {
		lines = append(lines, "  sorted by "+clean.Name(r.cursor())+", newest first")
	}
	if len(relations) > 0 {
		lines = append(lines, write.Folded("  expand: ", "    ", write.Within(write.Each(relations, expands), expandListBytes))...)
	}
	return lines
}

func (r *streamRow) cursor() string { return r.Members.Text("cursor_field") }

func (r *streamRow) sorted() bool { return r.cursor() != "" && len(r.cursor()) <= write.LongestName }

// legend explains how to use each capability in the description of some rows (S0-5d).
func legend(rows []streamRow) string {
	var exact, sorted, choice string
	var modes, kinds []string // of search, and of aggregation
	add := func(list *[]string, words []string) {
		for _, word := range words {
			if !slices.Contains(*list, word) && len(*list) < mostKinds {
				*list = append(*list, word)
			}
		}
	}
	for i := range rows {
		r := &rows[i]
		if sorted == "" && !r.continued && r.sorted() {
			sorted = `sort:"field" or "-field"`
		}
		if len(r.Connections) > 1 || len(r.Connections) > 0 && i > 0 {
			choice = "connection_id to choose one"
		}
		for k := range r.fields {
			f := &r.fields[k]
			if !f.Granted {
				continue
			}
			if f.Exact {
				exact = `exact filter:{"field":value}`
			}
			if f.HasBounds() {
				sorted = `range filter:{"field":{"gte":value}}, also ` + strings.Join(rs.Bounds[1:], " ") + `, and sort:"field" or "-field"`
			}
			add(&modes, searchModes(f))
			add(&kinds, aggregations(f))
		}
	}
	named := func(words []string, use string) string {
		return write.When(len(words) > 0, strings.Join(words, ", ")+use)
	}
	uses := write.NotEmpty(exact, sorted, named(modes, ": search mode"), named(kinds, ": aggregate"), choice, `aggregate count or count:"exact"`)
	return "Use: " + strings.Join(append(uses, `fields:["field"].`), "; ")
}

// examples returns calls that the row's advertised capabilities allow, without those longer than exampleBytes.
func (r *streamRow) examples() []string {
	if !write.SendableName(r.Name) {
		return nil
	}
	first := func(allows func(f rs.SchemaField) bool) string {
		for _, f := range r.all {
			if f.Granted && write.SendableField(f.Name) && allows(f) {
				return f.Name
			}
		}
		return ""
	}
	time := first(func(f rs.SchemaField) bool {
		return slices.Contains(f.Aggregates, "group_by_time") && slices.Contains(f.Ranges, "gte")
	})
	group := first(func(f rs.SchemaField) bool {
		return slices.Contains(f.Aggregates, "group_by") && !strings.EqualFold(f.Name, "id")
	})
	call := func() *write.Object {
		a := new(write.Object).Text("stream", r.Name)
		if i := slices.IndexFunc(r.Connections, func(c rs.Connection) bool { return write.SendableName(c.ID) }); i >= 0 {
			a.Text("connection_id", r.Connections[i].ID)
		}
		return a
	}
	query := call().Put("filter", write.When(time != "", new(write.Object).Put(time, `{"gte":"2026-01-01T00:00:00Z"}`).JSON()))
	query.Text("sort", write.When(write.SendableField(r.cursor()), "-"+r.cursor()))
	calls := []string{query.Number("limit", 10).Call("query_records")}
	if group != "" {
		calls = append(calls, call().Text("metric", "count").Text("group_by", group).Call("aggregate"))
	}
	lines := write.Each(calls, func(call string) string { return "  example: " + call })
	return slices.DeleteFunc(lines, func(line string) bool { return len(line) > exampleBytes })
}

const mostKinds = 12

const schemaBytes = 1500

// signature returns the type and capabilities of a field: "timestamp (event-time) exact range group_by_time max min".
func signature(f *rs.SchemaField) string {
	kind, ranges := write.When(f.Type != "", typeName(write.Label(f.Type))), ""
	role := write.When(f.Role != "", "("+clean.Name(write.Label(f.Role))+")")
	if slices.Equal(f.Ranges, rs.Bounds) {
		ranges = "range"
	} else if len(f.Ranges) > 0 {
		ranges = "range[" + strings.Join(write.Within(write.Each(f.Ranges, clean.Name), write.LabelChars), " ") + "]"
	}
	words := write.NotEmpty(kind, role, write.When(f.Exact, "exact"), ranges)
	return cmp.Or(strings.Join(slices.Concat(words, searchModes(f), aggregations(f)), " "), "fields")
}

func searchModes(f *rs.SchemaField) []string {
	return write.NotEmpty(write.When(f.Lexical, "lexical"), write.When(f.Semantic, "semantic"))
}

// aggregations returns the kinds of aggregation that a field allows. A field with a sum has an average too, composed of two reads.
func aggregations(f *rs.SchemaField) []string {
	kinds := write.EachOf(f.Aggregates, mostKinds, func(kind string) string {
		word := clean.Preview(kind, 30)
		return write.When(word != "", clean.Name(word))
	})
	if slices.Contains(kinds, "sum") && !slices.Contains(kinds, "avg") {
		kinds = append(kinds, "avg")
	}
	return kinds
}

// typeName returns the type of a field, such as string or string|null, quoted if it is anything but such words.
func typeName(kind string) string {
	if clean.Unmistakable(strings.ReplaceAll(kind, "|", "")) {
		return kind
	}
	return clean.Quote(kind)
}

// withJSON returns a line that ends in JSON. It shortens JSON that is too long, and notes that in the line.
func withJSON(beginning string, raw string) string {
	if raw == "" {
		return clean.Clip(beginning, write.LineChars)
	}
	line := beginning + " " + write.JSONText(write.Truncate(raw, schemaBytes)) + write.When(len(raw) > schemaBytes, " (shortened)")
	return clean.Clip(line, write.LineChars)
}

// expands returns "attachments (has_many, default 10, max 50)".
func expands(r rs.Relation) string {
	var least, most string
	cardinality := write.When(r.Cardinality != "", clean.Name(clean.Preview(r.Cardinality, 20)))
	of := write.When(r.Target != "" && r.Target != r.Name, "of "+clean.Name(r.Target))
	if r.DefaultLimit != nil {
		least = fmt.Sprintf("default %d", *r.DefaultLimit)
	}
	if r.MaxLimit != nil {
		most = fmt.Sprintf("max %d", *r.MaxLimit)
	}
	notes := strings.Join(write.NotEmpty(cardinality, of, least, most), ", ")
	return clean.Name(r.Name) + write.When(notes != "", " ("+notes+")")
}

// advertises reports whether anything can be done with a field beyond reading it.
func advertises(f rs.SchemaField) bool {
	return f.Granted && (f.Exact || f.Lexical || f.Semantic || len(f.Ranges) > 0 || len(f.Aggregates) > 0)
}
