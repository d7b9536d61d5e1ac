package authority

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
)

// consentCookie ties the page's form to the browser that was shown it. It is sent along when another site leads to a second page, which
// would replace it otherwise and close the first (SameSite=Lax).
const consentCookie = "pdpp_consent"

// showConsent answers with the page of a request. What the owner cannot approve is an error in JSON, as the reference has it.
func (s *Server) showConsent(c *call) (any, error) {
	cookie := draw("", 16)
	if held, err := c.Cookie(consentCookie); err == nil && len(held.Value) == 32 {
		cookie = held.Value
	}
	made := http.Cookie{ // #nosec G124 -- plain HTTP on loopback
		Name: consentCookie, Value: cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	c.header.Add("Set-Cookie", made.String())
	return s.page(c, s.asked(c), cookie, "")
}

// asked is the request that a page is about, nil for one that is not known.
func (s *Server) asked(c *call) *request {
	return s.requests[strings.TrimPrefix(c.form.Get("request_uri"), requestURIPrefix)]
}

// decide takes the owner's decision. To approve needs the owner's secret.
func (s *Server) decide(c *call) (any, error) {
	cookie, cookieErr := c.Cookie(consentCookie)
	pending := s.asked(c)
	isOwn := c.Header.Get("Origin") == s.Origin(c.Request) && pending != nil && cookieErr == nil
	if !isOwn || !same(c.form.Get("_csrf"), s.csrf(pending, cookie.Value)) {
		return nil, refuse(http.StatusForbidden, "csrf_refused", "Open the approval page again and decide there")
	}
	show := func(status int, message string) (any, error) {
		c.status = status
		return s.page(c, pending, cookie.Value, message)
	}
	if pending.decision != "" || !s.Now().Before(pending.expires) {
		return show(http.StatusConflict, "")
	}
	if strings.HasSuffix(c.URL.Path, "/deny") {
		pending.decision = denied
		return show(http.StatusOK, "")
	}
	pending.picked = c.form["connection"]
	switch owner, err := s.isOwner(c.form.Get("owner_secret")); {
	case err != nil:
		return nil, err
	case !owner:
		return show(http.StatusForbidden, "That is not the owner's secret. It is in the terminal where this server was started.")
	}
	switch err := s.approve(pending); {
	case errors.Is(err, errNothingPicked):
		return show(http.StatusBadRequest, "Choose at least one connection, or deny.")
	case err != nil:
		return nil, err
	case pending.redirect == nil:
		return show(http.StatusOK, "")
	}
	to := *pending.redirect
	query := to.Query()
	query.Set("code", pending.authorizationCode)
	if pending.state != "" {
		query.Set("state", pending.state)
	}
	to.RawQuery = query.Encode()
	return c.redirect(to.String())
}

// IsOwner compares a text with the owner's secret, under the same limit of wrong ones as the consent page.
func (s *Server) IsOwner(secret string) (bool, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.isOwner(secret)
}

// isOwner compares what was typed with the owner's secret. Ten wrong ones in a minute are the most. The mutex is held.
func (s *Server) isOwner(secret string) (bool, error) {
	if s.guesses.TokensAt(s.Now()) < 1 {
		return false, tooMany("wrong secrets", guessSpan)
	}
	if s.OwnerSecret == "" || !same(strings.TrimSpace(secret), s.OwnerSecret) {
		s.guesses.AllowN(s.Now(), 1)
		return false, nil
	}
	return true, nil
}

// connections lists the keys and connection ids that a client has to know, to the owner: a browser asks for the secret as a password.
func (s *Server) connections(c *call) (any, error) {
	_, secret, sent := c.BasicAuth()
	owner := false
	if sent && within([]string{c.Header.Get("Sec-Fetch-Site")}, "", "none", "same-origin") { // no page of another site may try secrets
		var err error
		if owner, err = s.isOwner(secret); err != nil {
			return nil, err
		}
	}
	if !owner {
		c.header.Set("WWW-Authenticate", `Basic realm="The owner's secret, from the terminal, is the password"`)
		return nil, refuse(http.StatusUnauthorized, "authentication_error", "Send the owner's secret as the password of HTTP Basic")
	}
	rows := []map[string]string{}
	for _, connector := range s.Connectors() {
		for _, c := range connector.Connections {
			rows = append(rows, map[string]string{
				"object": "ref_connection", "connector_id": connector.Key, "connector_instance_id": c.ID, "display_name": c.DisplayName,
				"status": "active",
			})
		}
	}
	return map[string]any{"object": "list", "data": rows}, nil
}

// csrf binds a form to a request and to the browser that was shown it.
func (s *Server) csrf(r *request, cookie string) string {
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write([]byte(r.code + " " + cookie))
	return hex.EncodeToString(mac.Sum(nil))
}
