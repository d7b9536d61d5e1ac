// Package page is what a person sees who opens the server in a browser: what this is, the address to paste into a
// client, the recommended path for each client, and whether the server is up. It reads without JavaScript.
//
// A page is one document. Its style and its script stand in it, so that nothing else has to be served, cached or
// proxied beside it, and the content security policy names both by their hashes: no other script ever runs.
package page

import (
	"html/template"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
)

// Options say what is on a page.
type Options struct {
	// Server is what the clients are configured for. One without a URL and without a Command is this server, at the address
	// of each request.
	Server clients.Server
	// Note is one more sentence about connecting, such as what to do first; usually none.
	Note string
	// Data is set where the data is at / and this page beside it.
	Data bool
}

// A Page is served to many at a time.
type Page struct {
	options Options
	frame   *Frame
}

// New returns a page.
func New(o Options) *Page { return &Page{o, NewFrame(file("page.html"), "", false, nil)} }

// document is what the template is given. It has no token.
type document struct {
	Options  // without the URL of a server, clients start this program instead of calling it
	Endpoint string
	State    state
	Guides   []guide
	Others   []string // clients for which there is no path
}

// Serve answers a request with the page. endpoint is the URL of /mcp; status is what /readyz says, or "" if it is not known.
func (p *Page) Serve(w http.ResponseWriter, r *http.Request, endpoint, status string) {
	d := document{Options: p.options, Endpoint: endpoint, State: states[status]}
	if d.Server.URL == "" && d.Server.Command == "" {
		d.Server.URL = endpoint
	}
	for _, client := range clients.All() {
		switch {
		case client.Check(d.Server) == "":
			d.Guides = append(d.Guides, newGuide(client, d.Server))
		case client.Name != "generic":
			d.Others = append(d.Others, client.Title)
		}
	}
	p.frame.Write(w, r, http.StatusOK, "page", d)
}

// A state is a server's status in words.
type state struct{ Kind, Name, Sentence string }

// states are keyed by what /readyz says. What exactly does not answer is for the operator alone.
var states = map[string]state{
	"ready":     {"good", "Ready", "The server answers."},
	"not_ready": {"bad", "Not ready", "Something that the server needs does not answer. Calls fail with an error that says so; try again in a minute."},
	"starting":  {"wait", "Starting", "The server is starting. Try again in a moment."},
	"draining":  {"wait", "Stopping", "The server is being stopped or replaced. Try again in a moment."},
}

// A guide is one client's row: one recommended path, and the entry to write by hand where there is a file for it.
type guide struct {
	clients.Guide
	Name, Title string
	Link        template.URL
	Paths       []string // of the file for Entry
}

func newGuide(client clients.Client, server clients.Server) guide {
	// The visitor's machine is not known. What is shown holds on every system, for commands of plain words are quoted alike.
	g := guide{Guide: client.Guide(server, place("linux"), "", nil), Name: client.Name, Title: strings.ToUpper(client.Title[:1]) + client.Title[1:]}
	// A link is the same on every system, where a command with JSON in it is quoted in its own way on each. These two
	// schemes are all that html/template need let through.
	if link := g.Guide.Link; strings.HasPrefix(link, "cursor://") || strings.HasPrefix(link, "vscode:") {
		g.Link, g.Commands = template.URL(link), nil // #nosec G203 -- built by clients, with what it holds escaped
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		if path := filepath.ToSlash(client.Path(place(system))); path != "" && !slices.Contains(g.Paths, path) {
			g.Paths = append(g.Paths, path)
		}
	}
	return g
}

// place is a machine as its owner speaks of it.
func place(system string) clients.Place {
	return clients.Place{OS: system, Home: "~", Getenv: func(string) string { return "" }}
}
