package fanout

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/lookup"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/wire"
)

// A Directory returns the member grants of a package token (D17). A Go host can implement it in process.
type Directory interface {
	// Members returns the members with their own tokens. An [*rs.Error] of code "package_revoked" means that the package
	// was revoked; any other error means that the directory could not tell.
	Members(context.Context, rs.Token) (Membership, error)
}

// A Membership is the package that a token was issued for.
type Membership struct {
	PackageID string
	Members   []Member // in the order in which they take turns
}

// A Member is one connection of a package, read under its own grant and token. Several members may share a
// connector, and several connections may share a grant and its token.
type Member struct {
	rs.Connection
	Streams []string  // what the grant allows on this connection
	Token   rs.Token  // the member grant's own token
	Expires time.Time // of the token; zero if the directory gives none
	Refused *rs.Error // why the member cannot be read, as code and message; nil when it can
}

// An httpDirectory asks a directory over HTTP: POST with the form token=…, HTTP Basic. It is safe for concurrent use.
type httpDirectory struct{ lookup *lookup.Lookup }

// NewHTTPDirectory returns a directory that is asked over HTTP. Its error says what is wrong with the endpoint.
func NewHTTPDirectory(o auth.LookupOptions) (Directory, error) {
	endpoint, err := lookup.New("the package directory", "packages", o)
	if err != nil {
		return nil, err
	}
	return &httpDirectory{endpoint}, nil
}

// Members asks for the members of one package. Its errors are "package_revoked" and [rs.AuthorityUnreachable].
func (d *httpDirectory) Members(ctx context.Context, token rs.Token) (Membership, error) {
	body, err := d.lookup.Ask(ctx, token)
	if err != nil {
		return Membership{}, lookup.Unreachable(err)
	}
	return readMembership(body)
}

func readMembership(body []byte) (Membership, error) {
	var answer struct {
		PackageID string            `json:"package_id"`
		Status    string            `json:"status"`
		Members   []json.RawMessage `json:"members"` // each a directoryRow
	}
	if wire.Decode(body, &answer, "package_id", "status", "members") != nil || answer.Status == "" {
		return Membership{}, lookup.Unreachable(errors.New("the package directory's answer is not the JSON of its contract"))
	}
	if answer.Status != "active" {
		return Membership{}, &rs.Error{
			Code:    "package_revoked",
			Message: "The package that this access token stands for was revoked.",
			Hint:    "Connect again and approve the connections anew.",
		}
	}
	m := Membership{PackageID: answer.PackageID, Members: make([]Member, 0, len(answer.Members))}
	for _, raw := range answer.Members {
		var row directoryRow
		err := wire.Decode(raw, &row,
			"grant_id", "connector_key", "connection_id", "display_name", "streams", "access_token", "expires_at", "usable", "error")
		if err != nil || row.ID == "" {
			return Membership{}, lookup.Unreachable(errors.New("the package directory names a member in another form than its contract's"))
		}
		m.Members = append(m.Members, row.member())
	}
	return m, nil
}

type directoryRow struct {
	rs.Connection
	Streams     []string        `json:"streams"`
	AccessToken string          `json:"access_token"`
	ExpiresAt   json.RawMessage `json:"expires_at"`
	Usable      bool            `json:"usable"`
	Error       *struct {
		Code    rs.Code `json:"code"`
		Message string  `json:"message"`
	} `json:"error"`
}

// member converts one row. An invalid row makes only that member unusable, not the package.
func (r directoryRow) member() Member {
	m := Member{Connection: r.Connection, Streams: r.Streams}
	unusable := func(message string) { m.Refused = &rs.Error{Code: "grant_unusable", Message: message} }
	var known bool
	m.Expires, known = rs.ReadExpiry(r.ExpiresAt)
	switch {
	case !r.Usable || r.Error != nil:
		unusable("The package directory says that this grant cannot be read.")
		if r.Error != nil { // which may repeat the token: nothing later knows that of a refused member
			redactor := rs.NewToken(r.AccessToken).Redactor()
			if code := rs.Code(redactor.Text(string(r.Error.Code))); code.Valid() {
				m.Refused.Code = code
			}
			if said := redactor.ErrorText(r.Error.Message); said != "" {
				m.Refused.Message, m.Refused.Quoted = said, true
			}
		}
	case !rs.IsHeaderText(r.AccessToken):
		unusable("The package directory gives no token that could be sent.")
	case !known:
		unusable("The package directory gives an expiry that cannot be read.")
	default:
		m.Token = rs.NewToken(r.AccessToken) // a refused member needs none
	}
	return m
}
