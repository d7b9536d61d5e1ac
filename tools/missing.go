package tools

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
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
	rows := correct.Lacks(call.Tool.Name, stated.Document, call.Scope.Stream, rs.AsObject(string(call.Raw)))
	if rows == nil {
		return nil
	}
	return rs.Object{{Name: "missing_fields", Value: rs.JoinArray(rows)}}
}

// withMissing adds to a page of records what [missingFields] says.
func withMissing(response *rs.Response, call Call, stated known.Stream) *rs.Response {
	return withMembers(response, missingFields(call, stated))
}

// withMembers is an answer that says something more.
func withMembers(response *rs.Response, said rs.Object) *rs.Response {
	if len(said) == 0 {
		return response
	}
	return response.WithBody(rs.AsObject(response.Distinct()).WithAll(said).JSON())
}

// mayLack reports whether a page shows that a connection lacks a field that the call names, so that the schema is read for no other: the
// page leaves a connection out, or one of several has no record with the field. By a field that is not shown records may be sorted.
func mayLack(response *rs.Response, call Call) bool {
	args := call.Args.(queryRecordsArgs)
	if call.Scope.ConnectionID != "" || len(args.fields) == 0 && args.sort == "" && len(args.filter) == 0 {
		return false
	}
	if leavesOut(response) {
		return true
	}
	list, _ := response.List()
	has := map[string]map[string]bool{}
	for _, item := range list.Items {
		connection := rs.ConnectionID(item.Members)
		if has[connection] == nil {
			has[connection] = map[string]bool{}
		}
		for _, field := range item.Members.Object("data") {
			has[connection][field.Name] = true
		}
	}
	named := args.fields
	if args.sort != "" {
		named = append(slices.Clone(named), strings.TrimPrefix(args.sort, "-"))
	}
	for _, names := range has {
		if len(has) > 1 && slices.ContainsFunc(named, func(name string) bool { return !names[name] }) {
			return true
		}
	}
	return false
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
