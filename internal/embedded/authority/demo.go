package authority

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// DemoTokens are the tokens of [DemoGrants].
type DemoTokens struct {
	Client  string // every connector, stream, connection and field
	Narrow  string // four fields of one stream of one connection, since 2026-03-01 in a mailbox
	Package string // a package of one client grant for each connection
	Owner   string // reads everything; an MCP server refuses it
	Expired string
	Revoked string
	// MemberSecret is the key from which the tokens of the package's members are derived. It is never a token itself.
	MemberSecret string
}

// NewDemoTokens draws tokens from random.
func NewDemoTokens(random io.Reader) (DemoTokens, error) {
	var tokens DemoTokens
	for _, slot := range []struct {
		token *string
		label string
	}{
		{&tokens.Client, "client"}, {&tokens.Narrow, "narrow"}, {&tokens.Package, "package"}, {&tokens.Owner, "owner"},
		{&tokens.Expired, "expired"}, {&tokens.Revoked, "revoked"}, {&tokens.MemberSecret, "member"},
	} {
		bytes := make([]byte, 16)
		if _, err := io.ReadFull(random, bytes); err != nil {
			return DemoTokens{}, fmt.Errorf("draw tokens: %w", err)
		}
		*slot.token = "pdpp_" + slot.label + "_" + hex.EncodeToString(bytes)
	}
	return tokens, nil
}

const demoClient = "personal_assistant"

// DemoGrants returns one grant of each kind over a person's connectors: see [DemoTokens]. If the package has several members, the last one
// is revoked, as an example of an unusable member.
func DemoGrants(connectors []model.Connector, tokens DemoTokens, now time.Time) *Grants {
	grants := &Grants{}
	grants.PutDemo(connectors, tokens, now)
	return grants
}

// PutDemo adds or replaces the grants of the demo's tokens, over the current connectors. A grant that was revoked stays revoked.
func (g *Grants) PutDemo(connectors []model.Connector, tokens DemoTokens, now time.Time) {
	everything := Everything(connectors)
	g.renew(tokens.Client, Grant{ID: "grt_demo_client", ClientID: demoClient, Kind: KindClient, Streams: everything})
	g.renew(tokens.Narrow, Grant{ID: "grt_demo_narrow", ClientID: demoClient, Kind: KindClient, Streams: grantNarrow(connectors)})
	g.renew(tokens.Owner, Grant{ID: "grt_demo_owner", ClientID: "owner_console", Kind: KindOwner})
	g.renew(tokens.Expired, Grant{ID: "grt_demo_expired", ClientID: demoClient, Kind: KindClient, Streams: everything,
		Expires: now.Add(-time.Hour)})
	g.renew(tokens.Revoked, Grant{ID: "grt_demo_revoked", ClientID: demoClient, Kind: KindClient, Streams: everything, Revoked: true})
	g.renew(tokens.Package, Grant{ID: "pkg_demo", ClientID: demoClient, Kind: KindPackage,
		Members: g.putMembers(connectors, tokens)})
}

// renew replaces the grant of a token, but not its revocation.
func (g *Grants) renew(token string, grant Grant) {
	held, _ := g.Lookup(token)
	grant.Revoked = grant.Revoked || held.Revoked
	g.Put(token, grant)
}

// putMembers adds or replaces a client grant for each connection, and returns their ids.
func (g *Grants) putMembers(connectors []model.Connector, tokens DemoTokens) []string {
	var ids []string
	last := ""
	if held, _ := g.Lookup(tokens.Package); len(held.Members) > 1 && !held.Revoked { // the last one was revoked only as an example
		token, _, _ := g.byID(held.Members[len(held.Members)-1])
		g.byToken.Delete(token)
	}
	for _, connector := range connectors {
		streams := Everything([]model.Connector{connector})
		for _, connection := range connector.Connections {
			id := "grt_member_" + connection.ID
			last = "pdpp_member_" + keyed([]byte(tokens.MemberSecret), connection.ID)[:32]
			g.renew(last, Grant{ID: id, ClientID: demoClient, Kind: KindClient, Streams: only(streams, connection)})
			ids = append(ids, id)
		}
	}
	if len(ids) > 1 {
		g.Revoke(last)
	}
	return ids
}

// Everything returns grants of every field of every stream on every connection.
func Everything(connectors []model.Connector) []StreamGrant {
	var all []StreamGrant
	for _, connector := range connectors {
		for _, stream := range connector.Streams {
			all = append(all, StreamGrant{ConnectorKey: connector.Key, Stream: stream.Name, ConnectionIDs: connectionIDs(connector)})
		}
	}
	return all
}

// narrowFields are what the narrow grant shows of a mailbox.
var narrowFields = []string{"id", "subject", "received_at", "thread_id"}

// grantNarrow grants four fields of the messages of a mailbox since 2026-03-01: of a mailbox for work, if there is one. Without a mailbox
// it grants the first four fields of the first stream.
func grantNarrow(connectors []model.Connector) (narrow []StreamGrant) {
	for _, connector := range connectors {
		for _, stream := range connector.Streams {
			fields := fieldNames(stream.Fields)
			isMailbox := stream.Name == "messages" && within(narrowFields, fields...)
			if len(connector.Connections) == 0 || narrow != nil && !isMailbox {
				continue
			}
			work := slices.IndexFunc(connector.Connections, func(c model.Connection) bool {
				return strings.Contains(strings.ToLower(c.ID+" "+c.DisplayName), "work")
			})
			narrow = []StreamGrant{{
				ConnectorKey: connector.Key, Stream: stream.Name, ConnectionIDs: []string{connector.Connections[max(work, 0)].ID},
				Fields: fields[:min(len(fields), len(narrowFields))],
			}}
			if isMailbox {
				narrow[0].Fields, narrow[0].Since = narrowFields, time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
				return narrow
			}
		}
	}
	return narrow
}
