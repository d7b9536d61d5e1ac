package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/period"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// What a search that did not find its words looks for among the ids of records, which search does not read.

// Bounds of these reads.
const (
	maxIDReads   = 24 // of records by their ids
	maxIDBytes   = 100
	maxNamedByID = 3 // records that the answer names
	leastIDBytes = 3 // shorter ones are numbers that mean something else
)

// clockForm is a time of day, which is no id.
var clockForm = written.Expression(`^[0-9]{1,2}[:.][0-9]{2}$`)

// idIn is the one word of a search that may be the id of a record, such as A-0007 or #1042, and that no record has as a word; "" for none.
func idIn(args searchArgs, response *rs.Response) string {
	if !strings.ContainsFunc(args.q, unicode.IsDigit) {
		return ""
	}
	var found []string
	for _, word := range strings.Fields(args.q) {
		word = strings.Trim(word, `"'#.,;:!?()`)
		isID := strings.ContainsFunc(word, unicode.IsDigit) && len(word) >= leastIDBytes && len(word) <= maxIDBytes
		if isID && !clockForm().MatchString(word) && !written.IsDate(rs.EncodeJSON(word)) {
			found = append(found, word)
		}
	}
	list, _ := response.List()
	missing := list.Envelope.Object("meta").Object("recall").Array("missing_words")
	isMissing := func(raw string) bool { word, ok := rs.AsText(raw); return ok && strings.Contains(found[0], word) }
	if len(found) != 1 || !isEmpty(response) && !slices.ContainsFunc(missing, isMissing) {
		return ""
	}
	return found[0]
}

// byID looks for records whose own id is a word of a search that found nothing for that word: one read for each stream of the search. If
// there is no such record, it tries the id with another separator.
func byID(ctx context.Context, call Call, response *rs.Response) (found render.ByID) {
	args := call.Args.(searchArgs)
	if found.ID = idIn(args, response); found.ID == "" || args.period != (period.Period{}) || len(args.filter) > 0 {
		return render.ByID{}
	}
	separated := strings.NewReplacer("-", "/", "/", "-", "_", "-").Replace(found.ID)
	var scopes []rs.Scope
	parts := map[string]bool{} // streams with the rest of records, which have their ids
	for _, s := range call.known(ctx, "").Sources {
		scope := rs.Scope{Stream: s.Stream, ConnectionID: call.Scope.ConnectionID}
		if auth.PrincipalFrom(ctx).Package != nil { // which reads a record of one connection
			scope.ConnectionID = s.Connection.ID
		}
		if !slices.Contains(scopes, scope) && (len(args.streams) == 0 || slices.Contains(args.streams, s.Stream)) {
			scopes = append(scopes, scope)
		}
		for _, part := range s.Parts {
			parts[part.Target] = len(args.streams) == 0
		}
	}
	scopes = slices.DeleteFunc(scopes, func(s rs.Scope) bool { return parts[s.Stream] })
	scopes = scopes[:min(len(scopes), maxIDReads)]
	found.Streams, found.Records = len(scopes), recordsOf(ctx, call, scopes, found.ID)
	if len(found.Records) == 0 && separated != found.ID && 2*len(scopes) <= maxIDReads {
		found.Records = recordsOf(ctx, call, scopes, separated)
	}
	return found
}

// recordsOf are the records of an id in some streams.
func recordsOf(ctx context.Context, call Call, scopes []rs.Scope, id string) []rs.Ref {
	ctx, cancel := context.WithTimeout(ctx, besideDeadline)
	defer cancel()
	refs := make([]rs.Ref, len(scopes))
	_ = read.Parallel(ctx, len(scopes), func(ctx context.Context, i int) error {
		scope := scopes[i]
		scope.RecordID = id
		response := answered(ctx, func(ctx context.Context) (*rs.Response, error) { return call.RS.Do(ctx, recordRequest(scope, nil)) })
		if response == nil { // the others are read all the same
			return nil
		}
		record := response.Object()
		if inner := record.Object("data"); inner.Has("data") {
			record = inner
		}
		if record.Text("id", "record_id", "record_key") == id {
			connection := cmp.Or(rs.ConnectionID(record), scope.ConnectionID)
			refs[i] = rs.Ref{ConnectionID: connection, Stream: scope.Stream, RecordID: id}
		}
		return nil
	})
	refs = slices.DeleteFunc(refs, func(ref rs.Ref) bool { return ref.RecordID == "" })
	return refs[:min(len(refs), maxNamedByID)]
}
