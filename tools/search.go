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
func searchTool(recordBase string, relaxed bool) *Tool {
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
			args, q := call.Args.(searchArgs), answer.search
			q.Q, q.Limit, q.Position, q.ConnectionID, q.RecordBase = args.q, args.limit, args.position, call.Scope.ConnectionID, recordBase
			q.Rest = call.Arguments.Without("q", "query", "connection_id", "limit", "cursor")
			q.Repair, q.Coverage, q.Now = shownRepair(answer.Repair), answer.Coverage, time.Now().UTC()
			return render.Search(answer.Response, q)
		},
	}
	if relaxed {
		tool.Description += " A question will do: if no record has all words, those with some are listed."
	}
	tool.Forward = searcher{relaxed, known.NewRefusals(time.Now), known.NewRefusals(time.Now)}.forward
	return tool
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

// forward searches, in a period as if the resource server had nothing but the period, and adds how fresh what was searched is if nothing
// was found, and which search may be meant.
func (s searcher) forward(ctx context.Context, call Call) (Reply, error) {
	args := call.Args.(searchArgs)
	var readAs []string
	args.filter, readAs = wholeDays(args.filter, args.zone, func() known.Stream {
		if len(args.streams) != 1 {
			return known.Stream{}
		}
		return call.known(ctx, args.streams[0])
	})
	call.Args = args
	within, err := s.within(ctx, call)
	if err != nil {
		return Reply{Call: call}, err
	}
	searched := call
	if within != nil {
		searched.RS = within
	}
	reply, err := s.search(ctx, searched)
	reply.Call = call
	if err == nil {
		_, err = args.position.Under(call.Scope.ConnectionID)
	}
	if err != nil {
		return reply, err
	}
	found := &reply.search
	_, found.Unfiltered = s.refused.Get(auth.PrincipalFrom(ctx).GrantID)
	if isEmpty(reply.Response) && args.position.First() && !reply.spent {
		reads := reply.Response.Reads // one for each member of a package
		if within != nil {
			reads = within.Connections()
		}
		reply.Coverage = absence(ctx, call, reads, args.streams...)
		reply.Response = withMembers(reply.Response, reply.Coverage.Members())
	}
	found.Question = render.NewQuestion(args.q, func() []string { return relax.Words(args.q) })
	if args.position.First() {
		found.Meant, found.OfTime = unreadFields(ctx, call, reply.Answer), ofTime(ctx, call, reply.Answer)
		found.Newest = newestRecord(ctx, call, found.Question)
		if !reply.spent {
			found.ByID, found.InParts = byID(ctx, call, reply.Response), inParts(ctx, call, reply.Response)
		}
		if len(found.ByID.Records) > 0 { // with its colon
			found.Meant = ""
		} else if found.Meant != "" {
			found.ByID = render.ByID{}
		}
	}
	reply.Response = withMembers(reply.Response, saysReadAs(reply.Response.Object().Array("read_as"), readAs))
	return reply, nil
}

// within is the resource server as a search of a period sees it; nil for a search of all times.
func (s searcher) within(ctx context.Context, call Call) (*period.Reader, error) {
	args, principal := call.Args.(searchArgs), auth.PrincipalFrom(ctx)
	if args.period == (period.Period{}) {
		return nil, nil
	}
	stated := call.known(ctx, "")
	if stated.Err != nil {
		return nil, stated.Err
	}
	for _, stream := range args.streams { // a package knows by itself
		if principal.Package == nil && !slices.ContainsFunc(stated.Sources, func(s known.Source) bool { return s.Stream == stream }) {
			return nil, noSources(call.Scope, false)
		}
	}
	r := &period.Reader{
		Doer: call.RS, Words: args.q, Filter: args.filter, Period: args.period, Zone: args.zone,
		Refused: s.refused, Grant: principal.GrantID,
	}
	if timeless, some := r.Choose(stated.Sources, args.streams); !some {
		return nil, noSources(call.Scope, timeless)
	}
	return r, nil
}

func noSources(scope rs.Scope, timeless bool) error {
	switch {
	case timeless:
		return rs.Invalid("since", "No stream of these says when its records are.", "Search without since and until, or in other streams.")
	case scope.ConnectionID != "":
		return &rs.Error{Code: "unknown_connection", Param: "connection_id", Message: "no such stream or connection in this grant."}
	}
	return &rs.Error{Code: "unknown_stream", Param: "streams", Message: "no stream of these in this grant."}
}

// ofTime are the arguments of a search of the time that the query names, where the words of it find little; nil for none. The schema may be
// read for it.
func ofTime(ctx context.Context, call Call, answer Answer) rs.Object {
	s := call.Args.(searchArgs)
	if s.period != (period.Period{}) {
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
	switch streams, all := streamsOf(ctx, call, words); {
	case !all:
		args = withWords(rest, args)
	case len(streams) > 0 && len(s.streams) == 0:
		args = args.Without("mode").With("streams", rs.EncodeJSON(streams))
	default:
		args = args.Without("mode")
	}
	if since != "" {
		args = append(args, encoded("since", since))
	}
	if until != "" {
		args = append(args, encoded("until", until))
	}
	return args
}
