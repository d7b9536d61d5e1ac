package page

import (
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// Icon is the program's, of so many pixels.
func Icon(size string) g.Node {
	return h.Img(h.Src("/icon.svg"), h.Alt(""), h.Width(size), h.Height(size))
}

// Main is where a page begins for those who skip its top.
func Main(content ...g.Node) g.Node { return h.Main(h.ID("main"), h.TabIndex("-1"), g.Group(content)) }

// Quiet is a sentence beside the matter.
func Quiet(text string) g.Node { return h.P(h.Class("quiet"), g.Text(text)) }

// Link leads to another page of the server; an address that is not of one leads nowhere, so that no record or request can name it.
func Link(address, text string, attributes ...g.Node) g.Node {
	if !strings.HasPrefix(address, "/") || len(address) > 1 && strings.ContainsAny(address[1:2], "/\\\t\r\n") {
		return g.Text(text)
	}
	return h.A(g.Group(attributes), h.Href(address), g.Text(text))
}

// Section has a title, by which it is called.
func Section(id, title string, content ...g.Node) g.Node {
	id += "-title"
	return h.Section(h.Aria("labelledby", id), h.H2(h.ID(id), g.Text(title)), g.Group(content))
}

// Copying is a text with a button that copies it; label says what it is to those who do not see it.
func Copying(id, label, text string) g.Node {
	return h.Div(h.Class("copying"), h.Pre(h.ID(id), h.TabIndex("0"), h.Aria("label", label), g.Text(text)), copyButton(id))
}

// copyButton copies what is in the element of an id. The script shows it, for it does nothing without.
func copyButton(id string) g.Node {
	return h.Button(h.Type("button"), h.Class("copy"), h.Data("copy", id), g.Attr("hidden"), g.Text("Copy"))
}

// Columns heads a table: names and the classes of their cells in turn.
func Columns(pairs ...string) g.Node {
	var all g.Group
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, h.Th(h.Scope("col"), class(pairs[i+1]), g.Text(pairs[i])))
	}
	return h.THead(h.Tr(all))
}

// Row is one of a table, headed by what it is about, with a link where there is an address.
func Row(address, text string, cells ...g.Node) g.Node {
	return h.Tr(h.Th(h.Scope("row"), Link(address, text)), g.Group(cells))
}

// Cell is one of a row.
func Cell(kind, text string) g.Node { return h.Td(class(kind), g.Text(text)) }

func class(name string) g.Node { return g.If(name != "", h.Class(name)) }

// Hidden sends parameters along with a form: names and values in turn.
func Hidden(pairs ...string) g.Node {
	var all g.Group
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, h.Input(h.Type("hidden"), h.Name(pairs[i]), h.Value(pairs[i+1])))
	}
	return all
}

// Field is what a person fills in, under its label.
func Field(id, label string, control ...g.Node) g.Node {
	return h.P(h.Class("field"), h.Label(h.For(id), g.Text(label)), g.Group(control))
}

// Secret asks for the owner's secret, and says where it is.
func Secret(where string) g.Node {
	return Field(
		"secret", "Owner’s secret",
		h.Input(h.ID("secret"), h.Name("owner_secret"), h.Type("password"), h.Required(), h.Aria("describedby", "where")),
		h.Small(h.ID("where"), g.Text(where)),
	)
}
