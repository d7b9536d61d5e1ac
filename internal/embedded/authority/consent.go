package authority

import (
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// consentCookie binds the page's form to the browser. It is SameSite=Lax, so that a browser also sends it when another site opens a second
// page: without it that page would replace the cookie, and the form on the first one would fail.
const consentCookie = "pdpp_consent"

// showConsent answers with the page of a request. If the request cannot be approved, the error is in JSON, as in the reference.
func (s *Server) showConsent(c *call) (any, error) {
	cookie := rand.Text()
	if existing, err := c.Cookie(consentCookie); err == nil && len(existing.Value) == len(cookie) {
		cookie = existing.Value
	}
	made := http.Cookie{ // #nosec G124 -- plain HTTP on loopback
		Name: consentCookie, Value: cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	c.header.Add("Set-Cookie", made.String())
	return s.page(c, s.requestOf(c), cookie, "")
}

// requestOf returns the request that a page is about, or nil if it is unknown.
func (s *Server) requestOf(c *call) *request {
	return s.requests[strings.TrimPrefix(c.form.Get("request_uri"), requestURIPrefix)]
}

// decide applies the owner's decision. Approval requires the owner's secret.
func (s *Server) decide(c *call) (any, error) {
	cookie, cookieErr := c.Cookie(consentCookie)
	pending := s.requestOf(c)
	isOwn := slices.Equal(c.Header["Origin"], []string{s.Origin(c.Request)}) && pending != nil && cookieErr == nil
	if !isOwn || !sameSecret(c.form.Get("_csrf"), s.csrf(pending, cookie.Value)) {
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
	if !s.IsOwner(c.form.Get("owner_secret")) {
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

// IsOwner reports whether a text is the owner's secret. Wrong ones are not limited: the secret is random and too long to guess, and a limit
// would let anyone lock the owner out.
func (s *Server) IsOwner(secret string) bool {
	return s.OwnerSecret != "" && sameSecret(strings.TrimSpace(secret), s.OwnerSecret)
}

// connections lists the connector keys and connection ids that a client has to know. It requires the owner's secret as password of HTTP
// Basic.
func (s *Server) connections(c *call) (any, error) {
	_, secret, sent := c.BasicAuth()
	isOwnPage := within([]string{c.Header.Get("Sec-Fetch-Site")}, "", "none", "same-origin") // no page of another site may try secrets
	if !sent || !isOwnPage || !s.IsOwner(secret) {
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
