// Package page renders what a person sees who opens the server in a browser: what this is, the address to paste into a client, the
// recommended way to connect each client, and whether the server is up. It can be read without JavaScript.
//
// A page is one document. Its style and its script are inline, so that they need not be served, cached or proxied separately, and the
// content security policy names both by their hashes: no other script ever runs.
package page

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
)

// Options configure a [Page].
type Options struct {
	// Server is the server that the page connects clients to. If it has neither a URL nor a Command, it is this server, at the address of
	// each request.
	Server clients.Server
	// LinkToData is set if the data is at / and this page at another path.
	LinkToData bool
}

// A Page is the page with which clients are connected. It is safe for concurrent use.
type Page struct{ options Options }

// New returns a page.
func New(o Options) *Page { return &Page{o} }

const title = "Your data, for your assistant"

// Serve answers a request with the page, which contains no token. endpoint is the URL of /mcp; status is that of /readyz, or "" if it is
// unknown.
func (p *Page) Serve(w http.ResponseWriter, r *http.Request, endpoint, status string) {
	server := p.options.Server // without a URL, clients start this program instead of calling it
	if server.URL == "" && server.Command == "" {
		server.URL = endpoint
	}
	Frame{}.Write(
		w, r, http.StatusOK, title,
		h.Header(Icon("56"), h.Div(h.H1(g.Text(title)), state(status))),
		Main(
			P(Class("lead"), g.Text("Through this server an AI assistant reads a person’s own data: mail, chat, orders, notes and whatever "+
				"else they chose to share. It speaks the Model Context Protocol (MCP). It only reads, and never more than that person granted.")),
			g.If(p.options.LinkToData, P(Link("/", "Look at the data yourself"))),
			Section(
				"address", "Address",
				h.Label(h.For("address"), g.Text("Where MCP clients connect")),
				h.Div(
					Class("copying"),
					h.Input(h.ID("address"), h.Type("text"), h.ReadOnly(), g.Attr("spellcheck", "false"), h.Value(endpoint)),
					copyButton("address"),
				),
				g.If(server.URL == "" || server.TokenEnv != "", Quiet("Whoever calls it needs the token that the demo printed.")),
			),
			Section("clients", "Connect a client", how(server), guides(server)),
		),
		h.Footer(P(
			Class("quiet"), g.Text("Programs find the same facts in "),
			Link("/.well-known/oauth-protected-resource/mcp", "this server’s metadata"), g.Text("."),
		)),
	)
}

// states maps the status of /readyz to words. They do not name what does not answer: only the operator learns that.
var states = map[string]struct{ kind, name, sentence string }{
	"ready": {"good", "Ready", "The server answers."},
	"not_ready": {
		"bad", "Not ready", "Something that the server needs does not answer. Calls fail with an error that says so; try again in a minute.",
	},
	"starting": {"wait", "Starting", "The server is starting. Try again in a moment."},
	"draining": {"wait", "Stopping", "The server is being stopped or replaced. Try again in a moment."},
}

func state(status string) g.Node {
	words, known := states[status]
	return g.If(known, P(Class("state "+words.kind), h.Strong(g.Text(words.name+".")), g.Text(" "+words.sentence)))
}

// how returns what all clients need, in addition to what is shown for each.
func how(server clients.Server) g.Node {
	switch {
	case server.TokenEnv != "":
		return P(
			g.Text("These read the token from the environment variable "), h.Code(g.Text(server.TokenEnv)),
			g.Text(": set it to the token that the demo printed, then start the client."),
		)
	case server.URL == "":
		return P(g.Text("The client starts the sample on its own, so nothing here needs to keep running."))
	}
	return P(g.Text("Choose yours. It will send you to sign in and to choose what it may read."))
}

// guides returns a row for each client, and the names of the clients that cannot be connected to this server.
func guides(server clients.Server) g.Node {
	var all g.Group
	var others []string
	for _, client := range clients.All() {
		switch {
		case client.Check(server) == "":
			all = append(all, guide(client, server))
		case client.Name != "generic":
			others = append(others, client.Title)
		}
	}
	return append(all, g.If(
		len(others) > 0, Quiet("Only a hosted server, at which one signs in, can be connected to "+strings.Join(others, ", ")+"."),
	))
}

// guide returns one client's row: the recommended way to connect it and, if it has a file for that, the entry to write by hand.
func guide(client clients.Client, server clients.Server) g.Node {
	// The visitor's system is unknown. What is shown works on every system, because commands of plain words are quoted the same way on all.
	found, name := client.Guide(server, place("linux"), "", nil), strings.ToUpper(client.Title[:1])+client.Title[1:]
	files := paths(client)
	entry := func(before string) g.Node {
		return g.Group{P(g.Text(before), files, g.Text(":")), Copying(client.Name+"-entry", "Entry", found.Entry)}
	}
	way, more, byHand := entry("Most clients read an entry like this"), g.Node(nil), g.If(found.Entry != "", entry("By hand instead, in "))
	switch {
	// A link is the same on every system, but a command with JSON in it is quoted differently on each. Only these two schemes open a
	// client, and some others run scripts.
	case strings.HasPrefix(found.Link, "cursor://"), strings.HasPrefix(found.Link, "vscode:"):
		way, more = P(h.A(Class("button"), h.Href(found.Link), g.Text("Add to "+name))), byHand
	case found.Command != "":
		way, more = g.Group{P(g.Text("Run this in a terminal:")), Copying(client.Name+"-command", "Command", found.Command)}, byHand
	case len(found.Steps) > 0:
		way = h.Ol(g.Map(found.Steps, func(step string) g.Node { return h.Li(g.Text(step)) }))
	case len(files) > 0:
		way = entry("Add this to ")
	}
	return h.Details(h.Name("client"), h.Summary(g.Text(name)), way, P(g.Text(found.After)), more)
}

// paths returns the paths of the client's file on all systems.
func paths(client clients.Client) g.Group {
	var seen []string
	var all g.Group
	for _, system := range []string{"linux", "darwin", "windows"} {
		if path := filepath.ToSlash(client.Path(place(system))); path != "" && !slices.Contains(seen, path) {
			all = append(all, g.If(len(seen) > 0, g.Text(" or ")), h.Code(g.Text(path)))
			seen = append(seen, path)
		}
	}
	return all
}

// place returns a machine with ~ for the home directory, and without environment variables.
func place(system string) clients.Place {
	return clients.Place{OS: system, Home: "~", Getenv: func(string) string { return "" }}
}
