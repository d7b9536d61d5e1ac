package fields

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// mailbox is the field that has the folders of a mail.
const mailbox = "mailbox"

// InMailbox are arguments that name a folder of mail by its path, or by the name that a stream of it would have, with the stream that has
// the mail of all these folders and, if filters is set, a condition on the folder; nil for any other arguments. all is the schema of all
// streams, nil where it is not known.
func InMailbox(args rs.Object, streams []string, all *rs.Schema, filters bool) rs.Object {
	if all == nil {
		return nil
	}
	names, param := args.Array("streams"), "streams"
	if args.Has("stream") {
		names, param = []string{args.Get("stream")}, "stream"
	}
	if len(names) != 1 {
		return nil
	}
	name, _ := written.Text(names[0])
	stream, folder := mailboxOf(name, streams, all)
	if stream == "" {
		return nil
	}
	if args = args.With(param, rs.EncodeJSON(stream)); param == "streams" {
		args = args.With(param, rs.EncodeJSON([]string{stream}))
	}
	if filter := args.Object("filter"); filters && !filter.Includes(mailbox) {
		args = args.With("filter", filter.With(mailbox, rs.EncodeJSON(folder)).JSON())
	}
	return args
}

// mailboxOf is the stream whose name a name begins with, the longest of several, and the folder of mail that is behind it. It is
// none of a name that is rather a stream's own.
func mailboxOf(name string, streams []string, all *rs.Schema) (stream, folder string) {
	_, whole := identifier.StreamOfPath(name)
	for _, known := range streams {
		if find(whole, known, written.WordsOf(whole), written.WordsOf(known)).how <= misspelt {
			return "", ""
		}
		if rest := behind(name, known); rest != "" && len(known) > len(stream) && Read(known, all).Field(mailbox) != nil {
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
