package browse

import (
	"context"
	"net/http"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

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

// A plainView is a page without data: a form to sign in, or a refusal.
type plainView struct {
	common
	Message string
	Action  string // where the form is sent
}

func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	p.frame.Write(w, r, status, "refused", plainView{common: common{Title: "This page cannot be shown"}, Message: why})
}

func (p *Pages) askSecret(w http.ResponseWriter, r *http.Request, status int, q query, wrong string) {
	p.frame.Write(w, r, status, "signin", plainView{common: common{Title: "Your data"}, Message: wrong, Action: q.link()})
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
