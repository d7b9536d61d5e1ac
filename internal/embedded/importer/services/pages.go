package services

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"html"
	"io"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

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
