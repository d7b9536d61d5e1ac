package tools

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/leftout"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// queryRecordsTool lists the records of one stream.
func queryRecordsTool() *Tool {
	return &Tool{
		Name:  "query_records",
		Title: "Query records",
		Description: "List records of one stream, newest first unless sorted (GET /v1/streams/{stream}/records). Read-only. " +
			"Structured output holds the page. Use fields and limit to keep it narrow, next_cursor to page, aggregate to count. " +
			"All conditions of filter must hold; schema says which fields filter and sort, and what to expand.",
		Input: inputSchema(`"stream"`,
			stringProperty("stream", "Stream name from schema"),
			connectionProperty,
			integerProperty("limit", "Page size of each connection, 25 if absent", 1, rs.MaxLimit),
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
		Output: dataOutput,
		Listed: true,
		Decode: decodeQueryRecords,
		Read:   readRecords,
		Render: func(call Call, answer Answer) (render.Result, error) {
			q := call.Args.(queryRecordsArgs).RecordsQuery
			q.Stream, q.ConnectionID, q.Empty, q.Coverage = call.Scope.Stream, call.Scope.ConnectionID, answer.Empty, answer.Coverage
			q.Limit, q.Asked, q.Tied = cmp.Or(answer.records.Limit, q.Limit), answer.records.Asked, answer.records.Tied
			q.Rest = call.Arguments.Without("stream", "connection_id", "limit", "cursor", "changes_since", "fields")
			return render.Records(answer.Response, q)
		},
	}
}

type queryRecordsArgs struct {
	source
	render.RecordsQuery
	order, sort, count string
	view               string
	filter             filter.Filter
	zone               *time.Location // of the filter's dates
	expansion          expansion
}

func decodeQueryRecords(values rs.Object) (Args, error) {
	a := takes(values, "stream", "connection_id", "limit", "cursor", "order", "sort", "count", "fields", "view",
		"filter", "expand", "expand_limit", "changes_since", "time_zone")
	a.Required("stream", `{"stream":"messages"}; schema lists the streams`)
	args := queryRecordsArgs{
		source: a.source(),
		RecordsQuery: render.RecordsQuery{
			ChangesSince: a.Cursor("changes_since"), Fields: a.Fields(), Limit: a.Number("limit", 1, rs.MaxLimit),
		},
		order:     a.Choice("order", "asc", "desc"),
		sort:      a.Field("sort"),
		count:     a.Choice("count", "exact", "estimated", "none"),
		view:      a.Text("view", filter.MaxNameBytes),
		filter:    a.Filter(),
		zone:      a.TimeZone(),
		expansion: a.expansion(),
	}
	args.Position = a.position()
	if args.Position.Shown > 0 {
		args.Limit = args.Position.Limit // read the same page again
	}
	a.Excludes("view", "fields")
	for _, other := range []string{"sort", "order", "count"} {
		a.Excludes("changes_since", other)
	}
	return a.done(args)
}

// maxRefits bounds how often a page is requested again: as records differ in size, the first smaller page may not fit either.
const maxRefits = 3

// readRecords reads a page. If the answer is larger than the adapter accepts, it reads again with a smaller limit, so that the cursor is
// exact and the envelope is the resource server's own (D18).
func readRecords(ctx context.Context, call Call) (Answer, error) {
	args := call.Args.(queryRecordsArgs)
	if err := mayRead(ctx, call.Scope); err != nil {
		return Answer{}, err
	}
	schema := sync.OnceValue(func() known.Stream { return call.knownStream(ctx, args.stream) })
	whole, readAs, err := wholeDays(call, args.filter, args.zone, schema)
	if err != nil {
		return Answer{}, err
	}
	args.filter = whole
	const assumedLimit = 25 // a resource server's limit if none is sent
	for refits := 0; ; refits++ {
		response, err := call.RS.Do(ctx, args.Request(call.Scope))
		if err == nil {
			return args.answer(ctx, call, response, schema, readAs)
		}
		size := cmp.Or(args.Limit, assumedLimit)
		if rs.AsError(err).Code != "response_too_large" || size == 1 || refits == maxRefits {
			return Answer{}, err
		}
		args.Asked, args.Limit = cmp.Or(args.Asked, size), max(1, size/16)
	}
}

// answer adds notes to a page, such as why it is empty and what it leaves out.
func (q queryRecordsArgs) answer(
	ctx context.Context, call Call, response *rs.Response, schema func() known.Stream, readAs filter.DatesRead,
) (Answer, error) {
	if err := q.Position.Under(call.Scope.ConnectionID); err != nil {
		return Answer{}, err
	}
	answer := Answer{records: q.RecordsQuery}
	var notes rs.Object
	first := q.Position.First() && q.ChangesSince == ""
	if first && read.IsEmpty(response) {
		answer.Empty = explainEmpty(ctx, call, q.filter)
		answer.Coverage, _ = absence(ctx, call, response.Reads, q.stream)
		notes = answer.Coverage.Members()
	}
	answer.records.Tied = q.tied(ctx, call, response)
	if q.mayLack(call, response) {
		notes = append(notes, leftout.Fields(call.Scope.Stream, asMeant(call, answer.Empty), schema())...)
	}
	notes = append(notes, leftout.MixedUnits(q.sort, q.filter, response, call.asSent())...)
	if first {
		notes = slices.Concat(notes, leftout.Units(q.Fields, q.filter, response, schema),
			leftout.ThreadHead(ctx, call.RS, call.Scope, q.filter, response), lasting(ctx, call, q.filter, schema))
	}
	answer.Response = response.WithMembers(append(notes, readAs.Note(nil)...))
	return answer, nil
}

func (q queryRecordsArgs) Scope() (rs.Scope, error) {
	scope, err := q.source.Scope()
	scope.Expands = len(q.expansion) > 0
	return scope, err
}

// Request returns GET /v1/streams/{stream}/records (S3-2b).
func (q queryRecordsArgs) Request(scope rs.Scope) rs.Request {
	r := read.Request(scope.ConnectionID, "streams", scope.Stream, "records")
	query := r.Query
	read.Set(query, "limit", q.Limit)
	read.Set(query, "cursor", q.Position.Cursor)
	read.Set(query, "changes_since", q.ChangesSince)
	read.Set(query, "order", q.order)
	read.Set(query, "sort", q.sort)
	read.Set(query, "count", q.count)
	read.Set(query, "view", q.view)
	read.Set(query, "fields", q.Fields)
	q.filter.Write(query)
	maps.Copy(query, q.expansion)
	return r
}

// mayLack reports whether a connection may lack a field that the call names: the page leaves out a connection, or has records of several.
// Only then is the schema read for it.
func (q queryRecordsArgs) mayLack(call Call, response *rs.Response) bool {
	if call.Scope.ConnectionID != "" || len(q.Fields) == 0 && q.sort == "" && len(q.filter) == 0 {
		return false
	}
	list, _ := response.List()
	another := func(item rs.Item) bool {
		return rs.ConnectionID(item.Members) != rs.ConnectionID(list.Items[0].Members)
	}
	return leftout.IsWarned(response) || slices.ContainsFunc(list.Items, another)
}

// tied counts the records after a short first page that share its last record's value of the sort field: which of them are on the page is
// chance. It is 0 if the connections that may have more records do not all end with that value.
func (q queryRecordsArgs) tied(ctx context.Context, call Call, response *rs.Response) int {
	const few = 25
	field := strings.TrimPrefix(q.sort, "-")
	list, _ := response.List()
	if field == "" || q.Limit == 0 || q.Limit > few || !q.Position.First() || len(list.Items) < q.Limit || !list.Envelope.Flag("has_more") {
		return 0
	}
	value, records, onPage := "", map[string]int{}, map[string]int{} // number by connection, and by value
	for _, item := range list.Items {
		one, connection := item.Data.Get(field), rs.ConnectionID(item.Members)
		if one == "" { // the connection lacks the field, and sorts last
			continue
		}
		onPage[one]++
		if records[connection]++; records[connection] < q.Limit {
			continue
		}
		if value != "" && one != value {
			return 0
		}
		value = one
	}
	text, ok := rs.AsText(value)
	if !ok || text == "" {
		return 0
	}
	same := filter.Condition{Field: field, Value: filter.ValueOf(text)}
	n, _ := aggregate.Count(ctx, call.RS, call.Scope, append(slices.Clone(q.filter), same))
	return max(n-onPage[value], 0)
}
