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

// cells splits a page into the pieces that follow a mark, with one piece in memory at a time.
type cells struct {
	above   string // the text before the first piece
	scanner *bufio.Scanner
}

func newCells(file io.Reader, mark []byte) *cells {
	c := &cells{scanner: bufio.NewScanner(file)}
	c.scanner.Buffer(nil, item.MaxLine)
	c.scanner.Split(func(data []byte, atEnd bool) (int, []byte, error) {
		if at := bytes.Index(data, mark); at >= 0 {
			return at + len(mark), data[:at], nil
		}
		if atEnd && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	if c.scanner.Scan() {
		c.above = utf8text.Mend(c.scanner.Text())
	}
	return c
}

func (c *cells) next() (string, error) {
	if c.scanner.Scan() {
		return utf8text.Mend(c.scanner.Text()), nil
	}
	err := c.scanner.Err()
	if !errors.Is(err, bufio.ErrTooLong) {
		return "", cmp.Or(err, io.EOF)
	}
	c.scanner = bufio.NewScanner(strings.NewReader(""))
	return "", item.UnusableError{Reason: "what follows is left out: " + item.ErrTooLong.Error()}
}

var (
	activityCell = []byte(`<div class="outer-cell mdl-cell`)
	activityPart = item.Expression(`<div class="content-cell [^>]*>`)
	firstLink    = item.Expression(`<a href="([^"]*)"`)
)

// ActivityStart is how many bytes of a page are searched for the element that Google puts around each activity.
const ActivityStart = 256 << 10

// IsActivity reports whether a page begins like Google's list of a person's activities.
func IsActivity(start []byte) bool { return bytes.Contains(start, activityCell) }

// Activity reads Google's list of what a person watched, searched for and visited.
func Activity(file io.Reader) item.Records {
	cells, number := newCells(file, activityCell), 0
	return item.Each(func() (item.Item, error) {
		cell, err := cells.next()
		if err != nil {
			return item.Item{}, err
		}
		number++
		return activity(cell, number), nil
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
