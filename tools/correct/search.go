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

// andNot is how other searches leave out a word.
var andNot = written.Expression(`(\s+AND\s+NOT\s+|\s+!)(\w[\w'-]*)`)

// queryOf is the query of a search, and the name of its argument.
func queryOf(args rs.Object) (q, name string) {
	for _, name = range []string{"q", "query"} {
		if q, ok := written.Text(args.Get(name)); ok && len(q) <= longestQuery {
			return q, name
		}
	}
	return "", ""
}

// dated takes before:, after: and the like with a date for the bounds of a search.
func dated(args rs.Object) rs.Object {
	q, name := queryOf(args)
	if words := andNot().ReplaceAllString(q, " -$2"); words != q && !strings.Contains(q, `"`) {
		q, args = words, args.With(name, rs.EncodeJSON(words))
	}
	found, words := foreign.QueryOperators(q)
	changed := args
	for _, o := range found {
		if foreign.BoundWords[o.Name] == "" || o.Denied {
			return args // is refused as it is
		}
		for bound := range strings.FieldsSeq(foreign.BoundWords[o.Name]) {
			day := foreign.SearchBound(o.Name, bound, rs.EncodeJSON(o.Value), time.Time{})
			if day == "" && strings.HasSuffix(o.Name, "_than") {
				day = rs.EncodeJSON(o.Value) // is refused with the day that it is
			}
			if day == "" || changed.Has(bound) {
				return args
			}
			changed = changed.With(bound, day)
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

// WithoutOperators is the call that is meant by a search with operators: by a flag or a sender alone the records of the stream that has
// such a field, else the search for the words, and what it says of those that it does not keep. s is the schema of all streams; nil
// where it is not known.
func (t Tool) WithoutOperators(args rs.Object, s *rs.Schema) (call Call, says string, ok bool) {
	q, name := queryOf(args)
	found, words := foreign.QueryOperators(q)
	rest := args.Without(name)
	for _, m := range slices.DeleteFunc(slices.Clone(args), func(m rs.Member) bool { return !t.IsOperator(m) }) {
		text, _ := written.Text(m.Value)
		found = append(found, foreign.QueryOperator{Name: operatorWords[written.Snake(m.Name)], Value: text})
		rest = slices.DeleteFunc(rest, func(m rs.Member) bool { return !t.Takes(m.Name) })
	}
	if t.Name != "search" || len(found) == 0 {
		return Call{}, "", false
	}
	var filter rs.Object
	var asWords, leftOut []string
	stream := ""
	condition := func(raw string, is func(rs.SchemaField) bool) bool {
		in, field := "", ""
		if s != nil {
			in, field = fieldLike(s, args, stream, is)
		}
		if field != "" {
			stream, filter = in, filter.With(field, raw)
		}
		return field != ""
	}
	for _, o := range found {
		flag, known := foreign.Flags[o.Name+":"+strings.ToLower(o.Value)]
		if o.Denied && known {
			flag.Value = strconv.FormatBool(flag.Value != "true")
		}
		isSender := o.Name == "from" || o.Name == "sender"
		sender := isSender && words == "" && len(found) == 1
		ofSender := func(f rs.SchemaField) bool { return fields.IsSenderAddress(f) && f.Type == "string" }
		sent := map[bool]string{true: "-"}[o.Denied] + o.Name + ":" + o.Value
		switch {
		case o.Denied && !known && o.Value != "me": // a search leaves out words, not senders
			words += " -" + strings.Join(strings.Fields(o.Value), " -")
			asWords = append(asWords, sent)
		case known && condition(flag.Value, func(f rs.SchemaField) bool { return slices.Contains(flag.Fields, f.Name) }):
		case isSender && isAddress().MatchString(o.Value) && condition(rs.EncodeJSON(o.Value), ofSender): // it is all of the field
		case sender && condition(rs.EncodeJSON(o.Value), func(f rs.SchemaField) bool { return f.Role == "actor" }):
		case len(boundsMeant(o, rest)) > 0:
			rest = rest.WithAll(boundsMeant(o, rest))
		case !o.Denied && (!slices.Contains([]string{"has", "is", "in", "label"}, o.Name) || len(found) == 1 && words == ""):
			words += " " + o.Value
			asWords = append(asWords, sent)
		default:
			leftOut = append(leftOut, sent)
		}
		words = strings.TrimSpace(words)
	}
	if asWords != nil {
		says = "The call below has as words, in any field: " + quote.Names(asWords, maxShown) + "."
	}
	if leftOut != nil {
		says = strings.TrimSpace(says + " The call below leaves out " + quote.Names(leftOut, maxShown) + ".")
	}
	timed := rest.Has("since") || rest.Has("until")
	switch {
	case filter != nil && words == "" && !timed:
		records := rs.Object{{Name: "stream", Value: rs.EncodeJSON(stream)}}.WithAll(onlyConnection(args))
		return Call{"query_records", records.With("filter", filter.JSON())}, says, true
	case filter != nil:
		rest = rest.With("streams", rs.EncodeJSON([]string{stream})).With("filter", filter.WithAll(args.Object("filter")).JSON())
	}
	if words != "" {
		rest = append(rs.Object{{Name: "q", Value: rs.EncodeJSON(words)}}, rest...)
	}
	return Call{t.Name, rest}, says, words != "" || timed
}

// isAddress is a whole address of mail.
var isAddress = written.Expression(`^[^@\s]+@[^@\s]+\.[^@\s]+$`)

// fieldLike finds a field that filters, in a stream or, where that is "", in the first of those that a search is of.
func fieldLike(s *rs.Schema, args rs.Object, stream string, is func(rs.SchemaField) bool) (in, field string) {
	for i := range s.Streams {
		row := &s.Streams[i]
		asked := !args.Has("streams") || slices.Contains(args.Array("streams"), rs.EncodeJSON(row.Name))
		for _, f := range row.Fields() {
			if asked && (stream == "" || row.Name == stream) && f.Granted && f.Exact && is(f) {
				return row.Name, f.Name
			}
		}
	}
	return "", ""
}

// worded is the search for the words that a call of another tool looks for in a stream; false where it looks for none.
func (t Tool) worded(args rs.Object) (Call, bool) {
	if !t.Takes("stream") || !t.Takes("filter") || !args.Has("stream") {
		return Call{}, false
	}
	for _, m := range args {
		q, ok := written.Text(t.string(&parameter{Name: "q", Type: "string"}, m.Value))
		if t.Takes(m.Name) || !ok || q == "" || !slices.Contains(wordArguments, written.Snake(m.Name)) {
			continue
		}
		query := rs.Object{{Name: "q", Value: rs.EncodeJSON(q)}}
		return instead("search", args, query, "filter", "since", "until", "time_zone", "limit"), true
	}
	return Call{}, false
}

// IsOperator reports whether an argument of a search is what an operator in its query says elsewhere: whom its hits are from, and the like.
func (t Tool) IsOperator(m rs.Member) bool {
	name := written.Snake(m.Name)
	text, ok := written.Text(m.Value)
	bound := slices.Contains(aliases["since"], name) || slices.Contains(aliases["until"], name)
	return ok && t.Name == "search" && operatorWords[name] != "" && !strings.ContainsAny(text, `"`) && (!bound || namesSomeone(m))
}

// boundsMeant are the bounds that an operator means, also by its distance from today, and that are not given; none if it has no date.
func boundsMeant(o foreign.QueryOperator, given rs.Object) rs.Object {
	found, _ := foreign.SearchBounds(rs.Member{Name: o.Name, Value: rs.EncodeJSON(o.Value)})
	return slices.DeleteFunc(found, func(m rs.Member) bool { return !written.IsTime(m.Value) || given.Has(m.Name) })
}

// operatorWords are names of arguments that other searches have, with the operator that says the same in a query.
var operatorWords = written.ByWord(map[string]string{
	"from": "from sender author by sender_name from_name written_by sent_by", "to": "to recipient recipients sent_to", "cc": "cc",
	"subject": "subject title",
})
