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
	"net/url"
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

var consentTemplate = template.Must(template.New("").Parse(consentHTML))

// A consentView is what the page shows. One without sources only says what became of a request.
type consentView struct {
	Style template.CSS
	Title string
	// Message says what is wrong, or what became of the request.
	Message  string
	Exchange string // the code that the owner may carry to the program

	Client, ClientID, ReturnsTo string
	Purposes                    []string
	Sources                     []sourceView
	Picks                       []pickView // the owner chooses
	Owner                       bool       // everything, as the owner
	Ends                        string
	RequestURI, CSRF            string
	Minutes                     int64
}

type sourceView struct {
	Name, ID    string
	Connections []string
	Streams     []streamView
}

type streamView struct{ Name, Fields, Span string }

type pickView struct {
	Value, Name, Source, Streams string
	Picked                       bool
}

// showConsent answers with the page of a request. What the owner cannot approve is an error in JSON, as the reference has it.
func (s *Server) showConsent(w http.ResponseWriter, r *http.Request) (any, error) {
	if err := s.checkPage(r); err != nil {
		return nil, err
	}
	pending := s.pending(r.URL.Query())
	cookie := draw("", 16)
	if held, err := r.Cookie(consentCookie); err == nil && len(held.Value) == 32 {
		cookie = held.Value
	}
	http.SetCookie(w, &http.Cookie{Name: consentCookie, Value: cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}) // #nosec G124 -- plain HTTP on loopback
	return s.page(w, http.StatusOK, pending, cookie, "")
}

func (s *Server) pending(query url.Values) *request {
	if code := query.Get("user_code"); code != "" {
		return s.find(func(p *request) bool { return p.owner && p.userCode == code })
	}
	return s.requests[strings.TrimPrefix(query.Get("request_uri"), requestURIPrefix)]
}

// checkPage refuses requests under another name, to which a page of another site could have resolved its own.
func (s *Server) checkPage(r *http.Request) error {
	if _, own, _ := strings.Cut(s.Origin(r), "://"); r.Host != own {
		return &RefusedError{Status: http.StatusMisdirectedRequest, Code: "host_refused",
			Message: "Open this page under the server's own address"}
	}
	return nil
}

// decide takes the owner's decision. To approve needs the owner's secret.
func (s *Server) decide(w http.ResponseWriter, r *http.Request) (any, error) {
	if err := s.checkPage(r); err != nil {
		return nil, err
	}
	form, err := readForm(r)
	if err != nil {
		return nil, err
	}
	cookie, cookieErr := r.Cookie(consentCookie)
	pending := s.pending(form)
	if r.Header.Get("Origin") != s.Origin(r) || pending == nil || cookieErr != nil || !same(form.Get("_csrf"), s.csrf(pending, cookie.Value)) {
		return nil, &RefusedError{Status: http.StatusForbidden, Code: "csrf_refused", Message: "Open the approval page again and decide there"}
	}
	if pending.decision != "" || !s.Now().Before(pending.expires) {
		return s.page(w, http.StatusConflict, pending, cookie.Value, "")
	}
	if strings.HasSuffix(r.URL.Path, "/deny") {
		pending.decision = denied
		return s.page(w, http.StatusOK, pending, cookie.Value, "")
	}
	pending.picked = form["connection"]
	switch owner, err := s.isOwner(form.Get("owner_secret")); {
	case err != nil:
		return nil, err
	case !owner:
		return s.page(w, http.StatusForbidden, pending, cookie.Value,
			"That is not the owner's secret. It is in the terminal where this server was started.")
	}
	switch err := s.approve(pending); {
	case errors.Is(err, errNothingPicked):
		return s.page(w, http.StatusBadRequest, pending, cookie.Value, "Choose at least one connection, or deny.")
	case err != nil:
		return nil, err
	case pending.redirectURI == "":
		return s.page(w, http.StatusOK, pending, cookie.Value, "")
	}
	to, err := url.Parse(pending.redirectURI) // as it was registered
	if err != nil {
		return nil, err
	}
	query := to.Query()
	query.Set("code", pending.authorizationCode)
	if pending.state != "" {
		query.Set("state", pending.state)
	}
	to.RawQuery = query.Encode()
	noStore(w)
	return redirect(to.String()), nil
}

// IsOwner compares a text with the owner's secret, under the same limit of wrong ones as the consent page.
func (s *Server) IsOwner(secret string) (bool, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.isOwner(secret)
}

// isOwner compares what was typed with the owner's secret. Ten wrong ones in a minute are the most. The mutex is held.
func (s *Server) isOwner(secret string) (bool, error) {
	if s.guesses.full(s.Now()) {
		return false, &RefusedError{Status: http.StatusTooManyRequests, Code: "slow_down", Message: "Too many wrong secrets",
			retryAfter: s.guesses.span}
	}
	if s.OwnerSecret == "" || !same(strings.TrimSpace(secret), s.OwnerSecret) {
		s.guesses.count++
		return false, nil
	}
	return true, nil
}

// connections lists the keys and connection ids that a client has to know, to the owner: a browser asks for the secret as a password.
func (s *Server) connections(w http.ResponseWriter, r *http.Request) (any, error) {
	if err := s.checkPage(r); err != nil {
		return nil, err
	}
	noStore(w)
	_, secret, sent := r.BasicAuth()
	owner := false
	if sent {
		var err error
		if owner, err = s.isOwner(secret); err != nil {
			return nil, err
		}
	}
	if !owner {
		w.Header().Set("WWW-Authenticate", `Basic realm="The owner's secret, from the terminal, is the password"`)
		return nil, &RefusedError{Status: http.StatusUnauthorized, Code: "authentication_error",
			Message: "Send the owner's secret as the password of HTTP Basic"}
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
func (s *Server) page(w http.ResponseWriter, status int, pending *request, cookie, message string) (any, error) {
	view := consentView{Style: template.CSS(consentCSS), Message: message} // #nosec G203 -- embedded
	back := "Go back to the program that asked."
	switch {
	case pending == nil:
		status, view.Title, view.Message = http.StatusNotFound, "No such request", "It may be over. Start again in the program that asked."
	case pending.decision == approved:
		view.Title, view.Message = "Access granted", back
		if pending.attempt == "" && !pending.exchanged && status == http.StatusOK {
			view.Exchange = pending.exchange
		}
	case pending.decision == denied:
		view.Title, view.Message = "Access denied", "The program gets nothing. You can close this page."
	case !s.Now().Before(pending.expires):
		status, view.Title, view.Message = http.StatusGone, "This request is over", "Start again in the program that asked."
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
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+
		"'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"+redirectSource(pending))
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "same-origin") // with none, browsers send Origin: null
	header.Set("X-Content-Type-Options", "nosniff")
	return document{status, html.Bytes()}, nil
}

// redirectSource lets the form's answer redirect to the program, which browsers count as the form's action.
func redirectSource(r *request) string {
	if r == nil || r.redirectURI == "" {
		return ""
	}
	u, err := url.Parse(r.redirectURI)
	if err != nil {
		return ""
	}
	if strings.Contains(u.Host, "[") || strings.ContainsAny(u.Host, ";, '") { // a policy has no IPv6 addresses
		return " " + u.Scheme + ":"
	}
	return " " + u.Scheme + "://" + u.Host
}

// describe says who asks for what.
func (s *Server) describe(view *consentView, r *request) error {
	view.Client, view.ClientID, view.Owner = cmp.Or(inOrder(r.client.Name), "A program without a name"), r.client.ID, r.owner
	if u, err := url.Parse(r.redirectURI); err == nil {
		view.ReturnsTo = u.Host
	}
	view.Ends = "until the program ends it, or this server stops"
	if r.owner {
		view.Ends = "a year"
		return nil
	}
	for _, selected := range r.selections {
		connector, granted, err := s.bind(selected)
		if err != nil {
			return err
		}
		view.Sources = append(view.Sources, newSourceView(connector, granted))
		if purpose := inOrder(selected.PurposeDescription + " (" + selected.PurposeCode + ")"); !slices.Contains(view.Purposes, purpose) {
			view.Purposes = append(view.Purposes, purpose)
		}
		if selected.AccessMode == singleUse {
			view.Ends = "24 hours"
		}
	}
	if r.selections != nil {
		return nil
	}
	for _, connector := range s.Connectors() {
		for _, connection := range connector.Connections {
			names := make([]string, len(connector.Streams))
			for i, stream := range connector.Streams {
				names[i] = stream.Name
			}
			view.Picks = append(view.Picks, pickView{
				Value: connection.ID, Name: connection.DisplayName, Source: connector.Key, Streams: strings.Join(names, ", "),
				Picked: slices.Contains(r.picked, connection.ID),
			})
		}
	}
	return nil
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

func newSourceView(connector model.Connector, granted []StreamGrant) sourceView {
	view := sourceView{Name: connector.Key, ID: connector.SourceID}
	for _, stream := range granted {
		for _, connection := range connector.Connections {
			if name := connection.DisplayName + " (" + connection.ID + ")"; slices.Contains(stream.ConnectionIDs, connection.ID) &&
				!slices.Contains(view.Connections, name) {
				view.Connections = append(view.Connections, name)
			}
		}
		row := streamView{Name: stream.Stream, Fields: "all fields", Span: "all of it"}
		if stream.Fields != nil {
			row.Fields = strings.Join(stream.Fields, ", ")
		}
		since, until := stream.Since.UTC().Format(time.DateOnly), stream.Until.UTC().Format(time.DateOnly)
		switch {
		case !stream.Since.IsZero() && !stream.Until.IsZero():
			row.Span = "from " + since + " to before " + until
		case !stream.Since.IsZero():
			row.Span = "since " + since
		case !stream.Until.IsZero():
			row.Span = "before " + until
		}
		view.Streams = append(view.Streams, row)
	}
	return view
}
