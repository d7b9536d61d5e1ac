package correct

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// operatorForm is an operator of the search of a mail or chat program, such as from:anna, at the start of a word and not within quotes.
var operatorForm = written.Expression(`(?i)(^|\s)(-?)(from|sender|to|cc|subject|title|has|is|in|` +
	`label|filename|before|older|until|after|newer|since|on|date|newer_than|older_than):("[^"]+"|\([^)]*\)|[^\s"]+)`)

// A searchOperator is an operator in a query.
type searchOperator struct {
	name, value string
	denied      bool // "-from:anna"
}

// operatorsIn returns the operators in a query, and its words without them.
func operatorsIn(q string) (found []searchOperator, words string) {
	for {
		at := operatorForm().FindStringSubmatchIndex(q)
		if at == nil || strings.Count(q[:at[6]], `"`)%2 != 0 {
			return found, strings.Join(strings.Fields(q), " ")
		}
		value := strings.ReplaceAll(strings.Trim(q[at[8]:at[9]], `"()`), " OR ", " ") // a search finds some of the words where no record has all
		found = append(found, searchOperator{strings.ToLower(q[at[6]:at[7]]), value, at[5] > at[4]})
		q = q[:at[0]] + " " + q[at[1]:]
	}
}

// Operator returns the first operator in a query, such as "from:", which search does not know; "" if there is none.
func Operator(q string) string {
	if found, _ := operatorsIn(q); len(found) > 0 {
		return found[0].name + ":"
	}
	return ""
}

// andNot is how other searches leave out a word.
var andNot = written.Expression(`\s+AND\s+NOT\s+(\w[\w'-]*)`)

// longestQuery bounds the queries that are corrected; a longer one is refused. What is found in one takes the square of its length.
const longestQuery = 1000

// queryOf is the query of a search, and the name of its argument.
func queryOf(args rs.Object) (q, name string) {
	for _, name = range []string{"q", "query"} {
		if q, ok := written.Text(args.Get(name)); ok && len(q) <= longestQuery {
			return q, name
		}
	}
	return "", ""
}

// dated takes before:, after: and the like with a date for the bounds of a search. A day that is before: or older: is not in it.
func dated(args rs.Object) rs.Object {
	q, name := queryOf(args)
	if words := andNot().ReplaceAllString(q, " -$1"); words != q && !strings.Contains(q, `"`) {
		q, args = words, args.With(name, rs.EncodeJSON(words))
	}
	found, words := operatorsIn(q)
	changed := args
	for _, o := range found {
		bounds := boundWords[o.name]
		if bounds == nil || o.denied {
			return args // is refused as it is
		}
		for _, bound := range bounds {
			day := o.day(bound)
			if day == "" && strings.HasSuffix(o.name, "_than") {
				day = o.value // is refused with the day that it is
			}
			if day == "" || changed.Has(bound) {
				return args
			}
			changed = append(slices.Clone(changed), rs.Member{Name: bound, Value: rs.EncodeJSON(day)})
		}
	}
	switch {
	case len(found) == 0:
		return args
	case words == "":
		return changed.Without(name)
	}
	return changed.With(name, rs.EncodeJSON(words))
}

// day is the bound of a search that an operator means; "" if it has no date.
func (o searchOperator) day(bound string) string {
	first, err := time.Parse(time.DateOnly, o.value)
	excluded := o.name == "before" || o.name == "older" || o.name == "lt"
	if err != nil {
		if excluded {
			bound = "since"
		}
		day := written.Day(bound, rs.EncodeJSON(o.value))
		if first, err = time.Parse(time.DateOnly, day); err != nil {
			return ""
		}
	}
	if excluded {
		first = first.AddDate(0, 0, -1)
	}
	return first.Format(time.DateOnly)
}

// WithoutOperators is the call that is meant by a search with operators: by a flag or a sender alone the records of the stream that has
// such a field, else the search for the words. s is the schema of all streams; nil where it is not known.
func (t Tool) WithoutOperators(args rs.Object, s *rs.Schema) (Call, bool) {
	q, name := queryOf(args)
	found, words := operatorsIn(q)
	if t.Name != "search" || len(found) == 0 {
		return Call{}, false
	}
	var filter rs.Object
	stream := ""
	condition := func(raw string, is func(rs.SchemaField) bool) bool {
		in, field := fieldLike(s, args, stream, is)
		if field == "" {
			return false
		}
		stream, filter = in, filter.With(field, raw)
		return true
	}
	rest := args.Without(name)
	for _, o := range found {
		flag, known := foreign.Flags[o.name+":"+strings.ToLower(o.value)]
		if o.denied && known {
			flag.Value = strconv.FormatBool(flag.Value != "true")
		}
		sender := (o.name == "from" || o.name == "sender") && words == "" && len(found) == 1
		switch {
		case o.denied && !known: // a search leaves out words, not senders
			for _, word := range strings.Fields(o.value) {
				words = strings.TrimSpace(words + " -" + word)
			}
		case known && condition(flag.Value, func(f rs.SchemaField) bool { return slices.Contains(flag.Fields, f.Name) }):
		case sender && strings.Contains(o.value, "@") && condition(rs.EncodeJSON(o.value), func(f rs.SchemaField) bool {
			return strings.Contains(f.Name, "email") && f.Type == "string"
		}):
		case sender && condition(rs.EncodeJSON(o.value), func(f rs.SchemaField) bool { return f.Role == "actor" }):
		case len(boundWords[o.name]) == 1:
			bound := boundWords[o.name][0]
			if day := o.day(bound); day != "" && !rest.Has(bound) {
				rest = rest.With(bound, rs.EncodeJSON(day))
			}
		case o.name == "has" || o.name == "is" || o.name == "in" || o.name == "label":
			if len(found) == 1 && words == "" {
				words = o.value
			}
		default:
			words = strings.TrimSpace(words + " " + o.value)
		}
	}
	if filter != nil && words == "" && !rest.Has("since") && !rest.Has("until") {
		records := rs.Object{{Name: "stream", Value: rs.EncodeJSON(stream)}}.WithAll(onlyConnection(args))
		return Call{"query_records", records.With("filter", filter.JSON())}, true
	}
	if filter != nil {
		rest = rest.With("streams", listed([]string{stream})).With("filter", filter.WithAll(args.Object("filter")).JSON())
	}
	if words != "" {
		rest = append(rs.Object{{Name: "q", Value: rs.EncodeJSON(words)}}, rest...)
	}
	return Call{t.Name, rest}, words != "" || rest.Has("since") || rest.Has("until")
}

// fieldLike finds a field that filters, in a stream or, where that is "", in the first of those that a search is of.
func fieldLike(s *rs.Schema, args rs.Object, stream string, is func(rs.SchemaField) bool) (in, field string) {
	if s == nil {
		return "", ""
	}
	for i := range s.Streams {
		row := &s.Streams[i]
		if stream != "" && row.Name != stream || args.Has("streams") && !slices.Contains(args.Array("streams"), rs.EncodeJSON(row.Name)) {
			continue
		}
		for _, f := range row.Fields() {
			if f.Granted && f.Exact && is(f) {
				return row.Name, f.Name
			}
		}
	}
	return "", ""
}

// words are names of an argument that looks for words and is not a field of a stream.
var words = append([]string{"q", "query"}, aliases["q"][1:7]...)

// conditional gives words that are conditions, such as "status='paid' AND total>10", the name of the filter.
func (t Tool) conditional(args rs.Object) rs.Object {
	for _, m := range args {
		s, _ := written.Text(m.Value)
		if t.Takes("filter") && t.Takes("stream") && !t.Takes(m.Name) && !args.Has("filter") && slices.Contains(words, written.Snake(m.Name)) &&
			(strings.ContainsAny(s, "<>=") || lucene().MatchString(s)) && foreign.IsText(s) {
			return renamed(args, m.Name, "filter", m.Value)
		}
	}
	return args
}

var lucene = written.Expression(`^[a-z]\w*:\S`)

// worded is the search for the words that a call of another tool looks for in a stream; false where it looks for none.
func (t Tool) worded(args rs.Object) (Call, bool) {
	if !t.Takes("stream") || !t.Takes("filter") || !args.Has("stream") {
		return Call{}, false
	}
	for _, m := range args {
		q, ok := written.Text(t.string(&parameter{Name: "q", Type: "string"}, m.Value))
		if t.Takes(m.Name) || !ok || q == "" || !slices.Contains(words, written.Snake(m.Name)) {
			continue
		}
		query := rs.Object{{Name: "q", Value: rs.EncodeJSON(q)}}
		return instead("search", args, query, "filter", "since", "until", "time_zone", "limit"), true
	}
	return Call{}, false
}

// members are those of some names that an object has.
func members(o rs.Object, names ...string) (kept rs.Object) {
	for _, m := range o {
		if slices.Contains(names, m.Name) {
			kept = append(kept, m)
		}
	}
	return kept
}

// searchFor is the search for a text that a filter cannot look for. The other conditions of the filter stay.
func searchFor(args rs.Object, sought rs.Member) (Call, bool) {
	s, ok := rs.AsText(sought.Value)
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "%*^$."))
	if !ok || s == "" {
		return Call{}, false
	}
	if q, _ := queryOf(args); q != "" {
		s = q + " " + s
	}
	return instead("search", args, rs.Object{{Name: "q", Value: rs.EncodeJSON(s)}}, "filter", "since", "until"), true
}

// plan is what one call can ask of the filter of arguments.
func plan(args rs.Object) (foreign.Plan, bool) {
	return foreign.Read(args.Get("filter"), args.Text("stream"))
}

// Sought is the search for the text that the filter of a call looks for within a field; false for any other filter.
func (t Tool) Sought(args rs.Object) (Call, bool) {
	p, ok := plan(args)
	if !ok || p.Sought == nil || !args.Has("stream") {
		return Call{}, false
	}
	return searchFor(filtered(args, p.Filter), *p.Sought)
}

// Unsearched is the call that is meant by a filter which looks for a text within a field that no search reads, and what it does: its
// values, or else the records without that condition. It is false for any other filter.
func (s KnownStream) Unsearched(t Tool, args rs.Object) (call Call, hint string, ok bool) {
	p, ok := plan(args)
	if !ok || p.Sought == nil || t.Takes("metric") || !t.Takes("stream") {
		return Call{}, "", false
	}
	f := s.field(p.Sought.Name)
	args = filtered(args, p.Filter)
	switch {
	case f == nil || f.Lexical:
		return Call{}, "", false
	case aggregates("group_by")(*f):
		call, ok = t.groupedBy(args, *p.Sought)
		call.Arguments = call.Arguments.With("limit", "100")
		return call, "Search does not read " + f.Name + ": the call below lists its values; send one for each that has the text.", ok
	}
	return Call{t.Name, args}, "Neither a filter nor search finds a text in " + f.Name + ": look at it in the records of the call below.", true
}

// Listed says how a part of a word is found in a field whose values can be listed, for which a filter looks within its texts; "" for any
// other.
func (s KnownStream) Listed(t Tool, args rs.Object) string {
	p, ok := plan(args)
	if !ok || p.Sought == nil || t.Takes("metric") {
		return ""
	}
	if f := s.field(p.Sought.Name); f == nil || !aggregates("group_by")(*f) {
		return ""
	}
	return "For a part of one, aggregate with group_by lists the values of " + quote.Line(p.Sought.Name) + "."
}

// groupedBy groups by a field of which no filter excludes a value: a number keeps what it is of, records are counted. It is false for a
// call that is grouped already.
func (t Tool) groupedBy(args rs.Object, excluded rs.Member) (Call, bool) {
	absent := excluded.Value == foreign.NoneOf || excluded.Value == foreign.AnyOf
	if t.Name != "aggregate" && absent || args.Has("group_by") || args.Has("group_by_time") {
		return Call{}, false
	}
	call := instead("aggregate", args, rs.Object{{Name: "metric", Value: `"count"`}}, "metric", "field", "filter", "time_zone")
	if call.Arguments = call.Arguments.With("group_by", rs.EncodeJSON(excluded.Name)); absent { // those without a value may be few
		call.Arguments = call.Arguments.With("limit", "100")
	}
	return call, true
}
