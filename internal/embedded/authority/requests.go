package authority

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// keptFor is how long a request is kept after it expires.
	keptFor = 10 * time.Minute
	// maxRequests limits the requests in memory.
	maxRequests = 256
)

// Decisions of the owner.
const (
	approved = "approved"
	denied   = "denied"
)

// A request is a request for a grant that waits for the owner or was decided.
type request struct {
	code     string // the last part of its URN
	client   *registeredClient
	details  []detail // none: the owner picks connections
	picked   []string // ids of connections
	expires  time.Time
	decision string // "", approved or denied

	deviceCode string    // not in the address of the page; "" unless a device asks
	polled     time.Time // when the device polled last

	attempt, pollingCode string // of agent-connect
	collected            bool   // it was polled after the decision
	exchange             string // a code on the page that the owner can give the program instead
	exchanged            bool

	redirect                      *url.URL // of the code flow, nil for others
	redirectURI, state, challenge string   // as they were sent
	authorizationCode             string
	codeExpires                   time.Time
	redeemed                      *family // the tokens that were issued for the code

	grant Grant // as approved
	token string
}

func (r *request) uri() string { return requestURIPrefix + r.code }

func (s *Server) findRequest(is func(*request) bool) *request {
	for _, r := range s.requests {
		if is(r) {
			return r
		}
	}
	return nil
}

// addRequest adds a request with its details. The caller holds the mutex.
func (s *Server) addRequest(r *request, details string) (err error) {
	if details != "" {
		if r.details, err = s.parseDetails(details); err != nil {
			return err
		}
	}
	now := s.Now()
	for code, other := range s.requests {
		if now.Sub(other.expires) >= keptFor {
			delete(s.requests, code)
		}
	}
	if len(s.requests) >= maxRequests {
		return tooMany("requests wait for the owner", requestLife)
	}
	r.code, r.expires = "dc_"+rand.Text(), now.Add(requestLife)
	s.requests[r.code] = r
	return nil
}

func (s *Server) consentURL(c *call, pending *request) string {
	return s.Origin(c.Request) + "/consent?request_uri=" + url.QueryEscape(pending.uri())
}

// push answers a pushed authorization request (RFC 9126) in JSON.
func (s *Server) push(c *call) (any, error) {
	by, err := s.client(c)
	details := c.form.Get("authorization_details")
	if err == nil && details == "" {
		err = badRequest("invalid_request", "Grant initiation requires authorization_details")
	}
	if err != nil {
		return nil, err
	}
	pending := &request{client: by, exchange: "cex_" + rand.Text()}
	if err := s.addRequest(pending, details); err != nil {
		return nil, err
	}
	c.status = http.StatusCreated
	return map[string]any{
		"authorization_url": s.consentURL(c, pending), "expires_in": seconds(requestLife), "request_uri": pending.uri(),
	}, nil
}

// connect starts the polling for a pushed request.
func (s *Server) connect(c *call) (any, error) {
	uri := c.form.Get("request_uri")
	pending, ok := s.requests[strings.TrimPrefix(uri, requestURIPrefix)]
	switch {
	case uri == "":
		return nil, badRequest("invalid_request", "request_uri is required unless the reference provider is running with a native manifest")
	case !ok || pending.exchange == "":
		return nil, badRequest("invalid_request", "Unknown request_uri")
	case pending.client.ID != c.form.Get("client_id"):
		return nil, refuse(http.StatusForbidden, "invalid_client", "client_id does not match pending request")
	case pending.attempt != "" || pending.decision != "": // request_uri is in the page's address, and any caller that polls gets the token
		return nil, refuse(http.StatusConflict, "invalid_request", "This request_uri is already polled for or decided; push another request")
	}
	pending.attempt, pending.pollingCode = "agc_"+rand.Text(), "agc_poll_"+rand.Text()
	poll := s.Origin(c.Request) + "/agent-connect/" + pending.attempt + "/token"
	c.status = http.StatusCreated
	return map[string]any{
		"approval_url": s.consentURL(c, pending), "expires_in": seconds(pending.expires.Sub(s.Now())), "id": pending.attempt,
		"interval": seconds(pollInterval), "object": "agent_connect_attempt", "poll_url": poll, "status": "pending", "token_url": poll,
		"polling_code": pending.pollingCode,
	}, nil
}

// pollConnect answers a poll. An approved request that is first polled after its end has expired, and its token is revoked.
func (s *Server) pollConnect(c *call) (any, error) {
	pending := s.findRequest(func(p *request) bool { return p.attempt != "" && p.attempt == c.id })
	if pending == nil || !sameSecret(c.form.Get("polling_code"), pending.pollingCode) || pending.decision == denied && pending.collected {
		return nil, refuse(http.StatusUnauthorized, "invalid_grant", "Unknown agent-connect polling handle")
	}
	switch {
	case pending.decision == denied:
		pending.collected = true
		return nil, refuse(http.StatusForbidden, "access_denied", "Owner denied the scoped access request")
	case !pending.collected && !s.Now().Before(pending.expires):
		s.Grants.Revoke(pending.token)
		return nil, badRequest("expired_token", "The agent-connect request expired before approval")
	case pending.decision == "":
		c.status = http.StatusAccepted
		return map[string]any{
			"error": "authorization_pending", "error_description": "Owner approval is still pending", "interval": seconds(pollInterval),
			"status": "pending",
		}, nil
	}
	pending.collected = true
	return map[string]any{
		"access_token": pending.token, "grant": s.grantBody(pending), "grant_id": pending.grant.ID, "token_type": "Bearer",
	}, nil
}

// exchangeConsent exchanges the code that the owner copied from the page for the token.
func (s *Server) exchangeConsent(c *call) (any, error) {
	found := s.findRequest(func(p *request) bool {
		return p.decision == approved && p.exchange != "" && sameSecret(p.exchange, c.form.Get("code"))
	})
	switch {
	case found == nil:
		return nil, badRequest("invalid_grant", "Unknown consent exchange code")
	case found.exchanged:
		return nil, refuse(http.StatusGone, "invalid_grant", "Consent exchange code has already been redeemed")
	}
	found.exchanged = true
	return map[string]any{"grant": s.grantBody(found), "token": found.token, "grant_id": found.grant.ID}, nil
}

// startDevice answers a device authorization request, RFC 8628.
func (s *Server) startDevice(c *call) (any, error) {
	by, err := s.client(c)
	if err != nil {
		return nil, err
	}
	details := c.form.Get("authorization_details")
	switch u, err := url.Parse(c.form.Get("resource")); {
	case err != nil || !u.IsAbs() || u.Path != "/mcp":
		return nil, badRequest("invalid_request", "resource must identify the hosted MCP protected resource")
	case !json.Valid([]byte(details)):
		return nil, badRequest("invalid_request", "authorization_details of valid JSON is required for MCP device authorization")
	}
	pending := &request{client: by, deviceCode: "dc_" + rand.Text()}
	if err := s.addRequest(pending, details); err != nil {
		return nil, err
	}
	return map[string]any{
		"device_code": pending.deviceCode, "expires_in": seconds(requestLife), "interval": seconds(pollInterval),
		"user_code": rand.Text()[:8], "verification_uri": s.Origin(c.Request) + "/consent",
		"verification_uri_complete": s.consentURL(c, pending),
	}, nil
}

// authorize starts the code flow, RFC 6749 with PKCE. Refusals never reach the redirect URI.
func (s *Server) authorize(c *call) (any, error) {
	by, err := s.client(c)
	redirectURI, challenge := c.form.Get("redirect_uri"), c.form.Get("code_challenge")
	switch {
	case err != nil:
		return nil, err
	case !by.redirects(redirectURI):
		return nil, badRequest("invalid_request", "redirect_uri does not match a registered redirect URI")
	case c.form.Get("response_type") != "code":
		return nil, badRequest("unsupported_response_type", "response_type must be code")
	case challenge == "" || c.form.Get("code_challenge_method") != "S256":
		return nil, badRequest("invalid_request", "code_challenge is required, and S256 as code_challenge_method")
	}
	redirect, err := url.Parse(redirectURI) // as it was registered
	if err != nil {
		return nil, err
	}
	pending := &request{client: by, redirect: redirect, redirectURI: redirectURI, state: c.form.Get("state"), challenge: challenge}
	details, keys := c.form.Get("authorization_details"), c.form["connector_id"]
	if details == "" && len(keys) == 1 { // several open the picker
		connector, ok := s.connector(keys[0])
		if !ok {
			return nil, badRequest("invalid_request", "Unknown connector_id: %s", clip(keys[0]))
		}
		pending.details = []detail{wholeSource(connector.SourceID)}
	}
	if err := s.addRequest(pending, details); err != nil {
		return nil, err
	}
	return c.redirect(s.consentURL(c, pending))
}

func (c *call) redirect(address string) (any, error) {
	c.header.Set("Location", address)
	c.status = http.StatusFound
	return nil, nil
}

// grantBody returns what was granted, in the form of agent-connect.
func (s *Server) grantBody(r *request) any {
	if r.grant.Kind == KindPackage {
		children := []any{}
		for _, id := range r.grant.Members {
			_, member, _ := s.Grants.byID(id)
			for _, d := range s.details(member) {
				source := map[string]string{"id": d.Source.ID, "kind": d.Source.Kind, "connection_id": d.Streams[0].InstanceIDs[0]}
				children = append(children, map[string]any{"grant_id": id, "source": source})
			}
		}
		return map[string]any{"child_grants": children, "grant_id": r.grant.ID, "package": true, "package_id": r.grant.ID}
	}
	d := detail{}
	if granted := s.details(r.grant); len(granted) > 0 { // none: the data no longer has its streams
		d = granted[0]
	}
	held, _ := s.Grants.Lookup(r.token)
	var ends any
	if !held.Expires.IsZero() {
		ends = formatTime(held.Expires)
	}
	return map[string]any{
		"access_mode": d.AccessMode, "client": map[string]string{"client_id": r.client.ID}, "expires_at": ends, "grant_id": r.grant.ID,
		"issued_at": formatTime(r.grant.IssuedAt), "purpose_code": d.PurposeCode, "purpose_description": d.PurposeDescription,
		"source": d.Source, "streams": d.Streams, "subject": map[string]string{"id": subject}, "version": "0.1.0",
	}
}
