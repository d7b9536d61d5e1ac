package aggregate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Bounds of the reads that explain a number.
const (
	maxTitles      = 10
	titlesDeadline = time.Second
	maxStatuses    = 3
)

// cancelled matches the names of statuses whose records may not count.
var cancelled = written.Expression(`(?i)\bvoid|` + lexicon.Pattern("cancelled-part"))

// AddStatus adds to a sum or an average that it includes records of every status, if they can be grouped by status, with the call (sent)
// that separates them. To a count it adds this only if some records are cancelled or deleted, which takes one more read.
func (r *Aggregation) AddStatus(ctx context.Context, sent rs.Object) {
	isCount, status := r.Args.Metric == "count", ""
	if isCount || r.Args.Metric == "sum" || r.Args.Metric == "avg" {
		status = r.Fields(ctx).Status()
	}
	if status == "" || status == r.Args.GroupBy || r.Args.Filter.Has(status) {
		return
	}
	note, end := "every "+named(status)+" is included", "; filter by it to leave some out"
	if isCount {
		ctx, cancel := context.WithTimeout(ctx, titlesDeadline)
		defer cancel()
		body, _ := r.do(ctx, r.scope, Args{Metric: "count", GroupBy: status, Limit: maxGroups, Filter: r.Args.Filter})
		var among []string
		for _, g := range Groups(body) {
			if text, ok := g.Text(); ok && cancelled().MatchString(text) && len(among) < maxStatuses {
				among = append(among, fmt.Sprintf("%s %d", named(text), g.Count))
			}
			if g.Key == "null" {
				end = "; no filter leaves these out: others have none"
			}
		}
		if among == nil {
			return
		}
		note += " (" + strings.Join(among, ", ") + ")"
	}
	if sent.Has("group_by") || sent.Has("group_by_time") {
		r.AddAll(rs.Object{quote.Note("every", note+end, "", nil)})
		return
	}
	apart := sent.With("group_by", rs.EncodeJSON(status))
	if !sent.Has("filter") { // only dates in a filter need a zone
		apart = apart.Without("time_zone")
	}
	apart = slices.SortedFunc(slices.Values(apart), func(a, b rs.Member) int { return strings.Compare(a.Name, b.Name) })
	r.AddAll(rs.Object{quote.Note("every", note+"; apart", "aggregate", apart)})
}

func named(name string) string { return quote.Names([]string{name}, 1) }

// isZeroSum reports whether a value is a sum of zero. Resource servers also answer zero if no record has a value.
func (r *Aggregation) isZeroSum(value string) bool {
	return r.Args.Metric == "sum" && value != "" && strings.Trim(value, "0.") == ""
}

// hasNone reports whether it is known that no record within a filter has a value of the field.
func (r *Aggregation) hasNone(ctx context.Context, f filter.Filter) bool {
	body, err := r.do(ctx, r.scope, Args{Metric: "min", Field: r.Args.Field, Filter: f})
	return err == nil && body.Includes("value") && !body.Has("value")
}

// AddTitles adds titles to the first groups of a field that has the ids of records of another stream, such as the channels of messages, and
// adds which stream that is, with the call that reads the first record without a title.
func (r *Aggregation) AddTitles(ctx context.Context, body rs.Object) rs.Object {
	groups := Groups(body)
	if !strings.HasSuffix(r.Args.GroupBy, "_id") || len(groups) == 0 {
		return body
	}
	ctx, cancel := context.WithTimeout(ctx, titlesDeadline)
	defer cancel()
	all := r.schemas.Of(ctx, r.reads, rs.Scope{ConnectionID: r.scope.ConnectionID})
	parent, ok := known.ParentOf(all.Document, r.scope, r.Args.GroupBy)
	of := slices.DeleteFunc(slices.Clone(all.Sources), func(s known.Source) bool { // a parent is in the connection of its children
		return s.Stream != parent || r.scope.ConnectionID != "" && s.Connection.ID != r.scope.ConnectionID ||
			!slices.ContainsFunc(all.Sources, func(c known.Source) bool { return c.Stream == r.scope.Stream && c.Connection.ID == s.Connection.ID })
	})
	if !ok || len(of) == 0 {
		return body
	}
	connection := r.scope.ConnectionID
	if len(of) == 1 {
		connection = of[0].Connection.ID
	}
	var keys []string
	for _, key := range Texts(groups) {
		if len(keys) < maxTitles && !slices.Contains(keys, key) { // a group has a row for each of its units
			keys = append(keys, key)
		}
	}
	titles := make([]string, len(keys))
	read.All(ctx, len(keys), func(ctx context.Context, i int) {
		titles[i] = r.titleOf(ctx, connection, of[0], keys[i])
	})
	items, untitled := body.Array("groups"), ""
	for i, g := range groups {
		key, _ := g.Text()
		if at := slices.Index(keys, key); at >= 0 && titles[at] != "" {
			items[i] = rs.AsObject(items[i]).With("title", rs.EncodeJSON(titles[at])).JSON()
		} else {
			untitled = cmp.Or(untitled, key)
		}
	}
	if untitled != "" {
		note := named(r.Args.GroupBy) + " has ids of " + named(parent)
		ref := rs.Ref{ConnectionID: connection, Stream: parent, RecordID: untitled}
		r.AddAll(rs.Object{quote.Note("ids_of", note, "fetch", rs.Object{rs.NewMember("id", ref.String())})})
	}
	return body.With("groups", rs.JoinArray(items))
}

// titleOf returns the title of the record with a key; "" if it is unknown.
func (r *Aggregation) titleOf(ctx context.Context, connection string, of known.Source, key string) string {
	if of.Title == "" || rs.UnsafeName(key) != "" {
		return ""
	}
	request := read.Request(connection, "streams", of.Stream, "records", key)
	read.Set(request.Query, "fields", []string{of.Title})
	response, err := r.reads.Do(ctx, request)
	if err != nil {
		return ""
	}
	return read.Record(response).Object("data").Text(of.Title)
}

// units reads which currencies or units the numbers of the field are in. If there is only one, it is added to the answer. If the field has
// units but the read fails, the answer says that the unit is unknown.
func (r *Aggregation) units(ctx context.Context) (field string, list groupList, err error) {
	q := r.Args
	if q.Metric == "count_distinct" {
		return "", list, nil
	}
	if field = r.Fields(ctx).UnitOf(q.Field); field == "" {
		r.parentUnits(ctx)
	}
	if field == "" || field == q.GroupBy {
		return "", list, nil
	}
	r.add("unit_field", field)
	for _, c := range q.Filter {
		if c.Field == field && c.Operator == "" {
			r.add("unit", c.Value.String())
			return field, list, nil
		}
	}
	q.GroupBy, q.GroupByTime, q.Granularity = field, "", ""
	list, err = r.list(ctx, q)
	if err != nil {
		r.add("unit_unknown", true)
	} else if len(list.groups) == 1 {
		if unit, ok := list.groups[0].Text(); ok {
			r.add("unit", unit)
		}
	}
	return field, list, err
}

// parentUnits reads the currencies or units of the records whose parts are aggregated, such as the orders of order items: the price of an
// item is in the currency of its order. If there is only one, it is added to the answer. If there are several, the answer says that they
// are mixed, and which aggregation separates them.
func (r *Aggregation) parentUnits(ctx context.Context) {
	if !written.IsMoneyName(r.Args.Field) {
		return
	}
	scope := rs.Scope{ConnectionID: r.scope.ConnectionID}
	schema := r.schemas.Of(ctx, r.reads, scope).Document
	for i := 0; schema != nil && i < len(schema.Streams); i++ {
		parent := &schema.Streams[i]
		for _, relation := range parent.Relations() {
			if relation.Target != r.scope.Stream || relation.ForeignKey == "" || !known.HasConnection(parent, r.scope.ConnectionID) {
				continue
			}
			scope.Stream = parent.Name
			named := known.ReadStream(schema, scope)
			unit, own := named.UnitOf(r.Args.Field), ""
			for _, field := range parent.Fields() {
				if written.IsMoneyName(field.Name) {
					unit = cmp.Or(unit, named.UnitOf(field.Name))
					if own == "" && field.Granted && slices.Contains(field.Aggregates, r.Args.Metric) {
						own = field.Name
					}
				}
			}
			if unit != "" {
				r.addParentUnits(ctx, scope, unit, own, relation.ForeignKey)
				return
			}
		}
	}
}

func (r *Aggregation) addParentUnits(ctx context.Context, scope rs.Scope, unit, own, foreignKey string) {
	q := Args{Metric: "count", GroupBy: unit, Limit: maxGroups, Zone: r.Args.Zone}
	filtered := false // by conditions that do not select parents
	for _, c := range r.Args.Filter {
		if c.Field == foreignKey && c.Operator == "" {
			q.Filter = filter.Filter{{Field: "id", Value: c.Value}}
		} else {
			filtered = true
		}
	}
	body, err := r.do(ctx, scope, q)
	if err != nil {
		return
	}
	units := Texts(Groups(body))
	switch {
	case len(units) == 1:
		r.add("unit", units[0])
	case len(units) > 1 && r.Args.GroupBy != foreignKey:
		mixes, tool, apart := "mixes", "", rs.Object(nil)
		if filtered {
			mixes = "may mix"
		}
		note := fmt.Sprintf("%s has no %s of its own; that of its %s is one of %s, and this %s them.",
			named(r.Args.Field), named(unit), named(scope.Stream), quote.Names(units, maxUnits), mixes)
		if own != "" && q.Filter == nil && !filtered {
			note += fmt.Sprintf(" Another number, that of %s of the %s, by %s", named(own), named(scope.Stream), named(unit))
			tool = "aggregate"
			apart = rs.Object{rs.NewMember("stream", scope.Stream), rs.NewMember("metric", r.Args.Metric), rs.NewMember("field", own)}
		}
		r.AddAll(rs.Object{quote.Note("mixed_units", note, tool, apart)})
	}
}
