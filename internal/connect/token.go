package connect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// issued is a token answer of any of the ways.
type issued struct {
	AccessToken  credentials.Secret `json:"access_token"`
	Token        credentials.Secret `json:"token"` // instead of access_token, for a code that the owner copied
	TokenType    string             `json:"token_type"`
	ExpiresIn    float64            `json:"expires_in"` // seconds
	RefreshToken credentials.Secret `json:"refresh_token"`
	GrantID      string             `json:"grant_id"`
	PackageID    string             `json:"grant_package_id"`
	Grant        granted            `json:"grant"`
	Details      []granted          `json:"authorization_details"`
}

type granted struct {
	Mode    string          `json:"access_mode"`
	Expires *time.Time      `json:"expires_at"`
	Package bool            `json:"package"`
	Source  source          `json:"source"`
	Streams []grantedStream `json:"streams"`
}

type grantedStream struct {
	Name       string        `json:"name"`
	Range      *rs.TimeLimit `json:"time_range"`
	Constraint *rs.TimeLimit `json:"time_constraint"`
}

// revokeIt ends messages about a grant whose token this program does not have: only the owner can revoke it.
const revokeIt = "lives on there, and nothing reads it: revoke it where the owner manages grants, and run the command again"

// take reads the token answer after the owner approved. Its error does not wrap err, so that no caller recognizes err and asks the owner
// again.
func take(answer []byte, err error) (issued, error) {
	var t issued
	if err == nil {
		t, err = readToken(answer)
	}
	if err == nil || exit.CodeOf(err) != 0 {
		return t, err
	}
	return t, fmt.Errorf("it issues no token for the owner's approval (%s). What was approved %s", err.Error(), revokeIt)
}

// readToken reads a token answer. It refuses tokens that are not a client's: an owner's token has no grant, a package's names a package.
// identify checks the token again by the schema, because one server puts a package into grant_id.
func readToken(answer []byte) (issued, error) {
	var t issued
	if err := decode(answer, &t); err != nil {
		return issued{}, err
	}
	t.AccessToken = cmp.Or(t.AccessToken, t.Token)
	switch {
	case !t.AccessToken.Usable():
		return issued{}, errors.New("its answer holds no token that can be sent")
	case t.TokenType != "" && !strings.EqualFold(t.TokenType, "Bearer"):
		return issued{}, errors.New("its token is not a bearer token")
	case t.PackageID != "" || t.Grant.Package || strings.HasPrefix(t.GrantID, "gpkg_"):
		return issued{}, exit.NotReadyError("the owner approved a package of several sources, which no program on this machine can read. Revoke it where the owner manages grants, and connect each source by itself.")
	case t.GrantID == "":
		return issued{}, &exit.Error{Code: exit.Owner, Message: "the server issued a token without a grant, " +
			"which may be an owner's. It was dropped, but lives on there: revoke it where the owner manages grants, and tell the server's operator."}
	case t.ExpiresIn < 0 || t.ExpiresIn > 100*365*24*60*60:
		return issued{}, errors.New("its token has an impossible expiry")
	case t.RefreshToken != "" && !t.RefreshToken.Usable():
		return issued{}, errors.New("its refresh token cannot be sent")
	}
	return t, nil
}

// document returns the document to store for a token answer.
func (a *attempt) document(t issued) (credentials.Document, error) {
	requested := a.asked
	d := credentials.Document{
		ProviderURL: a.server.provider, AuthorizationServer: a.server.Issuer, Scope: "pdpp:read", Client: a.app,
		Credential: credentials.Issued{AccessToken: t.AccessToken, TokenType: "Bearer", GrantID: t.GrantID},
		Grant: credentials.Grant{
			Source: requested.Source.ID, Offered: requested.Source.streams,
			Connections: requested.Streams[0].Instances, Fields: a.request.Fields,
		},
		CreatedAt: a.Now().UTC().Format(time.RFC3339),
	}
	if requested.Streams[0].Time != nil {
		d.Grant.Since = requested.Streams[0].Time.Since
	}
	g := t.Grant
	if len(t.Details) > 0 {
		g = t.Details[0]
	}
	if g.Source.ID != "" && g.Source.ID != requested.Source.ID {
		return d, exit.NotReadyError("the server granted another source than the one that was asked for.")
	}
	d.Grant.Mode = cmp.Or(g.Mode, requested.Mode)
	setStreams(&d.Grant, g.Streams)
	if g.Expires != nil {
		d.Grant.Ends = g.Expires.UTC().Format(time.RFC3339)
		d.Credential.SetExpiry(*g.Expires)
	}
	setLifetime(&d, t, a.server.Token, a.Now())
	if d.Grant.Ends == "" && d.Grant.Mode == "single_use" && t.ExpiresIn > 0 && d.Refresh == nil {
		d.Grant.Ends = a.Now().Add(time.Duration(t.ExpiresIn) * time.Second).UTC().Format(time.RFC3339)
	}
	return d, nil
}

// setStreams records the streams and times that the server granted. The whole grant has a Since or an Until only if all streams have one:
// the earliest Since and the latest Until. If the server names no times, those that were asked for stay.
func setStreams(g *credentials.Grant, streams []grantedStream) {
	for _, s := range streams {
		g.Streams = append(g.Streams, s.Name)
		if p := cmp.Or(s.Constraint, s.Range); p != nil {
			p.Stream = s.Name
			g.Limits = append(g.Limits, *p)
		}
	}
	if len(g.Limits) == 0 {
		return
	}
	g.Since, g.Until = "", ""
	if len(g.Limits) < len(streams) {
		return
	}
	g.Since = slices.MinFunc(g.Limits, func(a, b rs.TimeLimit) int { return compareTimes(a.Since, b.Since) }).Since
	if !slices.ContainsFunc(g.Limits, func(l rs.TimeLimit) bool { return l.Until == "" }) {
		g.Until = slices.MaxFunc(g.Limits, func(a, b rs.TimeLimit) int { return compareTimes(a.Until, b.Until) }).Until
	}
}

// compareTimes compares two RFC 3339 times, which may have different zones. Any other text, such as "", comes first.
func compareTimes(a, b string) int {
	first, _ := time.Parse(time.RFC3339, a)
	second, _ := time.Parse(time.RFC3339, b)
	return first.Compare(second)
}

// setLifetime records when the access token of an answer expires, and how to renew it.
func setLifetime(d *credentials.Document, t issued, endpoint string, now time.Time) {
	if t.ExpiresIn > 0 {
		d.Credential.SetExpiry(now.Add(time.Duration(t.ExpiresIn) * time.Second))
	}
	if t.RefreshToken != "" {
		d.Refresh = &credentials.Refresh{TokenEndpoint: endpoint, Token: t.RefreshToken, Lifetime: int64(t.ExpiresIn)}
	}
}
