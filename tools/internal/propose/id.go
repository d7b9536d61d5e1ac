package propose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A word of a query may be what no search reads: the id of a record, or a value of a field such as a status.

// byID looks for records whose own id is the likely id in a query, such as A-0007 or #1042, since search does not read ids. It does so if
// no record has that word, or if the id is the whole query. It makes one read for each stream of the search; if there is no such record,
// it tries the id with another separator. It returns what it found as a hint, and whether that is a record.
func (s *search) byID(ctx context.Context) (says string, found bool) {
	id := written.LikelyID(s.Q)
	if id == "" || s.inPeriod() || len(s.Filter) > 0 {
		return "", false
	}
	isMissing := func(word string) bool { return strings.Contains(strings.ToLower(id), word) }
	isHit := func(hit rs.Item) bool { return hit.Members.Text("record_key", "record_id") == id }
	missing := read.IsEmpty(s.Response) || slices.ContainsFunc(s.absent, isMissing)
	if !missing && (strings.TrimSpace(s.Q) != id || slices.ContainsFunc(s.list.Items, isHit)) {
		return "", false
	}
	scopes := s.scopesOfIDs(ctx)
	if ref, err := rs.ParseRef(id); err == nil && ref.ConnectionID != "" { // an id as answers print it
		id = ref.RecordID
		scopes = slices.DeleteFunc(scopes, func(of rs.Scope) bool { return of.Stream != ref.Stream || of.ConnectionID != ref.ConnectionID })
	}
	records, streams := read.RecordsWithID(ctx, s.RS, scopes, id)
	lead, separated := "A record has it as its own id: ", strings.NewReplacer("-", "/", "/", "-", "_", "-").Replace(id)
	if len(records) == 0 && separated != id && 2*len(scopes) <= read.MaxIDReads {
		lead = fmt.Sprintf("Written %s, it is the own id of a record: ", quote.Text(separated))
		records, _ = read.RecordsWithID(ctx, s.RS, scopes, separated)
	}
	var fetches []string
	for _, ref := range records {
		fetches = append(fetches, correct.Call{Tool: "fetch", Arguments: rs.Object{rs.NewMember("id", ref.String())}}.String())
	}
	if len(records) > 0 {
		return lead + strings.Join(fetches, ", "), true
	}
	if !missing || streams == 0 {
		return "", false
	}
	says = fmt.Sprintf("Nor is %s the own id of a record, in %d stream%s.", quote.Text(id), streams, quote.When(streams > 1, "s"))
	if others := len(scopes) - streams; others > 0 {
		says += fmt.Sprintf(" %d others were not looked through: name them in streams.", others)
	}
	return says, false
}

// scopesOfIDs returns the streams of a search. For a search of all streams it leaves out those whose records are parts of other records:
// they have the ids of these.
func (s *search) scopesOfIDs(ctx context.Context) (scopes []rs.Scope) {
	sources := s.Schema().Sources
	for _, source := range sources {
		scope := rs.Scope{Stream: source.Stream, ConnectionID: s.Scope.ConnectionID}
		if auth.PrincipalFrom(ctx).Package != nil { // a package reads a record of one connection
			scope.ConnectionID = source.Connection.ID
		}
		isSearched := slices.Contains(s.Streams, source.Stream) || len(s.Streams) == 0 && !known.IsPart(source.Stream, sources)
		if isSearched && !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}
