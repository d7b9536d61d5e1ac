package credentials

import (
	"errors"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// ConnectCommand returns the command line that requests the grant of a stored credential again and stores it in the same place. KEY
// replaces a source that is unknown or cannot be quoted safely for a shell.
func ConnectCommand(c Credential) string {
	if !c.Document.Grant.isAskable() {
		c.Document.Grant = Grant{Source: "KEY"}
	}
	return connectCommand(c)
}

// isAskable reports whether a command line can request this grant.
func (g Grant) isAskable() bool {
	return g.Source != "" && !slices.ContainsFunc(slices.Concat([]string{g.Source, g.Since}, g.Streams, g.Connections, g.Fields), isNoWord)
}

// connectCommand is ConnectCommand for a grant that is askable.
func connectCommand(c Credential) string {
	g := c.Document.Grant
	words := []string{"pdpp-mcp", "connect", c.ProviderURL, "--source", g.Source}
	for _, asked := range []struct {
		flag   string
		values []string
	}{{"--stream", g.Streams}, {"--field", g.Fields}, {"--connection", g.Connections}} {
		for _, value := range asked.values {
			words = append(words, asked.flag, value)
		}
	}
	words = append(words, clients.Flags("--since", strings.TrimSuffix(g.Since, "T00:00:00Z"))...)
	if g.Mode == "single_use" {
		words = append(words, "--once")
	}
	name := c.Name
	if name == DefaultName {
		name = ""
	}
	return clients.CommandLine(runtime.GOOS, append(words, clients.Flags("--name", name, "--cache-root", c.Root)...))
}

// isNoWord reports whether a program could take text for a flag, or a shell could take it for more than one word despite quotes:
// PowerShell runs $( ) inside quotation marks and accepts typographic ones. The names in a grant come from the server.
func isNoWord(text string) bool {
	return strings.HasPrefix(text, "-") || strings.ContainsAny(text, "\"%!$`‘’‚‛“”„") || strings.ContainsFunc(text, unicode.IsControl)
}

// RunCommand separates an error message from the command that fixes it.
const RunCommand = " Run: "

// withCommand appends the command that replaces an unusable credential to its error.
func withCommand(c Credential, err error) error {
	refused, ok := errors.AsType[*exit.Error](err)
	if !ok {
		return err
	}
	return &exit.Error{Code: refused.Code, Message: refused.Message + RunCommand + ConnectCommand(c)}
}

// maxCommands is the most commands proposed when several grants match.
const maxCommands = 3

// plainName matches stream and connection names that are safe in a command that a person pastes into a shell.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)

// plainAddress matches URLs that are safe to paste.
var plainAddress = regexp.MustCompile(`^https?://[A-Za-z0-9_.:/~-]+$`)

// ConnectCommands returns command lines that request what the stored grants of a provider include plus what is missing. A missing stream
// is added to the grants that have it or, if none has, to those whose source offers it. If no source is known to offer it, the last
// command has the placeholder KEY as its source, followed by a line that says where the owner finds the key. That line does not begin
// with #, which interactive zsh and cmd.exe do not treat as a comment.
func ConnectCommands(stored []Credential, missing rs.Missing) []string {
	for _, name := range append(slices.Clone(missing.Streams), missing.Connection) {
		if name != "" && !plainName.MatchString(name) {
			return nil
		}
	}
	of := make([][]string, len(stored)) // the missing streams to add to each grant
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

// askedOf returns the indexes of the credentials to which a missing stream is added: those that have it or, if none has, those whose
// source offers it. If other times of the stream are missing, only grants with a time limit count, if there are any.
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

func holdersOf(stored []Credential, has func(Grant) bool) (at []int) {
	for i, c := range stored {
		if has(c.Document.Grant) {
			at = append(at, i)
		}
	}
	return at
}

// ofAnotherSource returns the command line that requests streams which no source of the stored grants is known to offer, and a line that
// explains KEY.
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
	g.Fields = slices.DeleteFunc(slices.Clone(g.Fields), func(field string) bool { // a missing stream is requested with all its fields
		stream, _, _ := strings.Cut(field, ".")
		return slices.Contains(missing.Streams, stream)
	})
	return g
}
