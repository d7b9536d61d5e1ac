package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Bounds of what is read to explain a page without records: a count for each field of the filter, and the values of a field of which
// no record has the one that was asked for.
const (
	maxExplained      = 5
	maxComparedValues = 100
	explainDeadline   = 1500 * time.Millisecond
)

// Bounds of what is read beside an answer that can do without it.
const (
	maxCountedMembers = 8 // of a package
	besideDeadline    = time.Second
)

// withCoverage is an answer without records or hits with what [absence] says.
func withCoverage(ctx context.Context, call Call, schemas *known.Schemas, answer Answer, reads int, streams ...string) Answer {
	answer.Coverage = absence(ctx, call, schemas, reads, streams...)
	answer.Response = withMembers(answer.Response, answer.Coverage.Members())
	return answer
}

// absence says how fresh the data are that something was looked for in and not found, and of one stream to which time the grant is
// limited, so that what is absent is distinguished from what has not come yet or was not granted: one or two reads more. What is not
// answered is not said.
func absence(ctx context.Context, call Call, schemas *known.Schemas, reads int, streams ...string) render.Coverage {
	if reads > maxCountedMembers {
		return render.Coverage{}
	}
	ctx, cancel := read.WithinDeadline(ctx)
	defer cancel()
	var detail *rs.Response
	list := listStreams(ctx, call, schemas)
	if len(streams) == 1 && !limitsKnown(ctx) {
		detail = streamDetail(ctx, call, streams[0])
	}
	return coverage(ctx, list, detail, streams...)
}

// coverage is what a list of streams and the metadata of a stream say: how fresh streams are, and to which time the grant is limited, which
// resource servers apply without a word.
func coverage(ctx context.Context, list, detail *rs.Response, streams ...string) render.Coverage {
	if limitsKnown(ctx) {
		detail = nil
	}
	return render.CoverageOf(list, detail, streams...)
}

// limitsKnown reports whether every answer says without a read to which time the grant is limited.
func limitsKnown(ctx context.Context) bool {
	_, known := auth.PrincipalFrom(ctx).Limits()
	return known
}

// listStreams reads how many records each stream has, how new and how fresh they are; nil where that is not answered.
func listStreams(ctx context.Context, call Call, schemas *known.Schemas) *rs.Response {
	if len(auth.PrincipalFrom(ctx).MemberTokens()) > maxCountedMembers {
		return nil
	}
	return answered(ctx, func(ctx context.Context) (*rs.Response, error) {
		return schemas.Streams(ctx, call.RS, call.Scope.ConnectionID)
	})
}

// streamDetail reads how fresh a stream is, and to which time the grant is limited in it; nil where that is not answered.
func streamDetail(ctx context.Context, call Call, stream string) *rs.Response {
	return answered(ctx, func(ctx context.Context) (*rs.Response, error) {
		return call.RS.Do(ctx, read.Request(call.Scope.ConnectionID, "streams", stream))
	})
}

// answered is the answer to a read that an answer can do without; nil where it fails.
func answered(ctx context.Context, read func(context.Context) (*rs.Response, error)) *rs.Response {
	ctx, cancel := context.WithTimeout(ctx, besideDeadline)
	defer cancel()
	response, err := read(ctx)
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

// explainEmpty reads how many records each field of a filter leaves alone. What is not answered is not said.
func explainEmpty(ctx context.Context, call Call, f filter.Filter) []render.EmptyField {
	ctx, cancel := context.WithTimeout(ctx, explainDeadline)
	defer cancel()
	var fields []render.EmptyField
	for _, c := range f {
		if !slices.ContainsFunc(fields, func(e render.EmptyField) bool { return e.Field == c.Field }) && len(fields) < maxExplained {
			fields = append(fields, render.EmptyField{Field: c.Field, Alone: -1})
		}
	}
	_ = read.Parallel(ctx, len(fields), func(ctx context.Context, i int) error {
		explainField(ctx, call, f, &fields[i])
		return nil
	})
	return fields
}

func explainField(ctx context.Context, call Call, f filter.Filter, e *render.EmptyField) {
	own := slices.DeleteFunc(slices.Clone(f), func(c filter.Condition) bool { return c.Field != e.Field })
	counted, err := aggregated(ctx, call, aggregate.Args{Metric: "count", Filter: own})
	if err != nil {
		return
	}
	n, ok := counted.Number("value")
	if !ok {
		return
	}
	e.Alone = n
	switch {
	case n > 0:
		return
	case own[0].Operator != "":
		e.Least, e.Most = extreme(ctx, call, "min", e.Field), extreme(ctx, call, "max", e.Field)
		return
	}
	value := cmp.Or(strings.Trim(own[0].Value, "*%"), own[0].Value)
	e.Signs = strings.ContainsAny(own[0].Value, "*%")
	if e.Field != "id" && !strings.HasSuffix(e.Field, "_id") { // an id is no other record's
		explainValues(ctx, call, e, value)
	}
	explainValue(ctx, call, f, e, value)
}

// explainValues reads which values a field has, and which of them is near to one that it does not have.
func explainValues(ctx context.Context, call Call, e *render.EmptyField, value string) {
	grouped, err := aggregated(ctx, call, aggregate.Args{Metric: "count", GroupBy: e.Field, Limit: maxComparedValues})
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
	if strings.HasPrefix(value, "!") || !isNearOne(value, texts) { // what is meant is any other
		return
	}
	if near := written.Nearest(value, texts, 1); len(near) > 0 && !insideWord(near[0], value) {
		e.Meant = withValue(call, e.Field, e.Values[slices.Index(texts, near[0])].Key)
	}
}

// isNearOne reports whether one of some texts may be meant by a value that is none of them: not where several have it in them, nor by a
// value of so few letters that it is near to any, such as the name of a language, unless it differs in case alone.
func isNearOne(value string, texts []string) bool {
	const fewLetters = 4
	having := 0
	for _, text := range texts {
		if strings.EqualFold(text, value) {
			return true
		}
		if strings.Contains(strings.ToLower(text), strings.ToLower(value)) {
			having++
		}
	}
	return having < 2 && utf8.RuneCountInString(value) >= fewLetters
}

// insideWord reports whether a text has another only behind a letter, as Hannah has Anna.
func insideWord(text, part string) bool {
	text, part = strings.ToLower(text), strings.ToLower(part)
	before, _, found := strings.Cut(text, part)
	last, _ := utf8.DecodeLastRuneInString(before)
	return found && unicode.IsLetter(last) && !strings.Contains(text, " "+part)
}

// extreme is the least or the largest value of a field, as JSON; "" where that is not known.
func extreme(ctx context.Context, call Call, metric, field string) string {
	answer, _ := aggregated(ctx, call, aggregate.Args{Metric: metric, Field: field})
	return answer.Get("value")
}

// aggregated computes something of the records of the call's stream.
func aggregated(ctx context.Context, call Call, q aggregate.Args) (rs.Object, error) {
	response, err := call.RS.Do(ctx, q.Request(rs.Scope{Stream: call.Scope.Stream, ConnectionID: call.Scope.ConnectionID}))
	if err != nil {
		return nil, err
	}
	return aggregate.Body(response), nil
}
