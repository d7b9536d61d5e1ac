package tools

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/period"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

type searchArgs struct {
	source   // without a stream
	q, mode  string
	streams  []string
	parts    []string // streams with parts of the records of those, such as the bodies of messages, that are searched with them
	limit    int
	shown    int // hits to show at most when a page is read again; 0 for all that remain
	position render.Position
	filter   filter.Filter
	period   period.Period
	zone     *time.Location // of dates
}

func decodeSearch(values rs.Object) (Args, error) {
	a := takes(values, "q", "query", "streams", "connection_id", "mode", "limit", "cursor", "filter", "since", "until", "time_zone")
	blank := func(name string) bool { return strings.Trim(values.Get(name), `" `) == "" }
	if blank("q") && blank("query") && !a.Has("since") && !a.Has("until") {
		a.Fail(wordless("", a.Values))
	}
	q, query := a.Text("q", maxQueryBytes), a.Text("query", maxQueryBytes)
	switch {
	case q != "" && query != "" && q != query:
		a.Failf("query", "Send q alone.", "q is %s and query is %s; they mean the same thing.", quote.Exact(q), quote.Exact(query))
	case q == "":
		q = query
	}
	if operator := foreign.Operator(q); operator != "" {
		hint := "It reads words: a sender or a flag is a field that query_records filters, dates are since and until. Quotes search for the text itself."
		if foreign.NamesRecipient(operator) {
			hint = foreign.RecipientHint
		}
		a.Failf("q", hint, "search has no operator %s.", quote.Exact(operator))
	}
	if first, calls := foreign.Alternatives(q); calls > 1 {
		a.Fail(alternatives(first, calls, a.Values))
	}
	if q != "" && len(relax.All(q)) == 0 && !strings.ContainsFunc(q, func(r rune) bool { return unicode.Is(unicode.So, r) }) {
		a.Fail(wordless(q, a.Values))
	}
	args := searchArgs{
		q:       q,
		mode:    a.Choice("mode", "lexical", "semantic", "hybrid"),
		source:  a.source(),
		streams: a.List("streams", argument.UnsafeListed),
		filter:  a.Filter(),
		zone:    a.TimeZone(),
		limit:   a.Number("limit", 1, rs.MaxLimit),
	}
	args.period = a.period(args.zone)
	args.position = a.position()
	if q == "" {
		a.Requires("mode", "q")
	}
	if args.position.Shown > 0 {
		args.shown, args.limit = args.limit, args.position.Limit // read the same page again
	}
	if args.mode == "hybrid" && args.position.Cursor != "" {
		a.Failf("cursor", "Raise limit instead, or page with mode lexical.", "hybrid search has no pages.")
	}
	return a.done(args)
}

// alternatives returns the error for a query that needs several searches, with the call for the first.
func alternatives(first string, calls int, sent rs.Object) *rs.Error {
	e := &rs.Error{
		Code: "invalid_arguments", Param: "q", Message: "A search finds what has all of its phrases: q cannot have OR between them.",
		Hint: "Send a call for each side of the OR.",
	}
	if first != "" {
		e.Hint = correct.CallForEach(calls) + " " + correct.Overlapping
		e.Send = correct.Call{Tool: "search", Arguments: sent.Without("query", "cursor").With("q", rs.EncodeJSON(first))}.String()
	}
	return e
}

// wordless returns the error for a query without a word, such as "*" or "-dentist", for which a search would find nothing.
func wordless(q string, sent rs.Object) *rs.Error {
	const below = "The call below lists all records of the last month, newest first."
	e := &rs.Error{
		Code: "invalid_arguments", Param: "q", Message: fmt.Sprintf("q %s has no word to look for.", quote.Exact(q)),
		Hint: "Send words that the hits have. " + below,
	}
	switch {
	case len(relax.Excluded(q)) > 0:
		e.Message = fmt.Sprintf("q %s only excludes.", quote.Exact(q))
	case q == "":
		if e.Message = "q is required."; sent.Has("q") {
			e.Message = "q is empty."
		}
		e.Hint = `Send for example {"q":"invoice"}. Without words a search needs since or until.`
		if sent.Has("filter") || sent.Has("cursor") { // meant for query_records, or for a next page
			return e
		}
		e.Hint += " " + below
	}
	all := sent.Without("q", "query", "mode", "cursor")
	if !all.Has("since") && !all.Has("until") {
		all = all.With("since", `"1 month ago"`) // a later stage puts the day there
	}
	e.Send = correct.Call{Tool: "search", Arguments: all}.String()
	return e
}

// Request returns GET /v1/search, or its semantic or hybrid form.
func (s searchArgs) Request(scope rs.Scope) rs.Request {
	path := []string{"search"}
	if s.mode == "semantic" || s.mode == "hybrid" {
		path = append(path, s.mode)
	}
	r := read.Request(scope.ConnectionID, path...)
	query := r.Query
	read.Set(query, "q", s.q)
	read.Set(query, "streams", slices.Concat(s.streams, s.parts))
	read.Set(query, "limit", s.limit)
	read.Set(query, "cursor", s.position.Cursor)
	s.filter.Write(query)
	r.Parts = s.parts
	return r
}

// period reads since and until.
func (a *arguments) period(zone *time.Location) period.Period {
	p := period.Period{Since: a.moment("since", zone), Until: a.moment("until", zone)}
	if a.Err != nil || !a.Has("since") || !a.Has("until") {
		return p
	}
	if from, before := p.Bounds(zone); !from.Before(before) {
		a.Failf("until", "Send an until that is not before since.", "since %s is after until %s.",
			quote.Exact(p.Since.String()), quote.Exact(p.Until.String()))
	}
	return p
}

// moment reads a date or a time. A time needs no offset if the call names its zone.
func (a *arguments) moment(name string, zone *time.Location) filter.Value {
	value := filter.ValueOf(a.Text(name, filter.MaxNameBytes))
	if a.Has("time_zone") {
		value = value.In(zone)
	}
	if !value.IsZero() && !value.IsTime() {
		a.Failf(name, `Send a date such as "2026-06-30", or a time such as "2026-06-30T12:00:00Z".`,
			"%s cannot be %s.", name, quote.Exact(value.String()))
	}
	return value
}
