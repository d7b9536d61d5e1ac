package tools

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/period"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/propose"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// searchTool finds records by their text. Unless the options say otherwise, it finds records with some of the words if none has all of
// them, and the first hits without title, author and time get those of their records.
func searchTool(o Options) *Tool {
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
			integerProperty("limit", "Most hits over all connections", 1, rs.MaxLimit),
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
			q.Shown = args.shown
			q.Q, q.Limit, q.Position, q.ConnectionID, q.RecordBase = args.q, args.limit, args.position, call.Scope.ConnectionID, o.RecordBase
			q.Rest = call.Arguments.Without("q", "query", "connection_id", "limit", "cursor")
			q.Repair, q.Empty, q.Coverage, q.Now = shownRepair(answer.Repair), answer.Empty, answer.Coverage, call.Now
			return render.Search(answer.Response, q)
		},
	}
	if !o.NoSearchRelax {
		tool.Description += " A question will do: if no record has all words, those with some are listed."
	}
	tool.Read = searcher{!o.NoSearchRelax, !o.NoHitContext, known.NewRefusals(time.Now)}.read
	return tool
}

// shownRepair returns the repair to render; nil if it adds nothing to the answer.
func shownRepair(r *render.Repair) *render.Repair {
	isForm := func(w render.RepairWord) bool { return w.InsteadOf != "" }
	if r == nil || r.Total == 0 && r.Ended == "" && len(slices.DeleteFunc(slices.Clone(r.Words), isForm))+len(r.NotSearched) < 2 {
		return nil
	}
	return r
}

// read searches. With a period, it searches as if the resource server had only the records of that period.
func (s searcher) read(ctx context.Context, call Call) (Answer, error) {
	args := call.Args.(searchArgs)
	var readAs filter.DatesRead
	schema := sync.OnceValue(func() known.Stream { return call.knownStream(ctx, "") }) // not read before it is needed
	if len(args.streams)+len(args.filter) > 0 || args.period != (period.Period{}) {
		var err error
		streams := sync.OnceValue(func() known.Stream { return args.streamsOf(schema()) })
		args.filter, readAs, err = wholeDays(call, args.filter, args.zone, streams)
		if err != nil {
			return Answer{}, err
		}
		if auth.PrincipalFrom(ctx).Package == nil || !args.continuesInPackage() {
			args.parts = args.partStreams(schema)
		}
	}
	call.Args = args
	within, err := periodReader(ctx, call, schema)
	if err != nil {
		return Answer{}, err
	}
	searched := call
	if within != nil {
		searched.RS = within
	}
	answer, err := s.search(ctx, searched)
	if within == nil && err != nil && len(args.parts) > 0 && rs.AsError(err).Status/100 == 4 { // search without the added parts
		args.parts = nil
		call.Args = args
		answer, err = s.search(ctx, call)
	}
	if err == nil {
		err = args.position.Under(call.Scope.ConnectionID)
	}
	if err == nil {
		s.describe(ctx, call, &answer, within, schema)
		answer.Response = answer.Response.WithMembers(readAs.Note(answer.Response.Object().Array("read_as")))
	}
	return answer, err
}

// describe adds to an answer why and where nothing was found, what hits lack, and which other calls may be meant. within is nil if the
// search had no period.
func (s searcher) describe(ctx context.Context, call Call, answer *Answer, within *period.Reader, schema func() known.Stream) {
	args, found := call.Args.(searchArgs), &answer.search
	_, found.Unfiltered = call.Tool.schemas.Unfiltered.Get(auth.PrincipalFrom(ctx).GrantKey())
	if read.IsEmpty(answer.Response) && args.position.First() && !answer.spent {
		answer.Empty = args.explainEmpty(ctx, call, schema)
		reads := answer.Response.Reads // one for each member of a package
		if within != nil {
			reads = within.Connections()
		}
		answer.Coverage, answer.Streams = absence(ctx, call, reads, args.streams...)
		answer.Response = answer.Response.WithMembers(answer.Coverage.Members())
	}
	if s.looksUp {
		sources := func(ctx context.Context) []known.Source { return call.knownStream(ctx, "").Sources }
		answer.Response = period.WithContext(ctx, call.RS, sources, answer.Response, args.position.Shown)
	}
	found.Parts = args.parts
	if within != nil && args.period != (period.Period{}) {
		found.ParentRecords = args.parentRecords(schema().Document)
	}
	if !args.position.First() {
		return
	}
	repeat := func(limit int) rs.Request {
		args.limit = limit
		return args.Request(call.Scope)
	}
	found.Proposals, answer.Response = propose.Calls(ctx, propose.Search{
		Q: args.q, Mode: args.mode, Streams: args.streams, Filter: args.filter, Period: args.period,
		Scope: call.Scope, Arguments: call.Arguments, Now: call.Now,
		Response: answer.Response, Repair: answer.Repair, Spent: answer.spent, Listed: answer.Streams, Unfiltered: found.Unfiltered,
		RS: call.RS, Schemas: call.Tool.schemas, Schema: schema, Repeat: repeat,
	})
}

// streamsOf returns what is known of the streams that a search names, together; of all streams if it names none.
func (s searchArgs) streamsOf(all known.Stream) known.Stream {
	if all.Err != nil {
		return known.Stream{}
	}
	isOther := func(row rs.SchemaStream) bool { return len(s.streams) > 0 && !slices.Contains(s.streams, row.Name) }
	named := &rs.Schema{Streams: slices.DeleteFunc(slices.Clone(all.Document.Streams), isOther)}
	return known.ReadStream(named, rs.Scope{ConnectionID: s.connectionID})
}

// explainEmpty explains why no record of the named streams matches the filter; nil if some do, or if that is not known.
func (s searchArgs) explainEmpty(ctx context.Context, call Call, schema func() known.Stream) (empty []render.EmptyField) {
	if len(s.filter) == 0 || schema().Err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, explainDeadline) // of all together
	defer cancel()
	document := s.streamsOf(schema()).Document
	var scopes []rs.Scope
	for _, stream := range fields.Having(document, s.filter.Object()) {
		ids := []string{s.connectionID}
		if auth.PrincipalFrom(ctx).Package != nil && s.connectionID == "" { // a package counts in one connection
			ids = fields.HavingAll(stream, call.Arguments, func() *rs.Schema { return document })
		}
		for _, id := range ids {
			scopes = append(scopes, rs.Scope{Stream: stream, ConnectionID: id})
		}
	}
	for _, scope := range scopes[:min(len(scopes), maxExplained)] {
		call.Scope = scope
		why := explainEmpty(ctx, call, s.filter)
		if !slices.ContainsFunc(why, func(e render.EmptyField) bool { return e.Alone == 0 }) { // perhaps no record matches all of them
			if n, ok := aggregate.Count(ctx, call.RS, call.Scope, s.filter); len(why) < 2 || !ok || n > 0 {
				return nil
			}
		}
		if empty == nil || !slices.ContainsFunc(empty, func(e render.EmptyField) bool { return e.Meant != nil }) {
			empty = why
		}
	}
	return empty
}

// partStreams returns the streams whose records are parts of the records of the searched streams, such as the bodies of messages: without
// them a search of messages would miss what a message says. With a filter a resource server searches one stream, so partStreams returns
// none for a filtered search by meaning or by id, or one that continues from the resource server's own cursor.
func (s searchArgs) partStreams(schema func() known.Stream) []string {
	filtered := len(s.filter) > 0 && s.period == (period.Period{})
	other := s.mode != "" && s.mode != "lexical" || s.filter.Has("id") || s.position.Cursor != "" && !period.IsCursor(s.position.Cursor)
	if s.q == "" || len(s.streams) == 0 || filtered && other || schema().Err != nil {
		return nil
	}
	return schema().PartsOf(s.streams)
}

// continuesInPackage reports whether a search of several connections continues from a package's own cursor. That cursor includes the parts,
// and the package refuses one of another search before the schema of any member is read.
func (s searchArgs) continuesInPackage() bool {
	own := s.position.Cursor != "" && s.position.Cursor != render.RepairedList && !period.IsCursor(s.position.Cursor)
	return own && s.connectionID == ""
}

// periodReader returns the resource server limited to the period of a search, or to a filter of records with parts; nil for any other
// search. It fails if a named stream is not granted, or not under the named connection.
func periodReader(ctx context.Context, call Call, schema func() known.Stream) (*period.Reader, error) {
	args, principal := call.Args.(searchArgs), auth.PrincipalFrom(ctx)
	limited := args.period != (period.Period{}) || len(args.filter) > 0 && len(args.parts) > 0
	if !limited && (args.connectionID == "" || len(args.streams) == 0 || principal.Package != nil) {
		return nil, nil
	}
	all := schema()
	if isKnown := all.Err == nil && len(all.Sources) > 0; !limited && !isKnown {
		return nil, nil
	} else if limited && all.Err != nil {
		return nil, all.Err
	}
	for _, stream := range args.streams { // a package checks this itself; a resource server may search the others without mentioning it
		if principal.Package == nil && !slices.ContainsFunc(all.Sources, func(s known.Source) bool { return s.Stream == stream }) {
			return nil, known.NoSources(call.Scope, false)
		}
	}
	if !limited {
		return nil, nil
	}
	r := &period.Reader{
		Doer: call.RS, Words: args.q, Filter: args.filter, Period: args.period, Zone: args.zone,
		Refused: call.Tool.schemas.Unfiltered, Grant: principal.GrantKey(), Connection: call.Scope.ConnectionID, Listed: new(sync.Map),
	}
	if principal.Package != nil && call.Scope.ConnectionID == "" {
		r.Unavailable = known.Unavailable(principal.Package, all.Document, args.streams)
	}
	if timeless, some := r.Choose(all.Sources, args.streams, args.parts); !some {
		if len(r.Unavailable) > 0 && len(args.streams) > 0 && !timeless { // a grant has the stream, but cannot be read
			return nil, principal.Package.Choose(rs.Scope{Stream: args.streams[0]})
		}
		e := known.NoSources(call.Scope, timeless)
		if e.Send = args.parentRecords(all.Document); e.Send != "" && timeless {
			e.Hint = "The records that they are parts of say: the call below lists those of that time, with theirs."
		}
		return nil, e
	}
	return r, nil
}

// parentRecords returns the call that lists the records of the searched period and filter with their parts expanded, for parts that have
// no time themselves and are in the searched streams; "" if no stream has such parts.
func (s searchArgs) parentRecords(schema *rs.Schema) string {
	bounds := argument.Given(rs.NewMember("gte", s.period.Since.String()), rs.NewMember("lte", s.period.Until.String()))
	stream, field, part := known.TimedParent(schema, slices.Concat(s.streams, s.parts))
	if stream == "" {
		return ""
	}
	within, zone := s.filter.Object().With(field, bounds.JSON()), ""
	if s.zone != nil && s.zone != time.UTC {
		zone = s.zone.String()
	}
	args := argument.Given(rs.NewMember("stream", stream), rs.Member{Name: "filter", Value: within.JSON()}, rs.NewMember("expand", []string{part}),
		rs.NewMember("time_zone", zone), rs.NewMember("connection_id", s.connectionID))
	return correct.Call{Tool: "query_records", Arguments: args}.String()
}
