package read

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// RecordRequest returns the request for a record, or for only some fields of it.
func RecordRequest(scope rs.Scope, fields []string) rs.Request {
	r := Request(scope.ConnectionID, "streams", scope.Stream, "records", scope.RecordID)
	Set(r.Query, "fields", fields)
	return r
}

// Bounds of the reads for a word that may be the id of a record.
const (
	MaxIDReads = 100 // reads of records by id
	MaxNamed   = 3   // records that the answer names
)

// RecordsWithID returns the records with an id in some scopes, and how many scopes answered within [OptionalDeadline]. It reads the first
// [MaxIDReads] scopes and returns at most [MaxNamed] records.
func RecordsWithID(ctx context.Context, server rs.Doer, scopes []rs.Scope, id string) (refs []rs.Ref, answered int) {
	ctx, cancel := context.WithTimeout(ctx, OptionalDeadline)
	defer cancel()
	found := make([][]rs.Ref, len(scopes))
	var count atomic.Int64
	All(ctx, min(len(scopes), MaxIDReads), func(ctx context.Context, i int) {
		isAnswer := func(err error) bool { return err == nil || rs.AsError(err).Status == 404 }
		refs, err := recordWithID(ctx, server, scopes[i], id)
		several := rs.AsError(cmp.Or[error](err, &rs.Error{})).Connections
		complete := isAnswer(err) || len(several) > 0 && len(several) <= MaxNamed
		for _, connection := range several[:min(len(several), MaxNamed)] { // no connection was named, so each may have the record
			one := scopes[i]
			one.ConnectionID = connection.ID
			of, err := recordWithID(ctx, server, one, id)
			refs, complete = append(refs, of...), complete && isAnswer(err)
		}
		if found[i] = refs; complete {
			count.Add(1)
		}
	})
	refs = slices.Concat(found...)
	return refs[:min(len(refs), MaxNamed)], int(count.Load())
}

// recordWithID returns the record with an id in a scope; none if the record in the answer has another id.
func recordWithID(ctx context.Context, server rs.Doer, scope rs.Scope, id string) ([]rs.Ref, error) {
	scope.RecordID = id
	response, err := server.Do(ctx, RecordRequest(scope, nil))
	if err != nil {
		return nil, err
	}
	record := Record(response)
	if record.Text("id", "record_id", "record_key") != id {
		return nil, nil
	}
	return []rs.Ref{{ConnectionID: cmp.Or(rs.ConnectionID(record), scope.ConnectionID), Stream: scope.Stream, RecordID: id}}, nil
}
