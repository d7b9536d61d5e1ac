package credentials

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A Document is the content of a credential file. The TypeScript tools read all of it but Refresh and Grant, which they ignore.
type Document struct {
	ProviderURL         string   `json:"provider_url"`
	AuthorizationServer string   `json:"authorization_server"`
	Scope               string   `json:"scope"`
	Client              Client   `json:"client"`
	Credential          Issued   `json:"credential"`
	Refresh             *Refresh `json:"refresh,omitempty"` // nil: the access token cannot be renewed
	Grant               Grant    `json:"grant"`
	CreatedAt           string   `json:"created_at"` // RFC 3339
}

// A Client is this program's registration at an authorization server.
type Client struct {
	ID           string   `json:"client_id"`
	Name         string   `json:"client_name,omitempty"`
	AuthMethod   string   `json:"token_endpoint_auth_method,omitempty"`
	RedirectURIs []string `json:"redirect_uris,omitempty"`
}

// Issued is an access token as it was issued. Any of the last four members can mark it as an owner's token.
type Issued struct {
	AccessToken   Secret          `json:"access_token"`
	TokenType     string          `json:"token_type"`
	ExpiresAt     json.RawMessage `json:"expires_at,omitempty"` // an RFC 3339 time; seconds since 1970 are read too
	GrantID       string          `json:"grant_id,omitempty"`
	PDPPTokenKind string          `json:"pdpp_token_kind,omitempty"`
	TokenKind     string          `json:"token_kind,omitempty"`
	Kind          string          `json:"kind,omitempty"`
	Role          string          `json:"role,omitempty"`
}

// SetExpiry sets when the access token expires; the zero time means never.
func (i *Issued) SetExpiry(expires time.Time) {
	i.ExpiresAt = nil
	if !expires.IsZero() {
		i.ExpiresAt = json.RawMessage(`"` + expires.UTC().Format(time.RFC3339) + `"`)
	}
}

// A Refresh is what renews an access token (RFC 6749 section 6). Its token can be used once.
type Refresh struct {
	TokenEndpoint string `json:"token_endpoint"`
	Token         Secret `json:"refresh_token"`
	Lifetime      int64  `json:"expires_in"`         // of an access token, in seconds
	Replaces      string `json:"replaces,omitempty"` // the Mark of the refresh token that was exchanged for this one
}

// A Grant describes what was granted. Commands show it and request it again; it authorizes nothing.
type Grant struct {
	Source      string   `json:"source,omitempty"` // the URI of the source's declaration
	Streams     []string `json:"streams,omitempty"`
	Fields      []string `json:"fields,omitempty"` // each STREAM.FIELD; a stream without any has all its fields
	Connections []string `json:"connections,omitempty"`
	Since       string   `json:"since,omitempty"`
	Until       string   `json:"until,omitempty"`
	Mode        string   `json:"access_mode,omitempty"`
	Offered     []string `json:"source_streams,omitempty"` // the streams of the source that its server lists

	// Limits are the time limits of streams as the server granted them. If it named none, Since and Until apply to all.
	Limits []rs.TimeLimit `json:"time_limits,omitempty"`

	Ends string `json:"expires_at,omitempty"` // when the grant, not its token, expires; RFC 3339, empty: never
}

// SourceKey returns the short name of the source: the last segment of its URI.
func (g Grant) SourceKey() string {
	return g.Source[strings.LastIndexByte(strings.TrimRight(g.Source, "/"), '/')+1:]
}

// A Secret is a token that can be written to a file. Formatted printing shows a placeholder.
type Secret string

// Format writes a placeholder for every verb.
func (Secret) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte("[token]")) }

// Usable reports whether the secret can be sent in a header.
func (t Secret) Usable() bool { return rs.IsHeaderText(string(t)) }

// Mark returns the SHA-256 of the refresh token, in hex, which identifies it in a reservation.
func (r Refresh) Mark() string {
	sum := sha256.Sum256([]byte(r.Token))
	return hex.EncodeToString(sum[:])
}

// TimeLimits returns the time limits of the streams of a grant.
func (g Grant) TimeLimits() []rs.TimeLimit {
	all := slices.Clone(g.Limits)
	if len(all) > 0 || g.Since == "" && g.Until == "" {
		return all
	}
	for _, stream := range g.Streams {
		all = append(all, rs.TimeLimit{Stream: stream, Since: g.Since, Until: g.Until})
	}
	return all
}
