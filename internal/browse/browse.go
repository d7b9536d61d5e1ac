// Package browse is the demo's own pages over its data: the streams, a table of records, one record, a search, counts by month. Each view
// shows what calls of this server's MCP tools answer, and names the calls. The owner's secret opens it; a cookie keeps it open.
//
// Nothing of a record is ever active: html/template escapes it, every link leads to another view, and the content security policy lets no
// image, script or style but the page's own load. It works without JavaScript.
package browse

import (
	"context"
	_ "embed" // the templates and the style
	"net"
	"net/http"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

//go:embed browse.html
var markup string

//go:embed views.html
var viewsMarkup string

//go:embed browse.css
var style string

// Options are what [New] needs, all of it.
type Options struct {
	// Ask sends a request of MCP to this server and returns the result, which is JSON. Views show nothing else.
	Ask func(ctx context.Context, method string, params any) (string, error)
	// IsOwner compares a text with the owner's secret. Its error is why it does not, for people.
	IsOwner func(secret string) (bool, error)
	// Connect says how to connect clients, to everybody.
	Connect *page.Page
	Now     func() time.Time
}

// Pages are served to many at a time.
type Pages struct {
	options  Options
	frame    *page.Frame
	sessions sessions
}

// New returns the pages.
func New(o Options) *Pages {
	frame := page.NewFrame(markup+viewsMarkup, style, true)
	return &Pages{options: o, frame: frame, sessions: sessions{now: o.Now, ends: map[string]time.Time{}}}
}

// A plainView is a page without data: a form to sign in, or a refusal.
type plainView struct {
	common
	Message string
	Action  string // where the form is sent
}

// Serve answers a request for /. endpoint is the URL of /mcp; status is what /readyz says.
func (p *Pages) Serve(w http.ResponseWriter, r *http.Request, endpoint, status string) {
	if !exactHost(r) {
		p.refuse(w, r, http.StatusMisdirectedRequest, "Open this page under the address that the terminal shows.")
		return
	}
	q, err := parseQuery(r.URL.RawQuery)
	switch {
	case err != nil:
		p.refuse(w, r, http.StatusBadRequest, err.Error())
	case r.Method == http.MethodPost:
		p.signIn(w, r, q)
	case q.view == "connect":
		p.options.Connect.Serve(w, r, endpoint, status)
	case !p.sessions.open(r):
		p.askSecret(w, r, http.StatusOK, q, "")
	default:
		name, data := p.view(r.Context(), q)
		p.frame.Write(w, r, http.StatusOK, name, data)
	}
}

// exactHost reports whether a request names the very address and port that it came in by, or localhost with that port.
func exactHost(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	_, port, err := net.SplitHostPort(local.String())
	return err == nil && (r.Host == local.String() || r.Host == net.JoinHostPort("localhost", port))
}

func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	p.frame.Write(w, r, status, "refused", plainView{common: common{Title: "This page cannot be shown"}, Message: why})
}

func (p *Pages) askSecret(w http.ResponseWriter, r *http.Request, status int, q query, wrong string) {
	p.frame.Write(w, r, status, "signin", plainView{common: common{Title: "Your data"}, Message: wrong, Action: q.link()})
}

// view makes what the query asks for, and names the template for it.
func (p *Pages) view(ctx context.Context, q query) (string, any) {
	switch q.view {
	case "records":
		return q.view, p.records(ctx, q)
	case "record":
		return q.view, p.record(ctx, q)
	case "months":
		return q.view, p.months(ctx, q)
	case "search":
		return q.view, p.search(ctx, q)
	case "call":
		return q.view, p.tool(ctx, q)
	}
	return "streams", p.streams(ctx, q)
}

// A common part is in every view.
type common struct {
	Title   string // of the page, and its heading
	View    string
	Main    *madeCall // the call that makes the view
	Others  []madeCall
	Notes   []string
	Failure *failure
}

// A madeCall is a tool call as it was sent.
type madeCall struct{ Tool, Arguments string }

// Link leads to the call with all that it answers.
func (c madeCall) Link() string {
	return link("call", "tool", c.Tool, "arguments", c.Arguments)
}

// A failure is what a tool said instead of an answer.
type failure struct{ Code, Message, Hint string }

// ask calls a tool and returns its structured result, nil after a failure, which c then has. main calls make the view.
func (p *Pages) ask(ctx context.Context, c *common, main bool, tool string, arguments any) rs.Object {
	made := madeCall{tool, rs.EncodeJSON(arguments)}
	if main {
		c.Main = &made
	} else {
		c.Others = append(c.Others, made)
	}
	result, err := p.options.Ask(ctx, "tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		c.Failure = &failure{Code: "no_answer", Message: "The server did not answer: " + err.Error()}
		return nil
	}
	structured := rs.AsObject(result).Object("structuredContent")
	if refused := structured.Object("error"); refused != nil {
		c.Failure = &failure{refused.Text("code"), refused.Text("message"), refused.Text("hint")}
		return nil
	}
	c.note(structured)
	return structured
}

// note keeps what an answer says about itself.
func (c *common) note(structured rs.Object) {
	if notice := structured.Text("notice"); notice != "" {
		c.Notes = append(c.Notes, notice)
	}
	for _, warning := range structured.Object("data").Object("meta").Array("warnings") {
		if message := rs.AsObject(warning).Text("message"); message != "" {
			c.Notes = append(c.Notes, message)
		}
	}
}
