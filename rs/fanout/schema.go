package fanout

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// schema answers GET /v1/schema of all connections with one document (D5), which lists members that could not be read under
// unavailable_connections (S3-3a).
func (p *grantPackage) schema(ctx context.Context, r rs.Request) (*rs.Response, error) {
	stream := r.Query.Get("stream")
	if detailOf(r.Query) == "full" && len(p.membersWith(stream)) > 0 {
		return p.readOne(ctx, r, "", stream) // S0-5f: it is of one connection, or ambiguous without a read
	}
	answers, err := p.readGroups(ctx, stream, func(ctx context.Context, d rs.Doer) (*rs.Response, error) {
		return readSchema(ctx, d, r.Query)
	})
	if err != nil {
		return nil, err
	}
	var parts []schemaPart
	for i, response := range answers.responses {
		parts = append(parts, schemaPart{response.Schema(), answers.grants[i]})
	}
	if len(parts) == 0 { // no member was granted the stream: a document without connectors, as for any unknown stream
		none := &rs.Schema{Members: rs.Object{rs.NewMember("detail", detailOf(r.Query))}}
		parts = []schemaPart{{none, []rs.Connection{{}}}}
	}
	return answers.merged(mergeSchemas(p.id, parts)), nil
}

// readSchema reads one member's document in the requested form, so that the documents can be merged even if only some members support the
// compact view. A document that could not be merged fails here, for this member only.
func readSchema(ctx context.Context, d rs.Doer, query url.Values) (*rs.Response, error) {
	var response *rs.Response
	var err error
	if detailOf(query) == "compact" {
		response, err = rs.CompactSchema(ctx, d, query.Get("stream"), "")
	} else {
		response, err = d.Do(ctx, rs.Request{Path: rs.Path("schema"), Query: query})
	}
	if err == nil {
		err = response.Schema().Check()
	}
	return response, err
}

func detailOf(query url.Values) string {
	if query.Get("view") == "compact" {
		return "compact"
	}
	return query.Get("detail")
}

// streams answers GET /v1/streams in the same way: one list of all rows, each with its connection.
func (p *grantPackage) streams(ctx context.Context, r rs.Request) (*rs.Response, error) {
	answers, err := p.readGroups(ctx, "", listRead(r, "list of streams"))
	if err != nil {
		return nil, err
	}
	var streams []rs.Item
	for i, response := range answers.responses {
		l, _ := response.List()
		streams = append(streams, attributed(l.Items, commonSource(answers.grants[i]))...)
	}
	var warnings []string
	if len(answers.unavailable) > 0 {
		warnings = []string{unavailableWarning(answers.unavailable, "")}
	}
	body := rs.Object{rs.NewMember("object", "list"), rs.NewMember("has_more", false), {Name: "data", Value: rs.JoinItems(streams)}}
	meta := rs.Object{{Name: "warnings", Value: rs.JoinArray(warnings)}}
	return answers.merged(body, rs.Member{Name: "meta", Value: meta.JSON()}), nil
}

// groupAnswers are the successful answers, in the order of the groups, and the connections that lack one.
type groupAnswers struct {
	responses   []*rs.Response
	grants      [][]rs.Connection // of the response with the same index
	unavailable []rs.UnavailableConnection
}

func (a groupAnswers) merged(body rs.Object, last ...rs.Member) *rs.Response {
	response := merged(body, a.unavailable, last...)
	for _, r := range a.responses {
		response.RequestID = cmp.Or(response.RequestID, r.RequestID)
	}
	return response
}

// readGroups performs a read once for every grant that covers a stream, or for every grant. It fails if no grant answers.
func (p *grantPackage) readGroups(ctx context.Context, stream string, read memberRead) (answers groupAnswers, err error) {
	groups, unavailable, refused := p.groups(stream)
	if refused != nil {
		return answers, refused
	}
	firsts := make([]*member, len(groups))
	for i, g := range groups {
		firsts[i] = g[0]
	}
	outcomes, err := p.fanOut(ctx, firsts, func(int) memberRead { return read })
	if err != nil {
		return answers, err
	}
	var failures []*rs.Error
	for i, o := range outcomes {
		var grant []rs.Connection
		for _, m := range groups[i] {
			grant = append(grant, m.Connection)
			if o.failure != nil {
				unavailable = append(unavailable, m.unavailable(o.failure))
			}
		}
		if o.failure != nil {
			failures = append(failures, o.failure)
			continue
		}
		answers.responses, answers.grants = append(answers.responses, o.response), append(answers.grants, grant)
	}
	if len(answers.responses) == 0 && len(failures) > 0 {
		return answers, allFailed(unavailable, failures)
	}
	answers.unavailable = unavailable
	return answers, nil
}

// A schemaPart is the valid schema document of one grant.
type schemaPart struct {
	*rs.Schema
	grant []rs.Connection // the connections that the grant covers, according to the directory
}

// mergeSchemas merges the grants' documents (D5). Each connector keeps its bytes, except for the grant_id of its connections. A connector
// of two grants stays two entries, because their streams and fields may differ.
func mergeSchemas(packageID string, parts []schemaPart) rs.Object {
	var connectors, streams []string
	streamCount := 0
	for _, part := range parts {
		at := 0 // streams are in the order of their connectors
		for i := range part.Connectors {
			from := at
			for at < len(part.Streams) && part.Streams[at].Connector == i {
				at++
			}
			connectors = append(connectors, part.connector(i, part.Streams[from:at]))
		}
		for _, stream := range part.Streams {
			if stream.Connector < 0 {
				streams = append(streams, attribute(rs.Item{Raw: stream.Raw, Members: stream.Members}, commonSource(part.grant)).Raw)
			}
		}
		streamCount += len(part.Streams)
	}
	body := rs.Object{rs.NewMember("object", "schema")}
	detail := parts[0].Members.JSONString("detail")
	if detail != "" && !slices.ContainsFunc(parts, func(p schemaPart) bool { return p.Members.JSONString("detail") != detail }) {
		body = append(body, rs.NewMember("detail", detail))
	}
	bearer := rs.Object{rs.NewMember("token_kind", auth.KindPackage)}
	if packageID != "" {
		bearer = append(bearer, rs.NewMember("package_id", packageID))
	}
	body = append(body,
		rs.Member{Name: "bearer", Value: bearer.JSON()}, rs.NewMember("connector_count", len(connectors)),
		rs.NewMember("stream_count", streamCount),
		rs.Member{Name: "connectors", Value: rs.JoinArray(connectors)},
	)
	if len(streams) > 0 {
		body = append(body, rs.Member{Name: "streams", Value: rs.JoinArray(streams)})
	}
	return body
}

const grantedKey = "granted_connections"

// connector returns a connector with the grant added to its connections, which may be in its streams instead. If it names no connection and
// the grant covers only one, that one is added.
func (p schemaPart) connector(at int, own []rs.SchemaStream) string {
	connector := p.withGrant(p.Connectors[at].Members)
	named, changed := connector.Has(grantedKey), false
	streams := make([]string, len(own))
	for i, stream := range own {
		streams[i] = stream.Raw
		if stream.Members.Has(grantedKey) {
			streams[i], changed = p.withGrant(stream.Members).JSON(), true
		}
		named = named || changed || stream.Members.JSONString("connection_id") != ""
	}
	if changed {
		connector = connector.With("streams", rs.JoinArray(streams))
	}
	if !named && len(p.grant) == 1 {
		only := p.grant[0]
		only.ConnectorKey = "" // the connector has it
		connector = connector.With(grantedKey, rs.JoinArray([]string{rs.EncodeJSON(only)}))
	}
	return connector.JSON()
}

// withGrant returns a connector or stream in which each connection, if it has any, names its grant.
func (p schemaPart) withGrant(o rs.Object) rs.Object {
	if !o.Has(grantedKey) {
		return o
	}
	grantID, list := p.grant[0].GrantID, o.Array(grantedKey)
	for i, raw := range list {
		if c := rs.AsObject(raw); grantID != "" && c.JSONString("grant_id") == "" {
			list[i] = c.With("grant_id", rs.EncodeJSON(grantID)).JSON()
		}
	}
	return o.With(grantedKey, rs.JoinArray(list))
}

// commonSource returns what all rows of a grant's answers have in common: the grant, and the connection if there is only one.
func commonSource(grant []rs.Connection) rs.Connection {
	common := grant[0]
	for _, c := range grant[1:] {
		common.ID, common.DisplayName = "", ""
		if c.ConnectorKey != common.ConnectorKey {
			common.ConnectorKey = ""
		}
	}
	return common
}
