package services

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"html"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// Keep reads a file with one note of Google Keep, or with Google's metadata of one photo. The name becomes the id.
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

// Google exports location history in three formats. Records.json has the positions that phones measured. 2022_MARCH.json has the visits and
// trips of a month, each wrapped in an object with one field. Timeline.json of a phone has visits and trips with a startTime and, in
// addition, its measurements, each wrapped in an object with one field.

// placeKinds are the fields that wrap a record.
var placeKinds = []string{"placeVisit", "activitySegment", "position", "wifiScan", "activityRecord"}

// placeNames maps fields that differ between records, or that are nested needlessly, to a common name.
var placeNames = map[string]string{
	"duration.startTimestamp": "startTime", "duration.startTimestampMs": "startTime",
	"duration.endTimestamp": "endTime", "duration.endTimestampMs": "endTime",
	"timestamp": "timestamp", "timestampMs": "timestamp", "deliveryTime": "timestamp",
	"location.name": "name", "location.address": "address", "location.latitude": "latitude", "location.longitude": "longitude",
}

// degrees matches a coordinate in ten-millionths of a degree.
var degrees = item.Expression(`"(\w*[lL](?:at|ng|atitude|ongitude))E7"(\s*:\s*-?)(\d+)`)

func inDegrees(found string) string {
	part := degrees().FindStringSubmatch(found)
	digits := strings.Repeat("0", max(0, 8-len(part[3]))) + part[3]
	point := len(digits) - 7
	return `"` + part[1] + `"` + part[2] + digits[:point] + "." + digits[point:]
}

// place normalizes a record of the location history: the time is first, coordinates are in degrees, and the name and address of the visited
// place are at the top level. It returns other records unchanged.
func place(one item.Item, parser *item.Parser) (item.Item, error) {
	isAlone := len(one.Fields) == 1 && one.Fields[0].Value[0] == '{' && slices.Contains(placeKinds, one.Fields[0].Name)
	if _, isMeasured := one.Value("latitudeE7"); !isAlone && !isMeasured {
		return one, nil
	}
	made := item.Item{Line: one.Line, Number: one.Number, Note: one.Note}
	var kind []byte // nil: the record is not wrapped
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
		if slices.ContainsFunc(rest, func(other item.Field) bool { return other.Name == name }) { // not Google's format
			return one, nil
		}
		made.Fields = append(made.Fields, item.Field{Name: name, Value: lifted[name]})
	}
	made.Fields = append(made.Fields, rest...)
	return made, nil
}

// placeOrder lists the first fields of a record, in order.
var placeOrder = []string{"startTime", "endTime", "timestamp", "kind", "name", "address", "latitude", "longitude"}

var (
	activityCell = []byte(`<div class="outer-cell mdl-cell`)
	activityPart = item.Expression(`<div class="content-cell [^>]*>`)
	firstLink    = item.Expression(`<a href="([^"]*)"`)
)

// ActivityStart is how many bytes of a page are searched for the element that Google puts around each activity.
const ActivityStart = 256 << 10

// IsActivity reports whether a page begins like Google's list of a person's activities.
func IsActivity(start []byte) bool { return bytes.Contains(start, activityCell) }

// Activity reads Google's list of what a person watched, searched for and visited. It has one activity in memory at a time.
func Activity(file io.Reader) item.Records {
	page, number := bufio.NewScanner(file), 0
	page.Buffer(nil, item.MaxLine)
	page.Split(func(data []byte, atEnd bool) (int, []byte, error) {
		if at := bytes.Index(data, activityCell); at >= 0 {
			return at + len(activityCell), data[:at], nil
		}
		if atEnd && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	page.Scan() // what is above the first activity
	return item.Each(func() (item.Item, error) {
		if page.Scan() {
			number++
			return activity(utf8text.Mend(page.Text()), number), nil
		}
		err := cmp.Or(page.Err(), io.EOF)
		if errors.Is(err, bufio.ErrTooLong) {
			page, err = bufio.NewScanner(strings.NewReader("")), item.UnusableError{Reason: "what follows is left out: " + item.ErrTooLong.Error()}
		}
		return item.Item{}, err
	})
}

func activity(cell string, number int) item.Item {
	one := item.Item{Line: number}
	parts := activityPart().Split(`<div class="`+cell, -1)
	one.Put("product", htmltext.Text(parts[0]))
	if len(parts) > 1 {
		lines := strings.Split(htmltext.Text(parts[1]), "\n")
		last := len(lines) - 1
		when := table.Moment(lines[last])
		if zone := strings.LastIndexAny(when, " \u202f"); zone > 0 { // drop a zone of unknown name
			if known := table.Moment(when[:zone]); item.IsTimestamp(known) {
				when = known
			}
		}
		one.Put("time", when)
		if last > 0 {
			one.Put("title", lines[0])
			one.Put("description", strings.Join(lines[1:last], "\n"))
		}
		if link := firstLink().FindStringSubmatch(parts[1]); link != nil {
			one.Put("url", html.UnescapeString(link[1]))
		}
	}
	var details []string
	for _, part := range parts[min(2, len(parts)):] {
		details = append(details, htmltext.Text(part))
	}
	one.Put("details", joinLines(details))
	return one
}
