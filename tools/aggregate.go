package tools

import (
	"context"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// aggregateTool computes one number, or one per group, over a stream.
func aggregateTool(schemas *known.Schemas) *Tool {
	return &Tool{
		Name:  "aggregate",
		Title: "Aggregate",
		Description: "Count, sum, min, max, avg or count distinct over one stream, also by group (GET /v1/streams/{stream}/aggregate). Read-only. " +
			"Prefer this to reading many records; schema says which fields each metric takes. Text and structured output of groups carry other_count, " +
			"the records beyond limit: positive means only the top groups are listed, or the first in time.",
		Input: inputSchema(`"stream","metric"`,
			stringProperty("stream", "Stream name from schema"),
			enumProperty("metric", "count needs no field", metrics()...),
			connectionProperty,
			stringProperty("field", "Field to compute on"),
			stringProperty("group_by", "Field to group by"),
			stringProperty("group_by_time", "Time field to group by; needs granularity"),
			enumProperty("granularity", "Width of a time group", granularities()...),
			stringProperty("time_zone", "IANA zone of dates and groups, UTC if absent"),
			integerProperty("limit", "Most groups, 10 or all of time if absent", 1, maxLimit),
			filterProperty,
		),
		Output:  dataOutput,
		Listed:  true,
		Decode:  decodeAggregate,
		Forward: aggregator{schemas}.forward,
		Render: func(call Call, answer Answer) (render.Result, error) {
			return render.Aggregate(answer.Response, render.AggregateQuery{Stream: call.Scope.Stream, Arguments: rs.AsObject(string(call.Raw)), Empty: answer.Empty})
		},
	}
}

// An aggregator is the core of aggregate.
type aggregator struct{ schemas *known.Schemas }

// forward makes the read that the arguments stand for, and those that make its number mean what it says.
func (a aggregator) forward(ctx context.Context, call Call) (Reply, error) {
	r := &aggregation{schemas: a.schemas, reads: rs.CountReads(call.RS), scope: call.Scope, args: call.Args.(aggregateArgs)}
	if err := mayRead(ctx, call.Scope); err != nil {
		return Reply{Call: call}, err
	}
	if r.args.filter.HasDate() {
		var readAs []string
		if r.args.filter, readAs = r.args.filter.WholeDays(r.fields(ctx).DateKind, r.args.zone); len(readAs) > 0 {
			r.add("read_as", readAs)
		}
	}
	var answer Answer
	response, body, err := r.answer(ctx)
	if err == nil && (body.Includes("value") || body.Has("groups")) {
		r.addConnections(ctx, body)
		if call.Scope.ConnectionID == "" && (r.asked || leavesOut(response)) {
			r.extra = append(r.extra, missingFields(call, r.fields(ctx))...)
		}
		if isOfNothing(body) {
			call.RS = r.reads
			answer.Empty = explainEmpty(ctx, call, r.args.filter)
			r.extra = append(r.extra, absence(ctx, call, response.Reads, call.Scope.Stream)...)
		}
		if r.differ.Load() {
			r.add("changed", true)
		}
		if len(r.extra) > 0 {
			r.add("reads", r.reads.Count())
			response = response.WithBody(body.WithAll(r.extra).JSON())
		}
	}
	answer.Response = response
	return Reply{Call: call, Answer: answer}, err
}

// isOfNothing reports whether an aggregation says that there were no records.
func isOfNothing(body rs.Object) bool {
	if n, ok := body.Number("filtered_record_count"); ok {
		return n == 0
	}
	n, ok := body.Number("value")
	return ok && n == 0 && body.Text("metric") == "count"
}

// answer is the answer to the aggregation itself.
func (r *aggregation) answer(ctx context.Context) (*rs.Response, rs.Object, error) {
	q := r.args
	if q.metric == "avg" || q.grouped() && q.metric != "count" {
		return r.compose(ctx)
	}
	if q.grouped() {
		list, err := r.list(ctx, q)
		if list.pages > 1 {
			r.extra = append(r.extra, list.members()...)
			r.add("composed", true)
		}
		if list.next != "" {
			r.add("next_from", list.next)
		}
		return list.response, list.body, err
	}
	response, body, err := r.do(ctx, r.scope, q)
	if err != nil || q.metric == "count" || q.metric == "count_distinct" {
		return response, body, err
	}
	field, units, err := r.units(ctx)
	if err == nil && len(units.groups) > 1 {
		return r.composeOver(ctx, field, units)
	}
	return response, body, nil
}

// addConnections adds how many of the records each connection has, where the call names none and several have the stream.
func (r *aggregation) addConnections(ctx context.Context, body rs.Object) {
	if r.scope.ConnectionID != "" {
		return
	}
	if records, ok := body.Number("filtered_record_count"); ok && records == 0 {
		return
	}
	connections := r.fields(ctx).Connections
	if len(connections) < 2 {
		return
	}
	q := r.args // so that a connection is not counted that the resource server leaves out
	if q.grouped() {
		q.metric, q.field, q.limit = "count", "", 1
	} else if q.metric == "avg" {
		q.metric = "sum"
	}
	rows := make([]string, len(connections))
	_ = read.Parallel(ctx, len(connections), func(ctx context.Context, i int) error {
		c := connections[i]
		row := rs.Object{{Name: "connection_id", Value: rs.EncodeJSON(c.ID)}}
		if c.DisplayName != "" {
			row = append(row, rs.Member{Name: "display_name", Value: rs.EncodeJSON(c.DisplayName)})
		}
		if i < maxConnectionReads {
			_, body, err := r.do(ctx, rs.Scope{Stream: r.scope.Stream, ConnectionID: c.ID}, q)
			if count, ok := body.Number("filtered_record_count"); err == nil && ok {
				row = append(row, rs.Member{Name: "count", Value: strconv.Itoa(count)})
			}
		}
		rows[i] = row.JSON()
		return nil
	})
	rows = slices.DeleteFunc(rows, func(row string) bool { return row == "" }) // the deadline came before them
	r.extra = append(r.extra, rs.Member{Name: "connections", Value: rs.JoinArray(rows)})
}
