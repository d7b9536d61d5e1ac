package propose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
)

// withoutFirst returns, for a query for the oldest of some words, the search with "oldest" in place of a word such as first, which records
// may have in their text. It is "" if the query says oldest or earliest, or has no other words that records have.
func (s *search) withoutFirst() string {
	word := s.Question.TimeWord()
	others := slices.DeleteFunc(relax.Telling(s.Question.TopicWords()), s.isAbsent)
	if word == "oldest" || word == "earliest" || len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("Without the word %s: ", quote.Text(word)) + searchFor("oldest "+strings.Join(others, " "), s.without("limit"))
}

// call returns the one call for an ask, or one for each connection that has what it names, with what it finds, and the metric of an
// aggregate; "" if no call is certain to find it.
func (s *search) call(a *ask) (says, metric string) {
	if a.topic.none {
		return s.noneSentence(a), ""
	}
	sources := a.sources[:1]
	if a.party.name != "" || a.party.isSeveral {
		sources = a.party.sources
	}
	isFiltered := s.timed && a.kind != byTime || len(a.where) > 0 || a.party.name != ""
	switch {
	case isFiltered && s.Unfiltered:
		return "", ""
	case a.topic.stream != "":
		return s.topicCall(a), ""
	case len(s.bounds()) > 0 && sources[0].Time == "":
		return "", ""
	case a.number.granularity != "" && s.groupOf(a, sources[0]) != "": // no groups have both
		return "", ""
	}
	calls, metric := s.calls(a, sources)
	says = s.sentence(a) + calls
	_, of := known.NamedStreams(s.Schema().Sources, []string{a.flag})
	if a.kind == records && has(s.Rest, having) && len(of) > 0 && of[0].Stream != a.source().Stream {
		says += ". The stream of that name: " + s.records(of[0].Stream)
	}
	return says, metric
}

// noneSentence returns that none of the records in which an ask looked for words has them.
func (s *search) noneSentence(a *ask) string {
	streams := s.searchedFor(a)
	where, connection := a.narrowed()
	of := quote.Names(streams, len(streams))
	if connection != "" {
		of += " of connection " + quote.Text(connection)
	}
	if len(where) > 0 {
		of += " with " + where.JSON()
	}
	return fmt.Sprintf("No record of %s has all of: %s.", of, strings.Join(a.left, ", "))
}

// calls returns the calls for an ask of some sources, and the metric of aggregates.
func (s *search) calls(a *ask, sources []known.Source) (_, metric string) {
	var calls []string
	for _, source := range sources {
		tool, args := s.arguments(a, source)
		metric = args.Text("metric")
		call := correct.Call{Tool: tool, Arguments: args}.String()
		if len(sources) > 1 && tool == "aggregate" { // mail is not chat
			call = quote.Names([]string{source.Connection.DisplayName}, 1) + ": " + call
		}
		calls = append(calls, call)
	}
	for i := 1; i < len(a.party.payees); i++ { // the first has its call
		other := *a
		other.party.name = a.party.payees[i]
		tool, args := s.arguments(&other, sources[0])
		calls = append(calls, correct.Call{Tool: tool, Arguments: args}.String())
	}
	return strings.Join(calls, ", "), metric
}

// groupOf returns the field by which the records of an ask are counted. What oneself sent is counted by sender; "" is for none.
func (s *search) groupOf(a *ask, source known.Source) string {
	if a.party.isSeveral {
		return source.Whose()
	}
	if a.kind == counts && relax.SentOneself(s.Rest) && a.party.name == "" {
		return source.Author
	}
	return a.number.group
}

// arguments returns the tool and the arguments of the call for an ask of a source.
func (s *search) arguments(a *ask, source known.Source) (tool string, args rs.Object) {
	newest, oldest := s.Question.AsksByTime()
	where := source.Within(a.conditions(source), s.bounds())
	if a.kind == byTime && newest && len(where) == 0 && source.Time != "" { // of all connections that have it
		args = s.in("streams", []string{source.Stream}, a.connection).With("limit", strconv.Itoa(max(1, s.many)))
		return "search", append(rs.Object{rs.NewMember("since", "1970-01-01")}, args...)
	}
	connection := a.connection
	if a.party.name != "" || a.party.isSeveral {
		connection = source.Connection.ID
	}
	within := s.in("stream", source.Stream, connection)
	args = append(args, within[0])
	add := func(name string, value any) {
		if value != "" {
			args = append(args, rs.NewMember(name, value))
		}
	}
	tool = "query_records"
	if a.kind == sums || a.kind == counts || a.kind == most || a.kind == eachValue {
		tool = "aggregate"
		add("metric", a.number.metric)
		add("field", a.number.field)
	}
	args = append(args, within[1:]...)
	if len(s.bounds()) > 0 && tool == "query_records" {
		add("time_zone", s.Arguments.Text("time_zone"))
	}
	add("group_by", s.groupOf(a, source))
	switch {
	case a.number.granularity != "":
		add("group_by_time", source.Time)
		add("granularity", a.number.granularity)
	case a.kind == extreme:
		add("sort", quote.When(a.superlative.Most, "-")+a.number.field)
		add("limit", max(1, s.many))
	case a.kind == byTime:
		add("order", quote.When(oldest, "asc"))
		add("limit", max(1, s.many))
	case a.kind == most && s.many > 0 && a.number.group == source.Author: // one is the owner
		add("limit", s.many+1)
	case a.kind == most && s.many > 0:
		add("limit", s.many)
	}
	if len(where) > 0 {
		args = append(args, rs.Member{Name: "filter", Value: where.JSON()})
	}
	return tool, args
}

// in returns one argument, and the connection of the search or of an ask.
func (s *search) in(name string, value any, connection string) rs.Object {
	args := argument.InConnection(s.Arguments, name, value)
	if connection != "" {
		args = args.With("connection_id", rs.EncodeJSON(connection))
	}
	return args
}

// topicCall returns the search for the words that are left in the one stream that has them.
func (s *search) topicCall(a *ask) string {
	isSearched := len(s.Streams) == 1 && a.topic.stream == s.Streams[0] && a.where == nil && (a.kind != byTime || !s.timed)
	if isSearched || a.kind == byTime && !a.named && a.party.name == "" || len(a.party.sources) > 1 {
		return ""
	}
	where, connection := a.narrowed()
	q, says, isTimed := strings.Join(a.left, " "), s.topicSentence(a), s.isTimed(a.topic.stream)
	if a.kind == byTime && (isTimed || a.source().Time != "") { // a part has the time of its record
		q = s.byTime() + " " + q
		if a.party.name != "" {
			says = s.sentence(a)
		}
	}
	args, bounds := s.in("streams", []string{a.topic.stream}, connection), s.bounds()
	if zone := s.Arguments.Text("time_zone"); zone != "" && len(bounds) > 0 {
		args = args.With("time_zone", rs.EncodeJSON(zone))
	}
	if a.topic.stream == s.life.Stream { // since and until are of another field
		where, bounds = s.life.Within(where, bounds), nil
	}
	if len(where) > 0 {
		args = args.With("filter", where.JSON())
	}
	if isTimed || a.topic.stream == a.source().Stream {
		args = args.WithAll(bounds)
	}
	return says + searchFor(q, args)
}

// topicSentence returns what the search for the words that are left finds.
func (s *search) topicSentence(a *ask) string {
	says := a.says
	switch stream := a.source().Stream; {
	case a.party.name != "":
		says = "Of " + quote.Text(a.party.name) + " alone: "
	case a.topic.stream != stream:
		says = "In " + quote.Names([]string{a.topic.stream}, 1) + ", which " + quote.Names([]string{stream}, 1) + " consist of: "
	case says == "" || a.kind == byTime:
		says = "In that stream alone: "
		if a.wrote {
			says = "In " + quote.Names([]string{stream}, 1) + " alone" + ownIncluded + ": "
		}
	}
	if a.kind == counts {
		says = strings.TrimSuffix(says, ": ") + ", with how many there are: "
	}
	return says
}

func (s *search) isTimed(stream string) bool {
	return slices.ContainsFunc(s.sourcesOf(stream, ""), func(source known.Source) bool { return source.Time != "" })
}

const ownIncluded = ", the owner's own included"

// sentence returns what the call for an ask finds.
func (s *search) sentence(a *ask) string {
	if a.number.granularity != "" && a.number.metric != "avg" && has(s.Rest, averages) {
		return "To take the average of: "
	}
	many := strings.TrimPrefix(fmt.Sprintf(" %d", s.many), " 0")
	if a.party.isSeveral {
		return "For each, among others: "
	}
	switch a.kind {
	case byTime:
		of := "that stream"
		switch {
		case a.party.name != "":
			of = quote.Text(a.party.name)
		case a.wrote:
			of = quote.Names([]string{a.source().Stream}, 1) + ownIncluded
		}
		return "The " + s.byTime() + many + " of " + of + ": "
	case extreme:
		of, by := s.streamName(a), a.number.field
		if a.number.isNegative {
			by += ", where what was paid is negative"
		}
		rank := "smallest"
		if a.superlative.Most != a.number.isNegative {
			rank = "largest"
		}
		return "The " + rank + many + " of " + of + " by " + by + ": "
	case most:
		return "By " + a.number.group + quote.When(a.number.group == a.source().Author, ownIncluded) + ": "
	case eachValue:
		return "By " + a.number.group + ", each value and none: "
	case sums:
		metric := map[string]string{"sum": "The sum", "avg": "The average"}[a.number.metric]
		of := quote.Names([]string{a.number.field}, 1) + " of " + quote.Names([]string{a.source().Stream}, 1)
		if len(a.party.payees) > 1 {
			of += fmt.Sprintf(" for each %s with these words, to be added up", quote.Names([]string{a.party.sources[0].Payee}, 1))
		}
		return metric + " of " + of + ": "
	case counts:
		return s.countSentence(a)
	}
	if a.says == "" {
		return "Of " + quote.Text(a.party.name) + " alone: "
	}
	return a.says
}

// countSentence returns what the call for an ask of how many there are counts.
func (s *search) countSentence(a *ask) string {
	hasOwn := a.source().Author != "" && a.party.name == "" // also one's own
	switch {
	case a.parts != "":
		return "Counted are " + a.holding(a.parts) + ", of any kind, each of which may have several: "
	case a.number.metric == "count_distinct":
		return "The different values of " + quote.Names([]string{a.number.field}, 1) + " of " + quote.Names([]string{a.source().Stream}, 1) + ": "
	case s.hourly:
		return "By hour, to be added up by hour of the day: "
	case s.weekly:
		return "By day, to be added up by day of the week: "
	case a.countsAll():
		return "All of " + quote.Text(a.party.name) + ": "
	case hasOwn && relax.SentOneself(s.Rest):
		return "By sender, one of whom is the owner: "
	case hasOwn && has(s.Rest, received):
		return "Of that stream" + ownIncluded + ": "
	}
	return "Of that stream: "
}
