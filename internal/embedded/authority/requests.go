package authority

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// keptFor is how long a request is answered after its end.
	keptFor = 10 * time.Minute
	// maxRequests bounds the requests in memory.
	maxRequests = 256
)

// open keeps a request until it is decided. The mutex is held.
func (s *Server) open(r *request, prefix string) error {
	now := s.Now()
	for code, other := range s.requests {
		if now.Sub(other.expires) >= keptFor {
			delete(s.requests, code)
		}
	}
	if len(s.requests) >= maxRequests {
		return &RefusedError{Status: http.StatusTooManyRequests, Code: "slow_down", Message: "Too many requests wait for the owner",
			retryAfter: s.RequestLife}
	}
	r.code, r.expires = draw(prefix, 16), now.Add(s.RequestLife)
	s.requests[r.code] = r
	return nil
}

func (s *Server) consentURL(r *http.Request, uri string) string {
	return s.Origin(r) + "/consent?request_uri=" + url.QueryEscape(uri)
}

// push answers a pushed authorization request, RFC 9126, of JSON.
func (s *Server) push(_ http.ResponseWriter, r *http.Request) (any, error) {
	var sent struct {
		ClientID string          `json:"client_id"`
		Details  json.RawMessage `json:"authorization_details"`
	}
	if err := readJSON(r, &sent); err != nil {
		return nil, err
	}
	c, ok := s.clients[sent.ClientID]
	switch {
	case !ok:
		return nil, unknownClient(sent.ClientID)
	case len(sent.Details) == 0:
		return nil, badRequest("invalid_request", "Grant initiation requires authorization_details")
	}
	selections, err := s.parseSelections(sent.Details)
	if err != nil {
		return nil, err
	}
	pending := &request{client: c, selections: selections, exchange: draw("cex_", 32)}
	if err := s.open(pending, "dc_"); err != nil {
		return nil, err
	}
	return answered{http.StatusCreated, map[string]any{
		"authorization_url": s.consentURL(r, pending.uri()), "expires_in": seconds(s.RequestLife), "request_uri": pending.uri(),
	}}, nil
}

// connect starts the polling of a pushed request.
func (s *Server) connect(w http.ResponseWriter, r *http.Request) (any, error) {
	var sent struct {
		RequestURI string `json:"request_uri"`
		ClientID   string `json:"client_id"`
	}
	if err := readJSON(r, &sent); err != nil {
		return nil, err
	}
	if sent.RequestURI == "" {
		return nil, badRequest("invalid_request", "request_uri is required unless the reference provider is running with a native manifest")
	}
	pending, ok := s.requests[strings.TrimPrefix(sent.RequestURI, requestURIPrefix)]
	switch {
	case !ok || pending.exchange == "":
		return nil, badRequest("invalid_request", "Unknown request_uri")
	case pending.client.ID != sent.ClientID:
		return nil, &RefusedError{Status: http.StatusForbidden, Code: "invalid_client", Message: "client_id does not match pending request"}
	}
	if pending.attempt == "" {
		pending.attempt, pending.pollingCode = draw("agc_", 16), draw("agc_poll_", 32)
	}
	poll := s.Origin(r) + "/agent-connect/" + pending.attempt + "/token"
	noStore(w)
	return answered{http.StatusCreated, map[string]any{
		"approval_url": s.consentURL(r, pending.uri()), "expires_in": seconds(pending.expires.Sub(s.Now())), "id": pending.attempt,
		"interval": seconds(pollInterval), "object": "agent_connect_attempt", "poll_url": poll, "status": "pending", "token_url": poll,
		"polling_code": pending.pollingCode,
	}}, nil
}

// pollConnect answers a poll. An approved request that is first polled after its end has expired, and its token is revoked.
func (s *Server) pollConnect(w http.ResponseWriter, r *http.Request) (any, error) {
	var sent struct {
		PollingCode string `json:"polling_code"`
	}
	if err := readJSON(r, &sent); err != nil {
		return nil, err
	}
	pending := s.find(func(p *request) bool { return p.attempt != "" && p.attempt == r.PathValue("id") })
	if pending == nil || !same(sent.PollingCode, pending.pollingCode) || pending.decision == denied && pending.collected {
		return nil, &RefusedError{Status: http.StatusUnauthorized, Code: "invalid_grant", Message: "Unknown agent-connect polling handle"}
	}
	switch {
	case pending.decision == denied:
		pending.collected = true
		return nil, &RefusedError{Status: http.StatusForbidden, Code: "access_denied", Message: "Owner denied the scoped access request"}
	case !pending.collected && !s.Now().Before(pending.expires):
		s.Grants.Revoke(pending.token)
		return nil, badRequest("expired_token", "The agent-connect request expired before approval")
	case pending.decision == "":
		return answered{http.StatusAccepted, map[string]any{
			"error": "authorization_pending", "error_description": "Owner approval is still pending", "interval": seconds(pollInterval),
			"status": "pending",
		}}, nil
	}
	pending.collected = true
	noStore(w)
	return map[string]any{
		"access_token": pending.token, "grant": s.grantBody(pending), "grant_id": pending.grant.ID, "token_type": "Bearer",
	}, nil
}

// exchangeConsent answers the code that the owner read off the page.
func (s *Server) exchangeConsent(w http.ResponseWriter, r *http.Request) (any, error) {
	var sent struct {
		Code string `json:"code"`
	}
	if err := readJSON(r, &sent); err != nil {
		return nil, err
	}
	found := s.find(func(p *request) bool {
		return p.decision == approved && p.exchange != "" && same(p.exchange, sent.Code)
	})
	switch {
	case found == nil:
		return nil, badRequest("invalid_grant", "Unknown consent exchange code")
	case found.exchanged:
		return nil, &RefusedError{Status: http.StatusGone, Code: "invalid_grant", Message: "Consent exchange code has already been redeemed"}
	}
	found.exchanged = true
	noStore(w)
	return map[string]any{"grant": s.grantBody(found), "token": found.token, "grant_id": found.grant.ID}, nil
}

// startDevice answers a device authorization request, RFC 8628.
func (s *Server) startDevice(w http.ResponseWriter, r *http.Request) (any, error) {
	form, err := readForm(r)
	if err != nil {
		return nil, err
	}
	resource, details := form.Get("resource"), form.Get("authorization_details")
	trap := s.OwnerTrap && resource == "" && details == ""
	c, ok := s.clients[form.Get("client_id")]
	if !ok {
		return nil, unknownClient(form.Get("client_id"))
	}
	pending := &request{client: c, owner: trap, userCode: strings.ToUpper(draw("", 4))}
	prefix := "dc_owner_"
	if !trap {
		prefix = "dc_"
		switch u, err := url.Parse(resource); {
		case resource == "":
			return nil, badRequest("invalid_request", "resource is required for MCP device authorization")
		case err != nil || !u.IsAbs() || u.Path != "/mcp":
			return nil, badRequest("invalid_request", "resource must identify the hosted MCP protected resource")
		case details == "":
			return nil, badRequest("invalid_request", "authorization_details is required for MCP device authorization")
		case !json.Valid([]byte(details)):
			return nil, badRequest("invalid_request", "authorization_details must be valid JSON when form encoded")
		}
		if pending.selections, err = s.parseSelections([]byte(details)); err != nil {
			return nil, err
		}
	}
	if err := s.open(pending, prefix); err != nil {
		return nil, err
	}
	body := map[string]any{
		"device_code": pending.code, "expires_in": seconds(s.RequestLife), "interval": seconds(pollInterval), "user_code": pending.userCode,
		"verification_uri": s.Origin(r) + "/consent", "verification_uri_complete": s.consentURL(r, pending.uri()),
	}
	if trap {
		body["verification_uri"] = s.Origin(r) + "/device"
		body["verification_uri_complete"] = s.Origin(r) + "/device?user_code=" + pending.userCode
	}
	return body, nil
}

// authorize starts the code flow, RFC 6749 with PKCE. Refusals never reach the redirect URI.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) (any, error) {
	query, err := parseForm(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	c, ok := s.clients[query.Get("client_id")]
	switch {
	case !ok:
		return nil, unknownClient(query.Get("client_id"))
	case query.Get("redirect_uri") == "":
		return nil, badRequest("invalid_request", "redirect_uri is required")
	case !c.redirects(query.Get("redirect_uri")):
		return nil, badRequest("invalid_request", "redirect_uri does not match a registered redirect URI")
	case query.Get("response_type") != "code":
		return nil, badRequest("unsupported_response_type", "response_type must be code")
	case query.Get("code_challenge") == "":
		return nil, badRequest("invalid_request", "code_challenge is required")
	case query.Get("code_challenge_method") != "S256":
		return nil, badRequest("invalid_request", "code_challenge_method must be S256")
	case len(r.URL.RawQuery) > maxForm:
		return nil, badRequest("invalid_request", "The request is too long")
	}
	pending := &request{
		client: c, redirectURI: query.Get("redirect_uri"), state: query.Get("state"), challenge: query.Get("code_challenge"),
	}
	details, keys := query.Get("authorization_details"), query["connector_id"]
	if details == "" && len(keys) == 1 { // several open the picker
		connector, ok := s.connector(keys[0])
		if !ok {
			return nil, badRequest("invalid_request", "Unknown connector_id: %s", clip(keys[0]))
		}
		pending.selections = []selection{wholeSource(connector.SourceID)}
	} else if details != "" {
		var err error
		if pending.selections, err = s.parseSelections([]byte(details)); err != nil {
			return nil, err
		}
	}
	if err := s.open(pending, "dc_"); err != nil {
		return nil, err
	}
	noStore(w)
	return redirect(s.consentURL(r, pending.uri())), nil
}
