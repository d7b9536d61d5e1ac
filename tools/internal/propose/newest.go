package propose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
)

// newestRecord returns the call that answers a query for the newest or oldest record of the stream or the sender that it names, such as
// "latest order", in the time of the search or of the query: the record need not have those words. For other words it returns the search
// for them that says which hit is the newest or oldest. It is "" for any other query.
func (s *search) newestRecord(ctx context.Context) string {
	newest, oldest := s.Question.AsksByTime()
	bounds := s.bounds()
	if s.Q == "" || !newest && !oldest || len(s.Filter) > 0 || s.Unfiltered && len(bounds) > 0 {
		return ""
	}
	source, ok := s.streamAsked()
	sources, connection, others := s.sourcesAsked(source.Stream)
	if ok && len(sources) > 0 { // the same stream in the connection that the query names may have another time
		source = sources[0]
	}
	within := argument.InConnection(s.Arguments, "streams", []string{source.Stream})
	if connection != "" {
		within = within.With("connection_id", rs.EncodeJSON(connection))
	}
	if zone := s.Arguments.Text("time_zone"); zone != "" && len(bounds) > 0 {
		within = within.With("time_zone", rs.EncodeJSON(zone))
	}
	field, value, _, said := known.Belonging(ctx, s.RS, s.Schema(), rs.Scope{Stream: source.Stream}, s.Rest)
	var where rs.Object
	if field != "" && !s.Unfiltered {
		where, others = rs.Object{{Name: field, Value: value}}, relax.Without(others, said...)
		sources = slices.DeleteFunc(sources, func(source known.Source) bool { return !source.HasAll(where, s.Schema().Document) })
		within = within.With("filter", where.JSON())
	}
	isMore := len(others) > 0
	if others = slices.DeleteFunc(others, s.isAbsent); isMore && len(others) == 0 { // the newest of that stream is another one
		return ""
	}
	which, records := "newest", rs.Object{rs.NewMember("limit", 1)}
	if oldest {
		which, records = "oldest", append(rs.Object{rs.NewMember("order", "asc")}, records...)
	}
	if len(others) > 0 && !s.Unfiltered {
		if says := s.newestOf(ctx, sources, others, where, which, records); says != "" {
			return says
		}
	}
	isListed := ok && (len(s.Streams) != 1 || s.timed)
	switch word := s.Question.TimeWord(); {
	case len(others) > 0 && isListed:
		return "In that stream alone: " + searchFor(which+" "+strings.Join(others, " "), within.WithAll(bounds))
	case len(others) > 0 && oldest && word != "oldest" && word != "earliest" && !s.timed: // only these are common words
		return fmt.Sprintf("Without the word %s: ", quote.Text(word)) + searchFor("oldest "+strings.Join(others, " "), s.without("limit"))
	case !ok || len(others) > 0 || len(bounds) > 0 && source.Time == "":
		return ""
	case newest && source.Time != "" && len(bounds) == 0 && where == nil: // of all connections that have it
		within = append(rs.Object{rs.NewMember("since", "1970-01-01")}, within...)
		return "The newest of that stream: " + searchFor("", within.With("limit", "1"))
	}
	if where = source.Within(where, bounds); len(where) > 0 {
		records = append(records, rs.Member{Name: "filter", Value: where.JSON()})
	}
	records = append(rs.Object{rs.NewMember("stream", source.Stream)}, append(within.Without("streams", "filter"), records...)...)
	return "The " + which + " of that stream: " + correct.Call{Tool: "query_records", Arguments: records}.String()
}

// streamAsked returns the first source of the stream that a question names; else false, with the stream of a hit whose sender it names.
func (s *search) streamAsked() (source known.Source, ok bool) {
	source, _, ok = known.SourceCalled(s.Schema().Sources, s.Question.Words(), s.isSearched)
	for i := 0; i < len(s.list.Items) && source.Stream == ""; i++ {
		if hit := s.list.Items[i].Members; s.Question.AsksOf(hit.Text("actor")) {
			source.Stream = hit.Text("stream", "stream_name")
		}
	}
	return source, ok
}

// sourcesAsked returns the sources of a stream, limited to the connections that a question names, if any; the id of the connection if it
// names exactly one; and the words that say more than these names.
func (s *search) sourcesAsked(stream string) (sources []known.Source, connection string, others []string) {
	sources = s.sourcesOf(stream, "")
	had, of := known.NamedConnections(sources, slices.DeleteFunc(slices.Clone(s.Question.Words()), s.Question.AsksOf))
	isStream := func(word string) bool { return stream != "" && fields.Calls(word, stream) }
	others = slices.DeleteFunc(relax.Telling(s.Question.TopicWords()), isStream)
	if len(of) == 1 {
		connection = of[0].ID
	}
	isOther := func(source known.Source) bool { return len(of) > 0 && !slices.Contains(of, source.Connection) }
	return slices.DeleteFunc(sources, isOther), connection, relax.Without(others, had...)
}

// newestOf returns the calls for the newest or oldest records whose sender, or whose title, such as a merchant, is a value that a query
// names, one for each connection that has it, within a filter; "" if it names none, or different ones.
func (s *search) newestOf(
	ctx context.Context, sources []known.Source, others []string, where rs.Object, which string, records rs.Object,
) string {
	value, having := s.valueNamed(ctx, sources, others)
	left, calls := relax.Without(others, strings.Fields(value)...), []string(nil)
	for _, source := range having {
		own := where.With(source.Whose(), rs.EncodeJSON(value))
		args := rs.Object{rs.NewMember("connection_id", source.Connection.ID)}
		if len(left) > 0 {
			args = append(rs.Object{rs.NewMember("streams", []string{source.Stream})}, args...).With("filter", own.JSON())
			calls = append(calls, searchFor(which+" "+strings.Join(left, " "), args.WithAll(s.bounds())))
		} else {
			args = append(rs.Object{rs.NewMember("stream", source.Stream)}, args...).With("filter", source.Within(own, s.bounds()).JSON())
			calls = append(calls, correct.Call{Tool: "query_records", Arguments: args.WithAll(records)}.String())
		}
	}
	if value == "" {
		return ""
	}
	return "The " + which + " of " + quote.Text(value) + ": " + strings.Join(calls, ", ")
}
