package propose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// maxSenderStreams is the most other streams in which a sender is looked for.
const maxSenderStreams = 8

// elsewhere returns the calls for an ask about a sender in the other streams that have somebody of that name, such as another chat: the
// newest message of one chat need not be the newest of the person. It says how many streams it did not look at. It is "" if the query names
// the stream or needs fields that others lack.
func (s *search) elsewhere(ctx context.Context, a *ask) string {
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
	var says strings.Builder
	for _, call := range calls {
		says.WriteString(quote.When(call != "", ". Also: ") + call)
	}
	if more := len(others) - len(calls); more > 0 {
		fmt.Fprintf(&says, ". %d more streams with senders were not looked at", more)
	}
	return says.String()
}

// maxPurchases is the most streams with amounts for which there is a call each.
const maxPurchases = 4

// ofPurchases returns the call for a kind of answer in each of the streams that may have what was paid, such as the statements of two banks.
// It is "" if none has it.
func (s *search) ofPurchases(ctx context.Context, k kind) (says, metric string) {
	var of []string
	var last *ask
	for _, stream := range s.purchases[:min(len(s.purchases), maxPurchases)] {
		one := *s
		one.only, one.purchases = stream, nil
		a := one.read(ctx, k)
		if a == nil || a.topic.none {
			continue
		}
		if call, by := one.call(a); call != "" {
			says, metric, of, last = says+quote.When(says != "", ". Also: ")+call, by, append(of, stream), a
		}
	}
	s.purchases = nil
	return says + s.besides(last, of...), metric
}

// besides names what the calls for some streams leave out: the amounts of other streams if these calls are about what was paid, or their
// senders if they are about who wrote the most.
func (s *search) besides(a *ask, streams ...string) string {
	switch {
	case a == nil || a.named:
		return ""
	case a.isBought:
		rows := fields.RowsByName(s.Schema().Document)
		return s.leavesOut("amounts", streams, func(source known.Source) bool { return hasMoney(rows[source.Stream]) })
	case a.kind == most && a.number.group != "" && a.number.group == a.source().Author:
		return s.leavesOut("senders", streams, func(source known.Source) bool { return source.Author != "" })
	}
	return ""
}

// hasMoney reports whether rows of one stream have amounts that are certain to be money, unlike a total or a value, which may be of anything.
func hasMoney(rows []rs.SchemaStream) bool {
	own := &rs.Schema{Streams: rows}
	paid, _ := fields.Sides(own, rows[0].Name)
	return slices.ContainsFunc(fields.Numbers(own, nil, fields.Aggregates("sum")), func(number fields.InStream) bool {
		return number.Field == paid || written.IsMoneyForSure(number.Field) && !written.IsLevel(number.Field)
	})
}

// leavesOut names the streams that have something, other than some streams and their parts.
func (s *search) leavesOut(what string, streams []string, has func(known.Source) bool) string {
	seen := map[string]bool{}
	for _, source := range s.Schema().Sources {
		if slices.Contains(streams, source.Stream) {
			seen[source.Stream] = true
			for _, part := range source.Children {
				seen[part.Target] = true
			}
		}
	}
	var others []string
	for _, source := range s.Schema().Sources {
		if !seen[source.Stream] && s.isSearched(source) && has(source) {
			seen[source.Stream] = true
			others = append(others, source.Stream)
		}
	}
	return quote.When(len(others) > 0, ". Left out are the "+what+" of "+quote.Names(others, maxNamedStreams))
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
