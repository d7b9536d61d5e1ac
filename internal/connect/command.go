package connect

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxCommands bounds the commands that are proposed where several grants could be meant.
const maxCommands = 3

// plainName is a name of a stream or connection that a command is proposed with: a person copies it into a shell.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)

// Commands returns the command lines that ask for what stored grants of a provider have and for what is missing: that of the grant which
// it is about, or where that is not known of each. cacheRoot is where they are stored, "" for the usual place.
func Commands(stored []credentials.Credential, cacheRoot string, missing rs.Missing) []string {
	for _, name := range append(slices.Clone(missing.Streams), missing.Connection) {
		if name != "" && !plainName.MatchString(name) {
			return nil
		}
	}
	about := slices.DeleteFunc(slices.Clone(stored), func(c credentials.Credential) bool {
		return !slices.Contains(c.Document.Grant.Connections, missing.Connection) &&
			!slices.ContainsFunc(missing.Streams, func(name string) bool { return slices.Contains(c.Document.Grant.Streams, name) })
	})
	if missing.AllTimes {
		about = slices.DeleteFunc(about, func(c credentials.Credential) bool { return len(limitsOf(c)) == 0 })
	}
	if len(about) == 0 {
		about = stored
	}
	var lines []string
	for _, c := range about[:min(len(about), maxCommands)] {
		if c.Document.Grant.IsAskable() {
			c.Document.Grant = wider(c.Document.Grant, missing)
			lines = append(lines, credentials.ConnectCommandIn(c, cacheRoot))
		}
	}
	return lines
}

// wider is a grant with what is missing.
func wider(g credentials.Grant, missing rs.Missing) credentials.Grant {
	add := func(granted []string, more ...string) []string {
		all := slices.Clone(granted)
		for _, value := range more {
			if value != "" && !slices.Contains(all, value) {
				all = append(all, value)
			}
		}
		return all
	}
	g.Streams, g.Connections = add(g.Streams, missing.Streams...), add(g.Connections, missing.Connection)
	if missing.AllTimes {
		g.Since = ""
		return g
	}
	g.Fields = slices.DeleteFunc(slices.Clone(g.Fields), func(field string) bool { // where one is missing, all of its stream are asked for
		stream, _, _ := strings.Cut(field, ".")
		return slices.Contains(missing.Streams, stream)
	})
	return g
}

// limitsOf are the times that streams of a stored grant are limited to.
func limitsOf(c credentials.Credential) []rs.TimeLimit {
	g := c.Document.Grant
	all := slices.Clone(g.Limits)
	if len(all) > 0 || g.Since == "" && g.Until == "" {
		return all
	}
	for _, stream := range g.Streams {
		all = append(all, rs.TimeLimit{Stream: stream, Since: g.Since, Until: g.Until})
	}
	return all
}
