package authority

import (
	"slices"
	"sync"
	"time"
)

// Kinds of grant, as introspection names them.
const (
	KindClient  = "client"
	KindPackage = "mcp_package"
	KindOwner   = "owner"
)

// A Grant is what one access token may read.
type Grant struct {
	ID       string
	ClientID string
	Kind     string // client, mcp_package or owner
	// Streams bounds a client grant. An owner grant reads everything; a package grant reads nothing itself.
	Streams []StreamGrant
	// Members are the ids of the grants in a package.
	Members []string
	// Revoked and Expires end a grant. The zero time never expires.
	Revoked bool
	Expires time.Time
	// AccessMode, PurposeCode and PurposeDescription are those of the request for the grant. They may be empty.
	AccessMode, PurposeCode, PurposeDescription string
	IssuedAt                                    time.Time
}

// A StreamGrant is the granted part of one stream of a connector: connections, fields and time range.
type StreamGrant struct {
	ConnectorKey  string
	Stream        string
	ConnectionIDs []string
	Fields        []string  // nil: all
	Since, Until  time.Time // zero: unbounded; Until is exclusive; both apply to the stream's ConsentTimeField
}

// Grants maps access tokens to what they grant. The zero value is empty. It is safe for concurrent use.
type Grants struct{ byToken sync.Map }

// Put adds or replaces the grant of a token. The grant's slices must not be changed afterwards.
func (g *Grants) Put(token string, grant Grant) { g.byToken.Store(token, grant) }

// Lookup finds the grant of a token.
func (g *Grants) Lookup(token string) (Grant, bool) {
	held, ok := g.byToken.Load(token)
	grant, _ := held.(Grant)
	return grant, ok
}

// Revoke ends the grant of a token and, if that is a package, the grants of its members. It ignores an unknown token.
func (g *Grants) Revoke(token string) {
	if grant, ok := g.Lookup(token); ok {
		grant.Revoked = true
		g.Put(token, grant)
		g.revokeMembers(grant)
	}
}

func (g *Grants) revokeMembers(grant Grant) {
	for _, id := range grant.Members {
		g.RevokeID(id)
	}
}

// RevokeID ends a grant for all its tokens, as [Grants.Revoke] does.
func (g *Grants) RevokeID(id string) {
	g.byToken.Range(func(token, held any) bool {
		if held.(Grant).ID == id {
			g.Revoke(token.(string))
		}
		return true
	})
}

func (g *Grants) byID(id string) (token string, grant Grant, ok bool) {
	g.byToken.Range(func(key, held any) bool {
		if held.(Grant).ID == id {
			token, grant, ok = key.(string), held.(Grant), true
		}
		return !ok
	})
	return token, grant, ok
}

// ids returns the id of a client grant, or that of a package; both are empty for an owner grant.
func (g Grant) ids() (client, bundle string) {
	switch g.Kind {
	case KindClient:
		return g.ID, ""
	case KindPackage:
		return "", g.ID
	}
	return "", ""
}

// Ended returns why a grant is over, as an error code, or "".
func (g Grant) Ended(now time.Time) string {
	switch {
	case g.Revoked:
		return "grant_revoked"
	case !g.Expires.IsZero() && !now.Before(g.Expires):
		return "grant_expired"
	}
	return ""
}

// EndedMessage returns the message for a result of [Grant.Ended].
func EndedMessage(reason string) string {
	if reason == "grant_expired" {
		return "Grant has expired"
	}
	return "Grant has been revoked"
}

// Opens returns what a client grant allows on a stream of a connection. If the stream occurs twice, the first one applies.
func (g Grant) Opens(connectorKey, stream, connectionID string) (StreamGrant, bool) {
	if g.Kind != KindClient {
		return StreamGrant{}, false
	}
	for _, granted := range g.Streams {
		if granted.ConnectorKey == connectorKey && granted.Stream == stream && slices.Contains(granted.ConnectionIDs, connectionID) {
			return granted, true
		}
	}
	return StreamGrant{}, false
}
