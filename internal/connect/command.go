package connect

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
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
		g := c.Document.Grant
		if g.Source != "" && !slices.ContainsFunc(slices.Concat([]string{g.Source, g.Since}, g.Streams, g.Connections, g.Fields), isNoWord) {
			lines = append(lines, clients.CommandLine(runtime.GOOS, commandWords(c, cacheRoot, missing)))
		}
	}
	return lines
}

// isNoWord reports what a program could take for a flag, or some shell for more than a word however it is quoted. What a grant names are
// names of the server's.
func isNoWord(text string) bool {
	return strings.HasPrefix(text, "-") || strings.ContainsAny(text, `"%!`) || strings.ContainsFunc(text, unicode.IsControl)
}

func commandWords(c credentials.Credential, cacheRoot string, missing rs.Missing) []string {
	g := c.Document.Grant
	words := []string{"pdpp-mcp", "connect", c.ProviderURL, "--source", g.Source}
	add := func(flag string, granted []string, more ...string) {
		all := slices.Clone(granted)
		for _, value := range more {
			if value != "" && !slices.Contains(all, value) {
				all = append(all, value)
			}
		}
		for _, value := range all {
			words = append(words, flag, value)
		}
	}
	add("--stream", g.Streams, missing.Streams...)
	for _, field := range g.Fields { // where one is missing, all of its stream are asked for
		if stream, _, _ := strings.Cut(field, "."); missing.AllTimes || !slices.Contains(missing.Streams, stream) {
			words = append(words, "--field", field)
		}
	}
	add("--connection", g.Connections, missing.Connection)
	if g.Since != "" && !missing.AllTimes {
		words = append(words, "--since", strings.TrimSuffix(g.Since, "T00:00:00Z"))
	}
	if g.Mode == "single_use" {
		words = append(words, "--once")
	}
	if c.Name != credentials.DefaultName {
		words = append(words, "--name", c.Name)
	}
	if cacheRoot != "" {
		words = append(words, "--cache-root", cacheRoot)
	}
	return words
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
