// Package clients edits the configuration files of MCP clients: it has the path, format and key of each. An edit changes one entry and
// preserves everything else in the file, comments and spacing included. The package does not import the server.
package clients

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Server is an MCP server to add to a host: a hosted endpoint if URL is set, else a command that speaks stdio.
type Server struct {
	Name        string   // the server's key in the host's file
	URL         string   // of a hosted /mcp
	TokenEnv    string   // the environment variable with a bearer token; empty: the host signs in itself
	Command     string   // absolute path of this program
	Arguments   []string // of Command
	Description string   // of the data, for people: "the sample year"
}

func (s Server) hosted() bool { return s.URL != "" }

func (s Server) words() []string { return append([]string{s.Command}, s.Arguments...) }

// fill puts the server's name and address into a text for people.
func (s Server) fill(text string) string {
	return strings.NewReplacer("{name}", s.Name, "{url}", s.URL).Replace(text)
}

// A Place is the machine and user account whose host configurations are edited.
type Place struct {
	OS     string // as runtime.GOOS
	Home   string // the home folder
	Getenv func(string) string
}

// folder returns the absolute path in an environment variable or, without one, a folder below the home folder.
func (p Place) folder(variable string, below ...string) string {
	if value := p.Getenv(variable); value != "" && filepath.IsAbs(value) {
		return value
	}
	return filepath.Join(p.Home, filepath.Join(below...))
}

// applicationData returns the folder in which desktop programs keep their settings.
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

	path  func(Place) string // nil: no file at a known path
	parse func(text string) (document, error)
	key   string // of the file's member that lists the servers; empty: no file to edit

	localOnly  bool   // the file accepts only commands; hosted servers are added in the host's own settings
	hostedOnly bool   // the host cannot run a command
	tokenEnv   string // format of a reference to an environment variable in a header, %s being its name; empty: not supported
	entry      func(Client, Server) object
	command    func(Client, Server) []string       // the host's own command to add a server; nil: none
	link       func(s Server, entry object) string // a link that installs the server; nil: none
	steps      []string                            // to add a hosted server in the host's own settings

	// What a person does after adding a server: signIn if the host signs in to a hosted server, else restart.
	signIn, restart string
}

// HasFile reports whether the host keeps its servers in a file that Add and Remove can edit.
func (c Client) HasFile() bool { return c.key != "" }

// Path returns the file in which the host keeps its servers, or "" if there is none at a known path.
func (c Client) Path(p Place) string {
	if c.path == nil {
		return ""
	}
	return c.path(p)
}

// variable matches what some clients expand as a variable anywhere in an entry.
var variable = regexp.MustCompile(`\$[\w{]`)

// Check returns why the host cannot use a server and what to do instead, as one sentence, or "" if it can.
func (c Client) Check(s Server) string {
	switch {
	case !s.hosted() && variable.MatchString(strings.Join(s.words(), " ")):
		return "Some clients replace a $ and the name behind it by the value of that variable: give the folder another name, or name a link to it."
	case c.hostedOnly && !s.hosted():
		return c.Title + " cannot run a program on this machine: host the server (pdpp-mcp serve) and give its address with --url https://…/mcp."
	case s.TokenEnv != "" && !s.hosted():
		return "--token-env is for hosted servers: a local one reads its grant from the credential cache."
	case s.TokenEnv != "" && c.tokenEnv == "":
		return "--token-env is not for " + c.Title + ": no way is known by which it takes a token from the environment. Leave it out, and sign in when it asks."
	}
	return ""
}

// CheckWrite is Check for adding the server to the host's file.
func (c Client) CheckWrite(s Server) string {
	switch {
	case !c.HasFile():
		return c.Title + " keeps its servers in its own settings, not in a file: run without --write and follow the steps."
	case c.localOnly && s.hosted():
		return c.Title + " takes hosted servers only in its own settings: run without --write and follow the steps."
	}
	return c.Check(s)
}

// All returns all known clients, the most used first.
func All() []Client { return slices.Clone(all) }

// ByName finds a client by its Name.
func ByName(name string) (Client, bool) {
	at := slices.IndexFunc(all, func(c Client) bool { return c.Name == name })
	if at < 0 {
		return Client{}, false
	}
	return all[at], true
}

// Names returns the names of all clients, in the order of All.
func Names() []string {
	var names []string
	for _, client := range all {
		names = append(names, client.Name)
	}
	return names
}
