package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// maxHomes bounds the streams in which a record is looked for by its own id alone.
const maxHomes = 20

// Holding are the ids of the records that have an own id and some fields, of the streams of a grant, one read each. It is false where not
// each was answered, or where the streams are too many to be asked.
func Holding(ctx context.Context, d rs.Doer, sources []rs.GrantedStream, id string, fields []string) (refs []rs.Ref, ok bool) {
	if len(sources) > maxHomes {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, besideDeadline)
	defer cancel()
	found := make([]rs.Ref, len(sources))
	err := read.Parallel(ctx, len(sources), func(ctx context.Context, i int) error {
		at := rs.Ref{ConnectionID: sources[i].Connection.ID, Stream: sources[i].Stream, RecordID: id}
		response, err := d.Do(ctx, read.Request(at.ConnectionID, "streams", at.Stream, "records", at.RecordID))
		switch {
		case err == nil && !lacksField(response.Body, fields):
			found[i] = at
		case err != nil && rs.AsError(err).Code != rs.NotFound:
			return err
		}
		return nil
	})
	return slices.DeleteFunc(found, func(ref rs.Ref) bool { return ref == rs.Ref{} }), err == nil
}

// lacksField reports whether a record has no value for one of some fields.
func lacksField(record string, fields []string) bool {
	return slices.ContainsFunc(fields, func(field string) bool {
		top, _, _ := strings.Cut(field, ".")
		return fieldJSON(record, top) == ""
	})
}
