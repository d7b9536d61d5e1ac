package propose

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/period"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A Search is a search that has been answered.
type Search struct {
	Q, Mode   string
	Streams   []string
	Filter    filter.Filter
	Period    period.Period
	Scope     rs.Scope  // without a stream
	Arguments rs.Object // as they were sent
	Now       time.Time // in the zone of the call

	Response   *rs.Response   // the answer
	Repair     *render.Repair // how the answer was repaired; nil if it was not
	Spent      bool           // the repair has no reads left
	Listed     *rs.Response   // the list of streams; nil if it was not read
	Unfiltered bool           // the resource server refuses filters for this grant

	RS      rs.Doer
	Schemas *known.Schemas
	Schema  func() known.Stream        // what is known of all streams; it may read
	Repeat  func(limit int) rs.Request // the search with another limit
}

// search is a Search whose other calls are being found.
type search struct {
	Search
	list   rs.List
	absent []string          // the words of the query that no record has, in lower case
	near   map[string]string // the word that some record has for each of those that may be a misspelling of it

	// timed reports that the query names a time; Named has it, and the query without it.
	timed bool
	written.Named

	weekly  bool // the query names days of the week that are no dates, or asks for them; its other fields are without them
	inHours bool // it names hours, by which nothing filters; its other fields are without them
	hourly  bool // it asks at which hours of the day the most records are

	many   int          // how many of the newest or the largest it asks for; 0 if it does not say
	life   known.Source // with the field by which the query means its time, such as created_at, as its time
	unlike string       // that no field has the time that the query means

	purchases []string // streams any of which may have what was paid
	only      string   // the one of them that is searched now

	several  bool             // it names several senders or merchants: no search is for these
	Question *render.Question // the query as a question, without its time
}

// readAbsent reads from the answer and its repair which words no record has.
func (s *search) readAbsent() {
	for _, raw := range s.recall().Array("missing_words") {
		word, _ := rs.AsText(raw)
		s.absent = append(s.absent, strings.ToLower(word))
	}
	s.near = map[string]string{}
	for _, raw := range s.recall().Array("nearest_words") {
		if as := rs.AsObject(raw).Array("as"); len(as) == 1 {
			s.near[strings.ToLower(rs.AsObject(raw).Text("word"))], _ = rs.AsText(as[0])
		}
	}
	if s.Repair == nil {
		return
	}
	for i, word := range s.Repair.Words {
		isForm := func(form render.RepairWord) bool { return form.InsteadOf == word.Word && form.Count > 0 }
		if word.Count == 0 && word.InsteadOf == "" && !slices.ContainsFunc(s.Repair.Words[i:], isForm) {
			s.absent = append(s.absent, strings.ToLower(word.Word))
		}
	}
}

// present returns some words with those that no record has corrected or, if that is not possible, left out.
func (s *search) present(words []string) (all []string) {
	for _, word := range words {
		if !s.isAbsent(word) {
			all = append(all, word)
		} else if near := s.near[strings.ToLower(word)]; near != "" {
			all = append(all, near)
		}
	}
	return all
}

func (s *search) recall() rs.Object { return s.list.Envelope.Object("meta").Object("recall") }

// isSearched reports whether the search is of a source; a cached schema may be of all connections.
func (s *search) isSearched(source known.Source) bool {
	only := s.Scope.ConnectionID
	isOther := s.only != "" && s.only != source.Stream
	return !isOther && (only == "" || only == source.Connection.ID) && (len(s.Streams) == 0 || slices.Contains(s.Streams, source.Stream))
}

func (s *search) inPeriod() bool { return s.Period != (period.Period{}) }

// isAbsent reports whether no record has a word, or the word is one letter, which too many have.
func (s *search) isAbsent(word string) bool {
	return len(word) == 1 && !written.IsNumber(word) || slices.Contains(s.absent, strings.Trim(strings.ToLower(word), ".,;?!()"))
}

// without returns the arguments of the call except its words, its cursor and some others.
func (s *search) without(names ...string) rs.Object {
	return s.Arguments.Without("q", "query", "cursor").Without(names...)
}

// searchFor returns the search for words, with other arguments.
func searchFor(q string, others rs.Object) string {
	return correct.Call{Tool: "search", Arguments: argument.WithWords(q, others)}.String()
}

// records returns the call that lists the records of a stream, with more arguments.
func (s *search) records(stream string, more ...rs.Member) string {
	return correct.Call{Tool: "query_records", Arguments: append(argument.InConnection(s.Arguments, "stream", stream), more...)}.String()
}

// bounds returns since and until of the search, or else for the time that the query names.
func (s *search) bounds() rs.Object {
	if s.inPeriod() {
		return argument.Given(rs.NewMember("since", s.Period.Since.String()), rs.NewMember("until", s.Period.Until.String()))
	}
	return argument.Given(rs.NewMember("since", s.Since), rs.NewMember("until", s.Until))
}

// sourcesOf returns the sources of a stream, in one connection or, if that is "", in the connections of the call.
func (s *search) sourcesOf(stream, connection string) (sources []known.Source) {
	only := cmp.Or(connection, s.Scope.ConnectionID)
	for _, source := range s.Schema().Sources {
		if source.Stream == stream && (only == "" || only == source.Connection.ID) {
			sources = append(sources, source)
		}
	}
	return sources
}

// senderOf returns the stream of the first hit whose sender a query names; "" for none.
func (s *search) senderOf() string {
	for i := range s.list.Items {
		if hit := s.list.Items[i].Members; s.Question.AsksOf(hit.Text("actor")) {
			return hit.Text("stream", "stream_name")
		}
	}
	return ""
}

// fieldsOf returns the stream of a source with its fields in that connection.
func (s *search) fieldsOf(source known.Source) fields.Stream {
	return fields.Stream{Name: source.Stream, Fields: source.Fields(s.Schema().Document)}
}

// numberNamed returns the first field of a source for a use that some words name, such as reaction_count for reactions; "" for none.
func (s *search) numberNamed(source known.Source, words []string, u fields.Use) string {
	for _, f := range source.Fields(s.Schema().Document) {
		had, _ := known.Named([]string{f.Name}, words)
		if len(had) > 0 && f.Granted && u(f) && (strings.Contains(f.Type, "number") || strings.Contains(f.Type, "integer")) {
			return f.Name
		}
	}
	return ""
}

// excluding returns words to search for, with a minus before the one that follows a word which excludes it; nil if that is not certain, or
// if the query names a time too, which is not read beside such a word.
func (s *search) excluding(not string, words []string) []string {
	if not == "" {
		return words
	}
	if _, timed := written.NamedPeriod(strings.Join(relax.Without(relax.All(s.Rest), not), " "), s.Now); timed {
		return nil
	}
	return relax.Excluding(s.Rest, not, words)
}

// finds reports whether a record of some streams, within a filter, has all of some words, or whether none has. It is neither if that is not
// known.
func (s *search) finds(ctx context.Context, words, streams []string, where rs.Object, connection string) (found, none bool) {
	if len(where) == 0 { // with a filter a resource server searches one stream
		streams = append(slices.Clone(streams), s.Schema().PartsOf(streams)...)
	}
	first, n := s.matches(ctx, words, streams, where, connection)
	return n != 0 && slices.Contains(streams, first.Text("stream", "stream_name")), n == 0
}

// matches makes one read for the first record of some streams, within a filter, that has all of some words, and for how many have them: -1
// if that is not known.
func (s *search) matches(ctx context.Context, words, streams []string, where rs.Object, connection string) (first rs.Object, n int) {
	request := read.Request(cmp.Or(connection, s.Scope.ConnectionID), "search")
	if conditions, err := filter.Parse(where.JSON()); len(where) > 0 && err == nil {
		conditions.Write(request.Query)
	}
	read.Set(request.Query, "q", strings.Join(words, " "))
	read.Set(request.Query, "streams", streams)
	read.Set(request.Query, "limit", 1)
	response := read.Optional(ctx, s.RS, request)
	if response == nil {
		return nil, -1
	}
	list, _ := response.List()
	if len(list.Items) > 0 {
		first = list.Items[0].Members
	}
	if n, counted := list.Envelope.Object("meta").Number("count"); counted {
		return first, n
	}
	return first, -1
}

// streamsOf returns the streams with a time that some words of a search name, and the other words. Among several words, only a plural or a
// noun by itself names a stream, and a usual word for records, such as meeting, is dropped: Thread may be part of a name.
func (s *search) streamsOf(words []string) (streams, others []string) {
	isTimed := func(source known.Source) bool {
		return source.Time != "" && s.isSearched(source)
	}
	for _, word := range words {
		source, _, ok := known.SourceCalled(s.Schema().Sources, []string{word}, isTimed)
		usual := len(s.Streams) == 0 && fields.StreamOf(strings.ToLower(word)) != ""
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

// byTime returns newest or oldest.
func (s *search) byTime() string {
	if newest, _ := s.Question.AsksByTime(); newest {
		return "newest"
	}
	return "oldest"
}
