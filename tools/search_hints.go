package tools

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/period"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

const (
	manyHits        = 10 // hits that are enough to tell which year is meant
	maxTriedStreams = 5  // streams in which the records with the conditions of a query are counted
)

// searched is an answered search. It finds out which other calls the search may mean, and may read the schema for that.
type searched struct {
	searchArgs
	call   Call
	answer *Answer
	list   rs.List
	schema func() known.Stream // what is known of all streams
	absent []string            // the words of the query that no record has, in lower case

	// timed reports that the query names a time; Named has it, and the query without it.
	timed bool
	written.Named
}

func (s *searched) recall() rs.Object { return s.list.Envelope.Object("meta").Object("recall") }

// readTime reads the time of the query: the one that it names, or from now on for the next of something, where records may be planned.
func (s *searched) readTime(ctx context.Context) {
	now := time.Now().UTC()
	s.Named, s.timed = written.NamedPeriod(written.WithoutHour(s.q), now)
	next, is := written.Named{}, false
	if !s.timed && s.Unread == "" {
		next, is = written.NextOf(s.q, now)
	}
	if is && known.MayPlan(s.schema().Sources, s.streams, s.call.Scope.ConnectionID) {
		s.Named, s.timed = next, true
	}
	if !s.timed {
		s.Rest = s.q
	}
	s.moveToHits(ctx)
}

// isSearched reports whether the search is of a source; a cached schema may be of all connections.
func (s *searched) isSearched(source known.Source) bool {
	only := s.call.Scope.ConnectionID
	return (only == "" || only == source.Connection.ID) && (len(s.streams) == 0 || slices.Contains(s.streams, source.Stream))
}

// moveToHits gives a month without a year, which the resource server read as that month of any year, the year of the newest hit in that
// month. It does so only if the hits are all there are, or at least [manyHits].
func (s *searched) moveToHits(ctx context.Context) {
	month, err := time.Parse(time.DateOnly, s.Since)
	if err != nil || s.recall().Text("preferred_time") != "any "+month.Month().String() {
		return
	}
	list := s.list
	if list.Envelope.Flag("has_more") && len(list.Items) < manyHits { // the year must not depend on the limit
		ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
		defer cancel()
		enough := s.searchArgs
		enough.limit = manyHits
		if response, err := s.call.RS.Do(ctx, enough.Request(s.call.Scope)); err == nil {
			list, _ = response.List()
		}
	}
	if list.Envelope.Flag("has_more") && len(list.Items) < manyHits {
		return
	}
	year := written.NewestYear(list.Items[:min(len(list.Items), manyHits)], month.Month())
	if year > 0 {
		month = month.AddDate(year-month.Year(), 0, 0)
		if month.Format(time.DateOnly) == s.ComingSince { // now the other one is the last
			s.ComingSince, s.ComingUntil = s.Since, s.Until
		}
		s.Since, s.Until = month.Format(time.DateOnly), month.AddDate(0, 1, -1).Format(time.DateOnly)
	}
}

func (s *searched) inPeriod() bool { return s.period != (period.Period{}) }

func (s *searched) isAbsent(word string) bool {
	return slices.Contains(s.absent, strings.Trim(strings.ToLower(word), ".,;?!()"))
}

// without returns the arguments of the call except its words, its cursor and some others.
func (s *searched) without(names ...string) rs.Object {
	return s.call.Arguments.Without("q", "query", "cursor").Without(names...)
}

func searchFor(q string, others rs.Object) string {
	return correct.Call{Tool: "search", Arguments: withWords(q, others)}.String()
}

// records returns the call that lists the records of a stream, with more arguments.
func (s *searched) records(stream string, more ...rs.Member) string {
	return correct.Call{Tool: "query_records", Arguments: append(inConnection(s.call, "stream", stream), more...)}.String()
}

// unreadFields returns the call that is meant by conditions in a query, such as total>100, or merchant:Towpath if it found nothing because
// search reads only words. The call filters a stream that has the fields and, if several have them, is known to have such records; if none
// is, it searches for the words. It is "" for any other search.
func (s *searched) unreadFields(ctx context.Context) string {
	const lead = "q is read as words, not as fields. Send: "
	found, rest, words := written.FieldForms(s.q)
	unread := func(word string) bool { return strings.Contains(word, ":") }
	signed := slices.ContainsFunc(found, func(c written.FieldForm) bool { return c.Signed })
	if found == nil || !signed && s.answer.Repair == nil && len(s.list.Items) > 0 && !slices.ContainsFunc(s.absent, unread) {
		return ""
	}
	sent := s.without("limit")
	if document := s.schema().Document; document != nil && !s.answer.search.Unfiltered {
		having := slices.DeleteFunc(slices.Clone(document.Streams), func(row rs.SchemaStream) bool {
			return known.Conditions(&row, found) == nil || len(s.streams) > 0 && !slices.Contains(s.streams, row.Name)
		})
		for i := range having[:min(len(having), maxTriedStreams)] {
			row := &having[i]
			conditions, own := known.Conditions(row, found), s.call
			if of, err := filter.Parse(conditions.JSON()); len(having) > 1 {
				own.Scope.Stream = row.Name
				if n, _ := aggregate.Count(ctx, own.RS, own.Scope, of); n == 0 || err != nil {
					continue
				}
			}
			filtered := rs.Member{Name: "filter", Value: conditions.WithAll(sent.Object("filter")).JSON()}
			if rest == "" && !s.inPeriod() {
				return lead + s.records(row.Name, filtered)
			}
			return lead + searchFor(rest, sent.With("streams", rs.EncodeJSON([]string{row.Name})).With(filtered.Name, filtered.Value))
		}
	}
	if signed { // code, or a formula
		return ""
	}
	return lead + searchFor(strings.TrimSpace(rest+" "+strings.Join(words, " ")), sent)
}

// newestRecord returns the call that answers a query for the newest or oldest record of the stream that it names, such as "latest order",
// or of the sender that it names: the record need not have those words. It is "" for any other query.
func (s *searched) newestRecord(ctx context.Context, q *render.Question) string {
	newest, oldest := q.AsksByTime()
	if s.q == "" || !newest && !oldest || s.inPeriod() || len(s.filter) > 0 {
		return ""
	}
	source, ok := s.streamAsked(q)
	sources, connection, others := s.sourcesAsked(q, source.Stream)
	within := inConnection(s.call, "streams", []string{source.Stream})
	if connection != "" {
		within = within.With("connection_id", rs.EncodeJSON(connection))
	}
	isMore := len(others) > 0
	if others = slices.DeleteFunc(others, s.isAbsent); isMore && len(others) == 0 { // the newest of that stream is another one
		return ""
	}
	which, records := "newest", rs.Object{rs.NewMember("limit", 1)}
	if oldest {
		which, records = "oldest", append(rs.Object{rs.NewMember("order", "asc")}, records...)
	}
	if len(others) > 0 && !s.timed && !s.answer.search.Unfiltered {
		if says := s.newestOf(ctx, q, sources, others, which, records); says != "" {
			return says
		}
	}
	switch {
	case !ok || len(others) > 0 && len(s.streams) == 1: // that is this search
		return ""
	case len(others) > 0:
		return "In that stream alone: " + searchFor(q.TimeWord()+" "+strings.Join(others, " "), within)
	case newest && source.Time != "": // of all connections that have it
		within = append(rs.Object{rs.NewMember("since", "1970-01-01")}, within...)
		return "The newest of that stream: " + searchFor("", within.With("limit", "1"))
	}
	records = append(rs.Object{rs.NewMember("stream", source.Stream)}, append(within.Without("streams"), records...)...)
	return "The " + which + " of that stream: " + correct.Call{Tool: "query_records", Arguments: records}.String()
}

// streamAsked returns the first source of the stream that a question names; else false, with the stream of a hit whose sender it names.
func (s *searched) streamAsked(q *render.Question) (source known.Source, ok bool) {
	source, _, ok = known.SourceCalled(s.schema().Sources, q.Words(), s.isSearched)
	for i := 0; i < len(s.list.Items) && source.Stream == ""; i++ {
		if hit := s.list.Items[i].Members; q.AsksOf(hit.Text("actor")) {
			source.Stream = hit.Text("stream", "stream_name")
		}
	}
	return source, ok
}

// sourcesAsked returns the sources of a stream, limited to the connections that a question names, if any; the id of the connection if it
// names exactly one; and the words that say more than these names.
func (s *searched) sourcesAsked(q *render.Question, stream string) (sources []known.Source, connection string, others []string) {
	sources = s.sourcesOf(stream, "")
	had, of := known.NamedConnections(sources, slices.DeleteFunc(slices.Clone(q.Words()), q.AsksOf))
	others = slices.DeleteFunc(relax.Telling(q.TopicWords()), func(word string) bool { return fields.Calls(word, stream) })
	if len(of) == 1 {
		connection = of[0].ID
	}
	isOther := func(source known.Source) bool { return len(of) > 0 && !slices.Contains(of, source.Connection) }
	return slices.DeleteFunc(sources, isOther), connection, relax.Without(others, had...)
}

// newestOf returns the calls for the newest or oldest records whose sender, or whose title, such as a merchant, is a value that a query
// names, one for each connection that has it; "" if it names none, or different ones.
func (s *searched) newestOf(
	ctx context.Context, q *render.Question, sources []known.Source, others []string, which string, records rs.Object,
) string {
	value, having := s.valueNamed(ctx, q, sources, others)
	left, calls := relax.Without(others, strings.Fields(value)...), []string(nil)
	for _, source := range having {
		args := rs.Object{rs.NewMember("connection_id", source.Connection.ID), rs.NewMember("filter", map[string]string{source.Whose(): value})}
		if len(left) > 0 {
			args = append(rs.Object{rs.NewMember("streams", []string{source.Stream})}, args...)
			calls = append(calls, searchFor(q.TimeWord()+" "+strings.Join(left, " "), args))
		} else {
			args = append(append(rs.Object{rs.NewMember("stream", source.Stream)}, args...), records...)
			calls = append(calls, correct.Call{Tool: "query_records", Arguments: args}.String())
		}
	}
	if value == "" {
		return ""
	}
	return "The " + which + " of " + quote.Text(value) + ": " + strings.Join(calls, ", ")
}

// ofTime returns the arguments of a search of the time that the query names. It searches for the words that say what the query is about,
// except those that no record has, in the streams and the connection that other words name. other is the same for the time to come, if
// both may be meant. Both are nil if there is no time, or a second one.
func (s *searched) ofTime() (args, other rs.Object) {
	if !s.timed || s.inPeriod() {
		return nil, nil
	}
	words, leftOut, now := relax.Topic(written.WithoutBound(s.Rest)), s.recall().Array("left_out_words"), time.Now().UTC()
	if slices.ContainsFunc(words, func(word string) bool { return written.NamesTime(word, now) }) {
		return nil, nil
	}
	_, _, ranks := written.Superlative(s.Rest)
	words = slices.DeleteFunc(relax.Without(words, ranks...), func(word string) bool {
		return len(s.absent) > 0 && slices.Contains(leftOut, rs.EncodeJSON(strings.ToLower(word)))
	})
	if about := relax.Telling(words); len(about) > 0 {
		words = about
	}
	args = s.call.Arguments.Without("q", "query")
	had, of := known.NamedConnections(s.schema().Sources, words)
	if len(of) == 1 && s.call.Scope.ConnectionID == "" && written.WordsOf(of[0].DisplayName).Name(written.WordsOf(strings.Join(had, " "))) {
		words, args = relax.Without(words, had...), args.With("connection_id", rs.EncodeJSON(of[0].ID))
	}
	streams, words := s.streamsOf(words)
	if relax.AsksFree(s.Rest) {
		streams, words = s.streamsOf([]string{"meetings"}) // all of them, if a stream is known to have them
	}
	if words = slices.DeleteFunc(words, s.isAbsent); len(words) > 0 {
		args = withWords(relax.Keep(s.Rest, words), args)
	} else {
		args = args.Without("mode")
	}
	if len(streams) > 0 && len(s.streams) == 0 {
		args = args.With("streams", rs.EncodeJSON(streams))
	}
	if s.ComingSince != "" && !relax.AsksPast(s.q) &&
		known.MayPlan(s.schema().Sources, slices.Concat(streams, s.streams), args.Text("connection_id")) {
		other = args.WithAll(given(rs.NewMember("since", s.ComingSince), rs.NewMember("until", s.ComingUntil)))
	}
	return args.WithAll(s.bounds()), other
}

// rankedRecord returns the call for the record that a superlative names, such as the cheapest order, for those of more or less than an
// amount, or for who has the most of them, also of a sender or merchant that the query names; "" for any other query.
func (s *searched) rankedRecord(ctx context.Context, q *render.Question) string {
	if s.inPeriod() || len(s.filter) > 0 || s.answer.search.Unfiltered { // then it sorts as little
		return ""
	}
	r := known.Ranked(s.schema, s.Rest, s.bounds(), q.AsksSum(), s.isSearched)
	if r.Tool == "" {
		return ""
	}
	if field := r.Args.Text("field"); field != "" {
		where, ok := s.spent(ctx, r.Source.Stream, field)
		if r.Filter = where.WithAll(r.Filter); !ok {
			return ""
		}
	}
	if len(r.Others) > 0 {
		value, having := s.valueNamed(ctx, q, s.sourcesOf(r.Source.Stream, ""), r.Others)
		if len(having) != 1 || len(relax.Without(r.Others, strings.Fields(value)...)) > 0 {
			return ""
		}
		r.Filter = rs.Object{rs.NewMember(having[0].Whose(), value)}.WithAll(r.Filter)
		r.Args = append(rs.Object{rs.NewMember("connection_id", having[0].Connection.ID)}, r.Args...)
	}
	if len(r.Filter) > 0 {
		r.Args = append(r.Args, rs.Member{Name: "filter", Value: r.Filter.JSON()})
	}
	return r.Says + correct.Call{Tool: r.Tool, Arguments: inConnection(s.call, "stream", r.Source.Stream).WithAll(r.Args)}.String()
}

// bounds returns since and until for the time that the query names; none for a search that has its own period.
func (s *searched) bounds() rs.Object {
	if s.inPeriod() {
		return nil
	}
	return given(rs.NewMember("since", s.Since), rs.NewMember("until", s.Until))
}

// streamsOf returns the streams with a time that some words of a search name, and the other words. Among several words, only a plural or a
// noun by itself names a stream, and a usual word for records, such as meeting, is dropped: Thread may be part of a name.
func (s *searched) streamsOf(words []string) (streams, others []string) {
	isTimed := func(source known.Source) bool {
		return source.Time != "" && s.isSearched(source)
	}
	for _, word := range words {
		source, _, ok := known.SourceCalled(s.schema().Sources, []string{word}, isTimed)
		usual := len(s.streams) == 0 && fields.StreamOf(strings.ToLower(word)) != ""
		isHead := ok && relax.IsHead(s.Rest, word, words) // a meeting with Ann, but not a meeting room
		switch {
		case !ok && !usual || len(words) > 1 && !fields.MayCall(word) && (!isHead || word != strings.ToLower(word)):
			others = append(others, word)
		case ok && (len(words) == 1 || isHead || strings.HasSuffix(word, "s")) && !slices.Contains(streams, source.Stream):
			streams = append(streams, source.Stream)
		}
	}
	return streams, others
}
