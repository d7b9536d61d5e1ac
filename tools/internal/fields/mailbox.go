package fields

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// MailboxField is the field that has the folders of a mail.
const MailboxField = "mailbox"

// MailboxOf is the stream that has the mail of all folders, and the folder of it, where a name is the path of that, or the name that a
// stream of it would have: of several streams that it begins with, the longest. It is none of a name that is rather a stream's own. all is
// the schema of all streams; nil where it is not known.
func MailboxOf(name string, streams []string, all *rs.Schema) (stream, folder string) {
	if all == nil {
		return "", ""
	}
	_, whole := identifier.StreamOfPath(name)
	for _, known := range streams {
		if find(whole, known, written.WordsOf(whole), written.WordsOf(known)).how <= misspelt {
			return "", ""
		}
		if rest := behind(name, known); rest != "" && len(known) > len(stream) && Read(known, all).Field(MailboxField) != nil {
			stream, folder = known, rest
		}
	}
	return stream, folder
}

// behind is what a path or the name of a stream has behind another stream's; "" for nothing.
func behind(name, stream string) string {
	name = strings.Trim(name, `/\ `)
	for at, sign := range name {
		_, before := identifier.StreamOfPath(name[:at])
		switch isPath := strings.ContainsAny(name, `/\`); {
		case !strings.EqualFold(before, stream) || at == 0:
		case isPath && strings.ContainsRune(`/\`, sign):
			return name[at+1:]
		case !isPath && sign == '_':
			return strings.ReplaceAll(name[at+1:], "_", " ") // as which spaces are written
		}
	}
	return ""
}
