package authority

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	// maxTokens bounds the access tokens in memory: one that has ended goes first.
	maxTokens   = 1000
	maxFamilies = 200
	// maxPast bounds the used refresh tokens of a family that are recognised.
	maxPast = 100
)

// issue draws an access token for a grant. No life: it does not end by itself. The mutex is held.
func (s *Server) issue(grant Grant, life time.Duration) string {
	if life > 0 {
		grant.Expires = s.Now().Add(life)
	}
	if len(s.issued) >= maxTokens {
		at := max(0, slices.IndexFunc(s.issued, func(token string) bool {
			held, _ := s.Grants.Lookup(token)
			return held.Ended(s.Now()) != ""
		}))
		s.Grants.forget(s.issued[at])
		s.issued = slices.Delete(s.issued, at, at+1)
	}
	token := draw("", 32)
	s.Grants.Put(token, grant)
	s.issued = append(s.issued, token)
	return token
}

// answerToken is the token endpoint.
func (s *Server) answerToken(w http.ResponseWriter, r *http.Request) (any, error) {
	form, err := readForm(r)
	if err != nil {
		return nil, err
	}
	noStore(w)
	clientID := form.Get("client_id")
	switch form.Get("grant_type") {
	case grantDevice:
		return s.redeemDevice(form.Get("device_code"), clientID)
	case grantCode:
		return s.redeemCode(form.Get("code"), clientID, form.Get("redirect_uri"), form.Get("code_verifier"))
	case grantRefresh:
		return s.refresh(form.Get("refresh_token"), clientID)
	}
	return nil, badRequest("unsupported_grant_type", "Only device_code grant_type is supported here")
}

// A tokenBody is a token endpoint's answer.
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
	switch grant.Kind {
	case KindClient:
		body.GrantID = grant.ID
	case KindPackage:
		body.GrantPackageID = grant.ID
	}
	return body
}

func (s *Server) redeemDevice(code, clientID string) (any, error) {
	pending, ok := s.requests[code]
	if !ok || pending.userCode == "" {
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

// redeemCode answers an authorization code, once, within its minute. A wrong verifier or redirect URI leaves it as it is; who has the right
// ones and sends it again ends what it gave, because one of the two stole it (RFC 6749, section 4.1.2).
func (s *Server) redeemCode(code, clientID, redirectURI, verifier string) (any, error) {
	pending := s.find(func(p *request) bool { return p.authorizationCode != "" && same(p.authorizationCode, code) })
	if pending == nil || pending.client.ID != clientID || !s.Now().Before(pending.codeExpires) {
		return nil, badRequest("invalid_grant", "Authorization code is invalid or already used")
	}
	digest := sha256.Sum256([]byte(verifier))
	switch {
	case redirectURI != pending.redirectURI:
		return nil, badRequest("invalid_grant", "Authorization code redirect_uri mismatch")
	case !same(base64.RawURLEncoding.EncodeToString(digest[:]), strings.TrimRight(pending.challenge, "=")):
		return nil, badRequest("invalid_grant", "Authorization code PKCE verification failed")
	case pending.redeemed != nil:
		s.end(pending.redeemed)
		return nil, badRequest("invalid_grant", "Authorization code is invalid or already used")
	}
	var life time.Duration
	refreshes := pending.grant.AccessMode == continuous && slices.Contains(pending.client.GrantTypes, grantRefresh)
	switch {
	case pending.grant.AccessMode == singleUse:
		life = singleUseLife
	case refreshes:
		life = s.TokenLife
	}
	token := s.issue(pending.grant, life)
	body := s.newTokenBody(token)
	if pending.grant.Kind == KindClient {
		body.AuthorizationDetails = s.details(pending.grant)
	}
	pending.redeemed = &family{client: pending.client, grant: pending.grant, access: []string{token}}
	if refreshes {
		body.RefreshToken = s.startFamily(pending.redeemed)
	}
	return body, nil
}

// end revokes the access tokens of a family, and takes no refresh token of it any more.
func (s *Server) end(f *family) {
	f.dead = true
	for _, access := range f.access {
		s.Grants.Revoke(access)
	}
}

// startFamily keeps a family under its first refresh token. Of too many the oldest is forgotten.
func (s *Server) startFamily(f *family) string {
	if len(s.lines) >= maxFamilies {
		for _, token := range append(s.lines[0].past, s.lines[0].current) {
			delete(s.families, token)
		}
		s.lines = s.lines[1:]
	}
	s.lines = append(s.lines, f)
	return s.rotate(f)
}

// rotate draws the next refresh token of a family.
func (s *Server) rotate(f *family) string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	f.current = "rt_" + base64.RawURLEncoding.EncodeToString(random)
	s.families[f.current] = f
	return f.current
}

// refresh rotates a refresh token. A used one kills its family (RFC 9700, section 4.14.2).
func (s *Server) refresh(token, clientID string) (any, error) {
	c, ok := s.clients[clientID]
	switch {
	case !ok:
		return nil, unknownClient(clientID)
	case token == "":
		return nil, badRequest("invalid_request", "refresh_token is required")
	case !slices.Contains(c.GrantTypes, grantRefresh):
		return nil, badRequest("invalid_grant", "Client is not registered for refresh_token")
	}
	f, ok := s.families[token]
	if !ok || f.client != c || f.dead {
		return nil, badRequest("invalid_grant", "Refresh token is invalid")
	}
	if token != f.current {
		s.end(f)
		return nil, &RefusedError{
			Status: http.StatusBadRequest, Code: "invalid_grant", familyDied: true,
			Message: "Refresh token reuse revoked its family; fresh authorization is required",
		}
	}
	f.past = append(f.past, token)
	if len(f.past) > maxPast {
		delete(s.families, f.past[0])
		f.past = f.past[1:]
	}
	access := s.issue(f.grant, s.TokenLife)
	f.access = slices.DeleteFunc(f.access, func(token string) bool {
		grant, _ := s.Grants.Lookup(token)
		return grant.Ended(s.Now()) != ""
	})
	f.access = append(f.access, access)
	body := s.newTokenBody(access)
	body.RefreshToken = s.rotate(f)
	return body, nil
}

// revoke ends a grant at the wish of its own client.
func (s *Server) revoke(_ http.ResponseWriter, r *http.Request) (any, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	grant, ok := s.Grants.Lookup(token)
	switch {
	case !ok || !strings.EqualFold(scheme, "Bearer"):
		return nil, &RefusedError{Status: http.StatusUnauthorized, Code: "authentication_error", Message: "Invalid or expired token"}
	case grant.Kind != KindClient:
		return nil, &RefusedError{Status: http.StatusForbidden, Code: "permission_error", Message: "Token kind not permitted to revoke"}
	case grant.ID != r.PathValue("id"):
		return nil, &RefusedError{Status: http.StatusForbidden, Code: "permission_error", Message: "Client token is not bound to this grant"}
	}
	s.Grants.RevokeID(grant.ID)
	for _, f := range s.families {
		if f.grant.ID == grant.ID {
			f.dead = true
		}
	}
	return map[string]bool{"revoked": true}, nil
}
