package propose

import (
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// readTopic finds the stream that has the words that are left: the stream of the ask, or one whose records belong to its records, such as
// the items of orders. It drops words that no record has if others are left. It returns false if no call can have the words, or if one of
// them is a number.
func (s *search) readTopic(ctx context.Context, a *ask) bool {
	if slices.ContainsFunc(a.left, written.IsNumberWord) || !s.dropAbsent(a) {
		return false
	}
	isNumber := a.kind != byTime && a.kind != records && a.kind != counts || a.number.granularity != "" || a.party.isSeveral
	switch {
	case len(a.left) == 0:
		return a.kind != records || len(a.where) > 0 || a.party.name != ""
	case isNumber, a.not != "" && s.excluding(a.not, a.left) == nil:
		return a.countsAll()
	case a.kind == records && slices.ContainsFunc(a.left, s.callsStream): // mails and orders about something
		return false
	}
	a.left = s.excluding(a.not, a.left)
	stream, words, none := s.streamWith(ctx, a)
	if a.topic.stream, a.left = stream, words; stream != "" {
		return true
	}
	if s.asksState(a) {
		s.readEachValue(a, "")
	}
	a.topic.none = none && a.named && a.not == "" && len(s.Question.Mentioned()) > 0 && !a.countsAll()
	return a.topic.none || a.kind == eachValue || a.countsAll()
}

// dropAbsent corrects or drops the words that no record has among those that are left of an ask for the newest or for records. It is false
// if no other word is left: the newest of that stream is another one.
func (s *search) dropAbsent(a *ask) bool {
	if len(a.left) == 0 || a.kind != byTime && (a.kind != records || a.says != "") {
		return true
	}
	a.left = s.present(a.left)
	return len(a.left) > 0
}

// callsStream reports whether a word calls a stream that is known.
func (s *search) callsStream(word string) bool {
	isCalled := func(source known.Source) bool { return fields.Calls(word, source.Stream) }
	return fields.MayCall(word) && slices.ContainsFunc(s.Schema().Sources, isCalled)
}

// asksState reports whether the words that are left may be a state of the records, such as orders that are on the way.
func (s *search) asksState(a *ask) bool {
	of, _ := relax.Asked(a.query)
	isNoun := a.kind == records && a.named && fields.MayCall(of) && len(s.Question.Mentioned()) == 0
	return isNoun && strings.ToLower(a.left[0]) == a.left[0] && a.where == nil && a.party.name == ""
}

// streamWith returns the stream that has a record with the words that are left, and these words: in a stream of parts, those that only name
// that stream are not needed. If stream is "", none reports whether all these streams are known to have no such record. This is not known
// with a filter if the records have their text in a part, as mails do.
func (s *search) streamWith(ctx context.Context, a *ask) (stream string, words []string, none bool) {
	where, connection := a.narrowed()
	none = slices.ContainsFunc(a.sources, s.hasText) && (len(where) == 0 || len(a.source().Parts) == 0)
	for i, stream := range s.searchedFor(a) {
		words := slices.DeleteFunc(slices.Clone(a.left), func(word string) bool { return i > 0 && fields.Calls(word, stream) })
		if len(words) == 0 {
			continue
		}
		found, lacks := s.finds(ctx, words, []string{stream}, where, connection)
		if found {
			return stream, words, false
		}
		none = none && lacks
	}
	return "", a.left, none
}

// hasText reports whether the records of a source have words of their own: a reaction has only whose it is.
func (s *search) hasText(source known.Source) bool {
	isText := func(f rs.SchemaField) bool { return f.Lexical && f.Name != source.Author }
	return slices.ContainsFunc(source.Fields(s.Schema().Document), isText)
}

// searchedFor returns the streams whose records may have the words of an ask: its own and, without other conditions, those of its parts.
func (s *search) searchedFor(a *ask) []string {
	streams := []string{a.source().Stream}
	if a.where != nil || a.party.name != "" {
		return streams
	}
	for _, child := range a.source().Children {
		streams = append(streams, child.Target)
	}
	return streams
}
