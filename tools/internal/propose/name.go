package propose

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A word that no record has may be in the name of a stream, a connection or a field, such as that of an app. No search reads these names.

// Bounds of a hint about such a word.
const (
	maxNamedStreams  = 3  // streams that the hint names
	maxCalledStreams = 40 // streams in its call
)

// wordsInNames returns a hint about words of a query that no record has and that are in the names of streams, of one connection or of a
// field. The hint has the call that searches there for the other words, or lists what is there, and the metric of an aggregate. It is "" if
// there are no such words.
func (s *search) wordsInNames(ctx context.Context) (hint, metric string) {
	absent := s.absent
	if len(absent) == 0 && read.IsEmpty(s.Response) && !s.inPeriod() && len(s.Filter) == 0 {
		if words := relax.Words(s.Q); len(words) == 1 {
			absent = []string{strings.ToLower(words[0])}
		}
	}
	if written.SuperlativeOf(s.Q).Words != nil { // the largest record of a stream need not have that word
		return "", ""
	}
	rest := strings.ToLower(s.Rest) // without the time of the query
	absent = slices.DeleteFunc(slices.Clone(absent), func(word string) bool {
		return utf8.RuneCountInString(word) < 3 || !strings.ContainsFunc(word, unicode.IsLetter) || !strings.Contains(rest, word) ||
			len(relax.Topic(word)) == 0
	})
	if len(absent) == 0 || len(s.presentWords()) > 0 && s.remainingWords() == nil { // of these, not all would be looked for
		return "", ""
	}
	sources := s.places(ctx)
	within := slices.DeleteFunc(slices.Clone(sources), func(source known.Source) bool { return !s.isSearched(source) })
	if words, of := known.NamedStreams(within, absent); len(of) > 0 {
		return s.inStreamNames(ctx, words, of), ""
	}
	if words, of := known.NamedConnections(sources, absent); len(of) == 1 {
		says, id := fmt.Sprintf("%s the name of the connection %s: ", quote.AreIn(words), quote.Connections(of)), rs.EncodeJSON(of[0].ID)
		isKind := func(word string) bool {
			return slices.ContainsFunc(sources, func(source known.Source) bool {
				return source.Connection.ID == of[0].ID && fields.Calls(word, source.Stream)
			})
		}
		if others := slices.DeleteFunc(s.remainingWords(words...), isKind); len(others) > 0 {
			return s.searchRemaining(says, others, "connection_id", id), ""
		}
		return says + correct.Call{Tool: "schema", Arguments: rs.Object{{Name: "connection_id", Value: id}}}.String(), ""
	}
	return s.inFieldName(ctx, absent)
}

// inFieldName returns a hint that words are in the name of a field, with the call for its numbers by month or in total, or for its values.
func (s *search) inFieldName(ctx context.Context, words []string) (hint, metric string) {
	document := s.Schemas.Cached(ctx, "", s.Scope.ConnectionID)
	if document == nil && s.Repair == nil && auth.PrincipalFrom(ctx).Package == nil { // a repair has its own budget of reads
		document = s.Schema().Document
	}
	if document == nil {
		return "", ""
	}
	absent := words
	words, name, rows := known.NamedField(document, s.Streams, absent)
	if name == "" {
		return "", ""
	}
	var streams []string
	for _, row := range rows {
		if !slices.Contains(streams, row.Name) {
			streams = append(streams, row.Name)
		}
	}
	field, in := quote.Names([]string{name}, 1), quote.Names(streams, maxNamedStreams)
	says := fmt.Sprintf("%s the name of the field %s of %s: ", quote.AreIn(words), field, in)
	others := s.remainingWords(words...)
	isMore := len(others)+len(absent) > len(words) || written.Negation(s.Q) != ""
	if isMore && slices.ContainsFunc(rows[0].Fields(), func(f rs.SchemaField) bool {
		isCondition := slices.Contains(f.Aggregates, "sum") || f.Type == "boolean" || f.Role == "event-time"
		return f.Name == name && isCondition // a search for the other words would lose the condition
	}) {
		return "", ""
	}
	if len(others) > 0 && len(s.list.Items) > 0 && len(streams) <= maxNamedStreams {
		return s.searchRemaining(says, others, "streams", rs.EncodeJSON(streams)), ""
	}
	tool, args := known.ValuesOf(rows[0], name, argument.InConnection(s.Arguments, "stream", rows[0].Name), s.bounds())
	return says + correct.Call{Tool: tool, Arguments: args}.String(), args.Text("metric")
}

// unreadField returns a hint that a word of the query is the name of a list that neither a search nor a filter reads, such as the labels of
// messages, with the call that shows it; "" if there is no such word, or if the schema is not known without a read.
func (s *search) unreadField(ctx context.Context) string {
	document := s.Schemas.Cached(ctx, "", s.Scope.ConnectionID)
	if document == nil || !written.AnyWord(s.Rest, func(word string) bool { // most words are in no name
		return strings.Contains(document.Raw, strings.TrimSuffix(word, "y"))
	}) {
		return ""
	}
	words := relax.Telling(s.Question.Words())
	for i := range document.Streams {
		row := &document.Streams[i]
		if len(s.Streams) > 0 && !slices.Contains(s.Streams, row.Name) {
			continue
		}
		own := row.Fields()
		at := slices.IndexFunc(own, func(field rs.SchemaField) bool {
			isRead := field.Lexical || field.Semantic || field.Exact || len(field.Ranges) > 0 || len(field.Aggregates) > 0
			isNamed := func(word string) bool { return isSame(word, field.Name) }
			return field.Granted && field.Type == "array" && !isRead && slices.ContainsFunc(words, isNamed)
		})
		if at < 0 {
			continue
		}
		shown := []string{own[at].Name}
		if title := slices.IndexFunc(own, func(field rs.SchemaField) bool { return field.Role == "primary-title" }); title >= 0 {
			shown = append([]string{own[title].Name}, shown...)
		}
		return fmt.Sprintf("No search or filter reads the field %s of %s; each record has it: ", quote.Names([]string{own[at].Name}, 1),
			quote.Names([]string{row.Name}, 1)) + s.records(row.Name, rs.NewMember("fields", shown), rs.NewMember("limit", rs.MaxLimit))
	}
	return ""
}

// places returns the streams of the connections as far as they are known: from the schema if other hints read it too or it is cached, else
// from the list of streams that a search without hits reads for how fresh they are.
func (s *search) places(ctx context.Context) (places []known.Source) {
	schemas, connection := s.Schemas, s.Scope.ConnectionID
	hasMissing := s.recall().Has("missing_words") && len(s.list.Items) > 0 && auth.PrincipalFrom(ctx).Package == nil // no repair
	if hasMissing || s.timed {
		return s.Schema().Sources
	}
	if document := schemas.Cached(ctx, "", connection); document != nil {
		return known.ReadStream(document, rs.Scope{ConnectionID: connection}).Sources
	}
	list := s.Listed
	if list == nil {
		list = schemas.CachedStreams(ctx, connection)
	}
	for _, row := range list.ListedStreams() {
		places = append(places, known.Source{Stream: row.Name, Connection: rs.Connection{ID: row.Connection, DisplayName: row.Label}})
	}
	return places
}

// inStreamNames returns a hint that words are in the names of some streams.
func (s *search) inStreamNames(ctx context.Context, words []string, sources []known.Source) string {
	var streams []string
	allTimed, someTimed := true, false
	for _, source := range sources {
		if !slices.Contains(streams, source.Stream) {
			streams = append(streams, source.Stream)
			allTimed, someTimed = allTimed && source.Time != "", someTimed || source.Time != ""
		}
	}
	says := fmt.Sprintf("%s the name of the stream %s: ", quote.AreIn(words), quote.Names(streams, 1))
	if len(streams) > 1 {
		says = fmt.Sprintf("%s the names of %d streams (%s): ", quote.AreIn(words), len(streams), quote.Names(streams, maxNamedStreams))
	}
	if len(streams) > maxCalledStreams {
		streams = streams[:maxCalledStreams]
		says = strings.TrimSuffix(says, ": ") + fmt.Sprintf(", here the first %d: ", len(streams))
	}
	others := s.remainingWords(words...)
	within := s.without("mode", "limit", "streams").With("streams", rs.EncodeJSON(streams))
	if someTimed {
		within = within.WithAll(s.bounds())
	}
	switch {
	case len(others) > 0 && s.countsOrAverages():
		return ""
	case len(others) > 0:
		if _, none := s.finds(ctx, others, streams, nil, ""); none { // they are elsewhere
			return ""
		}
		return says + searchFor(strings.Join(others, " "), within)
	case someTimed && (s.inPeriod() || s.timed):
		return says + searchFor("", within)
	case allTimed && (len(streams) > 1 || len(s.Filter) > 0):
		return says + searchFor("", rs.Object{rs.NewMember("since", "1970-01-01")}.WithAll(within))
	case s.inPeriod() || len(s.Filter) > 0: // a list would ignore these
		return ""
	}
	var calls []string
	for _, stream := range streams[:min(len(streams), maxNamedStreams)] {
		calls = append(calls, s.records(stream))
	}
	return says + strings.Join(calls, ", ")
}

// searchRemaining returns the search for the words that are not in a name, limited to what has that name and to the time of the query; ""
// for a number, which no search finds.
func (s *search) searchRemaining(says string, others []string, name, where string) string {
	if s.countsOrAverages() {
		return ""
	}
	return says + searchFor(strings.Join(others, " "), s.without("mode", "limit", name).With(name, where).WithAll(s.bounds()))
}

func (s *search) countsOrAverages() bool { return s.Question.AsksNumber() || has(s.Rest, averages) }

// presentWords returns the words of a query that are not in a name and that some record has.
func (s *search) presentWords(names ...string) []string {
	parts := relax.Words(strings.Join(s.absent, " ")) // e-mail has two
	others := relax.Without(relax.Telling(relax.Words(s.Rest)), append(parts, names...)...)
	return slices.DeleteFunc(others, s.isAbsent)
}

// remainingWords returns the search for the words that are not in a name, with a minus before an excluded one.
func (s *search) remainingWords(names ...string) []string {
	return s.excluding(written.Negation(s.Q), s.presentWords(names...))
}
