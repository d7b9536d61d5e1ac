package propose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// sentTo returns a hint for a query for what was sent to somebody, in a stream whose recipients no search reads, with the call for all that
// the most frequent sender sent, who may be the owner. It is "" for any other query.
func (s *search) sentTo(ctx context.Context) string {
	query := quote.When(len(s.Streams) > 0, "mail ") + s.Rest
	name := relax.Recipient(query, func(word string) bool {
		isSender := func(hit rs.Item) bool {
			return slices.Contains(strings.Fields(strings.ToLower(hit.Members.Text("actor"))), word)
		}
		return slices.ContainsFunc(s.list.Items, isSender)
	})
	if name == "" && written.SuperlativeOf(query).Words == nil {
		return ""
	}
	if of, _ := relax.Asked(query); name == "" && of != "to" || of == "who" {
		return ""
	}
	_, in := known.NamedConnections(s.Schema().Sources, relax.Words(s.Rest))
	for _, source := range s.Schema().Sources {
		if len(in) > 0 && !slices.Contains(in, source.Connection) { // chat has no recipients
			continue
		}
		scope := rs.Scope{Stream: source.Stream, ConnectionID: source.Connection.ID}
		lists := fields.UnreadRecipients(known.FieldsOf(s.Schema().Document, scope))
		if len(lists) == 0 || source.Author == "" || !s.isSearched(source) {
			continue
		}
		says := fmt.Sprintf("Neither search nor a filter reads %s of %s: hits may be to others.",
			quote.Names(lists, len(lists)), quote.Names([]string{source.Stream}, 1))
		scope.ConnectionID = s.Scope.ConnectionID
		if groups, _ := aggregate.GroupsOf(ctx, s.RS, scope, source.Author, 1); len(groups) > 0 && !s.Unfiltered {
			filter := source.Within(rs.Object{{Name: source.Author, Value: groups[0].Key}}, s.bounds())
			shown := relax.Without(append(lists, source.Title, source.Time), "")
			says += " What the most frequent sender sent: " + s.records(source.Stream, rs.NewMember("fields", shown),
				rs.Member{Name: "filter", Value: filter.JSON()})
		}
		return says
	}
	return ""
}
