package fanout

import (
	"context"
	"net/url"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// schema answers GET /v1/schema: of one connection as its member says it, else one document of all (D5). Members that
// could not be read stand in it under unavailable_connections (S3-3a).
func (p *grantPackage) schema(ctx context.Context, r rs.Request) (*rs.Response, error) {
	stream := r.Query.Get("stream")
	if id := r.Query.Get("connection_id"); id != "" {
		return p.readOne(ctx, r, id, stream)
	}
	if detailOf(r.Query) == "full" && len(p.having(stream)) > 0 {
		return p.readOne(ctx, r, "", stream) // S0-5f: of one connection, or ambiguous without a read
	}
	groups, unavailable, refused := p.groups(stream)
	if refused != nil {
		return nil, refused
	}
	answers, err := p.askGroups(ctx, groups, unavailable, func(ctx context.Context, d rs.Doer) (*rs.Response, error) {
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
		none := &rs.Schema{Members: rs.Object{{Name: "detail", Value: rs.EncodeJSON(detailOf(r.Query))}}}
		parts = []schemaPart{{none, []rs.Connection{{}}}}
	}
	return jsonResponse(mergeSchemas(p.id, parts, answers.unavailable), answers.requestID(), len(answers.unavailable)), nil
}

// readSchema reads one member's document in the form that is asked for, so that the members' documents can be merged even where some know the compact view and some do not. What could not be merged fails here, for this member.
func readSchema(ctx context.Context, d rs.Doer, query url.Values) (*rs.Response, error) {
	var response *rs.Response
	var err error
	switch detailOf(query) {
	case "compact":
		response, err = rs.CompactSchema(ctx, d, query.Get("stream"), "")
	case "full":
		response, err = rs.FullSchema(ctx, d, query.Get("stream"), "")
	default:
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
	if id := r.Query.Get("connection_id"); id != "" {
		return p.readOne(ctx, r, id, "")
	}
	groups, unavailable, refused := p.groups("")
	if refused != nil {
		return nil, refused
	}
	answers, err := p.askGroups(ctx, groups, unavailable, func(ctx context.Context, d rs.Doer) (*rs.Response, error) {
		response, err := d.Do(ctx, r)
		if err == nil {
			if _, ok := response.List(); !ok {
				return nil, &rs.Error{Code: rs.InvalidResponse, Message: "This connection's answer is not the list of streams that the contract promises."}
			}
		}
		return response, err
	})
	if err != nil {
		return nil, err
	}
	var streams []rs.Item
	var warnings []string
	for i, response := range answers.responses {
		l, _ := response.List()
		for _, row := range rows(l.Items) {
			streams = append(streams, attribute(row, commonSource(answers.grants[i])))
		}
	}
	body := rs.Object{{Name: "object", Value: rs.EncodeJSON("list")}, {Name: "has_more", Value: rs.EncodeJSON(false)}, {Name: "data", Value: rs.JoinItems(streams)}}
	if len(answers.unavailable) > 0 {
		body = append(body, rs.Member{Name: "unavailable_connections", Value: rs.EncodeJSON(answers.unavailable)})
		warnings = append(warnings, unavailableWarning(answers.unavailable, ""))
	}
	body = append(body, rs.Member{Name: "meta", Value: rs.Object{{Name: "warnings", Value: rs.JoinArray(warnings)}}.JSON()})
	return jsonResponse(body, answers.requestID(), len(answers.unavailable)), nil
}

// A group is the members that share a grant and its token. One read answers for all of them.
type group []*member

// groups lists the grants that cover a stream, or any. Its error says that none of them can be read.
func (p *grantPackage) groups(stream string) (groups []group, unavailable []rs.UnavailableConnection, refused *rs.Error) {
	at := map[rs.Token]int{}
	var left []*member
	for _, c := range p.members {
		if !c.grants(stream) {
			continue
		}
		if why := p.refused(c); why != nil {
			left = append(left, c)
			unavailable = append(unavailable, c.unavailable(why))
			continue
		}
		i, known := at[c.Token]
		if !known {
			i = len(groups)
			at[c.Token], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	if len(groups) == 0 && len(left) > 0 {
		return nil, nil, p.unusable("", left)
	}
	return groups, unavailable, nil
}

// groupAnswers are the good answers, in the order of the groups, and who is missing.
type groupAnswers struct {
	responses   []*rs.Response
	grants      [][]rs.Connection // of the response at the same place
	unavailable []rs.UnavailableConnection
}

func (a groupAnswers) requestID() string {
	for _, r := range a.responses {
		if r.RequestID != "" {
			return r.RequestID
		}
	}
	return ""
}

// askGroups reads every group once. It fails when none answers.
func (p *grantPackage) askGroups(ctx context.Context, groups []group, unavailable []rs.UnavailableConnection, read func(context.Context, rs.Doer) (*rs.Response, error)) (groupAnswers, error) {
	firsts := make([]*member, len(groups))
	for i, g := range groups {
		firsts[i] = g[0]
	}
	outcomes, err := p.fanOut(ctx, firsts, func(ctx context.Context, _ int, d rs.Doer) (*rs.Response, error) { return read(ctx, d) })
	if err != nil {
		return groupAnswers{}, err
	}
	answers := groupAnswers{unavailable: unavailable}
	var failures []*rs.Error
	for i, o := range outcomes {
		var grant []rs.Connection
		for _, c := range groups[i] {
			grant = append(grant, c.Connection)
			if o.failure != nil {
				answers.unavailable = append(answers.unavailable, c.unavailable(o.failure))
			}
		}
		if o.failure != nil {
			failures = append(failures, o.failure)
			continue
		}
		answers.responses, answers.grants = append(answers.responses, o.response), append(answers.grants, grant)
	}
	if len(answers.responses) == 0 && len(failures) > 0 {
		return groupAnswers{}, p.allFailed(answers.unavailable, failures)
	}
	return answers, nil
}
