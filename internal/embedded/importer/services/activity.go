package services

import (
	"bufio"
	"bytes"
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

// ActivityStart is how much of a page is searched for what Google puts around each of the things that a person did, in bytes.
const ActivityStart = 256 << 10

// IsActivity reports that a page begins as those of Google do that list what a person did.
func IsActivity(start []byte) bool { return bytes.Contains(start, activityCell) }

type activityReader struct {
	cells  *bufio.Scanner
	number int
}

// Activity reads a page of Google's that lists what a person did: watched, searched for, visited.
func Activity(file io.Reader) item.Reader {
	r := &activityReader{cells: bufio.NewScanner(file)}
	r.cells.Buffer(nil, item.MaxLine)
	r.cells.Split(func(data []byte, atEnd bool) (int, []byte, error) {
		if at := bytes.Index(data, activityCell); at >= 0 {
			return at + len(activityCell), data[:at], nil
		}
		if atEnd && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	r.cells.Scan() // what is above
	return r
}

func (r *activityReader) Next() (item.Item, error) {
	if !r.cells.Scan() {
		err := r.cells.Err()
		if err == nil {
			return item.Item{}, io.EOF
		}
		if errors.Is(err, bufio.ErrTooLong) {
			r.cells = bufio.NewScanner(strings.NewReader(""))
			return item.Item{}, item.UnusableError{Reason: "what follows is left out: " + item.ErrTooLong.Error()}
		}
		return item.Item{}, err
	}
	r.number++
	one := item.Item{Line: r.number}
	parts := activityPart().Split(`<div class="`+utf8text.Mend(r.cells.Text()), -1)
	one.Put("product", htmltext.Text(parts[0]))
	if len(parts) > 1 {
		lines := strings.Split(htmltext.Text(parts[1]), "\n")
		last := len(lines) - 1
		when := table.Moment(lines[last])
		if words := strings.Fields(lines[last]); when == lines[last] && len(words) > 1 { // without an unknown zone
			when = table.Moment(strings.Join(words[:len(words)-1], " "))
			if !item.IsTimestamp(when) {
				when = lines[last]
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
		if text := htmltext.Text(part); text != "" {
			details = append(details, text)
		}
	}
	one.Put("details", strings.Join(details, "\n"))
	return one, nil
}
