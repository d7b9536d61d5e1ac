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
	if all == nil || len(name) > written.LongestName {
		return "", ""
	}
	_, whole := identifier.StreamOfPath(name)
	sought, behind, read := written.WordsOf(whole), foldersIn(name), byName(all)
	for _, known := range streams {
		if find(whole, known, sought, written.WordsOf(known)).how <= misspelt {
			return "", ""
		}
		if rest := behind[strings.ToLower(known)]; rest != "" && len(known) > len(stream) && read(known).Field(MailboxField) != nil {
			stream, folder = known, rest
		}
	}
	return stream, folder
}

// foldersIn is what a path or the name of a stream has behind each stream, in small letters, that it may begin with.
func foldersIn(name string) map[string]string {
	name = strings.Trim(name, `/\ `)
	folders, signs, space := map[string]string{}, "_", " " // as which spaces are written
	if strings.ContainsAny(name, `/\`) {
		signs, space = `/\`, "_"
	}
	for at, sign := range name {
		if at == 0 || !strings.ContainsRune(signs, sign) {
			continue
		}
		_, before := identifier.StreamOfPath(name[:at])
		if before = strings.ToLower(before); folders[before] == "" {
			folders[before] = strings.ReplaceAll(name[at+1:], "_", space)
		}
	}
	return folders
}
