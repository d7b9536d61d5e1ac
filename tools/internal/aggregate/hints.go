package aggregate

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// Bounds of the reads that name groups, as those that say what a hit is.
const (
	maxTitles      = 10
	titlesDeadline = time.Second
)

// statusFields are names of fields that say whether a record counts: an order may be cancelled.
var statusFields = []string{"status", "state"}

// AddStatus says of a sum or an average of records that have a status, by which it can be grouped, that those of every status are in it.
func (r *Aggregation) AddStatus(ctx context.Context) {
	if r.Args.Metric != "sum" && r.Args.Metric != "avg" {
		return
	}
	status := r.Fields(ctx).Groupable(statusFields)
	filtered := slices.ContainsFunc(r.Args.Filter, func(c filter.Condition) bool { return c.Field == status })
	if status != "" && status != r.Args.GroupBy && !filtered {
		r.add("every", status)
	}
}

// AddTitles adds to the groups of a field that has the ids of records of another stream, such as the channels of messages, what the first
// of those are called, and which stream that is.
func (r *Aggregation) AddTitles(ctx context.Context, body rs.Object) rs.Object {
	groups := readGroups(body)
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
	r.extra = append(r.extra, rs.Member{Name: "ids_of", Value: rs.Object{
		{Name: "stream", Value: rs.EncodeJSON(parent)}, {Name: "connection_id", Value: rs.EncodeJSON(connection)},
	}.JSON()})
	var keys []string
	for _, g := range groups {
		if key, ok := g.text(); ok && len(keys) < maxTitles && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	titles := make([]string, len(keys))
	_ = read.Parallel(ctx, len(keys), func(ctx context.Context, i int) error {
		titles[i] = r.titleOf(ctx, connection, of[0], keys[i])
		return nil
	})
	items := body.Array("groups")
	for i, g := range groups {
		key, _ := g.text()
		if at := slices.Index(keys, key); at >= 0 && titles[at] != "" {
			items[i] = rs.AsObject(items[i]).With("title", rs.EncodeJSON(titles[at])).JSON()
		}
	}
	return body.With("groups", rs.JoinArray(items))
}

// titleOf is what the record of a key is called; "" where that is not known.
func (r *Aggregation) titleOf(ctx context.Context, connection string, of known.Source, key string) string {
	if of.Title == "" || rs.UnsafeName(key) != "" {
		return ""
	}
	request := read.Request(connection, "streams", of.Stream, "records", key)
	read.SetList(request.Query, "fields", []string{of.Title})
	response, err := r.reads.Do(ctx, request)
	if err != nil {
		return ""
	}
	o := response.Object()
	if inner := o.Object("data"); inner.Has("data") {
		o = inner
	}
	return o.Object("data").Text(of.Title)
}
