package browse

import (
	"cmp"
	"slices"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// document puts the navigation above a view and its call below it.
func (v *view) document(content g.Node) g.Node {
	to := func(address, text string, views ...string) g.Node {
		at, current := slices.Index(views, v.View), "true" // in a view of this section
		if at == 0 {
			current = "page"
		}
		return h.Li(page.Link(address, text, g.If(at >= 0, h.Aria("current", current))))
	}
	return g.Group{
		h.Header(
			page.Class("bar"),
			h.A(page.Class("home"), h.Href("/"), page.Icon("32"), h.Span(g.Text("Your data"))),
			h.Nav(h.Aria("label", "Views"), h.Ul(
				to("/", "Streams", "streams", "records", "months", "record"),
				to("/?view=search", "Search", "search"),
				to("/?view=call", "Call a tool", "call"),
				to("/?view=connect", "Connect"),
			)),
			h.Form(
				h.Method("post"), h.Action("/"),
				h.Button(h.Type("submit"), h.Name("leave"), h.Value("1"), page.Class("plain"), g.Text("Sign out")),
			),
		),
		page.Main(content, v.mainCall()),
		h.Footer(page.Quiet("This page only reads, on this machine alone. What records say is shown as text: " +
			"no link or image in them works here.")),
	}
}

func (v *view) said() g.Node {
	notes := g.Map(v.notes, func(note string) g.Node { return page.P(page.Class("message"), g.Text(note)) })
	if v.failure == nil {
		return notes
	}
	return g.Group{h.Div(
		page.Class("message bad"), h.Role("alert"), page.P(h.Strong(g.Text(v.failure.Code)), g.Text(": "+v.failure.Message)),
		g.If(v.failure.Hint != "", page.P(g.Text(v.failure.Hint))),
	), notes}
}

// mainCall shows the call behind the view, with a link to make it again.
func (v *view) mainCall() g.Node {
	return g.If(v.main.Tool != "", page.Section(
		"calls", "How an assistant asks for this", page.Class("calls"), page.Copying("call-main", "Tool call", v.main.String()),
		g.If(v.View != "call", page.P(page.Link(v.main.link(), "Make this call and see what the assistant gets"))),
	))
}

// String returns the call as text for people.
func (c madeCall) String() string { return c.Tool + " " + c.Arguments }

func (c madeCall) link() string { return link("call", "tool", c.Tool, "arguments", c.Arguments) }

// turns links to the page of a cursor and, except on the first page, back to the first.
func (v *view) turns(cursor string) g.Node {
	later := v.Get("cursor") != ""
	return g.If(later || cursor != "", pages(
		g.If(later, page.Link(v.with("cursor", "").link(), "First page")),
		g.If(cursor != "", page.Link(v.with("cursor", cursor).link(), "Next page", page.Class("button"))),
	))
}

func pages(links ...g.Node) g.Node {
	return h.Nav(page.Class("pages"), h.Aria("label", "Pages"), g.Group(links))
}

// trail links to the streams and to the view above this one.
func trail(address, text string) g.Node {
	return page.P(
		page.Class("trail"), page.Link("/", "Streams"),
		g.If(address != "", g.Group{g.Text(" "), h.Span(h.Aria("hidden", "true"), g.Text("›")), g.Text(" "), page.Link(address, text)}),
	)
}

func small(text string) g.Node {
	return g.If(text != "", g.Group{g.Text(" "), h.Small(g.Text(text))})
}

func authored(time string) g.Node {
	return g.If(time != "", g.Group{g.Text(", "), h.Time(h.DateTime(time), g.Text(time))})
}

func term(name, beside, text string) g.Node {
	return h.Div(h.Dt(g.Text(name), small(beside)), h.Dd(g.Text(text)))
}

func longText(label, text string) g.Node {
	return h.Pre(page.Class("text"), h.TabIndex("0"), h.Aria("label", label), g.Text(text))
}

// table is a table that scrolls if it is wider than the page. id is that of its caption, which labels it.
func table(class, id string, caption g.Group, columns []string, rows g.Node) g.Node {
	return h.Div(
		page.Class("wide"), h.Role("region"), h.Aria("labelledby", id), h.TabIndex("0"),
		h.Table(page.Class(class), h.Caption(h.ID(id), caption), page.Columns(columns...), h.TBody(rows)),
	)
}

// asks is a form that requests a view: hidden parameters as names and values in turn, then what a person chooses.
func asks(view string, hidden []string, content ...g.Node) g.Node {
	return h.Form(h.Method("get"), h.Action("/"), page.Hidden("view", view), page.Hidden(hidden...), g.Group(content))
}

func submit(text string) g.Node {
	return page.P(page.Class("field"), h.Button(h.Type("submit"), g.Text(text)))
}

// choose is a labelled select. words has the texts of values that are not shown as they are.
func choose(id, name, label, chosen string, values []string, words map[string]string) g.Node {
	return page.Field(id, label, h.Select(h.ID(id), h.Name(name), g.Map(values, func(value string) g.Node {
		return h.Option(h.Value(value), g.If(value == chosen, h.Selected()), g.Text(cmp.Or(words[value], value)))
	})))
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
