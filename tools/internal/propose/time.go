package propose

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

const (
	manyHits   = 10 // hits that are enough to tell which year is meant
	maxPlanned = 5  // sources that are asked for records to come
)

// readTime reads the time of the query: the one that it names, or from now on for the next of something, where records may be planned.
func (s *search) readTime(ctx context.Context) {
	asked := written.WithoutHourBound(s.Q)
	query := written.WithoutWeekdays(asked)
	s.inHours = asked != s.Q
	s.weekly = query != asked || s.asksWhich(weekdays)
	s.hourly = s.asksWhich(hours)
	s.Named, s.timed = written.NamedPeriod(written.WithoutHour(query), s.Now)
	if s.Part != "" && s.isInTitle(ctx) {
		s.Named, s.timed = written.Named{}, false
	}
	next, is := written.Named{}, false
	if !s.timed && s.Unread == "" {
		next, is = written.NextOf(query, s.Now)
	}
	if is && len(known.Planned(s.Schema().Sources, s.Streams, s.Scope.ConnectionID)) > 0 {
		s.Named, s.timed = next, true
	}
	if !s.timed {
		s.Rest = query
	}
	s.many, s.Rest = relax.HowMany(s.Rest)
	s.moveToHits(ctx)
	s.readLife()
}

// lacksTime reports whether the query has a time that was not understood.
func (s *search) lacksTime() bool { return s.Unread != "" && written.Negation(s.Q) == "" }

// isInTitle reports whether a record has the word for a part of a year, such as Q4, together with the other words of the query.
func (s *search) isInTitle(ctx context.Context) bool {
	words := slices.DeleteFunc(relax.Telling(relax.Topic(s.Rest)), func(word string) bool {
		return s.isAbsent(word) || fields.IsMail(word) || fields.StreamOf(strings.ToLower(word)) != "" || s.callsStream(word)
	})
	if len(words) == 0 {
		return false
	}
	_, n := s.matches(ctx, append(words, s.Part), s.Streams, nil, "")
	return n > 0
}

// moveToHits gives a month without a year, which the resource server read as that month of any year, the year of the newest hit in that
// month. It does so only if the hits are all there are, or at least [manyHits].
func (s *search) moveToHits(ctx context.Context) {
	month, err := time.Parse(time.DateOnly, s.Since)
	if err != nil || s.Spans || s.recall().Text("preferred_time") != "any "+month.Month().String() {
		return
	}
	list := s.list
	if list.Envelope.Flag("has_more") && len(list.Items) < manyHits { // the year must not depend on the limit
		ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
		defer cancel()
		if response, err := s.RS.Do(ctx, s.Repeat(manyHits)); err == nil {
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

// ofTime returns the arguments of a search of the time that the query names. It searches for the words that say what the query is about,
// except those that no record has, in the streams and the connection that other words name. other is the same for the time to come, if
// both may be meant. Both are nil if there is no time, or a second one.
func (s *search) ofTime(ctx context.Context) (args, other rs.Object) {
	if !s.timed || s.inPeriod() {
		return nil, nil
	}
	words, leftOut := relax.Topic(written.WithoutBound(s.Rest)), s.recall().Array("left_out_words")
	isNoWord := func(word string) bool { // Ann's mails need not have her name
		return written.NamesTime(word) || strings.Contains(between(s.Rest), between(word)+"s_") && s.Question.AsksOf(word)
	}
	if slices.ContainsFunc(words, isNoWord) {
		return nil, nil
	}
	words = slices.DeleteFunc(relax.Without(words, written.SuperlativeOf(s.Rest).Words...), func(word string) bool {
		return len(s.absent) > 0 && slices.Contains(leftOut, rs.EncodeJSON(strings.ToLower(word)))
	})
	isOther := func(word string) bool { return !fields.IsMail(word) }
	streams, _ := s.streamsOf(slices.DeleteFunc(relax.Words(s.Rest), isOther)) // mail is no word to look for
	if about := relax.Telling(words); len(about) > 0 {
		words = about
	}
	which := ""
	if newest, oldest := s.Question.AsksByTime(); newest || oldest { // the answer then says which hit is the newest or oldest
		words, which = relax.Without(words, s.Question.TimeWord()), s.byTime()+" "
	}
	args = s.Arguments.Without("q", "query")
	if connection, had := s.connectionIn(words); connection != "" {
		words, args = relax.Without(words, had...), args.With("connection_id", rs.EncodeJSON(connection))
	}
	named, words := s.streamsOf(words)
	if len(named) > 0 {
		streams = named
	}
	if relax.AsksFree(s.Rest) {
		streams, words = s.streamsOf([]string{"meetings"}) // all of them, if a stream is known to have them
	}
	if words = slices.DeleteFunc(words, s.isAbsent); len(words) > 0 {
		args = argument.WithWords(which+relax.Keep(s.Rest, words), args)
	} else {
		args = args.Without("mode")
	}
	if len(streams) > 0 && len(s.Streams) == 0 {
		args = args.With("streams", rs.EncodeJSON(streams))
	}
	if s.ComingSince != "" && !relax.AsksPast(s.Q) &&
		s.reachesComing(ctx, slices.Concat(streams, s.Streams), args.Text("connection_id")) {
		other = args.WithAll(argument.Given(rs.NewMember("since", s.ComingSince), rs.NewMember("until", s.ComingUntil)))
	}
	return args.WithAll(s.bounds()), other
}

// connectionIn returns the id of the one connection that some words name, and those words; "" for none, or if the search is of one.
func (s *search) connectionIn(words []string) (id string, had []string) {
	had, named := known.NamedConnections(s.Schema().Sources, words)
	if len(named) != 1 || s.Scope.ConnectionID != "" {
		return "", nil
	}
	isName := func(word string) bool { return fields.StreamOf(strings.ToLower(word)) == "" }
	if slices.ContainsFunc(had, isName) && !written.WordsOf(named[0].DisplayName).Name(written.WordsOf(strings.Join(had, " "))) {
		return "", nil
	}
	return named[0].ID, had // chat is a kind of records, which may be in one connection alone
}

// reachesComing reports whether records of what is to come, in some streams of a connection, reach the coming time that the query may name.
// It makes a read for each source until one does, or cannot be read.
func (s *search) reachesComing(ctx context.Context, streams []string, connection string) bool {
	planned := known.Planned(s.Schema().Sources, streams, connection)
	return slices.ContainsFunc(planned[:min(len(planned), maxPlanned)], func(source known.Source) bool {
		from := filter.Filter{{Field: source.Time, Operator: "gte", Value: filter.ValueOf(s.ComingSince)}}
		n, ok := aggregate.Count(ctx, s.RS, rs.Scope{Stream: source.Stream, ConnectionID: source.Connection.ID}, from)
		return n > 0 || !ok
	})
}
