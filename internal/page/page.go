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

// A View is what differs from request to request.
type View struct {
	Endpoint string // URL of /mcp
	Status   string // as /readyz names it; empty: not known
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
	View
	State    state
	Local    bool   // clients start this program instead of calling this server
	TokenEnv string // variable in which they find a token; empty: they need none, or sign in
	Guides   []guide
	Note     string
	Data     bool
	Others   []string // clients for which there is no path
}

// Serve answers a request with the page. endpoint is the URL of /mcp; status is what /readyz says, or "" if it is not known.
func (p *Page) Serve(w http.ResponseWriter, r *http.Request, endpoint, status string) {
	view := View{Endpoint: endpoint, Status: status}
	server := p.options.Server
	if server.URL == "" && server.Command == "" {
		server.URL = view.Endpoint
	}
	common := document{
		View: view, State: states[view.Status], Local: server.URL == "", TokenEnv: server.TokenEnv, Note: p.options.Note, Data: p.options.Data,
	}
	for _, client := range clients.All() {
		switch {
		case client.Check(server) == "":
			common.Guides = append(common.Guides, newGuide(client, server))
		case client.Name != "generic":
			common.Others = append(common.Others, client.Title)
		}
	}
	p.frame.Write(w, r, http.StatusOK, "page", common)
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
	Name, Title string
	Link        template.URL
	Commands    []string
	Steps       []string
	After       string
	Entry       string
	Paths       []string // of the file for Entry
}

func newGuide(client clients.Client, server clients.Server) guide {
	// The visitor's machine is not known. What is shown holds on every system, for commands of plain words are quoted alike.
	made := client.Guide(server, place("linux"), "", nil)
	g := guide{
		Name: client.Name, Title: strings.ToUpper(client.Title[:1]) + client.Title[1:],
		Commands: made.Commands, Steps: made.Steps, After: made.After, Entry: made.Entry,
	}
	// A link is the same on every system, where a command with JSON in it is quoted in its own way on each. These two
	// schemes are all that html/template need let through.
	if strings.HasPrefix(made.Link, "cursor://") || strings.HasPrefix(made.Link, "vscode:") {
		g.Link, g.Commands = template.URL(made.Link), nil // #nosec G203 -- built by clients, with what it holds escaped
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
