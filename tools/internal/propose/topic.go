package propose

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
)

// readTopic reads in which stream the words that are left are: that of the ask, or one whose records belong to its records, such as the
// items of orders. Words that no record has are dropped, unless no others are left.
func (s *search) readTopic(ctx context.Context, a *ask) {
	if a.lacks {
		return
	}
	words := a.left
	if a.kind == byTime || a.kind == records && a.says == "" {
		a.left = slices.DeleteFunc(slices.Clone(words), s.isAbsent)
		a.lacks = len(words) > 0 && len(a.left) == 0 // the newest of that stream is another one
	}
	a.all = a.kind == counts && a.whose != "" && !a.named && len(a.left) == 1
	isNumber := a.kind == sums || a.kind == most || a.kind == extreme || a.granularity != ""
	if words = a.left; len(words) == 0 || isNumber || a.not != "" {
		return
	}
	isOther := func(word string) bool { // mails and orders about something
		return slices.ContainsFunc(s.Schema().Sources, func(source known.Source) bool { return fields.MayCall(word) && fields.Calls(word, source.Stream) })
	}
	if a.kind == records && slices.ContainsFunc(words, isOther) {
		a.lacks = true
		return
	}
	streams := []string{a.source().Stream}
	for _, child := range a.source().Children {
		if a.where == nil && a.whose == "" {
			streams = append(streams, child.Target)
		}
	}
	for i, stream := range streams {
		a.left = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return i > 0 && fields.Calls(word, stream) })
		if len(a.left) > 0 && s.holds(ctx, a, stream) {
			a.within = stream
			return
		}
	}
	a.left = words
	of, _ := relax.Asked(a.query)
	isState := a.kind == records && a.named && fields.MayCall(of) && len(s.Question.Mentioned()) == 0 && strings.ToLower(words[0]) == words[0]
	if isState && a.where == nil && a.whose == "" { // orders that are on the way
		s.readDenied(a, "")
	}
	a.lacks = a.kind != most && !a.all
}

// holds reports whether a record of a stream has the words that are left and the conditions of an ask.
func (s *search) holds(ctx context.Context, a *ask, stream string) (found bool) {
	where, connection := a.where, a.connection
	if a.whose != "" {
		where, connection = a.conditions(a.having[0]), a.having[0].Connection.ID
	}
	found, a.none = s.finds(ctx, a.left, []string{stream}, where, connection)
	return found
}

// finds makes one read to find out whether a record of some streams, within a filter, has all of some words, or whether none has. It is
// neither if the read fails, or does not say how many have all.
func (s *search) finds(ctx context.Context, words, streams []string, where rs.Object, connection string) (found, none bool) {
	request := read.Request(cmp.Or(connection, s.Scope.ConnectionID), "search")
	if len(where) == 0 { // with a filter a resource server searches one stream
		streams = append(slices.Clone(streams), s.Schema().PartsOf(streams)...)
	} else if conditions, err := filter.Parse(where.JSON()); err == nil {
		conditions.Write(request.Query)
	}
	read.Set(request.Query, "q", strings.Join(words, " "))
	read.Set(request.Query, "streams", streams)
	read.Set(request.Query, "limit", 1)
	response := read.Optional(ctx, s.RS, request)
	if response == nil {
		return false, false
	}
	list, _ := response.List()
	n, counted := list.Envelope.Object("meta").Number("count")
	none = counted && n == 0
	return len(list.Items) > 0 && slices.Contains(streams, list.Items[0].Members.Text("stream", "stream_name")) && !none, none
}
