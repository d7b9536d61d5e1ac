package correct

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// WithoutOperators rewrites a search with operators: as records with a flag or a sender, or as a search for words. says names the operators
// that became words or were left out. s, the schema of all streams, may be nil.
func (t Tool) WithoutOperators(args rs.Object, s *rs.Schema) (call Call, says string, ok bool) {
	q, name := foreign.QueryOf(args)
	found, words := foreign.QueryOperators(q)
	meant := operatorSearch{schema: s, args: args, rest: args.Without(name), words: words, now: t.now}
	for _, m := range args {
		if t.IsOperator(m) {
			text, _ := written.Text(m.Value)
			found = append(found, foreign.QueryOperator{Name: foreign.OperatorWords[written.Snake(m.Name)], Value: text})
			meant.rest = slices.DeleteFunc(meant.rest, func(m rs.Member) bool { return !t.Takes(m.Name) })
		}
	}
	if t.Name != "search" || len(found) == 0 {
		return Call{}, "", false
	}
	for _, o := range found {
		meant.take(o, len(found) == 1 && words == "")
	}
	if meant.asWords != nil {
		says = "The call below has as words, in any field: " + quote.Names(meant.asWords, maxShown) + "."
	}
	if meant.leftOut != nil {
		says = strings.TrimSpace(says + " The call below leaves out " + quote.Names(meant.leftOut, maxShown) + ".")
	}
	timed := meant.rest.Has("since") || meant.rest.Has("until")
	switch {
	case meant.filter != nil && meant.words == "" && !timed:
		records := rs.Object{rs.NewMember("stream", meant.stream)}.WithAll(onlyConnection(args))
		return Call{"query_records", records.With("filter", meant.filter.JSON())}, says, true
	case meant.filter != nil:
		rest := meant.rest.With("streams", rs.EncodeJSON([]string{meant.stream}))
		meant.rest = rest.With("filter", meant.filter.WithAll(args.Object("filter")).JSON())
	}
	if meant.words != "" {
		meant.rest = append(rs.Object{rs.NewMember("q", meant.words)}, meant.rest...)
	}
	return Call{t.Name, meant.rest}, says, meant.words != "" || timed
}

// An operatorSearch is the meaning of the operators of a search that were read so far.
type operatorSearch struct {
	schema     *rs.Schema
	args, rest rs.Object // as sent, and without the operators
	words      string
	stream     string // has the fields of filter
	filter     rs.Object
	now        time.Time

	asWords, leftOut []string // operators
}

// address matches a complete mail address.
var address = written.Expression(`^[^@\s]+@[^@\s]+\.[^@\s]+$`)

// take reads an operator as a condition, as a bound of time, or else as words. alone is set if the search has nothing else.
func (s *operatorSearch) take(o foreign.QueryOperator, alone bool) {
	flag, known := foreign.Flags[o.Name+":"+strings.ToLower(o.Value)]
	if o.Denied && known {
		flag.Value = strconv.FormatBool(flag.Value != "true")
	}
	isSender, value := o.Name == "from" || o.Name == "sender", rs.EncodeJSON(o.Value)
	hasFlag := func(f rs.SchemaField) bool { return slices.Contains(flag.Fields, f.Name) }
	hasAddress := func(f rs.SchemaField) bool { return fields.IsSenderAddress(f) && f.Type == "string" }
	isActor := func(f rs.SchemaField) bool { return f.Role == "actor" }
	sent := quote.When(o.Denied, "-") + o.Name + ":" + o.Value
	switch {
	case o.Denied && !known && o.Value != "me": // search excludes words, not senders
		s.words += " -" + strings.Join(strings.Fields(o.Value), " -")
		s.asWords = append(s.asWords, sent)
	case known && s.filterBy(flag.Value, hasFlag):
	case isSender && address().MatchString(o.Value) && s.filterBy(value, hasAddress): // a filter needs the whole address
	case isSender && alone && s.filterBy(value, isActor):
	case len(o.Bounds(s.rest, s.now)) > 0:
		s.rest = s.rest.WithAll(o.Bounds(s.rest, s.now))
	case !o.Denied && (alone || !slices.Contains([]string{"has", "is", "in", "label"}, o.Name)):
		s.words += " " + o.Value
		s.asWords = append(s.asWords, sent)
	default:
		s.leftOut = append(s.leftOut, sent)
	}
	s.words = strings.TrimSpace(s.words)
}

// filterBy adds a condition on a field that matches is, in s.stream or else in the first searched stream with one; false if there is none.
func (s *operatorSearch) filterBy(raw string, is func(rs.SchemaField) bool) bool {
	if s.schema == nil {
		return false
	}
	for i := range s.schema.Streams {
		row := &s.schema.Streams[i]
		if s.args.Has("streams") && !slices.Contains(s.args.Array("streams"), rs.EncodeJSON(row.Name)) || s.stream != "" && row.Name != s.stream {
			continue
		}
		for _, f := range row.Fields() {
			if f.Granted && f.Exact && is(f) {
				s.stream, s.filter = row.Name, s.filter.With(f.Name, raw)
				return true
			}
		}
	}
	return false
}

// worded returns the search for the words that a call of another tool looks for in a stream; false if it looks for none.
func (t Tool) worded(args rs.Object) (Call, bool) {
	if !t.Takes("stream") || !t.Takes("filter") || !args.Has("stream") {
		return Call{}, false
	}
	for _, m := range args {
		q, ok := written.Text(foreign.OneQuery(m.Value))
		if t.Takes(m.Name) || !ok || q == "" || !slices.Contains(foreign.WordArguments, written.Snake(m.Name)) {
			continue
		}
		query := rs.Object{rs.NewMember("q", q)}
		return instead("search", args, query, "filter", "since", "until", "time_zone", "limit"), true
	}
	return Call{}, false
}

// IsOperator reports whether an argument of a search means what other APIs express by an operator in the query, such as from:.
func (t Tool) IsOperator(m rs.Member) bool {
	name := written.Snake(m.Name)
	text, ok := written.Text(m.Value)
	bound := slices.Contains(foreign.Aliases["since"], name) || slices.Contains(foreign.Aliases["until"], name)
	return ok && t.Name == "search" && foreign.OperatorWords[name] != "" && !strings.ContainsAny(text, `"`) &&
		(!bound || foreign.NamesSomeone(m))
}
