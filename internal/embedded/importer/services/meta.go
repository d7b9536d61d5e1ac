package services

import (
	"bytes"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
)

var (
	metaName = item.Expression(`^message_\d+\.json$`)
	// metaBytes are the bytes of letters, each written as a character: "\u00c3\u00b6" is "ö".
	metaBytes = item.Expression(`(?:\\u00[89a-f][0-9a-f])+`)
)

// IsMeta reports that a file is a part of a conversation, as Facebook and Instagram write it.
func IsMeta(name string, start []byte) bool {
	return metaName().MatchString(path.Base(name)) && bytes.Contains(start, []byte(`"participants"`))
}

// mainArrays are the fields of those arrays that a file is about: of a chat, which has fewer messages than participants, of a timeline,
// which has more raw signals, and of a board of Trello, which has more actions than cards.
var mainArrays = []string{"messages", "semanticSegments", "cards"}

// Parts are the arrays of a JSON file that are streams of their own; nil: it is read as one.
func Parts(file io.ReadSeeker) []objects.Part { return objects.Parts(file, mainArrays...) }

// Array reads JSON objects in an array, or a part of a file. The letters of what Facebook and Instagram write are put together.
func Array(file io.ReadSeeker, part *objects.Part) item.Reader {
	parser, from := item.NewParser(), objects.NewArray(file, mainArrays...)
	if part != nil {
		from = objects.NewPart(file, *part)
	}
	return shaped{from, func(one item.Item) (item.Item, error) {
		if !bytes.Contains(one.Text, []byte(`\u00`)) {
			return place(one, parser)
		}
		text := metaBytes().ReplaceAllStringFunc(string(one.Data()), func(escaped string) string {
			var letters []byte
			for code := range strings.SplitSeq(escaped[2:], `\u`) {
				value, _ := strconv.ParseUint(code, 16, 8) // two digits, as the expression has them
				letters = append(letters, byte(value))
			}
			if !utf8.Valid(letters) {
				return escaped
			}
			return string(letters)
		})
		fields, err := parse(parser, []byte(text), one.Line)
		if err != nil {
			return one, err
		}
		one.Text, one.Fields = []byte(text), fields
		return place(one, parser)
	}}
}

// Meta reads the messages of a conversation of Facebook or Instagram or, about it, what is said of the conversation itself.
func Meta(file io.ReadSeeker, conversation string, about bool) item.Reader {
	part, beside := objects.Around("messages")
	if about {
		part = beside
	}
	return shaped{Array(file, &part), func(one item.Item) (item.Item, error) {
		made := item.Item{Line: one.Line, Number: one.Number, Note: one.Note, ID: conversation}
		if !about {
			made.ID += "-" + strconv.Itoa(one.Number)
		}
		made.Put("conversation", conversation)
		put(&made, one.Fields, "conversation")
		return made, nil
	}}
}
