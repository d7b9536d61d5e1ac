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

// metaBytes matches UTF-8 bytes that are escaped as if each were a character: "\u00c3\u00b6" is "ö".
var metaBytes = item.Expression(`(?:\\u00[89a-f][0-9a-f])+`)

// mainArrays are the fields with the main array of a file, although another may be longer: a chat may have more participants than messages,
// a timeline more raw signals, and a Trello board more actions than cards.
var mainArrays = []string{"messages", "semanticSegments", "cards"}

// Parts returns the parts of a JSON file that become separate streams, or nil if the file is one stream.
func Parts(file io.ReadSeeker) []objects.Part { return objects.Parts(file, mainArrays...) }

// Array reads JSON objects in an array or, if part is not nil, in that part. It decodes the escaped UTF-8 of Facebook and Instagram.
func Array(file io.ReadSeeker, part *objects.Part) item.Records {
	parser, from := item.NewParser(), objects.NewArray(file, mainArrays...)
	if part != nil {
		from = objects.NewPart(file, *part)
	}
	return item.Shaped(from, func(one item.Item) (item.Item, error) {
		if bytes.Contains(one.Text, []byte(`\u00`)) {
			text := metaBytes().ReplaceAllFunc(one.Data(), func(escaped []byte) []byte {
				letters, _ := hex.DecodeString(strings.ReplaceAll(string(escaped), `\u00`, "")) // the expression requires hex digits
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

// post merges the objects in "data" of a Facebook post into one: each has one field, the text of the post or the time of its change.
func post(one item.Item) item.Item {
	data, ok := one.Value("data")
	if _, isPost := one.Value("timestamp"); !ok || !isPost || data[0] != '[' {
		return one
	}
	var members []string
	names, isOther := map[string]bool{}, false // "data" is a list of something else
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

// Meta reads the messages of a Facebook or Instagram conversation or, with about, the data on the conversation itself.
func Meta(file io.ReadSeeker, conversation string, about bool) item.Records {
	part, rest := objects.Around("messages")
	if about {
		part = rest
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
