package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/period"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// searchTool finds records by their text; with relaxed, those with some of the words where none has all. recordBase is the public URL of
// the resource server, for citations.
func searchTool(recordBase string, schemas *known.Schemas, relaxed bool) *Tool {
	tool := &Tool{
		Name:  "search",
		Title: "Search",
		Description: "Search the text of all granted records (GET /v1/search). Read-only. " +
			"Hits, in text and structured output, carry ids for fetch and read_record_field, excerpts first. Narrow with streams and connection_id from schema, since, until or filter.",
		Input: inputSchema("",
			stringProperty("q", "Words or a question; quotes make a \"phrase\", -word excludes"),
			stringProperty("query", "Same as q"),
			namesProperty("streams", "Only these streams"),
			connectionProperty,
			enumProperty("mode", "lexical if absent", "lexical", "semantic", "hybrid"),
			integerProperty("limit", "Most hits over all connections", 1, maxLimit),
			stringProperty("cursor", "next_cursor, with the same other arguments"),
			filterProperty,
			stringProperty("since", "First day or time; without q all records, newest first"),
			stringProperty("until", "Last day or time"),
			zoneProperty,
		),
		Output: json.RawMessage(`{"type":"object","properties":{"results":{"type":"array","items":{"type":"object","properties":{` +
			`"id":{"type":"string"},"title":{"type":"string"},"url":{"type":"string"}},"required":["id","title","url"]}},` +
			`"content_ladder":{"type":"object"},"data":{"type":"object"},` + errorProperty + `}}`),
		Listed: true,
		Decode: decodeSearch,
		Render: func(call Call, answer Answer) (render.Result, error) {
			args := call.Args.(searchArgs)
			return render.Search(answer.Response, render.SearchQuery{
				Q: args.q, Limit: args.limit, Position: args.position, ConnectionID: call.Scope.ConnectionID, RecordBase: recordBase,
				Rest:   call.Arguments.Without("q", "query", "connection_id", "limit", "cursor"),
				Repair: shownRepair(answer.Repair), Coverage: answer.Coverage, OfTime: answer.ofTime,
				Now: time.Now().UTC(), Question: answer.question, Unfiltered: answer.unfiltered, Meant: answer.meant, Newest: answer.newest,
			})
		},
	}
	core := forwardOnce
	if relaxed {
		tool.Description += " A question will do: if no record has all words, those with some are listed."
		core = newSearcher(time.Now).forward
	}
	tool.Forward = periodSearch{schemas, core, known.NewRefusals(time.Now)}.forward
	return readDates(schemas, tool)
}

// shownRepair is a repair as it is rendered; nil where the answer says it all.
func shownRepair(r *render.Repair) *render.Repair {
	if r == nil || r.Total == 0 && len(r.Words)+len(r.NotAsked) < 2 && r.Ended == "" {
		return nil
	}
	return r
}

// fewHits is how many hits are so few that another search is proposed.
const fewHits = 3

var (
	// partsOfTime are words of a time that is shorter than the one beside it: the first week of June.
	partsOfTime = written.Set(
		"week", "weekend", "half", "days", "beginning", "end", "mid", "woche", "wochenende", "anfang", "mitte", "ende", "semaine",
		"début", "semana", "quincena",
	)

	// sayNothing are words of a question for all that there is of a time.
	sayNothing = written.Set(
		"happen", "happens", "happened", "happening", "do", "done", "doing", "meet", "met", "see", "saw", "went", "going", "everything",
		"anything", "have", "has", "had", "plans", "planned", "all", "what", "who", "where", "when", "which", "i", "we", "me", "my", "was",
		"were", "am", "is", "are", "did", "the", "on", "in", "at", "summary", "summarize", "summarise", "overview", "recap", "day", "month",
		"passiert", "passierte",
		"gemacht", "getan", "getroffen", "alles", "zusammenfassung", "passé", "fait", "vu", "résumé", "tout", "pasó", "pasado", "hice",
		"resumen", "todo",
	)
)

// A periodSearch is the core of a search that may have a period.
type periodSearch struct {
	schemas *known.Schemas
	core    Handler
	refused *known.Refusals // to filter
}

// forward lets the core search a resource server that has nothing but the period.
func (p periodSearch) forward(ctx context.Context, call Call) (Reply, error) {
	args := call.Args.(searchArgs)
	if args.period == (period.Period{}) {
		return p.searched(ctx, call)
	}
	stated := p.schemas.Of(ctx, call.RS, rs.Scope{ConnectionID: call.Scope.ConnectionID})
	if stated.Err != nil {
		return Reply{Call: call}, stated.Err
	}
	for _, stream := range args.streams { // a package knows by itself
		if auth.PrincipalFrom(ctx).Package == nil && !slices.ContainsFunc(stated.Sources, func(s known.Source) bool { return s.Stream == stream }) {
			return Reply{Call: call}, noSources(call.Scope, false)
		}
	}
	r := &period.Reader{
		Doer: call.RS, Words: args.q, Filter: args.filter, Period: args.period, Zone: args.zone,
		Refused: p.refused, Grant: auth.PrincipalFrom(ctx).GrantID,
	}
	if timeless, some := r.Choose(stated.Sources, args.streams); !some {
		return Reply{Call: call}, noSources(call.Scope, timeless)
	}
	call.RS = r
	return p.searched(ctx, call)
}

// searched is the answer of the core, with how fresh what was searched is if nothing was found.
func (p periodSearch) searched(ctx context.Context, call Call) (Reply, error) {
	reply, err := p.core(ctx, call)
	_, reply.unfiltered = p.refused.Get(auth.PrincipalFrom(ctx).GrantID)
	args := call.Args.(searchArgs)
	r, ofTime := call.RS.(*period.Reader)
	if ofTime {
		call.RS = r.Doer // of what is read beside
	}
	if err == nil {
		_, err = args.position.Under(call.Scope.ConnectionID)
	}
	if err == nil && isEmpty(reply.Response) && args.position.First() && !reply.spent {
		reads := reply.Response.Reads // one for each member of a package
		if ofTime {
			reads = r.Connections()
		}
		reply.Answer = withCoverage(ctx, call, p.schemas, reply.Answer, reads, args.streams...)
	}
	if err == nil {
		reply.meant, reply.ofTime = unreadFields(ctx, p.schemas, call, reply.Answer), p.ofTime(ctx, call, reply.Answer)
		if reply.question = render.NewQuestion(args.q, func() []string { return relax.Words(args.q) }); args.q != "" && args.position.First() {
			reply.newest = newestRecord(ctx, p.schemas, call, reply.question)
		}
	}
	return reply, err
}

func noSources(scope rs.Scope, timeless bool) error {
	switch {
	case timeless:
		return rs.Invalid("since", "No stream of these says when its records are.", "Search without since and until, or in other streams.")
	case scope.ConnectionID != "":
		return &rs.Error{Code: rs.UnknownConnection, Param: "connection_id", Message: "no such stream or connection in this grant."}
	}
	return &rs.Error{Code: rs.UnknownStream, Param: "streams", Message: "no stream of these in this grant."}
}

// ofTime are the arguments of a search of the time that the query names, where the words of it find little; nil for none. The schema may be
// read for it.
func (p periodSearch) ofTime(ctx context.Context, call Call, answer Answer) rs.Object {
	s := call.Args.(searchArgs)
	if s.period != (period.Period{}) || !s.position.First() {
		return nil
	}
	list, _ := answer.Response.List()
	recall := list.Envelope.Object("meta").Object("recall")
	_, missing := recall.Number("partial_count")
	if answer.Repair == nil && !missing && len(list.Items) > fewHits && !recall.Has("preferred_time") {
		return nil
	}
	since, until, rest, named := written.NamedPeriod(s.q, time.Now().UTC())
	words := relax.Words(strings.ToLower(rest))
	if !named || slices.ContainsFunc(words, func(word string) bool { return partsOfTime[word] }) {
		return nil
	}
	args := call.Arguments.Without("q", "query")
	words = slices.DeleteFunc(words, func(word string) bool { return sayNothing[word] })
	switch streams, all := streamsOf(ctx, p.schemas, call, words); {
	case !all:
		args = withWords(rest, args)
	case len(streams) > 0 && len(s.streams) == 0:
		args = args.Without("mode").With("streams", rs.EncodeJSON(streams))
	default:
		args = args.Without("mode")
	}
	if since != "" {
		args = append(args, rs.Member{Name: "since", Value: rs.EncodeJSON(since)})
	}
	if until != "" {
		args = append(args, rs.Member{Name: "until", Value: rs.EncodeJSON(until)})
	}
	return args
}
