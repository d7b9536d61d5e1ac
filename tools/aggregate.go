package tools

import (
	"encoding/json"
	"net/url"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// aggregateTool computes one number, or one per group, over a stream.
func aggregateTool(schemas *schemaCache) *Tool {
	return &Tool{
		Name:  "aggregate",
		Title: "Aggregate",
		Description: "Count, sum, min, max, avg or count distinct over one stream, also by group (GET /v1/streams/{stream}/aggregate). Read-only. " +
			"Prefer this to reading many records; schema says which fields each metric takes. Text and structured output of groups carry other_count, " +
			"the records beyond limit: positive means only the top groups are listed, or the first in time.",
		Input: object(`"stream","metric"`,
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

func metrics() []string { return []string{"count", "sum", "min", "max", "avg", "count_distinct"} }

func granularities() []string { return []string{"hour", "day", "week", "month", "quarter", "year"} }

type aggregateArgs struct {
	stream, connectionID, metric, field string
	groupBy, groupByTime, granularity   string
	zone                                *time.Location // of dates and of time groups; nil is UTC
	limit                               int
	filter                              filter
}

func decodeAggregate(raw json.RawMessage) (Args, error) {
	a := readArguments(raw, "stream", "metric", "connection_id", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit", "filter")
	a.required("stream", `{"stream":"messages","metric":"count"}; schema lists the streams`)
	a.required("metric", `{"metric":"count"}`)
	args := aggregateArgs{
		stream:       a.name("stream"),
		connectionID: a.name("connection_id"),
		metric:       a.choice("metric", metrics()...),
		field:        a.field("field"),
		groupBy:      a.field("group_by"),
		groupByTime:  a.field("group_by_time"),
		granularity:  a.choice("granularity", granularities()...),
		zone:         a.timeZone(),
		filter:       a.filter(),
	}
	args.limit, _ = a.number("limit", 1, maxLimit)
	if args.metric != "count" && !a.has("field") {
		a.failf("field", "Send the field to compute on; schema(stream) lists which fields each metric takes.", "metric %s needs field.", args.metric)
	}
	a.excludes("group_by", "group_by_time")
	a.requires("group_by_time", "granularity")
	a.requires("granularity", "group_by_time")
	if a.err != nil {
		return nil, a.err
	}
	return args, nil
}

func (q aggregateArgs) grouped() bool { return q.groupBy != "" || q.groupByTime != "" }

// Scope returns what the read touches.
func (q aggregateArgs) Scope() (rs.Scope, error) {
	return rs.Scope{Stream: q.stream, ConnectionID: q.connectionID}, nil
}

// Request returns GET /v1/streams/{stream}/aggregate.
func (q aggregateArgs) Request(scope rs.Scope) rs.Request {
	query := url.Values{"metric": {q.metric}}
	setText(query, "connection_id", scope.ConnectionID)
	setText(query, "field", q.field)
	setText(query, "group_by", q.groupBy)
	setText(query, "group_by_time", q.groupByTime)
	setText(query, "granularity", q.granularity)
	if q.groupByTime != "" && q.zone != time.UTC {
		setText(query, "time_zone", q.zone.String())
	}
	setNumber(query, "limit", q.limit)
	q.filter.write(query)
	return rs.Request{Path: rs.Path("streams", scope.Stream, "aggregate"), Query: query}
}
