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
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/likeid"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Bounds of the reads that explain a page without records: a count for each field of the filter, and the values of a field if no record
// has the requested one.
const (
	maxExplained    = 5
	explainDeadline = 1500 * time.Millisecond
)

// explainEmpty counts for each field of a filter the records that match the conditions on this field alone. A count that fails stays -1.
// For a field that matches nothing, it reads the range of its values, or looks for the value that is meant.
func explainEmpty(ctx context.Context, call Call, f filter.Filter) []render.EmptyField {
	ctx, cancel := context.WithTimeout(ctx, explainDeadline)
	defer cancel()
	var fields []render.EmptyField
	for _, c := range f {
		if !slices.ContainsFunc(fields, func(e render.EmptyField) bool { return e.Field == c.Field }) && len(fields) < maxExplained {
			fields = append(fields, render.EmptyField{Field: c.Field, Alone: -1})
		}
	}
	read.All(ctx, len(fields), func(ctx context.Context, i int) {
		own := f.WithoutFunc(func(c filter.Condition) bool { return c.Field != fields[i].Field })
		value := own[0].Value.String()
		e := emptyField{&fields[i], call, f, cmp.Or(strings.Trim(value, "*%"), value)}
		n, ok := aggregate.Count(ctx, call.RS, call.Scope, own)
		if !ok {
			return
		}
		switch e.Alone = n; {
		case n > 0:
		case own[0].Operator != "":
			e.Least = aggregate.Read(ctx, call.RS, call.Scope, aggregate.Args{Metric: "min", Field: e.Field}).Get("value")
			e.Most = aggregate.Read(ctx, call.RS, call.Scope, aggregate.Args{Metric: "max", Field: e.Field}).Get("value")
		default:
			e.Signs = strings.ContainsAny(value, "*%")
			e.explainValue(ctx)
		}
	})
	return fields
}

// An emptyField is a field in a call's filter whose value no record has.
type emptyField struct {
	*render.EmptyField
	call   Call
	filter filter.Filter
	value  string
}

// setMeant records which value is meant, as JSON.
func (e emptyField) setMeant(value string) { e.Meant = withValue(e.call, e.Field, value) }

// setMeantIf records that a text is meant, if there are records with it.
func (e emptyField) setMeantIf(ctx context.Context, text string, f filter.Filter) {
	if n, _ := aggregate.Count(ctx, e.call.RS, e.call.Scope, f.Only(e.Field, text)); n > 0 {
		e.setMeant(rs.EncodeJSON(text))
	}
}

// explainValue finds out what is meant by the value: a similar value; the id of a record of another stream, if the value is the handle or
// the title of that record; or words within a longer text.
func (e emptyField) explainValue(ctx context.Context) {
	schema := e.call.knownStream(ctx, "").Document
	fields := slices.DeleteFunc(known.FieldsOf(schema, e.call.Scope), func(f rs.SchemaField) bool { return f.Name != e.Field })
	grouped := func(f rs.SchemaField) bool { return slices.Contains(f.Aggregates, "group_by") }
	switch part := e.value[strings.LastIndexByte(e.value, ':')+1:]; {
	case e.Field == "id" || strings.HasSuffix(e.Field, "_id"): // a similar id is another record's
	case part != "" && part != e.value && len(fields) > 0 && !slices.ContainsFunc(fields, grouped): // its values cannot be listed
		e.setMeantIf(ctx, part, e.filter)
	default:
		e.compareValues(ctx)
	}
	if !strings.ContainsFunc(e.value, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return
	}
	parent, ok := known.ParentOf(schema, e.call.Scope, e.Field)
	if e.Field == "id" {
		parent, ok = e.call.Scope.Stream, true
	}
	switch {
	case ok:
		e.findRecord(ctx, parent)
	case e.Meant == nil && slices.ContainsFunc(fields, func(f rs.SchemaField) bool { return f.Lexical }):
		e.Whole = true
		e.searchValue(ctx, slices.ContainsFunc(fields, func(f rs.SchemaField) bool { return f.Role == "primary-title" }))
	}
}

// compareValues reads which values the field has, and which of them is similar to the requested one.
func (e emptyField) compareValues(ctx context.Context) {
	groups, beyond := aggregate.GroupsOf(ctx, e.call.RS, e.call.Scope, e.Field, aggregate.MaxCompared)
	having := 0
	for _, g := range groups {
		if g.Key != "null" {
			having += g.Count
		}
	}
	groups = slices.DeleteFunc(groups, func(g aggregate.Group) bool { return g.Key == "null" && g.Count <= having }) // else it may be meant
	var texts []string
	for _, g := range groups {
		text, _ := g.Text() // "" for null
		texts, e.Values = append(texts, text), append(e.Values, render.KnownValue(g))
	}
	e.Beyond = beyond
	alternatives := written.Alternatives(e.value)
	several := slices.DeleteFunc(alternatives, func(name string) bool { return !slices.Contains(texts, name) })
	if len(several) > 1 {
		e.Calls = len(several)
		e.setMeant(rs.EncodeJSON(several[0]))
	} else if near := written.Meant(e.value, texts); near != "" && !foreign.Denies(e.value, near) {
		e.setMeant(groups[slices.Index(texts, near)].Key)
	} else if name := written.OtherOrder(e.value); name != "" && e.Beyond { // it may be among the values that were not read
		e.setMeantIf(ctx, name, nil)
	}
}

// findRecord finds the record of a stream that the value means, where the field takes an id.
func (e emptyField) findRecord(ctx context.Context, stream string) {
	e.IDsOf = stream
	if ref, err := rs.ParseRef(e.value); err == nil && ref.Stream == stream {
		e.setMeant(rs.EncodeJSON(ref.RecordID))
		return
	}
	other, record := likeid.Find(ctx, e.call.RS, rs.Scope{Stream: stream, ConnectionID: e.call.Scope.ConnectionID}, e.value)
	if other != "" {
		e.setMeant(rs.EncodeJSON(other))
		return
	} else if e.Record = record; record != "" {
		return
	}
	hits, ok := searchHits(ctx, e.call, searchArgs{q: e.value, streams: []string{stream}, limit: 2})
	titled := func(i int) bool { return i < len(hits) && strings.EqualFold(hits[i].Text("title"), e.value) }
	if !ok || len(hits) > 0 {
		e.Search = rs.Object{rs.NewMember("q", e.value), rs.NewMember("streams", []string{stream})}
	}
	if (len(hits) == 1 || titled(0) && !titled(1)) && hits[0].Text("record_key", "record_id") != "" {
		e.setMeant(rs.EncodeJSON(hits[0].Text("record_key", "record_id")))
	}
}

// searchValue finds the search for words that the field may contain among others. The search keeps the other conditions of the call if it
// then has hits. In a field of titles, it finds the title that differs only in case, accents, spaces or punctuation.
func (e emptyField) searchValue(ctx context.Context, titles bool) {
	stream := []string{e.call.Scope.Stream}
	alone := argument.WithWords(e.value, argument.InConnection(e.call.Arguments, "streams", stream))
	search := searchArgs{q: e.value, streams: stream, limit: 5, filter: e.filter.Without(e.Field)}
	hits, ok := searchHits(ctx, e.call, search)
	for _, hit := range hits {
		if title := hit.Text("title"); titles && title != e.value &&
			written.Letters(written.Folded(title)) == written.Letters(written.Folded(e.value)) {
			e.setMeant(rs.EncodeJSON(title))
			e.Whole = false
			return
		}
	}
	if len(search.filter) > 0 && len(hits) > 0 {
		e.Search = alone.With("filter", e.call.Arguments.Object("filter").Without(e.Field).JSON())
		if zone := e.call.Arguments.Get("time_zone"); zone != "" {
			e.Search = e.Search.With("time_zone", zone)
		}
		return
	}
	if len(search.filter) > 0 {
		search.filter = nil
		hits, ok = searchHits(ctx, e.call, search)
	}
	if len(hits) > 0 || !ok {
		e.Search = alone
	}
}

// searchHits returns the first hits of a search that have all its words; false if the search failed.
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
