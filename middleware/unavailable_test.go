package middleware_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// S3-3a: a search of a time, in a package, names the members that have ended, or whose schema cannot be read, in both channels: their
// records would be missing silently. A stream that only such members have is granted.
func TestASearchOfATimeNamesMembersThatHaveEnded(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"work","display_name":"Work"}],"streams":[` +
		`{"name":"messages","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","subject":"t=text,role=primary-title,lex"}}]}]}`
	var members []fanout.Member
	for _, m := range [][]string{{"work", "messages"}, {"home", "messages"}, {"dead", "messages", "notes"}, {"old", "notes"}, {"down", "orders"}} {
		members = append(members, fanout.Member{
			Connection: rs.Connection{GrantID: "g_" + m[0], ConnectorKey: "k", ID: m[0], DisplayName: strings.ToUpper(m[0])}, Streams: m[1:], Token: rs.NewToken("tok_" + m[0]),
		})
	}
	members[3].Refused = &rs.Error{Code: "grant_expired", Status: 403, Message: "It has expired."}
	reader := func(token rs.Token) rs.Doer {
		id := strings.TrimPrefix(token.Reveal(), "tok_")
		return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case id == "dead":
				return nil, &rs.Error{Code: "grant_revoked", Status: 403, Message: "It was revoked.", Quoted: true}
			case id == "down":
				return nil, &rs.Error{Code: "internal", Status: 500, Message: "It failed.", Quoted: true}
			case r.Path == "/v1/schema":
				return middlewaretest.JSON(strings.ReplaceAll(strings.ReplaceAll(schema, "work", id), "Work", strings.ToUpper(id))), nil
			}
			return middlewaretest.JSON(`{"object":"list","has_more":false,"data":[{"object":"record","id":"m1","stream":"messages","record_key":"m1",` +
				`"connection_id":"` + id + `","authored_at":"2026-03-01T10:00:00Z","data":{"at":"2026-03-01T10:00:00Z","subject":"Tax"}}]}`), nil
		}}
	}
	p := fanout.NewPackage(fanout.Membership{PackageID: "pkg", Members: members}, reader, fanout.PackageOptions{})
	source := func(auth.Principal) rs.Doer { return p }
	handle := middleware.Standard(middleware.Options{Log: zerolog.Nop(), Source: source}, tools.Forward)
	for name, row := range map[string]struct {
		arguments string
		says      []string // in both channels; what follows ! is not said
	}{
		"of all":            {`{"since":"2026-03-01","until":"2026-03-02"}`, []string{"DEAD (grant_revoked)", "OLD (grant_expired)", "DOWN (internal)", "work/messages:m1"}},
		"of words":          {`{"q":"tax","since":"2026-03-01"}`, []string{"DEAD (grant_revoked)", "OLD (grant_expired)", "work/messages:m1"}},
		"of one stream":     {`{"since":"2026-03-01","streams":["messages"]}`, []string{"DEAD (grant_revoked)", "!OLD"}},
		"of an ended one":   {`{"since":"2026-03-01","streams":["notes","messages"]}`, []string{"DEAD (grant_revoked)", "OLD (grant_expired)", "work/messages:m1", "!not granted"}},
		"of that one alone": {`{"since":"2026-03-01","streams":["notes"]}`, []string{"grant_revoked", "grant_expired", "!no stream"}},
		"of an unknown one": {`{"since":"2026-03-01","streams":["nope","notes","messages"]}`, []string{"nope", "!left out: nope, notes", `!["nope","notes"]`, "OLD (grant_expired)"}},
		"of no time":        {`{"q":"tax","streams":["notes","messages"]}`, []string{"DEAD (grant_revoked)", "OLD (grant_expired)", "work/messages:m1", "!not granted"}},
	} {
		ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindPackage, Package: p})
		_, _ = handle(ctx, callOf(t, "schema", `{}`)) // a member is known to have ended once it was read
		reply, _ := handle(ctx, callOf(t, "search", row.arguments))
		for channel, text := range map[string]string{"text": textOf(t, reply.Result), "structured": string(reply.Result.StructuredContent.(json.RawMessage))} {
			for _, want := range row.says {
				if unsaid, not := strings.CutPrefix(want, "!"); strings.Contains(text, strings.TrimPrefix(want, "!")) == not {
					t.Errorf("%s: %s: said is %t of %q in\n%s", name, channel, not, unsaid, text)
				}
			}
		}
	}
}

// If the directory lists no streams for a member, that member may have any: a search does not call a stream of it ungranted, also if
// another member that has ended is listed with one of the streams.
func TestAMemberWithoutListedStreamsMayHaveAny(t *testing.T) {
	member := func(id string, streams ...string) fanout.Member {
		return fanout.Member{Connection: rs.Connection{GrantID: "g_" + id, ConnectorKey: "k", ID: id}, Streams: streams, Token: rs.NewToken("tok_" + id)}
	}
	members := []fanout.Member{member("unlisted"), member("home", "notes"), member("old", "notes")}
	members[2].Refused = &rs.Error{Code: "grant_expired", Status: 403, Message: "It has expired."}
	server := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) { return middlewaretest.JSON(`{"object":"list","data":[]}`), nil }}
	p := fanout.NewPackage(fanout.Membership{PackageID: "pkg", Members: members}, func(rs.Token) rs.Doer { return server }, fanout.PackageOptions{})
	ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindPackage, Package: p})
	options := middleware.Options{Log: zerolog.Nop(), Source: func(auth.Principal) rs.Doer { return p }}
	reply, err := middleware.Standard(options, tools.Forward)(ctx, callOf(t, "search", `{"q":"tax","streams":["messages","notes"]}`))
	if text := textOf(t, reply.Result); err != nil || reply.Result.IsError || strings.Contains(text, "not granted") {
		t.Errorf("%s (%v)", text, err)
	}
}
