package correct

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

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

// filteredBy is a call with one more part of its filter, in whatever form they are.
func (t Tool) filteredBy(args, part rs.Object) rs.Object {
	switch filter := args.Object("filter"); {
	case foreign.IsEmpty(args.Get("filter")):
		return args.With("filter", part.JSON())
	case filter == nil || filter.Includes(part[0].Name):
		return args.With("filter", rs.JoinArray([]string{args.Get("filter"), part.JSON()}))
	default:
		return args.With("filter", append(slices.Clone(filter), part...).JSON())
	}
}

// misplaced returns the call whose filter's conditions on what is an argument of the tool are that argument; false for none.
func (t Tool) misplaced(args rs.Object) (Call, bool) {
	mended, filter := args, args.Object("filter")
	for _, m := range filter {
		name := m.Name
		if name == "stream" && t.Takes("streams") {
			name = "streams"
		}
		p := t.parameter(name)
		if p == nil || !p.allows(m.Value) || name == "q" || name == "limit" || mended.Has(name) || rs.Kind(m.Value) == "object" {
			continue
		}
		mended, filter = mended.With(name, t.value(p, m.Value)), filter.Without(m.Name)
	}
	if len(mended) == len(args) {
		return Call{}, false
	}
	return Call{t.Name, filtered(mended, filter)}, true
}

// Rewritten returns the call that a resource server probably takes instead of one that it refused, where no name needs to be known
// for that: with dates and booleans in their usual form, without a view that it refuses, with a filter's condition on what is an
// argument as that argument.
func (t Tool) Rewritten(args rs.Object, refused *rs.Error) (Call, bool) {
	if call, ok := t.misplaced(args); ok {
		return call, true
	}
	if refused.Code != "invalid_request" {
		return Call{}, false
	}
	if refused.Param == "view" || args.Has("view") && strings.Contains(refused.Message, "view") {
		return Call{t.Name, args.Without("view")}, true
	}
	if count, _ := written.Text(args.Get("count")); count == "estimated" && strings.Contains(refused.Message, "count") {
		return Call{t.Name, args.With("count", `"exact"`)}, true
	}
	filter, found := args.Object("filter"), false
	for _, m := range filter {
		if value := inForm(m, refused.Message); value != "" {
			filter, found = filter.With(m.Name, value), true
		}
	}
	if !found {
		return Call{}, false
	}
	return Call{t.Name, args.With("filter", filter.JSON())}, true
}

// WithoutStream reports whether a call has a filter and not the one stream that it needs for it.
func (t Tool) WithoutStream(args rs.Object) bool {
	if _, misplaced := t.misplaced(args); misplaced { // the filter names the stream
		return false
	}
	return args.Object("filter") != nil && !args.Has("stream") && !args.Has("streams") && (t.Takes("stream") || t.Takes("streams"))
}

// Unfiltered returns the call that reads without what a resource server refuses a token at all: records of a period by a search, which
// looks through them, instead of a number the fields that it was to be filtered by, and anything else without the arguments.
func (t Tool) Unfiltered(args rs.Object, refused *rs.Error) Call {
	filter := args.Object("filter")
	if t.Name == "aggregate" && len(filter) > 0 { // a number over all records would be taken for the one that was asked for
		names := make([]string, len(filter))
		for i, m := range filter {
			names[i] = m.Name
		}
		return instead("query_records", args, rs.Object{{Name: "fields", Value: rs.EncodeJSON(names)}, {Name: "limit", Value: "100"}})
	}
	if t.Name != "query_records" || refused.Param != "filter" || len(filter) != 1 {
		return Call{t.Name, args.Without("filter", "expand", "expand_limit")}
	}
	var period rs.Object
	for _, r := range rs.AsObject(filter[0].Value) {
		bounds, _ := boundsOf(r)
		if bounds == nil || !written.IsTime(bounds[0].Value) {
			return Call{t.Name, args.Without("filter")}
		}
		period = period.WithAll(bounds)
	}
	if period == nil {
		return Call{t.Name, args.Without("filter")}
	}
	return instead("search", args, period)
}
