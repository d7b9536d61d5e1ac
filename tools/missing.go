package tools

import (
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// Over several connections a resource server takes a field that one of them has: the others are left out, or answer without it.

// missingFields says which connections of the stream lack fields that a call names, and which call reads the same there; nothing where all
// have them.
func missingFields(call Call, stated known.Stream) rs.Object {
	if stated.Document == nil || len(stated.Connections) < 2 {
		return nil
	}
	rows := fields.Lacks(call.Tool.Name, stated.Document, call.Scope.Stream, call.Arguments)
	if rows == nil {
		return nil
	}
	return rs.Object{{Name: "missing_fields", Value: rs.JoinArray(rows)}}
}

// withMissing adds to a page of records what [missingFields] says.
func withMissing(response *rs.Response, call Call, stated known.Stream) *rs.Response {
	return withMembers(response, missingFields(call, stated))
}

// leavesOut reports whether a resource server warns that its answer leaves out a connection.
func leavesOut(response *rs.Response) bool {
	for _, raw := range aggregate.Body(response).Object("meta").Array("warnings") {
		if rs.AsObject(raw).Text("code") == "connection_left_out" {
			return true
		}
	}
	return false
}

// withMembers is an answer that says something more.
func withMembers(response *rs.Response, said rs.Object) *rs.Response {
	if len(said) == 0 {
		return response
	}
	return response.WithBody(response.Object().WithAll(said).JSON())
}
