package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/hit"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// findHints returns hints with the calls that answer what a ranking does not, such as a query for the newest, the oldest or a number. A
// continuation has none.
func (s *searchPage) findHints() []string {
	if s.q.Q == "" || !s.q.Position.First() {
		return nil
	}
	meant, number, extreme := write.Offer("", s.q.Meant, write.LineChars), "", ""
	switch {
	case s.q.Question.AsksSum():
		number = noSum
	case s.q.Question.AsksNumber(), s.q.Limit == rs.MaxLimit && s.hasAllHits():
		number = s.number()
	}
	if number == noSum && s.q.Metric == "sum" || number == noCount && s.q.Metric == "count" {
		number = ""
	}
	if newest, oldest := s.q.Question.AsksByTime(); newest || oldest {
		extreme = s.extreme(oldest)
	}
	return write.NotEmpty(slices.Concat([]string{meant, number, extreme}, s.q.Hints, []string{write.When(meant == "", s.ofAnyTime())})...)
}

// ofAnyTime offers the search without since and until if it found nothing with them, because a record such as a diary entry need not have
// the time that it is about. If both name one day, that day is added to the words.
func (s *searchPage) ofAnyTime() string {
	q := s.q
	since, until := q.Rest.Text("since"), q.Rest.Text("until")
	nowhere := len(q.Hints) > 0 && s.l.Recall.Has("missing_words") && len(strings.Fields(q.Q)) == 1 // except in names
	if len(s.all) > 0 || since+until == "" || nowhere {
		return ""
	}
	if day, err := time.Parse(time.DateOnly, since); err == nil && since == until {
		q.Q += day.Format(" 2 January 2006")
	}
	q.Rest = q.Rest.Without("since", "until", "time_zone")
	return write.Offer("Of any time: ", q.call("").Call("search"), write.LineChars)
}

// hasAllHits reports whether the page has all hits, and the resource server says so.
func (s *searchPage) hasAllHits() bool {
	return s.total() == "" && s.l.Matches() != "" && !s.l.Envelope.Has("next_cursor") && !s.l.Envelope.Flag("has_more")
}

const (
	byTime  = "By time, not by words: query_records, or search with since and until."
	noSum   = "The hits are not a sum: aggregate adds up a field, also within a filter."
	noCount = "The hits are not a count: aggregate counts records, also within a filter."
)

// number says how many records the hits belong to if the page has all of them, else how to count them.
func (s *searchPage) number() string {
	counted := someCount(s.l) == 0 && s.l.Matches() != "0" // no hits are counted that lack a word
	switch {
	case len(s.all) == 0:
		return noCount
	case s.hasAllHits() && counted:
		return fmt.Sprintf("These are all, of %s: %s.", write.Plural(s.records, "record"), hit.StreamMix(s.all))
	}
	q, n := s.q, 0
	of := q.Question.Mentioned() // words that the records must have
	if t := q.OfTime; t != nil && len(of) > 0 {
		q.Rest = t.Without("q", "connection_id", "limit", "cursor")
	}
	if counted {
		n, _ = strconv.Atoi(s.total())
	}
	switch {
	case len(of) == 1:
		q.Q, q.Limit = of[0], rs.MaxLimit
	case len(of) > 1: // without quotes, hits may have only some of them
		q.Q, q.Limit = strings.Join(write.Each(of, func(word string) string { return `"` + strings.Trim(word, `"`) + `"` }), " "), rs.MaxLimit
	case n > 0 && n <= rs.MaxLimit:
		q.Limit, q.Rest = n, s.q.Rest
	default:
		return noCount
	}
	return noCount + write.Offer(" Records with the words, by stream: ", q.call("").Call("search"), write.LineChars)
}

// foundWords returns the words of the first hit if no record has all words of the query, because some occur nowhere: verbs, mostly.
func (s *searchPage) foundWords() []string {
	if len(s.hits) == 0 || !s.l.Recall.Has("missing_words") || s.l.Matches() != "0" {
		return nil
	}
	return s.hit(0).Words
}

// extreme answers a query for the newest or oldest: with q.Newest if that is known, else with the newest or oldest of the hits that have
// all words, or those of the first, and the call that finds any newer or older one.
func (s *searchPage) extreme(oldest bool) string {
	rank, comparative, bound, beyond := "newest", "newer", "since", time.Millisecond
	if oldest {
		rank, comparative, bound, beyond = "oldest", "older", "until", -time.Millisecond
	}
	if s.q.Newest != "" {
		return s.q.Newest
	}
	with, words := s.foundWords(), "all words"
	if len(with) > 0 {
		words = write.QuoteEach(with)
	}
	found := s.timed(oldest, with)
	best := found.best
	switch {
	case best == nil && found.ongoing > 0:
		return "No hit is newer: those found began before since and last into that time."
	case best == nil:
		return byTime
	}
	among, hasOthers := fmt.Sprintf("%s of these %d", rank, found.count), found.count+found.future+found.ongoing < len(s.hits)
	switch {
	case found.count == 1:
		among = "one hit" + write.When(hasOthers || len(with) > 0, " with "+words)
	case hasOthers, len(with) > 0:
		among = fmt.Sprintf("%s of the %d with %s", rank, found.count, words)
	}
	among += write.When(found.future > 0, " until now") + write.When(found.ongoing > 0, " since then")
	says := fmt.Sprintf("The %s: %s, %s.", among, best.ID, best.When()) +
		write.When(best.MatchesDeep(), " It is a long text: its date need not be that of the match.")
	if s.hasAllHits() && !hasOthers || !s.q.lexical() {
		return says
	}
	until := best.Authored
	if len(until) > len(time.DateOnly) { // a date means its whole day and is sent as it is
		until = found.at.Add(beyond).UTC().Format(time.RFC3339Nano)
	}
	q := s.q
	q.Rest = q.Rest.With(bound, write.JSON(until))
	return says + write.Offer(" Any "+comparative+": ", q.call("").Call("search"), write.LineChars)
}

// timedHits are the hits that have the words of a query, by their time.
type timedHits struct {
	best            *hit.Hit  // the newest or oldest of those counted; nil if count is 0
	at              time.Time // of best
	count           int
	future, ongoing int // for the newest: those after now, and those that began before since; not in count
}

// timed returns the oldest hit with all words, or with the given ones, or the newest one until now. Any other is about something else.
func (s *searchPage) timed(oldest bool, words []string) (found timedHits) {
	since, _ := time.Parse(time.RFC3339Nano, s.q.Rest.Text("since")) // zero for a day, which is one of some zone
	for i := range s.hits {
		h := s.hit(i)
		switch t, err := timeOf(h); {
		case err != nil || h.Has != "" && (len(words) == 0 || !slices.Equal(h.Words, words)):
		case !oldest && t.Before(since):
			found.ongoing++
		case !oldest && !s.q.Now.IsZero() && t.After(s.q.Now):
			found.future++
		default:
			if found.count++; found.best == nil || oldest && t.Before(found.at) || !oldest && t.After(found.at) {
				found.best, found.at = h, t
			}
		}
	}
	return found
}

// timeOf returns the time of a hit. If it has no zone, it is that of the emission, if this is of the same day and minute.
func timeOf(h *hit.Hit) (time.Time, error) {
	t, err := rs.ReadTime(h.Authored)
	const minute = len("2006-01-02T15:04")
	if err == nil || len(h.Authored) < minute || len(h.Emitted) < minute {
		return t, err
	}
	if strings.Replace(h.Authored[:minute], " ", "T", 1) != h.Emitted[:minute] {
		return t, err
	}
	return rs.ReadTime(h.Emitted)
}

// ofTimes offers the searches of the time that the query names, and of another such time.
func (s *searchPage) ofTimes() (lines []string) {
	if s.q.OfTime != nil {
		lines = append(lines, write.Offer("of the time that the query names: ", "search "+s.q.OfTime.JSON(), write.LineChars))
	}
	if s.q.OfOther != nil {
		lines = append(lines, write.Offer("or, if another such time is meant: ", "search "+s.q.OfOther.JSON(), write.LineChars))
	}
	return lines
}
