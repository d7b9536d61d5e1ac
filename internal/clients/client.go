// Package clients knows the configuration of each MCP client and edits it: which file, in which format, under which key. It
// imports nothing of the server. An edit changes one entry; everything else in the file, comments and spacing included,
// stays as it is.
package clients

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Server is what a host is notified of: a hosted endpoint when URL is set, else a command that speaks stdio.
type Server struct {
	Name        string   // under which the host files it
	URL         string   // of a hosted /mcp
	TokenEnv    string   // environment variable in which the host finds a bearer token; empty: the host signs in itself
	Command     string   // absolute path of this program
	Arguments   []string // of Command
	Description string   // what is connected, for people: "the sample year"
}

func (s Server) hosted() bool { return s.URL != "" }

// words are the command of a local server.
func (s Server) words() []string { return append([]string{s.Command}, s.Arguments...) }

// fill puts the server's name and address into a text for people.
func (s Server) fill(text string) string {
	return strings.NewReplacer("{name}", s.Name, "{url}", s.URL).Replace(text)
}

// A Place is the machine that a host's configuration is looked for on.
type Place struct {
	OS     string              // as runtime.GOOS
	Home   string              // the person's home folder
	Getenv func(string) string // the environment
}

// folder is the one that a variable names, or else one below the home folder.
func (p Place) folder(variable string, below ...string) string {
	if value := p.Getenv(variable); value != "" && filepath.IsAbs(value) {
		return value
	}
	return filepath.Join(p.Home, filepath.Join(below...))
}

// applicationData is where desktop programs keep their settings.
func (p Place) applicationData() string {
	switch p.OS {
	case "darwin":
		return filepath.Join(p.Home, "Library", "Application Support")
	case "windows":
		return p.folder("APPDATA", "AppData", "Roaming")
	}
	return p.folder("XDG_CONFIG_HOME", ".config")
}

// A Client is one kind of MCP host.
type Client struct {
	Name  string // as typed: "claude-code"
	Title string // as shown: "Claude Code"

	path  func(Place) string // nil: it has no file of its own
	parse func(text string) (document, error)
	key   string // under which the file holds its servers; empty: it has no file to edit

	localOnly  bool   // the file takes commands alone; hosted servers are added in the host's own settings
	hostedOnly bool   // it runs no command of this machine
	tokenEnv   string // how a header quotes an environment variable, %s being its name; empty: not supported
	entry      func(Client, Server) object
	commands   func(Client, Server) [][]string     // the host's own, where it has one
	link       func(s Server, entry object) string // installs with a click, where the host has one
	steps      []string                            // to a hosted server in the host's own settings, where there is no file for it

	// signIn and restart are what a person does once it is added: where the host signs in to a hosted server, and everywhere else.
	signIn, restart string
}

// HasFile reports whether the host keeps its servers in a file that Add and Remove can edit.
func (c Client) HasFile() bool { return c.key != "" }

// Path is where the host keeps its servers on this machine; empty where it has no file, or none of its own.
func (c Client) Path(p Place) string {
	if c.path == nil {
		return ""
	}
	return c.path(p)
}

// variable is what one client or another replaces by a variable's value wherever an entry has it.
var variable = regexp.MustCompile(`\$[\w{]`)

// Check reports why the host cannot take a server, as one sentence with the way out; empty when it can.
func (c Client) Check(s Server) string {
	switch {
	case !s.hosted() && variable.MatchString(strings.Join(s.words(), " ")):
		return "Clients replace a $ and the name behind it by the value of that variable: give the folder another name, or name a link to it."
	case c.hostedOnly && !s.hosted():
		return c.Title + " runs no program of this machine: host the server (pdpp-mcp serve) and give its address with --url https://…/mcp."
	case s.TokenEnv != "" && !s.hosted():
		return "--token-env is for hosted servers: a local one reads its grant from the credential cache."
	case s.TokenEnv != "" && c.tokenEnv == "":
		return "No sure way is known for " + c.Title + " to take a token from the environment: leave --token-env out and sign in when it asks."
	}
	return ""
}

// CheckWrite is Check for an edit of the file.
func (c Client) CheckWrite(s Server) string {
	switch {
	case !c.HasFile():
		return c.Title + " keeps its servers in its own settings, not in a file: run without --write and follow the steps."
	case c.localOnly && s.hosted():
		return c.Title + " takes hosted servers only in its own settings: run without --write and follow the steps."
	}
	return c.Check(s)
}

// All returns every client that is known, the most used first.
func All() []Client { return slices.Clone(all) }

// ByName finds a client by what is typed.
func ByName(name string) (Client, bool) {
	at := slices.IndexFunc(all, func(c Client) bool { return c.Name == name })
	if at < 0 {
		return Client{}, false
	}
	return all[at], true
}

// Names are the names of all clients, in the order in which they are listed.
func Names() []string {
	var names []string
	for _, client := range all {
		names = append(names, client.Name)
	}
	return names
}
