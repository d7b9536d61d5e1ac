// Package page is what a person sees who opens the server in a browser: what this is, the address to paste into a
// client, the recommended path for each client, and whether the server is up. It reads without JavaScript.
//
// A page is one document. Its style and its script stand in it, so that nothing else has to be served, cached or
// proxied beside it, and the content security policy names both by their hashes: no other script ever runs.
package page

import (
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
)

// Options say what is on a page.
type Options struct {
	// Server is what the clients are configured for. One without a URL and without a Command is this server, at the address
	// of each request.
	Server clients.Server
	// Data is set where the data is at / and this page beside it.
	Data bool
}

// A Page is served to many at a time.
type Page struct{ options Options }

// New returns a page.
func New(o Options) *Page { return &Page{o} }

const title = "Your data, for your assistant"

// Serve answers a request with the page, which has no token. endpoint is the URL of /mcp; status is what /readyz says, or "" if it is not
// known.
func (p *Page) Serve(w http.ResponseWriter, r *http.Request, endpoint, status string) {
	server := p.options.Server // without a URL, clients start this program instead of calling it
	if server.URL == "" && server.Command == "" {
		server.URL = endpoint
	}
	Frame{}.Write(
		w, r, http.StatusOK, title,
		h.Header(Icon("56"), h.Div(h.H1(g.Text(title)), state(status))),
		Main(
			h.P(h.Class("lead"), g.Text("Through this server an AI assistant reads a person’s own data: mail, chat, orders, notes and whatever "+
				"else they chose to share. It speaks the Model Context Protocol (MCP). It only reads, and never more than that person granted.")),
			g.If(p.options.Data, h.P(Link("/", "Look at the data yourself"))),
			Section(
				"address", "Address",
				h.Label(h.For("address"), g.Text("Where MCP clients connect")),
				h.Div(
					h.Class("copying"),
					h.Input(h.ID("address"), h.Type("text"), h.ReadOnly(), g.Attr("spellcheck", "false"), h.Value(endpoint)),
					copyButton("address"),
				),
				g.If(server.URL == "" || server.TokenEnv != "", Quiet("Whoever calls it needs the token that the demo printed.")),
			),
			Section("clients", "Connect a client", how(server), guides(server)),
		),
		h.Footer(h.P(
			h.Class("quiet"), g.Text("Programs find the same facts in "),
			Link("/.well-known/oauth-protected-resource/mcp", "this server’s metadata"), g.Text("."),
		)),
	)
}

// states are a server's status in words, by what /readyz says. What exactly does not answer is for the operator alone.
var states = map[string]struct{ kind, name, sentence string }{
	"ready": {"good", "Ready", "The server answers."},
	"not_ready": {
		"bad", "Not ready", "Something that the server needs does not answer. Calls fail with an error that says so; try again in a minute.",
	},
	"starting": {"wait", "Starting", "The server is starting. Try again in a moment."},
	"draining": {"wait", "Stopping", "The server is being stopped or replaced. Try again in a moment."},
}

func state(status string) g.Node {
	said, known := states[status]
	return g.If(known, h.P(h.Class("state "+said.kind), h.Strong(g.Text(said.name+".")), g.Text(" "+said.sentence)))
}

// how says what clients need beside what is shown for each.
func how(server clients.Server) g.Node {
	switch {
	case server.TokenEnv != "":
		return h.P(
			g.Text("These read the token from the environment variable "), h.Code(g.Text(server.TokenEnv)),
			g.Text(": set it to the token that the demo printed, then start the client."),
		)
	case server.URL == "":
		return h.P(g.Text("The client starts the sample on its own, so nothing here needs to keep running."))
	}
	return h.P(g.Text("Choose yours. It will send you to sign in and to choose what it may read."))
}

// guides are a row for each client, and the names of those for which there is no path.
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

// guide is one client's row: one recommended path, and the entry to write by hand where there is a file for it.
func guide(client clients.Client, server clients.Server) g.Node {
	// The visitor's machine is not known. What is shown holds on every system, for commands of plain words are quoted alike.
	found, name := client.Guide(server, place("linux"), "", nil), strings.ToUpper(client.Title[:1])+client.Title[1:]
	files := paths(client)
	entry := func(before string) g.Node {
		return g.Group{h.P(g.Text(before), files, g.Text(":")), Copying(client.Name+"-entry", "Entry", found.Entry)}
	}
	way, more, byHand := entry("Most clients read an entry like this"), g.Node(nil), g.If(found.Entry != "", entry("By hand instead, in "))
	switch {
	// A link is the same on every system, where a command with JSON in it is quoted in its own way on each. No scheme but these two opens a
	// client, and some run scripts.
	case strings.HasPrefix(found.Link, "cursor://"), strings.HasPrefix(found.Link, "vscode:"):
		way, more = h.P(h.A(h.Class("button"), h.Href(found.Link), g.Text("Add to "+name))), byHand
	case len(found.Commands) > 0:
		commands := g.Group{h.P(g.Text("Run this in a terminal:"))}
		for i, command := range found.Commands {
			commands = append(commands, Copying(client.Name+"-"+strconv.Itoa(i), "Command", command))
		}
		way, more = commands, byHand
	case len(found.Steps) > 0:
		way = h.Ol(g.Map(found.Steps, func(step string) g.Node { return h.Li(g.Text(step)) }))
	case len(files) > 0:
		way = entry("Add this to ")
	}
	return h.Details(h.Name("client"), h.Summary(g.Text(name)), way, h.P(g.Text(found.After)), more)
}

// paths are those of the client's file on all systems.
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

// place is a machine as its owner speaks of it.
func place(system string) clients.Place {
	return clients.Place{OS: system, Home: "~", Getenv: func(string) string { return "" }}
}
