package browse

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

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

func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	const title = "This page cannot be shown"
	p.frame.Write(w, r, status, title, page.Main(
		h.Class("alone"), h.H1(g.Text(title)), h.P(g.Text(why)), h.P(page.Link("/", "Start again")),
	))
}

// askSecret answers with a form for the owner's secret, which leads to the requested view; wrong says what was wrong with the last attempt.
func (p *Pages) askSecret(w http.ResponseWriter, r *http.Request, status int, q query, wrong string) {
	const title = "Your data"
	p.frame.Write(w, r, status, title, page.Main(
		h.Class("alone"), page.Icon("56"), h.H1(g.Text(title)),
		h.Form(
			h.Method("post"), h.Action(q.link()), h.AutoComplete("off"),
			g.If(wrong != "", h.P(h.Class("message bad"), h.Role("alert"), g.Text(wrong))),
			page.Secret("It is in the terminal where this server was started."),
			h.P(h.Button(h.Type("submit"), g.Text("Open"))),
		),
		h.P(
			h.Class("quiet"), g.Text("To let an assistant read instead: "), page.Link("/?view=connect", "how to connect one"), g.Text("."),
		),
	))
}

// A view collects what one page shows: the request, the call that provides the data, and the notes of answers.
type view struct {
	query
	ask func(ctx context.Context, method string, params any) (string, error)

	title   string   // of the page
	main    madeCall // the call that provides the view's data, if any
	notes   []string
	failure *failure
}

type madeCall struct{ Tool, Arguments string }

func (c madeCall) params() any {
	return map[string]any{"name": c.Tool, "arguments": json.RawMessage(c.Arguments)}
}

// arguments returns the arguments of a call in the order in which a page shows them. pairs are names and values in turn; empty values are
// left out.
func arguments(pairs ...any) (given rs.Object) {
	for pair := range slices.Chunk(pairs, 2) {
		name, _ := pair[0].(string)
		if value := rs.EncodeJSON(pair[1]); !slices.Contains([]string{`""`, "0", "null", "{}"}, value) {
			given = append(given, rs.Member{Name: name, Value: value})
		}
	}
	return given
}

type failure struct{ Code, Message, Hint string }

// request sends an MCP request and returns its result. After a failure, which it stores in the view, it returns nil.
func (v *view) request(ctx context.Context, method string, params any) rs.Object {
	result, err := v.ask(ctx, method, params)
	if err != nil {
		v.failure = &failure{Code: "refused", Message: err.Error()}
	}
	return rs.AsObject(result)
}

// call calls a tool and returns its structured result. After a failure, which it stores in the view, it returns nil. main marks the call
// that provides the view's data.
func (v *view) call(ctx context.Context, main bool, tool string, given rs.Object) rs.Object {
	made := madeCall{tool, given.JSON()}
	if main {
		v.main = made
	}
	structured := v.request(ctx, "tools/call", made.params()).Object("structuredContent")
	if refused := structured.Object("error"); refused != nil {
		v.failure = &failure{refused.Text("code"), refused.Text("message"), refused.Text("hint")}
		return nil
	}
	if notice := structured.Text("notice"); notice != "" {
		v.notes = append(v.notes, notice)
	}
	for _, warning := range objects(structured, "data", "meta", "warnings") {
		if message := warning.Text("message"); message != "" {
			v.notes = append(v.notes, message)
		}
	}
	return structured
}

// objects returns the objects of the list at a path of member names.
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

func first(list []rs.Object) rs.Object {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// shortened returns a JSON value as one line of at most so many runes, "" if it is absent.
func shortened(raw string, most int) string {
	text, ok := rs.AsText(raw)
	if !ok {
		text = raw
	}
	if items, list := rs.AsArray(raw); list {
		var texts []string
		for _, item := range items {
			texts = append(texts, shortened(item, most))
		}
		text = strings.Join(texts, ", ")
	}
	return rs.Clip(strings.Join(strings.Fields(text), " "), most)
}

// grouped adds commas between the thousands of an integer.
func grouped(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// counted returns an integer with a noun in the singular or plural.
func counted(digits, word string) string {
	if digits != "1" {
		word += "s"
	}
	return grouped(digits) + " " + word
}
