package services

import (
	"bytes"
	"html"
	"io"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
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
	cells  *cells
	number int
}

// Activity reads a page of Google's that lists what a person did: watched, searched for, visited.
func Activity(file io.Reader) item.Reader {
	return &activityReader{cells: newCells(file, activityCell)}
}

func (r *activityReader) Next() (item.Item, error) {
	cell, err := r.cells.next()
	if err != nil {
		return item.Item{}, err
	}
	r.number++
	one := item.Item{Line: r.number}
	parts := activityPart().Split(`<div class="`+cell, -1)
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
