package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Bounds of what is read to explain a page without records: a count for each field of the filter, and the values of a field of which
// no record has the one that was asked for.
const (
	maxExplained      = 5
	maxComparedValues = 100
	explainDeadline   = 1500 * time.Millisecond
)

// explainEmpty reads how many records each field of a filter leaves alone. What is not answered is not said.
func explainEmpty(ctx context.Context, call Call, f filter.Filter) []render.EmptyField {
	ctx, cancel := context.WithTimeout(ctx, explainDeadline)
	defer cancel()
	var fields []render.EmptyField
	for _, c := range f {
		if !slices.ContainsFunc(fields, func(e render.EmptyField) bool { return e.Field == c.Field }) && len(fields) < maxExplained {
			fields = append(fields, render.EmptyField{Field: c.Field, Alone: -1})
		}
	}
	_ = read.Parallel(ctx, len(fields), func(ctx context.Context, i int) error {
		explainField(ctx, call, f, &fields[i])
		return nil
	})
	return fields
}

func explainField(ctx context.Context, call Call, f filter.Filter, e *render.EmptyField) {
	own := slices.DeleteFunc(slices.Clone(f), func(c filter.Condition) bool { return c.Field != e.Field })
	n, ok := aggregated(ctx, call, aggregate.Args{Metric: "count", Filter: own}).Number("value")
	if !ok {
		return
	}
	e.Alone = n
	switch {
	case n > 0:
		return
	case own[0].Operator != "":
		e.Least = aggregated(ctx, call, aggregate.Args{Metric: "min", Field: e.Field}).Get("value")
		e.Most = aggregated(ctx, call, aggregate.Args{Metric: "max", Field: e.Field}).Get("value")
		return
	}
	value := cmp.Or(strings.Trim(own[0].Value, "*%"), own[0].Value)
	e.Signs = strings.ContainsAny(own[0].Value, "*%")
	switch part := value[strings.LastIndexByte(value, ':')+1:]; {
	case e.Field == "id" || strings.HasSuffix(e.Field, "_id"): // an id is no other record's
	case part != "" && part != value && isUngrouped(ctx, call, e.Field): // in place of its values, which are not to be had
		if n, _ := aggregated(ctx, call, aggregate.Args{Metric: "count", Filter: f.Only(e.Field, part)}).Number("value"); n > 0 {
			e.Meant = withValue(call, e.Field, rs.EncodeJSON(part))
		}
	default:
		explainValues(ctx, call, e, value)
	}
	explainValue(ctx, call, f, e, value)
}

// explainValues reads which values a field has, and which of them is near to one that it does not have.
func explainValues(ctx context.Context, call Call, e *render.EmptyField, value string) {
	var texts []string
	counts := aggregated(ctx, call, aggregate.Args{Metric: "count", GroupBy: e.Field, Limit: maxComparedValues})
	beyond, _ := counts.Number("other_count")
	e.Beyond = beyond > 0
	for _, raw := range counts.Array("groups") {
		if one := rs.AsObject(raw); one.Has("key") {
			count, _ := one.Number("count")
			e.Values = append(e.Values, render.KnownValue{Key: one.Get("key"), Count: count})
			text, _ := rs.AsText(one.Get("key"))
			texts = append(texts, text)
		}
	}
	if text := written.WordOfOne(value, texts); text != "" {
		e.Meant = withValue(call, e.Field, e.Values[slices.Index(texts, text)].Key)
		return
	}
	if strings.HasPrefix(value, "!") || !written.IsNearOne(value, texts) { // what is meant is any other
		return
	}
	if near := written.Nearest(value, texts, 1); len(near) > 0 && !written.InsideWord(near[0], value) {
		e.Meant = withValue(call, e.Field, e.Values[slices.Index(texts, near[0])].Key)
		if both := inTwoFields(ctx, call, e.Field, near[0], value); both != nil {
			e.Meant = both
		}
	}
	if name := written.OtherOrder(value); name != "" && e.Beyond && e.Meant == nil { // it may be one that was not read
		own := filter.Filter{{Field: e.Field, Value: name}}
		if n, _ := aggregated(ctx, call, aggregate.Args{Metric: "count", Filter: own}).Number("value"); n > 0 {
			e.Meant = withValue(call, e.Field, rs.EncodeJSON(name))
		}
	}
}

// nameParts are parts of the names of the two fields that have the name of a person.
var nameParts = [][2]string{{"first", "last"}, {"given", "family"}, {"first", "sur"}, {"vor", "nach"}, {"prénom", "nom"}}

// inTwoFields are the arguments of a call in whose filter the field for a part of a person's name has the whole of it, with the rest of the
// name in the other field; nil where the stream has no such field, or no such record.
func inTwoFields(ctx context.Context, call Call, field, part, name string) rs.Object {
	of := strings.Fields(written.Folded(part))
	words := strings.FieldsFunc(name, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
	rest := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(of, written.Folded(word)) })
	if len(rest) == 0 || len(rest) == len(words) || call.Tool == nil || call.Tool.Schema == nil {
		return nil
	}
	plain := func(name string) string { return strings.ReplaceAll(written.Snake(name), "_", "") }
	other, all := "", fieldsOf(call.Tool.Schema(ctx, call.RS, call.Scope.Stream, call.Scope.ConnectionID), call)
	for _, names := range nameParts {
		for i := range names {
			before, after, found := strings.Cut(plain(field), names[i])
			meant := before + names[1-i] + after
			at := slices.IndexFunc(all, func(f rs.SchemaField) bool { return found && f.Granted && f.Exact && plain(f.Name) == meant })
			if at >= 0 {
				other = all[at].Name
			}
		}
	}
	if other == "" {
		return nil
	}
	both := filter.Filter{{Field: field, Value: part}, {Field: other, Value: strings.Join(rest, " ")}}
	if n, _ := aggregated(ctx, call, aggregate.Args{Metric: "count", Filter: both}).Number("value"); n == 0 {
		return nil
	}
	asked := call.Arguments.Object("filter").WithAll(both.Object())
	return call.Arguments.With("filter", asked.JSON())
}

// Bounds of the ids whose form another is brought into, and of those that are looked for.
const (
	comparedIDs = 5
	maxAlikeIDs = 3
)

// likeIDs returns the id of the record that is meant by an id in another form, such as evt-0007 for evt-7; "" if no such record exists. It
// makes one read, and a count for each candidate.
func likeIDs(ctx context.Context, call Call, stream, id string) string {
	const longest = 100
	if len(id) > longest || !strings.ContainsAny(id, "0123456789") || strings.ContainsAny(id, " \t\n") {
		return ""
	}
	newest := queryRecordsArgs{limit: comparedIDs, fields: []string{"id"}}
	response, err := call.RS.Do(ctx, newest.Request(rs.Scope{Stream: stream, ConnectionID: call.Scope.ConnectionID}))
	if err != nil {
		return ""
	}
	list, _ := response.List()
	call.Scope.Stream = stream
	others := []string{id, strings.TrimLeft(id, "#")}
	for _, item := range list.Items {
		others = append(others, written.LikeID(id, item.Members.Text("record_key", "record_id", "id")))
	}
	slices.Sort(others[2:])
	others = slices.DeleteFunc(slices.Compact(others), func(other string) bool { return other == "" || other == id })
	for _, other := range others[:min(len(others), maxAlikeIDs)] {
		if n, _ := counted(ctx, call, filter.Filter{{Field: "id", Value: other}}); n > 0 {
			return other
		}
	}
	return ""
}

// fieldsOf are the fields of the call's stream, under each connection that has it.
func fieldsOf(schema *rs.Schema, call Call) (all []rs.SchemaField) {
	if schema == nil {
		return nil
	}
	for i := range schema.Streams {
		if stream := &schema.Streams[i]; stream.Name == call.Scope.Stream && known.HasConnection(stream, call.Scope.ConnectionID) {
			all = append(all, stream.Fields()...)
		}
	}
	return all
}

// hasField reports whether the call's stream has a field that is right.
func hasField(schema *rs.Schema, call Call, field string, right func(rs.SchemaField) bool) bool {
	return slices.ContainsFunc(fieldsOf(schema, call), func(f rs.SchemaField) bool { return f.Name == field && right(f) })
}

// isUngrouped reports whether the schema, which explainValue reads too, says that records cannot be grouped by a field.
func isUngrouped(ctx context.Context, call Call, field string) bool {
	if call.Tool == nil || call.Tool.Schema == nil {
		return false
	}
	schema := call.Tool.Schema(ctx, call.RS, "", call.Scope.ConnectionID)
	groups := func(f rs.SchemaField) bool { return slices.Contains(f.Aggregates, "group_by") }
	return hasField(schema, call, field, func(f rs.SchemaField) bool { return f.Granted }) && !hasField(schema, call, field, groups)
}

// explainValue finds out what is meant by the value of a field that no record has: the id of a record of another stream, which may have
// been named by its handle or its title, or words that a text holds among others. f is the filter of the call.
func explainValue(ctx context.Context, call Call, f filter.Filter, e *render.EmptyField, value string) {
	if call.Tool == nil || call.Tool.Schema == nil || !strings.ContainsFunc(value, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return
	}
	schema := call.Tool.Schema(ctx, call.RS, "", call.Scope.ConnectionID)
	parent, ok := known.ParentOf(schema, call.Scope, e.Field)
	if e.Field == "id" {
		parent, ok = call.Scope.Stream, true
	}
	if ok {
		e.IDsOf = parent
		if ref, err := rs.ParseRef(value); err == nil && ref.Stream == parent {
			e.Meant = withValue(call, e.Field, rs.EncodeJSON(ref.RecordID))
			return
		}
		if other := likeIDs(ctx, call, parent, value); other != "" {
			e.Meant = withValue(call, e.Field, rs.EncodeJSON(other))
			return
		}
		e.Search = rs.Object{encoded("q", value), encoded("streams", []string{parent})}
		hits, ok := searchHits(ctx, call, searchArgs{q: value, streams: []string{parent}, limit: 2})
		titled := func(i int) bool { return i < len(hits) && strings.EqualFold(hits[i].Text("title"), value) }
		switch {
		case ok && len(hits) == 0:
			e.Search = nil
		case (len(hits) == 1 || titled(0) && !titled(1)) && hits[0].Text("record_key", "record_id") != "":
			e.Meant = withValue(call, e.Field, rs.EncodeJSON(hits[0].Text("record_key", "record_id")))
		}
		return
	}
	if e.Meant == nil && hasField(schema, call, e.Field, func(f rs.SchemaField) bool { return f.Lexical }) {
		e.Whole = true
		titles := hasField(schema, call, e.Field, func(f rs.SchemaField) bool { return f.Role == "primary-title" })
		searchValue(ctx, call, f, e, value, titles)
	}
}

// searchValue finds the search for words that a field may hold among others, with the other conditions of the call where those leave hits;
// of a field of titles, the one that differs in case or accents alone.
func searchValue(ctx context.Context, call Call, f filter.Filter, e *render.EmptyField, value string, titles bool) {
	args := call.Arguments
	alone := withWords(value, inConnection(call, "streams", []string{call.Scope.Stream}))
	search := searchArgs{q: value, streams: []string{call.Scope.Stream}, limit: 5, filter: f.Without(e.Field)}
	hits, ok := searchHits(ctx, call, search)
	for _, hit := range hits {
		if title := hit.Text("title"); titles && written.Folded(title) == written.Folded(value) {
			e.Meant, e.Whole = withValue(call, e.Field, rs.EncodeJSON(title)), false
			return
		}
	}
	if len(search.filter) > 0 {
		if len(hits) > 0 {
			e.Search = alone.With("filter", args.Object("filter").Without(e.Field).JSON())
			if zone := args.Get("time_zone"); zone != "" {
				e.Search = e.Search.With("time_zone", zone)
			}
			return
		}
		search.filter = nil
		hits, ok = searchHits(ctx, call, search)
	}
	if len(hits) > 0 || !ok {
		e.Search = alone
	}
}

// withValue are the arguments of a call with another value for a field of its filter.
func withValue(call Call, field, value string) rs.Object {
	args := call.Arguments
	return args.With("filter", args.Object("filter").With(field, value).JSON())
}

// searchHits are the first hits of a search that have all its words; false where that is not answered.
func searchHits(ctx context.Context, call Call, args searchArgs) ([]rs.Object, bool) {
	response, err := call.RS.Do(ctx, args.Request(rs.Scope{ConnectionID: call.Scope.ConnectionID}))
	if err != nil {
		return nil, false
	}
	list, ok := response.List()
	var hits []rs.Object
	for _, item := range list.Items {
		if match := item.Members.Text("match"); match != "some" && match != "nearest" {
			hits = append(hits, item.Members)
		}
	}
	return hits, ok
}
