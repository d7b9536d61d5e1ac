package services

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// Keep reads a note of Google Keep or what Google says of a photo, which has a file of its own.
func Keep(file io.Reader, name string) item.Records {
	return item.One(func() (item.Item, error) {
		content, err := item.ReadAll(file)
		if err != nil {
			return item.Item{}, err
		}
		fields, err := parse(item.NewParser(), bytes.TrimSpace(content), 0)
		if err != nil {
			return item.Item{}, err
		}
		note := gjson.ParseBytes(content)
		one := item.Item{Line: 1}
		one.Put("id", name)
		one.Put("created_at", table.Since1970(note.Get("createdTimestampUsec").String(), time.Microsecond))
		one.Put("edited_at", table.Since1970(note.Get("userEditedTimestampUsec").String(), time.Microsecond))
		one.Put("taken_at", table.Since1970(text(note, "photoTakenTime.timestamp"), time.Second))
		one.Put("labels", texts(note, "labels.#.name"))
		var lines []string
		for _, line := range list(note, "listContent") {
			mark := "[ ] "
			if line.Get("isChecked").Bool() {
				mark = "[x] "
			}
			lines = append(lines, mark+text(line, "text"))
		}
		one.Put("list", strings.Join(lines, "\n"))
		put(&one, fields, "id", "created_at", "edited_at", "createdTimestampUsec", "userEditedTimestampUsec", "listContent", "labels", "list",
			"textContentHtml")
		return one, nil
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
