package tools

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Bounds of what is read to explain a page without records: a count for each field of the filter, and the values of a field of which
// no record has the one that was asked for.
const (
	maxExplained      = 5
	maxComparedValues = 100
	explainDeadline   = 1500 * time.Millisecond
)

// withFreshness adds to an answer without records or hits what [absence] says.
func withFreshness(ctx context.Context, call Call, response *rs.Response, reads int, streams ...string) *rs.Response {
	if said := absence(ctx, call, reads, streams...); len(said) > 0 {
		return response.WithBody(rs.AsObject(response.Distinct()).WithAll(said).JSON())
	}
	return response
}

// absence says how fresh the data are that something was looked for in and not found, and of one stream to which time the grant is
// limited, so that what is absent is distinguished from what has not come yet or was not granted: one or two reads more. What is not
// answered is not said.
func absence(ctx context.Context, call Call, reads int, streams ...string) []rs.Member {
	if reads > maxCountedMembers {
		return nil
	}
	ctx, cancel := withinDeadline(ctx)
	defer cancel()
	var said []rs.Member
	if fresh := render.FreshnessOf(countStreams(ctx, call.RS, call.Scope.ConnectionID).Streams, streams...); fresh != "" {
		said = append(said, rs.Member{Name: "freshness", Value: fresh})
	}
	if len(streams) == 1 {
		if granted := grantedTime(ctx, call, streams[0]); granted != "" {
			said = append(said, rs.Member{Name: "granted_time", Value: granted})
		}
	}
	return said
}

// grantedTime is the time that a grant is limited to in a stream, which resource servers apply without a word; "" where it is not
// limited, or nobody says.
func grantedTime(ctx context.Context, call Call, stream string) string {
	if limitsKnown(ctx) {
		return ""
	}
	return render.GrantedTimeOf(streamDetail(ctx, call, stream))
}

// streamDetail reads how fresh a stream is, and to which time the grant is limited in it; nil where that is not answered.
func streamDetail(ctx context.Context, call Call, stream string) *rs.Response {
	ctx, cancel := context.WithTimeout(ctx, countsDeadline)
	defer cancel()
	query := url.Values{}
	setText(query, "connection_id", call.Scope.ConnectionID)
	response, err := call.RS.Do(ctx, rs.Request{Path: rs.Path("streams", stream), Query: query})
	if err != nil {
		return nil
	}
	return response
}

// isEmpty reports whether a list has no items, and none follow.
func isEmpty(response *rs.Response) bool {
	list, ok := response.List()
	return ok && len(list.Items) == 0 && !list.Envelope.Has("next_cursor") && !list.Envelope.Flag("has_more")
}

// explainable reports whether a page, the first, has no records.
func (q queryRecordsArgs) explainable(response *rs.Response) bool {
	return isEmpty(response) && q.position == (render.Position{}) && q.changesSince == ""
}

// explainEmpty reads how many records each field of a filter leaves alone. What is not answered is not said.
func explainEmpty(ctx context.Context, call Call, f filter) []render.EmptyField {
	ctx, cancel := context.WithTimeout(ctx, explainDeadline)
	defer cancel()
	var fields []render.EmptyField
	for _, c := range f {
		if !slices.ContainsFunc(fields, func(e render.EmptyField) bool { return e.Field == c.field }) && len(fields) < maxExplained {
			fields = append(fields, render.EmptyField{Field: c.field, Alone: -1})
		}
	}
	_ = inParallel(ctx, len(fields), func(ctx context.Context, i int) error {
		explainField(ctx, call, f, &fields[i])
		return nil
	})
	return fields
}

func explainField(ctx context.Context, call Call, f filter, e *render.EmptyField) {
	own := slices.DeleteFunc(slices.Clone(f), func(c condition) bool { return c.field != e.Field })
	counted, err := countRecords(ctx, call, own, "")
	if err != nil {
		return
	}
	n, ok := counted.Number("value")
	if !ok {
		return
	}
	e.Alone = n
	if n > 0 || own[0].operator != "" || e.Field == "id" || strings.HasSuffix(e.Field, "_id") { // an id is no other record's
		return
	}
	grouped, err := countRecords(ctx, call, nil, e.Field)
	if err != nil {
		return
	}
	var texts []string
	for _, raw := range grouped.Array("groups") {
		if one := rs.AsObject(raw); one.Has("key") {
			count, _ := one.Number("count")
			e.Values = append(e.Values, render.KnownValue{Key: one.Get("key"), Count: count})
			text, _ := rs.AsText(one.Get("key"))
			texts = append(texts, text)
		}
	}
	if near := correct.Nearest(own[0].value, texts); near != "" {
		args := rs.AsObject(string(call.Raw))
		key := e.Values[slices.Index(texts, near)].Key
		e.Meant = args.With("filter", args.Object("filter").With(e.Field, key).JSON())
	}
}

func countRecords(ctx context.Context, call Call, f filter, groupBy string) (rs.Object, error) {
	query := url.Values{"metric": {"count"}}
	setText(query, "connection_id", call.Scope.ConnectionID)
	if groupBy != "" {
		query.Set("group_by", groupBy)
		setNumber(query, "limit", maxComparedValues)
	}
	f.write(query)
	response, err := call.RS.Do(ctx, rs.Request{Path: rs.Path("streams", call.Scope.Stream, "aggregate"), Query: query})
	if err != nil {
		return nil, err
	}
	o := rs.AsObject(response.Distinct())
	if inner := o.Object("data"); inner != nil && !o.Has("metric") {
		return inner, nil
	}
	return o, nil
}
