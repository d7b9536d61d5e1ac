package authority

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"
)

const (
	maxFamilies = 200
	// maxPast limits the refresh tokens of a family that are recognised.
	maxPast = 100
	// maxAccess limits the access tokens of a family: beyond it, the oldest of the same family is dropped.
	maxAccess = 20
)

func (s *Server) answerToken(c *call) (any, error) {
	switch c.form.Get("grant_type") {
	case grantDevice:
		return s.redeemDevice(c.form.Get("device_code"), c.form.Get("client_id"))
	case grantCode:
		return s.redeemCode(c.form)
	case grantRefresh:
		return s.refresh(c)
	}
	return nil, badRequest("unsupported_grant_type", "Only device_code grant_type is supported here")
}

type tokenBody struct {
	AccessToken          string   `json:"access_token"`
	AuthorizationDetails []detail `json:"authorization_details,omitempty"`
	ExpiresIn            int64    `json:"expires_in,omitempty"`
	RefreshToken         string   `json:"refresh_token,omitempty"`
	TokenType            string   `json:"token_type"`
	GrantID              string   `json:"grant_id,omitempty"`
	GrantPackageID       string   `json:"grant_package_id,omitempty"`
}

func (s *Server) newTokenBody(token string) tokenBody {
	grant, _ := s.Grants.Lookup(token)
	body := tokenBody{AccessToken: token, TokenType: "Bearer"}
	if !grant.Expires.IsZero() {
		body.ExpiresIn = seconds(grant.Expires.Sub(s.Now()))
	}
	body.GrantID, body.GrantPackageID = grant.ids()
	return body
}

func (s *Server) redeemDevice(code, clientID string) (any, error) {
	pending := s.findRequest(func(p *request) bool { return p.deviceCode != "" && sameSecret(p.deviceCode, code) })
	if pending == nil {
		return nil, badRequest("invalid_grant", "Unknown or invalid device_code")
	}
	now := s.Now()
	early := now.Sub(pending.polled) < pollInterval
	switch {
	case pending.client.ID != clientID:
		return nil, badRequest("invalid_client", "device_code is not bound to this client_id")
	case pending.decision == approved:
		return s.newTokenBody(pending.token), nil
	case pending.decision == denied:
		return nil, badRequest("access_denied", "The resource owner denied the request")
	case !now.Before(pending.expires):
		return nil, badRequest("expired_token", "Device code has expired")
	}
	if pending.polled = now; early {
		return nil, badRequest("slow_down", "Polling too quickly")
	}
	return nil, badRequest("authorization_pending", "Authorization still pending")
}

// redeemCode exchanges an authorization code for tokens, once, within a minute. A wrong verifier or redirect URI leaves the code valid. A
// second use with the right ones revokes the tokens of the first, because one of the two callers stole it (RFC 6749, section 4.1.2).
func (s *Server) redeemCode(form url.Values) (any, error) {
	pending := s.findRequest(func(p *request) bool {
		return p.authorizationCode != "" && sameSecret(p.authorizationCode, form.Get("code"))
	})
	if pending == nil || pending.client.ID != form.Get("client_id") || !s.Now().Before(pending.codeExpires) {
		return nil, badRequest("invalid_grant", "Authorization code is invalid or already used")
	}
	switch {
	case form.Get("redirect_uri") != pending.redirectURI:
		return nil, badRequest("invalid_grant", "Authorization code redirect_uri mismatch")
	case !sameSecret(oauth2.S256ChallengeFromVerifier(form.Get("code_verifier")), strings.TrimRight(pending.challenge, "=")):
		return nil, badRequest("invalid_grant", "Authorization code PKCE verification failed")
	case pending.redeemed != nil:
		s.end(pending.redeemed)
		return nil, badRequest("invalid_grant", "Authorization code is invalid or already used")
	}
	life := lifeOf(pending.grant)
	refreshes := life == 0 && slices.Contains(pending.client.GrantTypes, grantRefresh)
	if refreshes {
		life = s.TokenLife
	}
	token := s.issue(pending.grant, life)
	body := s.newTokenBody(token)
	if pending.grant.Kind == KindClient {
		body.AuthorizationDetails = s.details(pending.grant)
	}
	pending.redeemed = &family{client: pending.client, grant: pending.grant, access: []string{token}}
	if refreshes {
		s.families = append(s.families, pending.redeemed)
		s.families = s.families[max(0, len(s.families)-maxFamilies):]
		body.RefreshToken = pending.redeemed.rotate()
	}
	return body, nil
}

// end revokes the access tokens of a family and of the members of its package, and invalidates its refresh tokens.
func (s *Server) end(f *family) {
	s.families = slices.DeleteFunc(s.families, func(other *family) bool { return other == f })
	for _, access := range f.access {
		s.Grants.Revoke(access)
	}
	s.Grants.revokeMembers(f.grant) // also if no access token of the package is kept any more
}

// rotate creates the next refresh token of a family.
func (f *family) rotate() string {
	token := "rt_" + rand.Text()
	f.refresh = append(f.refresh, token)
	f.refresh = f.refresh[max(0, len(f.refresh)-maxPast):]
	return token
}

// refresh rotates a refresh token. Reuse of an old one revokes its family (RFC 9700, section 4.14.2).
func (s *Server) refresh(c *call) (any, error) {
	by, err := s.client(c)
	token := c.form.Get("refresh_token")
	switch {
	case err != nil:
		return nil, err
	case token == "":
		return nil, badRequest("invalid_request", "refresh_token is required")
	case !slices.Contains(by.GrantTypes, grantRefresh):
		return nil, badRequest("invalid_grant", "Client is not registered for refresh_token")
	}
	at := slices.IndexFunc(s.families, func(f *family) bool { return f.client == by && slices.Contains(f.refresh, token) })
	if at < 0 {
		return nil, badRequest("invalid_grant", "Refresh token is invalid")
	}
	f := s.families[at]
	if token != f.refresh[len(f.refresh)-1] {
		s.end(f)
		refused := badRequest("invalid_grant", "Refresh token reuse revoked its family; fresh authorization is required")
		refused.familyDied = true
		return nil, refused
	}
	access := s.issue(f.grant, s.TokenLife)
	if f.access = append(slices.DeleteFunc(f.access, s.hasEnded), access); len(f.access) > maxAccess {
		s.forget(f.access[0])
		f.access = f.access[1:]
	}
	body := s.newTokenBody(access)
	body.RefreshToken = f.rotate()
	return body, nil
}

// revoke ends a grant at the request of its own client.
func (s *Server) revoke(c *call) (any, error) {
	scheme, token, _ := strings.Cut(c.Header.Get("Authorization"), " ")
	grant, ok := s.Grants.Lookup(token)
	switch {
	case !ok || !strings.EqualFold(scheme, "Bearer"):
		return nil, refuse(http.StatusUnauthorized, "authentication_error", "Invalid or expired token")
	case grant.Kind != KindClient:
		return nil, refuse(http.StatusForbidden, "permission_error", "Token kind not permitted to revoke")
	case grant.ID != c.id:
		return nil, refuse(http.StatusForbidden, "permission_error", "Client token is not bound to this grant")
	}
	s.Grants.RevokeID(grant.ID)
	s.families = slices.DeleteFunc(s.families, func(f *family) bool { return f.grant.ID == grant.ID })
	return map[string]bool{"revoked": true}, nil
}
