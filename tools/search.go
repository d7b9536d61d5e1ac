package tools

import (
	"encoding/json"
	"net/url"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// searchTool finds records by their text; with relaxed, those with some of the words where none has all. recordBase is the public URL of
// the resource server, for citations.
func searchTool(recordBase string, schemas *schemaCache, relaxed bool) *Tool {
	tool := &Tool{
		Name:  "search",
		Title: "Search",
		Description: "Search the text of all granted records (GET /v1/search). Read-only. " +
			"Hits, in text and structured output, carry ids for fetch and read_record_field, excerpts first. Narrow with streams and connection_id from schema, since, until or filter.",
		Input: object("",
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
				Rest:   rs.AsObject(string(call.Raw)).Without("q", "query", "connection_id", "limit", "cursor"),
				Repair: answer.Repair.shown(),
			})
		},
	}
	core := forwardOnce
	if relaxed {
		tool.Description += " A question will do: if no record has all words, those with some are listed."
		core = newSearcher(time.Now).forward
	}
	tool.Forward = periodSearch{schemas, core, newLearned(time.Now)}.forward
	return schemas.readDates(tool)
}

type searchArgs struct {
	q, mode, connectionID string
	streams               []string
	limit                 int
	position              render.Position
	filter                filter
	period                period
	zone                  *time.Location // of dates
}

func decodeSearch(raw json.RawMessage) (Args, error) {
	a := readArguments(raw, "q", "query", "streams", "connection_id", "mode", "limit", "cursor", "filter", "since", "until", "time_zone")
	q, query := a.text("q", maxQueryBytes), a.text("query", maxQueryBytes)
	switch {
	case q == "" && query == "" && !a.has("since") && !a.has("until"):
		a.required("q", `{"q":"invoice"}`)
	case q != "" && query != "" && q != query:
		a.failf("query", "Send q alone.", "q is %s and query is %s; they mean the same thing.", quote(q), quote(query))
	case q == "":
		q = query
	}
	args := searchArgs{
		q:            q,
		mode:         a.choice("mode", "lexical", "semantic", "hybrid"),
		connectionID: a.name("connection_id"),
		streams:      a.list("streams", a.safeName),
		position:     a.position(),
		filter:       a.filter(),
		zone:         a.timeZone(),
	}
	args.period = a.period(args.zone)
	if q == "" {
		a.requires("mode", "q")
	}
	args.limit, _ = a.number("limit", 1, maxLimit)
	if args.position.Shown > 0 {
		args.limit = args.position.Limit // the same page again
	}
	if args.mode == "hybrid" && args.position.Cursor != "" {
		a.failf("cursor", "Raise limit instead, or page with mode lexical.", "hybrid search has no pages.")
	}
	if a.err != nil {
		return nil, a.err
	}
	return args, nil
}

func (s searchArgs) dates() (stream string, f filter, zone *time.Location) {
	if len(s.streams) == 1 {
		stream = s.streams[0]
	}
	return stream, s.filter, s.zone
}

func (s searchArgs) withFilter(f filter) Args {
	s.filter = f
	return s
}

// Scope returns what the read touches.
func (s searchArgs) Scope() (rs.Scope, error) { return rs.Scope{ConnectionID: s.connectionID}, nil }

// Request returns GET /v1/search, or its semantic or hybrid form.
func (s searchArgs) Request(scope rs.Scope) rs.Request {
	query := url.Values{}
	setText(query, "q", s.q)
	setText(query, "connection_id", scope.ConnectionID)
	setList(query, "streams", s.streams)
	setNumber(query, "limit", s.limit)
	setText(query, "cursor", s.position.Cursor)
	s.filter.write(query)
	path := rs.Path("search")
	if s.mode == "semantic" || s.mode == "hybrid" {
		path = rs.Path("search", s.mode)
	}
	return rs.Request{Path: path, Query: query}
}
