// Package likeid finds the record that is meant by an id in another form than its own.
package likeid

import (
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Bounds of [Find].
const (
	comparedIDs = 5 // ids of records, whose forms are tried
	maxAlikeIDs = 3 // converted ids that are looked for
)

// Find returns the id of the record of the scope's stream that is meant by an id in another form, such as evt-0007 for evt-7. If the records
// have a field named id that is not their own id, record is the handle of the record whose own id is id. Both are "" if no such record
// exists. It makes one read, and a read for each candidate.
func Find(ctx context.Context, server rs.Doer, scope rs.Scope, id string) (other, record string) {
	if len(id) > written.MaxIDBytes || !strings.ContainsAny(id, "0123456789") || strings.ContainsAny(id, " \t\n") {
		return "", ""
	}
	newest := read.Request(scope.ConnectionID, "streams", scope.Stream, "records")
	read.Set(newest.Query, "limit", comparedIDs)
	read.Set(newest.Query, "fields", []string{"id"})
	response, err := server.Do(ctx, newest)
	if err != nil {
		return "", ""
	}
	list, _ := response.List()
	others := []string{id, strings.TrimLeft(id, "#")}
	var keyed rs.Object // a record whose field id is not its own id
	for _, item := range list.Items {
		own := item.Members.Text("record_key", "record_id", "id")
		if field := item.Members.Object("data").Text("id"); field != "" && field != own {
			keyed = item.Members
		}
		others = append(others, written.LikeID(id, own))
	}
	if keyed != nil && rs.UnsafeName(id) == "" {
		refs, _ := read.RecordsWithID(ctx, server, []rs.Scope{{Stream: scope.Stream, ConnectionID: keyed.Text("connection_id")}}, id)
		if len(refs) > 0 { // one scope has at most one
			record = refs[0].String()
		}
	}
	slices.Sort(others[2:])
	others = slices.DeleteFunc(slices.Compact(others), func(other string) bool { return other == "" || other == id })
	for _, other := range others[:min(len(others), maxAlikeIDs)] {
		if n, _ := aggregate.Count(ctx, server, scope, filter.Filter{{Field: "id", Value: filter.ValueOf(other)}}); n > 0 {
			return other, ""
		}
	}
	return "", record
}
