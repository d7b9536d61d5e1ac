package propose

import (
	"context"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
)

// maxSenderStreams is the most other streams in which a sender is looked for.
const maxSenderStreams = 8

// elsewhere returns the calls for an ask about a sender in the other streams that have somebody of that name, such as another chat: the
// newest message of one chat need not be the newest of the person. It says how many streams it did not look at. It is "" if the query names
// the stream or needs fields that others lack.
func (s *search) elsewhere(ctx context.Context, a *ask) (says string) {
	if a.party.name == "" || a.named || a.connection != "" || a.source().Author == "" || a.number.group != "" || a.number.field != "" {
		return ""
	}
	isOther := func(source known.Source) bool {
		needsTime := s.timed || a.kind == byTime || a.number.granularity != ""
		return source.Stream != a.source().Stream && source.Author != "" && s.isSearched(source) && (source.Time != "" || !needsTime) &&
			source.HasAll(a.where, s.Schema().Document)
	}
	others := slices.DeleteFunc(slices.Clone(s.Schema().Sources), func(source known.Source) bool { return !isOther(source) })
	calls := make([]string, min(len(others), maxSenderStreams))
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	read.All(ctx, len(calls), func(ctx context.Context, i int) { calls[i] = s.senderIn(ctx, *a, others[i]) })
	for _, call := range calls {
		says += quote.When(call != "", ". Also: ") + call
	}
	if more := len(others) - len(calls); more > 0 {
		says += fmt.Sprintf(". %d more streams with senders were not looked at", more)
	}
	return says
}

// senderIn returns the call for an ask about a sender in another source; "" if that has nobody whom the query names, or no record with the
// words that are left.
func (s *search) senderIn(ctx context.Context, a ask, source known.Source) string {
	name := s.Question.Names(s.valuesOf(ctx, source, source.Author), relax.Telling(relax.Words(a.query)))
	if name == "" {
		return ""
	}
	a.sources, a.party = []known.Source{source}, party{name: name, sources: []known.Source{source}}
	if a.topic.stream != "" {
		if a.topic.stream, _, _ = s.streamWith(ctx, &a); a.topic.stream == "" {
			return ""
		}
	}
	says, _ := s.call(&a)
	return says
}
