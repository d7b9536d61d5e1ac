package browse

import (
	"cmp"
	"slices"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
)

// document is a view with what stands around it: where else to go above, the call that makes it below.
func (v *view) document(content g.Node) g.Node {
	to := func(address, text string, views ...string) g.Node {
		at, current := slices.Index(views, v.View), "true" // at a view below
		if at == 0 {
			current = "page"
		}
		return h.Li(page.Link(address, text, g.If(at >= 0, h.Aria("current", current))))
	}
	return g.Group{
		h.Header(
			h.Class("bar"),
			h.A(h.Class("home"), h.Href("/"), page.Icon("32"), h.Span(g.Text("Your data"))),
			h.Nav(h.Aria("label", "Views"), h.Ul(
				to("/", "Streams", "streams", "records", "months", "record"),
				to("/?view=search", "Search", "search"),
				to("/?view=call", "Call a tool", "call"),
				to("/?view=connect", "Connect"),
			)),
			h.Form(
				h.Method("post"), h.Action("/"),
				h.Button(h.Type("submit"), h.Name("leave"), h.Value("1"), h.Class("plain"), g.Text("Sign out")),
			),
		),
		page.Main(content, v.mainCall()),
		h.Footer(page.Quiet("This page only reads, on this machine alone. What records say is shown as text: " +
			"no link or image in them works here.")),
	}
}

// said is what went wrong, and what the answers note.
func (v *view) said() g.Node {
	notes := g.Map(v.notes, func(note string) g.Node { return h.P(h.Class("message"), g.Text(note)) })
	if v.failure == nil {
		return notes
	}
	return g.Group{h.Div(
		h.Class("message bad"), h.Role("alert"), h.P(h.Strong(g.Text(v.failure.Code)), g.Text(": "+v.failure.Message)),
		g.If(v.failure.Hint != "", h.P(g.Text(v.failure.Hint))),
	), notes}
}

// mainCall is the call that makes the view, with a link that makes it again.
func (v *view) mainCall() g.Node {
	return g.If(v.main.Tool != "", page.Section(
		"calls", "How an assistant asks for this", h.Class("calls"), page.Copying("call-main", "Tool call", v.main.String()),
		g.If(v.View != "call", h.P(page.Link(v.main.link(), "Make this call and see what the assistant gets"))),
	))
}

// String is a call as it is shown.
func (c madeCall) String() string { return c.Tool + " " + c.Arguments }

func (c madeCall) link() string { return link("call", "tool", c.Tool, "arguments", c.Arguments) }

func (c madeCall) node() g.Node { return h.Li(h.A(h.Href(c.link()), h.Code(g.Text(c.String())))) }

// turns links to the page that a cursor leads to, and from every page but the first to that.
func (v *view) turns(cursor string) g.Node {
	later := v.Get("cursor") != ""
	return g.If(later || cursor != "", pages(
		g.If(later, page.Link(v.with("cursor", "").link(), "First page")),
		g.If(cursor != "", page.Link(v.with("cursor", cursor).link(), "Next page", h.Class("button"))),
	))
}

func pages(links ...g.Node) g.Node {
	return h.Nav(h.Class("pages"), h.Aria("label", "Pages"), g.Group(links))
}

// trail leads from the streams to what a view is part of.
func trail(address, text string) g.Node {
	return h.P(
		h.Class("trail"), page.Link("/", "Streams"),
		g.If(address != "", g.Group{g.Text(" "), h.Span(h.Aria("hidden", "true"), g.Text("›")), g.Text(" "), page.Link(address, text)}),
	)
}

// small is what stands beside a text, if there is any.
func small(text string) g.Node {
	return g.If(text != "", g.Group{g.Text(" "), h.Small(g.Text(text))})
}

// authored is the time of a record, if there is any.
func authored(time string) g.Node {
	return g.If(time != "", g.Group{g.Text(", "), h.Time(h.DateTime(time), g.Text(time))})
}

// term is one entry of a list of names and what they are.
func term(name, beside, text string) g.Node {
	return h.Div(h.Dt(g.Text(name), small(beside)), h.Dd(g.Text(text)))
}

func longText(label, text string) g.Node {
	return h.Pre(h.Class("text"), h.TabIndex("0"), h.Aria("label", label), g.Text(text))
}

// table is one that may be wider than the page. Its caption names it by id.
func table(class, id string, caption g.Group, columns []string, rows g.Node) g.Node {
	return h.Div(
		h.Class("wide"), h.Role("region"), h.Aria("labelledby", id), h.TabIndex("0"),
		h.Table(h.Class(class), h.Caption(h.ID(id), caption), page.Columns(columns...), h.TBody(rows)),
	)
}

// asks is a form that asks for a view again: hidden parameters as names and values in turn, then what a person chooses.
func asks(view string, hidden []string, content ...g.Node) g.Node {
	return h.Form(h.Method("get"), h.Action("/"), page.Hidden("view", view), page.Hidden(hidden...), g.Group(content))
}

func submit(text string) g.Node {
	return h.P(h.Class("field"), h.Button(h.Type("submit"), g.Text(text)))
}

// choose offers values under a label, each in words if there are any for it.
func choose(id, name, label, chosen string, values []string, words map[string]string) g.Node {
	return page.Field(id, label, h.Select(h.ID(id), h.Name(name), g.Map(values, func(value string) g.Node {
		return h.Option(h.Value(value), g.If(value == chosen, h.Selected()), g.Text(cmp.Or(words[value], value)))
	})))
}
