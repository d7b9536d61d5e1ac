package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/period"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

const (
	manyHits        = 10 // say of which year most are
	maxTriedStreams = 5  // whose records with the conditions of a query are counted
)

// searched finds out which other call an answered search may mean. It may read the schema for that.
type searched struct {
	searchArgs
	call   Call
	answer *Answer
	list   rs.List
	stated func() known.Stream // what the schema says of all streams
	absent []string            // the words of the query that no record has, in small letters

	// The time that the query names, and the query without it.
	timed bool
	written.Named
}

func (s *searched) recall() rs.Object { return s.list.Envelope.Object("meta").Object("recall") }

// moveToHits moves a month without a year, which the resource server read as one of any year, to the newest year of which a hit is, where
// the hits are all or many.
func (s *searched) moveToHits() {
	month, err := time.Parse(time.DateOnly, s.Since)
	isPart := s.list.Envelope.Flag("has_more") && len(s.list.Items) < manyHits
	if err != nil || isPart || s.recall().Text("preferred_time") != "any "+month.Month().String() {
		return
	}
	year := 0
	for _, hit := range s.list.Items {
		said := hit.Members.Text("authored_at") // perhaps without a zone
		if at, err := time.Parse(time.DateOnly, said[:min(len(said), len(time.DateOnly))]); err == nil && at.Month() == month.Month() {
			year = max(year, at.Year())
		}
	}
	if year > 0 {
		month = month.AddDate(year-month.Year(), 0, 0)
		s.Since, s.Until = month.Format(time.DateOnly), month.AddDate(0, 1, -1).Format(time.DateOnly)
	}
}

func (s *searched) inPeriod() bool { return s.period != (period.Period{}) }

func (s *searched) isAbsent(word string) bool {
	return slices.Contains(s.absent, strings.Trim(strings.ToLower(word), ".,;?!()"))
}

// without are the arguments of the call less its words, its place in a list and some others.
func (s *searched) without(names ...string) rs.Object {
	return s.call.Arguments.Without("q", "query", "cursor").Without(names...)
}

func searchFor(q string, others rs.Object) string {
	return correct.Call{Tool: "search", Arguments: withWords(q, others)}.String()
}

// records is the list of the records of a stream, with more arguments.
func (s *searched) records(stream string, more ...rs.Member) string {
	return correct.Call{Tool: "query_records", Arguments: append(inConnection(s.call, "stream", stream), more...)}.String()
}

// isCalled reports whether a word is what the records of a stream are called.
func isCalled(word, stream string) bool {
	word = strings.ToLower(word)
	return slices.Contains([]string{word, word + "s", strings.TrimSuffix(word, "y") + "ies", fields.StreamOf(word)}, stream)
}

// sourceOf is the first source of a stream that one of some words names, and the other words; false where none does.
func (s *searched) sourceOf(words []string, may func(known.Source) bool) (source known.Source, others []string, ok bool) {
	for _, source := range s.stated().Sources {
		names := func(word string) bool { return isCalled(word, source.Stream) }
		if may(source) && slices.ContainsFunc(words, names) {
			return source, slices.DeleteFunc(slices.Clone(words), names), true
		}
	}
	return source, nil, false
}

// fieldForm is a condition as other searches read it, such as merchant:Towpath: a name, a colon and a value without space. An address
// such as https://a.example is not one.
var fieldForm = written.Expression(`(?:^|\s)([\pL_][\pL\pN_.]*):("[^"]+"|[^\s":/][^\s"]*)`)

// unreadFields says which call is meant by conditions in a query that found nothing for them, as search reads words alone: the filter of a
// stream that has the fields and, of several, is known to have such records, else the search for the words. It is "" for any other search.
func (s *searched) unreadFields(ctx context.Context) string {
	const lead = "q is read as words, not as fields. Send: "
	var found rs.Object
	rest, words := s.q, []string(nil)
	for _, at := range fieldForm().FindAllStringSubmatchIndex(s.q, -1) {
		if strings.Count(s.q[:at[2]], `"`)%2 == 0 { // not within a phrase
			found = append(found, rs.Member{Name: s.q[at[2]:at[3]], Value: strings.Trim(s.q[at[4]:at[5]], `"`)})
			rest = strings.Replace(rest, s.q[at[2]:at[5]], "", 1)
			words = append(words, found[len(found)-1].Name, found[len(found)-1].Value)
		}
	}
	unread := func(word string) bool { return strings.Contains(word, ":") }
	if found == nil || s.answer.Repair == nil && len(s.list.Items) > 0 && !slices.ContainsFunc(s.absent, unread) {
		return ""
	}
	rest = strings.Join(strings.Fields(rest), " ")
	sent := s.without("limit")
	if document := s.stated().Document; document != nil {
		having := slices.DeleteFunc(slices.Clone(document.Streams), func(row rs.SchemaStream) bool {
			return known.Conditions(&row, found) == nil || len(s.streams) > 0 && !slices.Contains(s.streams, row.Name)
		})
		for i := range having[:min(len(having), maxTriedStreams)] {
			row := &having[i]
			conditions, own := known.Conditions(row, found), s.call
			if of, err := filter.Parse(conditions.JSON()); len(having) > 1 {
				own.Scope.Stream = row.Name
				if n, _ := counted(ctx, own, of); n == 0 || err != nil {
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
	return lead + searchFor(strings.Join(append(strings.Fields(rest), words...), " "), sent)
}

// newestRecord is the search of the stream that a query for the newest or oldest names, as "latest order" does: its records need not have
// the word. For any other query it is empty.
func (s *searched) newestRecord(q *render.Question) render.InStream {
	newest, oldest := q.AsksByTime()
	if s.q == "" || !newest && !oldest || s.inPeriod() || len(s.filter) > 0 {
		return render.InStream{}
	}
	may := func(source known.Source) bool {
		return len(s.streams) == 0 || slices.Contains(s.streams, source.Stream)
	}
	source, _, ok := s.sourceOf(q.Words(), may)
	others := slices.DeleteFunc(q.Beside(""), func(word string) bool { return isCalled(word, source.Stream) })
	if !ok || len(others) > 0 && len(s.streams) == 1 { // it is the search at hand
		return render.InStream{}
	}
	superlative, records := "newest", rs.Object{rs.NewMember("limit", 1)}
	if oldest {
		superlative, records = "oldest", rs.Object{rs.NewMember("order", "asc"), rs.NewMember("limit", 1)}
	}
	found := render.InStream{Stream: source.Stream, Says: "The " + superlative + " of that stream: "}
	within := inConnection(s.call, "streams", []string{source.Stream})
	switch {
	case len(others) > 0:
		found.Says = "In that stream alone: " + searchFor(superlative+" "+strings.Join(others, " "), within)
	case newest && source.Time != "": // of all connections that have it
		found.Says += searchFor("", append(rs.Object{{Name: "since", Value: `"1970-01-01"`}}, within...).With("limit", "1"))
	default:
		found.Says += s.records(source.Stream, records...)
	}
	return found
}

// twoDays says which days a date of the query may be that is one of two, such as 03/06/2026; "" for none.
func (s *searched) twoDays() string {
	for word := range strings.FieldsSeq(s.q) {
		if ways := written.DaysOf(strings.Trim(word, ".,;?!()")); len(ways) > 1 && !s.inPeriod() {
			const says = "%s was read as words, as it may be either day: send since and until, both %s or both %s."
			return fmt.Sprintf(says, quote.Text(word), ways[0].Format(time.DateOnly), ways[1].Format(time.DateOnly))
		}
	}
	return ""
}

// ofTime are the arguments of a search of the time that the query names, without the words of it that are nowhere; nil for none.
func (s *searched) ofTime() rs.Object {
	if !s.timed || s.inPeriod() {
		return nil
	}
	words := relax.Words(strings.ReplaceAll(strings.ToLower(s.Rest), "e-mail", "email"))
	rest, leftOut := s.Rest, s.recall().Array("left_out_words")
	words = slices.DeleteFunc(words, func(word string) bool {
		return relax.SayNothing[word] || len(s.absent) > 0 && slices.Contains(leftOut, rs.EncodeJSON(word))
	})
	streams, all := s.streamsOf(words)
	if !all && len(s.absent) > 0 {
		rest = strings.Join(relax.Words(strings.Join(slices.DeleteFunc(strings.Fields(rest), s.isAbsent), " ")), " ")
		streams, all = s.streamsOf(slices.DeleteFunc(words, s.isAbsent))
	}
	args := s.call.Arguments.Without("q", "query")
	switch {
	case !all:
		args = withWords(rest, args)
	case len(streams) > 0 && len(s.streams) == 0:
		args = args.Without("mode").With("streams", rs.EncodeJSON(streams))
	default:
		args = args.Without("mode")
	}
	return append(args, s.bounds()...)
}

// bounds are the arguments for the time that the query names; none of a search that has its own.
func (s *searched) bounds() rs.Object {
	if s.inPeriod() {
		return nil
	}
	return given(rs.NewMember("since", s.Since), rs.NewMember("until", s.Until))
}

// streamsOf are the streams with a time whose records some words of a search name; false where a word of them names none.
func (s *searched) streamsOf(words []string) (streams []string, all bool) {
	for _, word := range words {
		source, _, ok := s.sourceOf([]string{word}, func(source known.Source) bool { return source.Time != "" })
		if !ok && fields.StreamOf(word) == "" {
			return nil, false
		}
		if ok && !slices.Contains(streams, source.Stream) {
			streams = append(streams, source.Stream)
		}
	}
	return streams, true
}
