package browse

import (
	"context"
	"html/template"
	"net/http"
	"slices"
	"strings"
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
	Title, Message string
	Action         string // where the form is sent
}

func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	p.frame.Write(w, r, status, "refused", plainView{Title: "This page cannot be shown", Message: why})
}

func (p *Pages) askSecret(w http.ResponseWriter, r *http.Request, status int, q query, wrong string) {
	p.frame.Write(w, r, status, "signin", plainView{Title: "Your data", Message: wrong, Action: q.link()})
}

// A common part is in every view.
type common struct {
	query
	Title   string    // of the page, and its heading
	Main    *madeCall // the call that makes the view
	Others  []madeCall
	Notes   []string
	Failure *failure

	First, Next string // links to pages
}

// A madeCall is a tool call as it was sent.
type madeCall struct{ Tool, Arguments string }

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
	if notice := structured.Text("notice"); notice != "" {
		c.Notes = append(c.Notes, notice)
	}
	for _, warning := range objects(structured, "data", "meta", "warnings") {
		if message := warning.Text("message"); message != "" {
			c.Notes = append(c.Notes, message)
		}
	}
	return structured
}

// turn links to the page that a cursor leads to, and from every other to the first.
func (c *common) turn(cursor string) {
	if cursor != "" {
		c.Next = c.with("cursor", cursor).link()
	}
	if c.Get("cursor") != "" {
		c.First = c.with("cursor", "").link()
	}
}

// functions are what templates show answers with.
var functions = template.FuncMap{
	"link": link, "recordLink": recordLink, "objects": objects, "object": rs.AsObject, "texts": texts, "contains": slices.Contains[[]string],
	"shown": shown, "grouped": grouped, "marked": marked, "operators": func() []string { return operators }, "comparison": comparison,
}

// objects are those of the list that names lead to.
func objects(o rs.Object, names ...string) []rs.Object {
	last := len(names) - 1
	for _, name := range names[:last] {
		o = o.Object(name)
	}
	var all []rs.Object
	for _, raw := range o.Array(names[last]) {
		all = append(all, rs.AsObject(raw))
	}
	return all
}

// first is the first object of a list, or nil.
func first(list []rs.Object) rs.Object {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// texts are those of a list.
func texts(o rs.Object, name string) []string {
	var all []string
	for _, raw := range o.Array(name) {
		text, _ := rs.AsText(raw)
		all = append(all, text)
	}
	return all
}

// shown is the text of a JSON value on one line, of at most so many runes: "" for none.
func shown(raw string, most int) string {
	text, ok := rs.AsText(raw)
	if !ok {
		text = raw
	}
	if items, list := rs.AsArray(raw); list {
		var texts []string
		for _, item := range items {
			texts = append(texts, shown(item, most))
		}
		text = strings.Join(texts, ", ")
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// grouped writes a whole number with commas between thousands.
func grouped(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
