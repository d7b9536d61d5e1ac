package tools

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/leftout"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// aggregateTool computes one number, or one per group, over a stream.
func aggregateTool() *Tool {
	return &Tool{
		Name:  "aggregate",
		Title: "Aggregate",
		Description: "Count, sum, min, max, avg or count distinct over one stream, also by group (GET /v1/streams/{stream}/aggregate). Read-only. " +
			"Prefer this to reading many records; schema says which fields each metric takes. Text and structured output of groups carry other_count, " +
			"the records beyond limit: positive means only the top groups, or the first in time.",
		Input: inputSchema(`"stream","metric"`,
			stringProperty("stream", "Stream name from schema"),
			enumProperty("metric", "count needs no field", metrics()...),
			connectionProperty,
			stringProperty("field", "Field to compute on"),
			stringProperty("group_by", "Field to group by"),
			stringProperty("group_by_time", "Time field to group by; needs granularity"),
			enumProperty("granularity", "Width of a time group", granularities()...),
			stringProperty("time_zone", "IANA zone of dates and groups, UTC if absent"),
			integerProperty("limit", "Most groups; 10, or all of time", 1, rs.MaxLimit),
			enumProperty("order", "Of groups by number or time", "asc", "desc"),
			filterProperty,
		),
		Output: dataOutput,
		Listed: true,
		Decode: decodeAggregate,
		Read:   readAggregate,
		Render: func(call Call, answer Answer) (render.Result, error) {
			return render.Aggregate(answer.Response, render.AggregateQuery{
				Stream: call.Scope.Stream, Arguments: call.Arguments, Empty: answer.Empty, Coverage: answer.Coverage,
			})
		},
	}
}

// readAggregate makes the aggregation, and the further reads that show what its number covers, such as connections and statuses.
func readAggregate(ctx context.Context, call Call) (Answer, error) {
	args := call.Args.(aggregate.Args)
	if err := mayRead(ctx, call.Scope); err != nil {
		return Answer{}, err
	}
	reads := &rs.Reads{Doer: call.RS}
	call.RS = reads
	r := aggregate.New(call.Tool.schemas, reads, call.Scope, args)
	schema := func() known.Stream { return r.Fields(ctx) }
	whole, readAs, err := wholeDays(call, args.Filter, args.Zone, schema)
	if err != nil {
		return Answer{}, err
	}
	r.Args.Filter = whole
	r.AddAll(readAs.Note(nil))
	body, err := r.Answer(ctx)
	if readAs.InZone() { // the resource server was sent instants, so it answers null
		r.AddAll(rs.Object{rs.NewMember("time_zone", args.Zone.String())})
	}
	if err != nil || !body.Includes("value") && !body.Has("groups") {
		return Answer{Response: r.Response}, err
	}
	answer := Answer{}
	body = r.AddTitles(ctx, body)
	r.AddConnections(ctx, body)
	noRecords := hasNoRecords(body)
	if noRecords {
		answer.Empty = explainEmpty(ctx, call, r.Args.Filter)
	}
	if call.Scope.ConnectionID == "" && (r.Asked || leftout.IsWarned(r.Response)) {
		r.AddAll(leftout.Fields(call.Scope.Stream, asMeant(call, answer.Empty), schema()))
	}
	r.AddAll(lasting(ctx, call, r.Args.Filter, schema))
	if noRecords {
		answer.Coverage, _ = absence(ctx, call, r.Response.Reads, call.Scope.Stream)
		r.AddAll(answer.Coverage.Members())
	} else {
		r.AddStatus(ctx, call.Arguments)
	}
	answer.Response = r.Complete(body)
	return answer, nil
}

// hasNoRecords reports whether an aggregation found no records.
func hasNoRecords(body rs.Object) bool {
	if n, ok := body.Number("filtered_record_count"); ok {
		return n == 0
	}
	n, ok := body.Number("value")
	return ok && n == 0 && body.Text("metric") == "count"
}

func metrics() []string { return []string{"count", "sum", "min", "max", "avg", "count_distinct"} }

func granularities() []string { return []string{"hour", "day", "week", "month", "quarter", "year"} }

func decodeAggregate(values rs.Object) (Args, error) {
	a := takes(values, "stream", "metric", "connection_id", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit",
		"order", "filter")
	a.Required("stream", `{"stream":"messages","metric":"count"}; schema lists the streams`)
	a.Required("metric", `{"metric":"count"}`)
	args := aggregate.Args{
		Stream:       a.Name("stream"),
		ConnectionID: a.Name("connection_id"),
		Metric:       a.Choice("metric", metrics()...),
		Field:        a.Field("field"),
		GroupBy:      a.Field("group_by"),
		GroupByTime:  a.Field("group_by_time"),
		Granularity:  a.Choice("granularity", granularities()...),
		Zone:         a.TimeZone(),
		Filter:       a.Filter(),
		Limit:        a.Number("limit", 1, rs.MaxLimit),
		Order:        a.Choice("order", "asc", "desc"),
	}
	if args.Metric != "count" && !a.Has("field") {
		a.Failf("field", "Send the field to compute on; schema(stream) lists which fields each metric takes.", "metric %s needs field.", args.Metric)
	}
	a.Excludes("group_by", "group_by_time")
	a.Requires("group_by_time", "granularity")
	a.Requires("granularity", "group_by_time")
	if a.Has("order") && !args.Grouped() {
		a.Failf("order", "Send group_by too, or leave order out.", "One number has no order.")
	}
	return a.done(args)
}
