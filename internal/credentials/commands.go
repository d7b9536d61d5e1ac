package credentials

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxCommands bounds the commands that are proposed where several grants could be meant.
const maxCommands = 3

// plainName is a name of a stream or connection that a command is proposed with: a person copies it into a shell.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)

// plainAddress is one that a person may copy.
var plainAddress = regexp.MustCompile(`^https?://[A-Za-z0-9_.:/~-]+$`)

// ConnectCommands are the command lines that ask for what stored grants of a provider have and for what is missing: a stream is asked of
// the grants that have it, or else of those whose source is known to have it. Where none is, the last command leaves the source to the
// owner, and the line behind it says where the owner finds it: not behind a #, which zsh at its prompt and cmd.exe read as more arguments.
func ConnectCommands(stored []Credential, missing rs.Missing) []string {
	for _, name := range append(slices.Clone(missing.Streams), missing.Connection) {
		if name != "" && !plainName.MatchString(name) {
			return nil
		}
	}
	of := make([][]string, len(stored)) // the missing streams that each is asked for
	var unknown []string
	for _, name := range missing.Streams {
		asked := askedOf(stored, name, missing.AllTimes)
		if len(asked) == 0 {
			unknown = append(unknown, name)
		}
		for _, i := range asked {
			of[i] = append(of[i], name)
		}
	}
	holders := holdersOf(stored, func(g Grant) bool { return slices.Contains(g.Connections, missing.Connection) })
	var lines []string
	for i, c := range stored {
		about := len(of[i]) > 0 || len(missing.Streams) == 0 && (len(holders) == 0 || slices.Contains(holders, i))
		if about && c.Document.Grant.isAskable() && len(lines) < maxCommands {
			c.Document.Grant = c.Document.Grant.wider(rs.Missing{Streams: of[i], Connection: missing.Connection, AllTimes: missing.AllTimes})
			lines = append(lines, connectCommand(c))
		}
	}
	askable := slices.IndexFunc(stored, func(c Credential) bool { return c.Document.Grant.isAskable() })
	if len(unknown) > 0 && askable >= 0 {
		lines = append(lines, ofAnotherSource(stored[askable], unknown)...)
	}
	return lines
}

// askedOf are the places of the credentials that are asked for a missing stream: those that have it or, where none has, those whose source
// does. Where its other times are missing, they are those of a grant that is limited, if there is one.
func askedOf(stored []Credential, stream string, allTimes bool) []int {
	has := holdersOf(stored, func(g Grant) bool { return slices.Contains(g.Streams, stream) })
	if len(has) == 0 {
		has = holdersOf(stored, func(g Grant) bool { return slices.Contains(g.Offered, stream) })
	}
	limited := slices.DeleteFunc(slices.Clone(has), func(i int) bool { return len(stored[i].Document.Grant.TimeLimits()) == 0 })
	if allTimes && len(limited) > 0 {
		return limited
	}
	return has
}

// holdersOf are the places of the credentials whose grant has something.
func holdersOf(stored []Credential, has func(Grant) bool) (at []int) {
	for i, c := range stored {
		if has(c.Document.Grant) {
			at = append(at, i)
		}
	}
	return at
}

// ofAnotherSource is the command line that asks a provider for streams which no source of its stored grants is known to have, and a line
// that says what KEY is.
func ofAnotherSource(stored Credential, streams []string) []string {
	other := Credential{ProviderURL: stored.ProviderURL, Root: stored.Root}
	other.Document.Grant = Grant{Source: "KEY", Streams: streams}
	where := "where they are signed in"
	if issuer := stored.Document.AuthorizationServer; plainAddress.MatchString(issuer) {
		where = "at " + strings.TrimRight(issuer, "/") + "/_ref/connections"
	}
	about := "KEY is for the owner to fill in: no connected source is known to have " + strings.Join(streams, ", ") +
		", and the owner sees the key of each source " + where
	return []string{connectCommand(other), about}
}

// wider is a grant with what is missing.
func (g Grant) wider(missing rs.Missing) Grant {
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
