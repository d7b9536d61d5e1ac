// Package browse serves the demo's web pages over its data: the streams, a table of records, one record, a search, counts by month. Each
// view shows the answers of this server's MCP tools and names the call behind it. A person signs in with the owner's secret; a cookie
// keeps the session.
//
// Record content is never active: it is written as text, links lead only to other views, and the content security policy allows only the
// page's own images, scripts and styles. The pages work without JavaScript.
package browse

import (
	"context"
	_ "embed" // the style
	"encoding/base64"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// maxForm is the most bytes of the form that signs in.
const maxForm = 4 << 10

//go:embed browse.css
var style string

// Options are the parameters of [New]. All are required.
type Options struct {
	// Ask sends an MCP request to this server and returns its result as JSON. It is the only source of the views' data.
	Ask func(ctx context.Context, method string, params any) (string, error)
	// IsOwner compares a text with the owner's secret.
	IsOwner func(secret string) bool
	// Connect is the page about connecting clients. It needs no secret.
	Connect *page.Page
	Now     func() time.Time
}

// Pages serves the views. It is safe for concurrent use.
type Pages struct {
	options  Options
	frame    page.Frame
	sessions sessions
}

// New returns the pages.
func New(o Options) *Pages {
	return &Pages{options: o, frame: page.Frame{Style: style, Forms: true}, sessions: newSessions(o.Now)}
}

// Serve answers a request for /. endpoint is the URL of /mcp; status is the answer of /readyz.
func (p *Pages) Serve(w http.ResponseWriter, r *http.Request, endpoint, status string) {
	if !exactHost(r) {
		p.refuse(w, r, http.StatusMisdirectedRequest, "The host name "+strconv.Quote(rs.ErrorText(r.Host))+
			" is not this server's: open this page under the address that the terminal shows.")
		return
	}
	q, err := parseQuery(r.URL.RawQuery)
	switch {
	case err != nil:
		p.refuse(w, r, http.StatusBadRequest, err.Error())
	case r.Method == http.MethodPost:
		p.signIn(w, r, q)
	case q.View == "connect":
		p.options.Connect.Serve(w, r, endpoint, status)
	case !p.sessions.open(r):
		p.askSecret(w, r, http.StatusOK, q, "")
	case q.View == "file":
		p.file(w, r, q)
	default:
		v := &view{query: q, ask: p.options.Ask}
		content := allViews[q.View].show(v, r.Context())
		p.frame.Write(w, r, http.StatusOK, v.title, v.document(content))
	}
}

// signIn checks the owner's secret and redirects to the requested view, or ends a session.
func (p *Pages) signIn(w http.ResponseWriter, r *http.Request, q query) {
	if !slices.Equal(r.Header["Origin"], []string{"http://" + r.Host}) {
		p.refuse(w, r, http.StatusForbidden, "Open the page again and send its form from there.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		p.refuse(w, r, http.StatusBadRequest, "The form did not arrive completely.")
		return
	}
	// #nosec G124 -- plain HTTP on loopback
	cookie := &http.Cookie{Name: cookieName(r), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: -1}
	if r.PostForm.Has("leave") {
		p.sessions.end(r)
		http.SetCookie(w, cookie)
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	if !p.options.IsOwner(r.PostForm.Get("owner_secret")) {
		p.askSecret(w, r, http.StatusForbidden, q, "That is not the owner's secret. It is in the terminal where this server was started.")
		return
	}
	cookie.Value, cookie.MaxAge = p.sessions.begin(), int(sessionLife.Seconds())
	http.SetCookie(w, cookie)
	http.Redirect(w, r, q.link(), http.StatusSeeOther) // #nosec G710 -- a query of / here
}

// exactHost reports whether a request names the address and port that it arrived at, or localhost with that port. This stops DNS rebinding.
func exactHost(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	_, port, err := net.SplitHostPort(local.String())
	return err == nil && (r.Host == local.String() || r.Host == net.JoinHostPort("localhost", port))
}

// file sends an attachment of a record, as resources/read returns it, for download: headers keep browsers from showing it.
func (p *Pages) file(w http.ResponseWriter, r *http.Request, q query) {
	result, err := p.options.Ask(r.Context(), "resources/read", map[string]string{"uri": q.Get("uri")})
	found := first(objects(rs.AsObject(result), "contents"))
	content := []byte(found.Text("text"))
	if coded := found.Text("blob"); err == nil && coded != "" {
		content, err = base64.StdEncoding.DecodeString(coded)
	}
	if err != nil || found == nil || !strings.HasPrefix(q.Get("uri"), "pdpp://blob/") {
		p.refuse(w, r, http.StatusNotFound, "This file cannot be read. It may have been removed since the record was shown.")
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/octet-stream")
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": q.Get("name")}))
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Cache-Control", "no-store")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(content) // #nosec G705 -- saved, not shown; the reader may have gone
}

func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	const title = "This page cannot be shown"
	p.frame.Write(w, r, status, title, page.Main(
		page.Class("alone"), h.H1(g.Text(title)), page.P(g.Text(why)), page.P(page.Link("/", "Start again")),
	))
}

// askSecret answers with a form for the owner's secret, which leads to the requested view; wrong says what was wrong with the last attempt.
func (p *Pages) askSecret(w http.ResponseWriter, r *http.Request, status int, q query, wrong string) {
	const title = "Your data"
	p.frame.Write(w, r, status, title, page.Main(
		page.Class("alone"), page.Icon("56"), h.H1(g.Text(title)),
		h.Form(
			h.Method("post"), h.Action(q.link()), h.AutoComplete("off"),
			g.If(wrong != "", page.P(page.Class("message bad"), h.Role("alert"), g.Text(wrong))),
			page.Secret("It is in the terminal where this server was started."),
			page.P(h.Button(h.Type("submit"), g.Text("Open"))),
		),
		page.P(
			page.Class("quiet"), g.Text("To let an assistant read instead: "), page.Link("/?view=connect", "how to connect one"), g.Text("."),
		),
	))
}
