// Package aggregate computes one number, or one for each group, from the counts and sums of a resource server. Resource servers group only
// counts, list ten groups unless asked for more, and add up fields of the same name across connections and currencies. An aggregation may
// therefore take several reads; the answer keeps the resource server's shape and says so.
package aggregate

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// Args are the arguments of an aggregation.
type Args struct {
	Stream, ConnectionID, Metric, Field string
	GroupBy, GroupByTime, Granularity   string
	Zone                                *time.Location // of dates and of time groups; nil is UTC
	Limit                               int
	Order                               string // of groups: asc, desc, or "" for the default
	Filter                              filter.Filter
}

// Grouped reports whether there is a number for each group.
func (q Args) Grouped() bool { return q.GroupBy != "" || q.GroupByTime != "" }

// mostShown returns how many groups an answer shows that is composed of several reads.
func (q Args) mostShown() int {
	if q.GroupByTime != "" {
		return cmp.Or(q.Limit, maxTimeGroups)
	}
	return cmp.Or(q.Limit, defaultGroups)
}

// Scope returns the stream and the connection to read.
func (q Args) Scope() (rs.Scope, error) {
	return rs.Scope{Stream: q.Stream, ConnectionID: q.ConnectionID}, nil
}

// Request returns GET /v1/streams/{stream}/aggregate.
func (q Args) Request(scope rs.Scope) rs.Request {
	r := read.Request(scope.ConnectionID, "streams", scope.Stream, "aggregate")
	query := r.Query
	read.Set(query, "metric", q.Metric)
	read.Set(query, "field", q.Field)
	read.Set(query, "group_by", q.GroupBy)
	read.Set(query, "group_by_time", q.GroupByTime)
	read.Set(query, "granularity", q.Granularity)
	if q.GroupByTime != "" && q.Zone != time.UTC {
		read.Set(query, "time_zone", q.Zone.String())
	}
	read.Set(query, "limit", q.Limit)
	q.Filter.Write(query)
	return r
}

// Body returns the answer to an aggregation, without the {"data":…} wrapper if there is one (D5).
func Body(response *rs.Response) rs.Object {
	o := response.Object()
	if inner := o.Object("data"); inner != nil && !o.Has("metric") {
		return o.Without("data").WithAll(inner)
	}
	return o
}

// maxConnectionReads bounds the connections whose records are counted one by one.
const maxConnectionReads = 20

// An Aggregation is one call in progress.
type Aggregation struct {
	schemas *known.Schemas
	reads   *rs.Reads
	scope   rs.Scope
	Args    Args
	known   known.Stream // of the stream; set by Fields
	Asked   bool         // whether the schema was read
	extra   rs.Object    // members that are added to the resource server's answer
	differ  atomic.Bool  // a read of a group found another number of records than the list of groups has

	Response *rs.Response // to the first read, which runs alone; nil before
}

// New returns an aggregation of the records in a scope. reads counts the reads that it makes.
func New(schemas *known.Schemas, reads *rs.Reads, scope rs.Scope, args Args) *Aggregation {
	return &Aggregation{schemas: schemas, reads: reads, scope: scope, Args: args}
}

func (r *Aggregation) add(name string, value any) {
	r.extra = append(r.extra, rs.NewMember(name, value))
}

// AddAll adds members to the answer.
func (r *Aggregation) AddAll(members rs.Object) { r.extra = append(r.extra, members...) }

// Complete returns the answer with the members that were added and, if there are any, the number of reads.
func (r *Aggregation) Complete(body rs.Object) *rs.Response {
	if r.differ.Load() {
		r.add("changed", true)
	}
	if len(r.extra) > 0 {
		r.add("reads", r.reads.Count())
	}
	return r.Response.WithBody(body.WithAll(r.extra).JSON())
}

// Fields returns what the schema says of the stream's fields and connections. The schema is read once.
func (r *Aggregation) Fields(ctx context.Context) known.Stream {
	if !r.Asked {
		r.known, r.Asked = r.schemas.Of(ctx, r.reads, r.scope), true
	}
	return r.known
}

// do makes one read. An average is made of a sum, as it is that of the records with a value.
func (r *Aggregation) do(ctx context.Context, scope rs.Scope, q Args) (rs.Object, error) {
	if q.Metric == "avg" {
		q.Metric = "sum"
	}
	response, err := r.reads.Do(ctx, q.Request(scope))
	if err != nil {
		return nil, err
	}
	if r.Response == nil {
		r.Response = response
	}
	return Body(response), nil
}

// AddConnections adds how many of the records each connection has, if the call names no connection and several have the stream.
func (r *Aggregation) AddConnections(ctx context.Context, body rs.Object) {
	if records, counted := body.Number("filtered_record_count"); r.scope.ConnectionID != "" || counted && records == 0 {
		return
	}
	connections := r.Fields(ctx).Connections
	if len(connections) < 2 {
		return
	}
	q := r.Args // so that a connection that the resource server leaves out is not counted
	if q.Grouped() {
		q.Metric, q.Field, q.Limit = "count", "", 1
	}
	rows := make([]string, len(connections))
	read.All(ctx, len(connections), func(ctx context.Context, i int) {
		c := connections[i]
		row := rs.Object{rs.NewMember("connection_id", c.ID)}
		if c.DisplayName != "" {
			row = append(row, rs.NewMember("display_name", c.DisplayName))
		}
		if i < maxConnectionReads {
			body, err := r.do(ctx, rs.Scope{Stream: r.scope.Stream, ConnectionID: c.ID}, q)
			if count, ok := body.Number("filtered_record_count"); err == nil && ok {
				row = append(row, rs.NewMember("count", count))
			}
		}
		rows[i] = row.JSON()
	})
	rows = slices.DeleteFunc(rows, func(row string) bool { return row == "" }) // not read before the deadline
	r.extra = append(r.extra, rs.Member{Name: "connections", Value: rs.JoinArray(rows)})
}

// Read makes an aggregation of the scope's stream; nil if it fails.
func Read(ctx context.Context, server rs.Doer, scope rs.Scope, q Args) rs.Object {
	response, err := server.Do(ctx, q.Request(rs.Scope{Stream: scope.Stream, ConnectionID: scope.ConnectionID}))
	if err != nil {
		return nil
	}
	return Body(response)
}

// MaxCompared is the number of values of a field that are compared with a word that may mean one of them.
const MaxCompared = 100

// GroupsOf returns the first values of a field of the scope's stream, and whether there are more; none if the read fails.
func GroupsOf(ctx context.Context, server rs.Doer, scope rs.Scope, field string, limit int) (groups []Group, more bool) {
	body := Read(ctx, server, scope, Args{Metric: "count", GroupBy: field, Limit: limit})
	beyond, _ := body.Number("other_count")
	return Groups(body), beyond > 0
}

// Count returns how many records of the scope's stream match a filter; false if the read fails or takes longer than
// [read.OptionalDeadline].
func Count(ctx context.Context, server rs.Doer, scope rs.Scope, f filter.Filter) (int, bool) {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	return Read(ctx, server, scope, Args{Metric: "count", Filter: f}).Number("value")
}
