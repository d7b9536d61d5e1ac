package tools

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// isSearched reports whether search reads a field of the call's stream.
func isSearched(schema *rs.Schema, call Call, field string) bool {
	if schema == nil {
		return false
	}
	for i := range schema.Streams {
		stream := &schema.Streams[i]
		if stream.Name == call.Scope.Stream && known.HasConnection(stream, call.Scope.ConnectionID) &&
			slices.ContainsFunc(stream.Fields(), func(f rs.SchemaField) bool { return f.Name == field && f.Lexical }) {
			return true
		}
	}
	return false
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
		e.Search = rs.Object{{Name: "q", Value: rs.EncodeJSON(value)}, {Name: "streams", Value: rs.EncodeJSON([]string{parent})}}
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
	if e.Meant == nil && isSearched(schema, call, e.Field) {
		e.Whole = true
		searchValue(ctx, call, f, e, value)
	}
}

// searchValue finds the search for words that a field may hold among others, with the other conditions of the call where those leave hits.
func searchValue(ctx context.Context, call Call, f filter.Filter, e *render.EmptyField, value string) {
	args := call.Arguments
	alone := withWords(value, inConnection(call, "streams", []string{call.Scope.Stream}))
	conditions := slices.DeleteFunc(slices.Clone(f), func(c filter.Condition) bool { return c.Field == e.Field })
	search := searchArgs{q: value, streams: []string{call.Scope.Stream}, limit: 1}
	if len(conditions) > 0 {
		search.filter = conditions
		if hits, _ := searchHits(ctx, call, search); len(hits) > 0 {
			e.Search = alone.With("filter", args.Object("filter").Without(e.Field).JSON())
			if zone := args.Get("time_zone"); zone != "" {
				e.Search = e.Search.With("time_zone", zone)
			}
			return
		}
		search.filter = nil
	}
	if hits, ok := searchHits(ctx, call, search); len(hits) > 0 || !ok {
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
