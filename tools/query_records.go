package tools

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// queryRecordsTool lists the records of one stream.
func queryRecordsTool(schemas *known.Schemas) *Tool {
	return &Tool{
		Name:  "query_records",
		Title: "Query records",
		Description: "List records of one stream, newest first unless sorted (GET /v1/streams/{stream}/records). Read-only. " +
			"Structured output holds the page. Use fields and limit to keep it narrow, next_cursor to page, aggregate to count. " +
			"All conditions of filter must hold; schema says which fields filter and sort, and what to expand.",
		Input: inputSchema(`"stream"`,
			stringProperty("stream", "Stream name from schema"),
			connectionProperty,
			integerProperty("limit", "Page size of each connection, 25 if absent", 1, maxLimit),
			stringProperty("cursor", "next_cursor, with the same other arguments"),
			enumProperty("order", "Of the default sort", "asc", "desc"),
			stringProperty("sort", "Field; - before it for descending"),
			enumProperty("count", "exact or estimated adds the total", "exact", "estimated", "none"),
			namesProperty("fields", "Fields to return"),
			filterProperty,
			namesProperty("expand", "Relations, such as message_bodies"),
			expandLimitProperty,
			stringProperty("changes_since", "next_changes_since, or beginning"),
			zoneProperty,
		),
		Output:  dataOutput,
		Listed:  true,
		Decode:  decodeQueryRecords,
		Forward: recordLister{schemas}.forward,
		Render: func(call Call, answer Answer) (render.Result, error) {
			args := call.Args.(queryRecordsArgs)
			return render.Records(answer.Response, render.RecordsQuery{
				Stream: call.Scope.Stream, ConnectionID: call.Scope.ConnectionID, Limit: args.limit,
				Asked: args.asked, Position: args.position, ChangesSince: args.changesSince, Fields: args.fields,
				Empty: answer.Empty, Coverage: answer.Coverage, Tied: answer.tied,
				Rest: call.Arguments.Without("stream", "connection_id", "limit", "cursor", "changes_since", "fields"),
			})
		},
	}
}

type queryRecordsArgs struct {
	stream, connectionID string
	limit                int // 0: the resource server's default
	asked                int // the limit that was sent at first, where the answer to it was too large; else 0
	position             render.Position
	changesSince         string
	order, sort, count   string
	fields               []string
	view                 string
	filter               filter.Filter
	zone                 *time.Location // of the filter's dates
	expansion            expansion
}

func decodeQueryRecords(values rs.Object) (Args, error) {
	a := takes(values, "stream", "connection_id", "limit", "cursor", "order", "sort", "count", "fields", "view",
		"filter", "expand", "expand_limit", "changes_since", "time_zone")
	a.required("stream", `{"stream":"messages"}; schema lists the streams`)
	args := queryRecordsArgs{
		stream:       a.name("stream"),
		connectionID: a.name("connection_id"),
		position:     a.position(),
		changesSince: a.cursor("changes_since"),
		order:        a.choice("order", "asc", "desc"),
		sort:         a.field("sort"),
		count:        a.choice("count", "exact", "estimated", "none"),
		fields:       a.fields(),
		view:         a.text("view", filter.MaxNameBytes),
		filter:       a.filter(),
		zone:         a.timeZone(),
		expansion:    a.expansion(),
	}
	args.limit, _ = a.number("limit", 1, maxLimit)
	if args.position.Shown > 0 {
		args.limit = args.position.Limit // the same page again
	}
	a.excludes("view", "fields")
	for _, other := range []string{"sort", "order", "count"} {
		a.excludes("changes_since", other)
	}
	if a.err != nil {
		return nil, a.err
	}
	return args, nil
}

// maxRefits is how often a page is asked for again: records that are not of one size may not fit at once.
const maxRefits = 3

// A recordLister is the core of query_records.
type recordLister struct{ schemas *known.Schemas }

// forward reads a page. One that is larger than the answers that are taken is asked for again with a smaller limit, so that
// its cursor is exact and its envelope the resource server's own (D18).
func (l recordLister) forward(ctx context.Context, call Call) (Reply, error) {
	args := call.Args.(queryRecordsArgs)
	for refits := 0; ; refits++ {
		response, err := call.RS.Do(ctx, args.Request(call.Scope))
		if err == nil {
			_, err = args.position.Under(call.Scope.ConnectionID)
		}
		if size := args.pageSize(); err == nil || rs.AsError(err).Code != rs.ResponseTooLarge || size == 1 || refits == maxRefits {
			call.Args = args // what was read in the end is what is rendered
			answer := Answer{Response: response}
			if err == nil && args.explainable(response) {
				answer.Empty = explainEmpty(ctx, call, args.filter)
				answer = withCoverage(ctx, call, l.schemas, answer, response.Reads, args.stream)
			}
			if err == nil {
				answer.tied = args.tied(ctx, call, response)
			}
			if err == nil && mayLack(response, call) {
				answer.Response = withMissing(answer.Response, call, l.schemas.Of(ctx, call.RS, call.Scope))
			}
			if _, ok := startOf(args.filter); ok && err == nil && args.position.First() && args.changesSince == "" {
				said := lasting(ctx, call, l.schemas.Of(ctx, call.RS, call.Scope), args.filter)
				answer.Response = withMembers(answer.Response, said)
			}
			return Reply{Call: call, Answer: answer}, err
		}
		if args.asked == 0 {
			args.asked = args.pageSize()
		}
		args.limit = max(1, args.pageSize()/16)
	}
}

// pageSize is the limit, or what a resource server takes it for.
func (q queryRecordsArgs) pageSize() int {
	const defaultLimit = 25
	if q.limit == 0 {
		return defaultLimit
	}
	return q.limit
}

func (q queryRecordsArgs) dates() (string, filter.Filter, *time.Location) {
	return q.stream, q.filter, q.zone
}

func (q queryRecordsArgs) withFilter(f filter.Filter) Args {
	q.filter = f
	return q
}

// Scope returns what the read touches.
func (q queryRecordsArgs) Scope() (rs.Scope, error) {
	return rs.Scope{Stream: q.stream, ConnectionID: q.connectionID, Expands: q.expansion.asked()}, nil
}

// Request returns GET /v1/streams/{stream}/records (S3-2b).
func (q queryRecordsArgs) Request(scope rs.Scope) rs.Request {
	r := read.Request(scope.ConnectionID, "streams", scope.Stream, "records")
	query := r.Query
	read.SetNumber(query, "limit", q.limit)
	read.SetText(query, "cursor", q.position.Cursor)
	read.SetText(query, "changes_since", q.changesSince)
	read.SetText(query, "order", q.order)
	read.SetText(query, "sort", q.sort)
	read.SetText(query, "count", q.count)
	read.SetText(query, "view", q.view)
	read.SetList(query, "fields", q.fields)
	q.filter.Write(query)
	q.expansion.write(query)
	return r
}

// explainable reports whether a page, the first, has no records.
func (q queryRecordsArgs) explainable(response *rs.Response) bool {
	return isEmpty(response) && q.position.First() && q.changesSince == ""
}

// mayLack reports whether a page shows that a connection lacks a field that the call names, so that the schema is read for no other: the
// page leaves a connection out, or one of several has no record with the field. By a field that is not shown records may be sorted.
func mayLack(response *rs.Response, call Call) bool {
	args := call.Args.(queryRecordsArgs)
	if call.Scope.ConnectionID != "" || len(args.fields) == 0 && args.sort == "" && len(args.filter) == 0 {
		return false
	}
	if leavesOut(response) {
		return true
	}
	list, _ := response.List()
	has := map[string]map[string]bool{}
	for _, item := range list.Items {
		connection := rs.ConnectionID(item.Members)
		if has[connection] == nil {
			has[connection] = map[string]bool{}
		}
		for _, field := range item.Members.Object("data") {
			has[connection][field.Name] = true
		}
	}
	named := args.fields
	if args.sort != "" {
		named = append(slices.Clone(named), strings.TrimPrefix(args.sort, "-"))
	}
	for _, names := range has {
		if len(has) > 1 && slices.ContainsFunc(named, func(name string) bool { return !names[name] }) {
			return true
		}
	}
	return false
}

// tied is how many records after a first page of few, of one connection, have the same value of the field that it is sorted by as its last
// record: by chance some are on it and others are not. What is not answered is not said.
func (q queryRecordsArgs) tied(ctx context.Context, call Call, response *rs.Response) int {
	const few = 25
	field := strings.TrimPrefix(q.sort, "-")
	list, _ := response.List()
	if field == "" || q.limit == 0 || q.limit > few || !q.position.First() || len(list.Items) < q.limit || !list.Envelope.Flag("has_more") {
		return 0
	}
	value := func(i int) string { return list.Items[i].Members.Object("data").Get(field) }
	connection := func(i int) string { return rs.ConnectionID(list.Items[i].Members) }
	last, here := len(list.Items)-1, 0
	for i := range list.Items {
		if connection(i) != connection(last) {
			return 0
		}
		if value(i) == value(last) {
			here++
		}
	}
	text, ok := rs.AsText(value(last))
	if !ok || text == "" {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, besideDeadline)
	defer cancel()
	same := append(slices.Clone(q.filter), filter.Condition{Field: field, Value: text})
	counted, err := aggregated(ctx, call, aggregate.Args{Metric: "count", Filter: same})
	n, ok := counted.Number("value")
	if err != nil || !ok {
		return 0
	}
	return max(n-here, 0)
}
