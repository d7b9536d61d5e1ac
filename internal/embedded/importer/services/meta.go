package services

import (
	"bytes"
	"encoding/hex"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
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
		if !bytes.Contains(one.Text, []byte(`\u00`)) {
			return place(post(one), parser)
		}
		text := metaBytes().ReplaceAllStringFunc(string(one.Data()), func(escaped string) string {
			letters, _ := hex.DecodeString(strings.ReplaceAll(escaped, `\u00`, "")) // digits, as the expression has them
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

// Google writes where a person was in three ways: Records.json has what phones measured; a month such as 2022_MARCH.json has visits of
// places and ways between them, each in an object of its own; Timeline.json of a phone has those by their startTime, and beside them what
// it measured, each in an object of its own.

// placeKinds are what stands in an object of its own.
var placeKinds = []string{"placeVisit", "activitySegment", "position", "wifiScan", "activityRecord"}

// placeNames are what fields are called of which one record has one and another another, or that are deeper than they need be.
var placeNames = map[string]string{
	"duration.startTimestamp": "startTime", "duration.startTimestampMs": "startTime",
	"duration.endTimestamp": "endTime", "duration.endTimestampMs": "endTime",
	"timestamp": "timestamp", "timestampMs": "timestamp", "deliveryTime": "timestamp",
	"location.name": "name", "location.address": "address", "location.latitude": "latitude", "location.longitude": "longitude",
}

// degrees are coordinates in ten-millionths of a degree.
var degrees = item.Expression(`"(\w*[lL](?:at|ng|atitude|ongitude))E7"(\s*:\s*-?)(\d+)`)

func inDegrees(found string) string {
	part := degrees().FindStringSubmatch(found)
	digits := strings.Repeat("0", max(0, 8-len(part[3]))) + part[3]
	point := len(digits) - 7
	return `"` + part[1] + `"` + part[2] + digits[:point] + "." + digits[point:]
}

// place makes plain where a person was: with the time first, coordinates in degrees, and the name and address of what was visited. Other
// records stay as they are.
func place(one item.Item, parser *item.Parser) (item.Item, error) {
	isAlone := len(one.Fields) == 1 && one.Fields[0].Value[0] == '{' && slices.Contains(placeKinds, one.Fields[0].Name)
	if _, isMeasured := one.Value("latitudeE7"); !isAlone && !isMeasured {
		return one, nil
	}
	made := item.Item{Line: one.Line, Number: one.Number, Note: one.Note}
	var kind []byte // nil: none
	text := []byte(degrees().ReplaceAllStringFunc(string(one.Data()), inDegrees))
	fields, err := parse(parser, text, one.Line)
	if err == nil && isAlone {
		kind = item.JSON(fields[0].Name)
		fields, err = parse(parser, fields[0].Value, one.Line)
	}
	if err != nil {
		return one, err
	}
	lifted := map[string][]byte{"kind": kind}
	var rest []item.Field
	for _, field := range fields {
		parts := []item.Field{field}
		if field.Name == "duration" || field.Name == "location" {
			parts = item.Unfold(field)
		}
		for _, part := range parts {
			name := placeNames[part.Name]
			if name == "" || lifted[name] != nil {
				rest = append(rest, part)
				continue
			}
			lifted[name] = part.Value
			if count := strings.Trim(string(part.Value), `"`); !strings.HasSuffix(part.Name, "Ms") {
				continue
			} else if when := table.Since1970(count, time.Millisecond); when != "" {
				lifted[name] = item.JSON(when)
			} else if count == "0" {
				lifted[name] = []byte("null")
			}
		}
	}
	for _, name := range placeOrder {
		if lifted[name] == nil {
			continue
		}
		if slices.ContainsFunc(rest, func(other item.Field) bool { return other.Name == name }) { // not as Google writes it
			return one, nil
		}
		made.Fields = append(made.Fields, item.Field{Name: name, Value: lifted[name]})
	}
	made.Fields = append(made.Fields, rest...)
	return made, nil
}

// placeOrder is how a record begins.
var placeOrder = []string{"startTime", "endTime", "timestamp", "kind", "name", "address", "latitude", "longitude"}
