package authority

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"encoding/hex"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// consentCookie ties the page's form to the browser that was shown it. It is sent along when another site leads to a second page, which
// would replace it otherwise and close the first (SameSite=Lax).
const consentCookie = "pdpp_consent"

//go:embed consent.html
var consentHTML string

//go:embed consent.css
var consentCSS string

var consentTemplate = template.Must(template.New("").Funcs(template.FuncMap{"fields": fieldsOf, "span": spanOf}).Parse(consentHTML))

// A consentView is what the page shows. One without a CSRF token only says what became of a request.
type consentView struct {
	Style template.CSS
	Title string
	// Message says what is wrong, or what became of the request.
	Message  string
	Exchange string // the code that the owner may carry to the program

	Client, ClientID, ReturnsTo string
	Purposes                    []string
	Sources                     []sourceView
	Choices                     []model.Connector // whose connections the owner chooses from
	Picked                      map[string]bool   // ids of connections
	Ends                        string
	RequestURI, CSRF            string
	Minutes                     int64
}

// A sourceView is a source with the connections that are asked for.
type sourceView struct {
	model.Connector
	Granted []StreamGrant
}

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
	owner, err := false, error(nil)
	if sent {
		owner, err = s.isOwner(secret)
	}
	if err != nil {
		return nil, err
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

// page renders a request, or what became of it. pending is nil for one that is not known.
func (s *Server) page(c *call, pending *request, cookie, message string) (any, error) {
	view := consentView{Style: template.CSS(consentCSS), Message: message} // #nosec G203 -- embedded
	switch {
	case pending == nil:
		c.status, view.Title, view.Message = http.StatusNotFound, "No such request", "It may be over. Start again in the program that asked."
	case pending.decision == approved:
		view.Title, view.Message = "Access granted", "Go back to the program that asked."
		if pending.attempt == "" && !pending.exchanged && c.status == http.StatusOK {
			view.Exchange = pending.exchange
		}
	case pending.decision == denied:
		view.Title, view.Message = "Access denied", "The program gets nothing. You can close this page."
	case !s.Now().Before(pending.expires):
		c.status, view.Title, view.Message = http.StatusGone, "This request is over", "Start again in the program that asked."
	default:
		if err := s.describe(&view, pending); err != nil {
			return nil, err
		}
		view.Title, view.RequestURI, view.CSRF = "May this program read your data?", pending.uri(), s.csrf(pending, cookie)
		view.Minutes = max(1, int64(pending.expires.Sub(s.Now())/time.Minute))
	}
	var html bytes.Buffer
	if err := consentTemplate.Execute(&html, view); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(consentCSS))
	for name, value := range map[string]string{
		"Content-Type": "text/html; charset=utf-8",
		"Content-Security-Policy": "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'" + redirectSource(pending),
		"X-Frame-Options":              "DENY",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "same-origin", // with none, browsers send Origin: null
		"X-Content-Type-Options":       "nosniff",
	} {
		c.header.Set(name, value)
	}
	return html.Bytes(), nil
}

// redirectSource lets the form's answer redirect to the program, which browsers count as the form's action.
func redirectSource(r *request) string {
	if r == nil || r.redirect == nil {
		return ""
	}
	u := r.redirect
	if strings.Contains(u.Host, "[") || strings.ContainsAny(u.Host, ";, '") { // a policy has no IPv6 addresses
		return " " + u.Scheme + ":"
	}
	return " " + u.Scheme + "://" + u.Host
}

// describe says who asks for what.
func (s *Server) describe(view *consentView, r *request) error {
	view.Client, view.ClientID = cmp.Or(inOrder(r.client.Name), "A program without a name"), r.client.ID
	if r.redirect != nil {
		view.ReturnsTo = r.redirect.Host
	}
	view.Ends = "until the program ends it, or this server stops"
	for _, asked := range r.details {
		connector, granted, err := s.bind(asked)
		if err != nil {
			return err
		}
		connector.Connections = slices.DeleteFunc(slices.Clone(connector.Connections), func(c model.Connection) bool {
			return only(granted, c) == nil
		})
		view.Sources = append(view.Sources, sourceView{connector, granted})
		if purpose := inOrder(asked.PurposeDescription + " (" + asked.PurposeCode + ")"); !slices.Contains(view.Purposes, purpose) {
			view.Purposes = append(view.Purposes, purpose)
		}
		if asked.AccessMode == singleUse {
			view.Ends = "24 hours"
		}
	}
	if r.details == nil {
		view.Choices, view.Picked = s.Connectors(), map[string]bool{}
		for _, id := range r.picked {
			view.Picked[id] = true
		}
	}
	return nil
}

// fieldsOf are the fields that are asked for.
func fieldsOf(g StreamGrant) string {
	if g.Fields == nil {
		return "all fields"
	}
	return strings.Join(g.Fields, ", ")
}

// spanOf is the time that is asked for.
func spanOf(g StreamGrant) string {
	since, until := boundOf(g.Since), boundOf(g.Until)
	switch {
	case g.Since.IsZero() && g.Until.IsZero():
		return "all of it"
	case g.Until.IsZero():
		return "since " + since
	case g.Since.IsZero():
		return "before " + until
	}
	return "from " + since + " to before " + until
}

// boundOf is a day, or where that is not the same its time too: who reads "before" a day approves nothing of it.
func boundOf(t time.Time) string {
	if t = t.UTC(); t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return spell(t)
}

// inOrder is a text of the program's without the characters that reorder what stands around it, such as what the page says of the program.
func inOrder(text string) string {
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Cc, unicode.Bidi_Control) {
			return -1
		}
		return c
	}, text))
}
