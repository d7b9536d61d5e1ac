package page

import (
	"slices"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// Icon returns the icon of the program; size is its width and height in pixels.
func Icon(size string) g.Node {
	return h.Img(h.Src("/icon.svg"), h.Alt(""), h.Width(size), h.Height(size))
}

// Main returns the main content, which the link "Skip to content" leads to.
func Main(content ...g.Node) g.Node { return h.Main(h.ID("main"), h.TabIndex("-1"), g.Group(content)) }

// P returns a paragraph. It and Class are those of gomponents, which the compiler would copy into each of a hundred calls.
//
//go:noinline
func P(content ...g.Node) g.Node { return h.P(content...) }

// Class returns the attribute class.
//
//go:noinline
func Class(names string) g.Node { return h.Class(names) }

// Quiet returns a sentence of secondary importance.
func Quiet(text string) g.Node { return P(Class("quiet"), g.Text(text)) }

// Link returns a link to another page of the server. For any other address it returns the text alone, so that no record or request can
// make a link to elsewhere.
func Link(address, text string, attributes ...g.Node) g.Node {
	if !strings.HasPrefix(address, "/") || len(address) > 1 && strings.ContainsAny(address[1:2], "/\\\t\r\n") {
		return g.Text(text)
	}
	return h.A(g.Group(attributes), h.Href(address), g.Text(text))
}

// Section returns a section with a title, which is also its accessible name.
func Section(id, title string, content ...g.Node) g.Node {
	id += "-title"
	return h.Section(h.Aria("labelledby", id), h.H2(h.ID(id), g.Text(title)), g.Group(content))
}

// Copying returns a text with a button that copies it; label is the accessible name of the text.
func Copying(id, label, text string) g.Node {
	return h.Div(Class("copying"), h.Pre(h.ID(id), h.TabIndex("0"), h.Aria("label", label), g.Text(text)), copyButton(id))
}

// copyButton returns a button that copies the content of the element with an id. It is hidden until the script, which it needs, shows it.
func copyButton(id string) g.Node {
	return h.Button(h.Type("button"), Class("copy"), h.Data("copy", id), g.Attr("hidden"), g.Text("Copy"))
}

// Columns returns the head of a table; pairs are names and the classes of their cells in turn.
func Columns(pairs ...string) g.Node {
	var all g.Group
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, h.Th(h.Scope("col"), class(pair[1]), g.Text(pair[0])))
	}
	return h.THead(h.Tr(all))
}

// Row returns a row of a table. Its header cell has the text, as a link if there is an address.
func Row(address, text string, cells ...g.Node) g.Node {
	return h.Tr(h.Th(h.Scope("row"), Link(address, text)), g.Group(cells))
}

// Cell returns a cell of a row; kind is its class.
func Cell(kind, text string) g.Node { return h.Td(class(kind), g.Text(text)) }

func class(name string) g.Node { return g.If(name != "", Class(name)) }

// Hidden returns hidden parameters of a form; pairs are names and values in turn.
func Hidden(pairs ...string) g.Node {
	var all g.Group
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, h.Input(h.Type("hidden"), h.Name(pair[0]), h.Value(pair[1])))
	}
	return all
}

// Field returns a form control under its label.
func Field(id, label string, control ...g.Node) g.Node {
	return P(Class("field"), h.Label(h.For(id), g.Text(label)), g.Group(control))
}

// Secret returns the field for the owner's secret; where tells the owner where to find it.
func Secret(where string) g.Node {
	return Field(
		"secret", "Owner’s secret",
		h.Input(h.ID("secret"), h.Name("owner_secret"), h.Type("password"), h.Required(), h.Aria("describedby", "where")),
		h.Small(h.ID("where"), g.Text(where)),
	)
}
