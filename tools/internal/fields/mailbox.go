package fields

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// MailboxField is the name of the field that has the folders of a mail.
const MailboxField = "mailbox"

// MailboxOf returns the stream that has the mail of all folders, and the folder, if a name is the path of a folder or the name that a
// stream of the folder would have. If the name begins with several streams, the longest one counts. It returns "" for a name that is
// similar to that of a stream. all is the schema of all streams; nil if unknown.
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

// foldersIn returns, by each stream in lower case with which a path or name may begin, the rest of that path or name.
func foldersIn(name string) map[string]string {
	name = strings.Trim(name, `/\ `)
	folders, signs, space := map[string]string{}, "_", " " // separators, and what replaces a _ in the rest
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
