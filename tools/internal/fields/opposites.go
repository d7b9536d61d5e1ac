package fields

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// opposites has the sides of words that exclude each other in the names of fields, such as party/sender and party/recipient: a field with a
// word of one side is never meant by a name with a word of another, however similar the names are.
var opposites = lexicon.Meanings("opposite")

// UnreadRecipients returns those of some fields that have recipients and that neither a search nor a filter reads, such as lists.
func UnreadRecipients(all []rs.SchemaField) (names []string) {
	for _, f := range all {
		side, isParty := strings.CutPrefix(opposites[written.Snake(f.Name)], "party/")
		if f.Granted && !f.Exact && !f.Lexical && isParty && side != "sender" {
			names = append(names, f.Name)
		}
	}
	return names
}

// party matches the name of a sender or recipient with what of it is meant.
var party = written.Expression(`^(?:sent_|written_)?(from|sender|author|by|to|cc|bcc|recipients?|receivers?|addressees?)` +
	`(?:_(?:names?|e_?mails?|mail|address|addresses|user|person))?$`)

// excludes reports whether a name cannot mean a field, because the two are opposites. The actor of a record is its sender.
func excludes(name string, f rs.SchemaField) bool {
	words, own := strings.Split(written.Snake(name), "_"), strings.Split(written.Snake(f.Name), "_")
	if f.Role == "actor" {
		own = append(own, "from")
	}
	sides, others := sidesOf(words), sidesOf(own)
	return slices.ContainsFunc(sides, func(side string) bool {
		about, _, _ := strings.Cut(side, "/")
		isOpposite := func(other string) bool { return strings.HasPrefix(other, about+"/") && !slices.Contains(sides, other) }
		return !slices.Contains(others, side) && slices.ContainsFunc(others, isOpposite)
	})
}

// sidesOf returns the sides of [opposites] that some words are on.
func sidesOf(words []string) (sides []string) {
	for _, word := range words {
		if side := opposites[word]; side != "" {
			sides = append(sides, side)
		}
	}
	return sides
}
