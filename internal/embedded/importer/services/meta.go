package services

import (
	"bytes"
	"encoding/hex"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
)

// metaBytes are the bytes of letters, each written as a character: "\u00c3\u00b6" is "ö".
var metaBytes = item.Expression(`(?:\\u00[89a-f][0-9a-f])+`)

// mainArrays are the fields of those arrays that a file is about: of a chat, which has fewer messages than participants, of a timeline,
// which has more raw signals, and of a board of Trello, which has more actions than cards.
var mainArrays = []string{"messages", "semanticSegments", "cards"}

// Parts are the arrays of a JSON file that are streams of their own; nil: it is read as one.
func Parts(file io.ReadSeeker) []objects.Part { return objects.Parts(file, mainArrays...) }

// Array reads JSON objects in an array, or a part of a file. The letters of what Facebook and Instagram write are put together.
func Array(file io.ReadSeeker, part *objects.Part) item.Records {
	parser, from := item.NewParser(), objects.NewArray(file, mainArrays...)
	if part != nil {
		from = objects.NewPart(file, *part)
	}
	return item.Shaped(from, func(one item.Item) (item.Item, error) {
		if bytes.Contains(one.Text, []byte(`\u00`)) {
			text := metaBytes().ReplaceAllFunc(one.Data(), func(escaped []byte) []byte {
				letters, _ := hex.DecodeString(strings.ReplaceAll(string(escaped), `\u00`, "")) // digits, as the expression has them
				if !utf8.Valid(letters) {
					return escaped
				}
				return letters
			})
			fields, err := parse(parser, text, one.Line)
			if err != nil {
				return one, err
			}
			one.Text, one.Fields = text, fields
		}
		return place(post(one), parser)
	})
}

// post makes one object of the "data" of a post of Facebook, in which each object has one field: what was written, and when it was
// changed.
func post(one item.Item) item.Item {
	data, ok := one.Value("data")
	if _, isPost := one.Value("timestamp"); !ok || !isPost || data[0] != '[' {
		return one
	}
	var members []string
	names, isOther := map[string]bool{}, false // a list of other things
	for _, part := range gjson.ParseBytes(data).Array() {
		count := len(names)
		part.ForEach(func(key, value gjson.Result) bool {
			names[key.Raw] = true
			members = append(members, key.Raw+":"+value.Raw)
			isOther = isOther || key.String() != "post" && !strings.HasSuffix(key.String(), "_timestamp")
			return true
		})
		if isOther || !part.IsObject() || len(names) != len(members) || len(names) > count+1 {
			return one
		}
	}
	object := "null"
	if len(members) > 0 {
		object = "{" + strings.Join(members, ",") + "}"
	}
	one.Replace("data", []byte(object))
	return one
}

// Meta reads the messages of a conversation of Facebook or Instagram or, about it, what is said of the conversation itself.
func Meta(file io.ReadSeeker, conversation string, about bool) item.Records {
	part, beside := objects.Around("messages")
	if about {
		part = beside
	}
	return item.Shaped(Array(file, &part), func(one item.Item) (item.Item, error) {
		made := item.Item{Line: one.Line, Number: one.Number, Note: one.Note, ID: conversation}
		if !about {
			made.ID += "-" + strconv.Itoa(one.Number)
		}
		made.Put("conversation", conversation)
		put(&made, one.Fields, "conversation")
		return made, nil
	})
}
