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

// cells are the pieces of a page that begin with a mark, of which one is in memory at a time.
type cells struct {
	above   string // what stands before the first
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

// ActivityStart is how much of a page is searched for what Google puts around each of the things that a person did, in bytes.
const ActivityStart = 256 << 10

// IsActivity reports that a page begins as those of Google do that list what a person did.
func IsActivity(start []byte) bool { return bytes.Contains(start, activityCell) }

// Activity reads a page of Google's that lists what a person did: watched, searched for, visited.
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
		if zone := strings.LastIndexAny(when, " \u202f"); zone > 0 { // an unknown one
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

var (
	telegramTitle = item.Expression(`(?s)<div class="text bold">(.*?)</div>`)
	telegramStart = item.Expression(`^(service|default)[^>]*? id="message(-?\d+)"[^>]*>`)
	// telegramParts are what is put into fields of its own. What a page shows beside the rest, such as initials and day, goes into none.
	telegramParts = item.Expression(`(?s)<div class="(userpic|pull_right date|from_name|reply_to|` +
		`text)\b[^"]*"(?: title="([^"]*)")?[^>]*>(.*?)</div>`)
	telegramReply = item.Expression(`go_to_message(\d+)`)
	telegramFile  = item.Expression(`<a class="[^"]*(?:wrap|media)[^"]*" href="([^"]*)"`)
)

type telegramPageReader struct {
	cells        *cells
	folder, chat string
	from         string // of the last message: the next one may go on without a name
}

// TelegramPage reads the messages of a page of a chat, which lies in a folder of its own.
func TelegramPage(file io.Reader, folder string) item.Records {
	r := &telegramPageReader{cells: newCells(file, []byte(`<div class="message `)), folder: folder}
	if title := telegramTitle().FindStringSubmatch(r.cells.above); title != nil {
		r.chat = htmltext.Text(title[1])
	}
	return item.Each(r.next)
}

func (r *telegramPageReader) next() (item.Item, error) {
	var cell string
	var start []string
	for start == nil || strings.HasPrefix(start[2], "-") { // a day between messages
		var err error
		if cell, err = r.cells.next(); err != nil {
			return item.Item{}, err
		}
		if start = telegramStart().FindStringSubmatch(cell); start == nil {
			return item.Item{}, item.Unusable(1, "a message without a number")
		}
	}
	said := map[string]string{}
	var rest strings.Builder
	for index, part := range strings.SplitN(cell[len(start[0]):], `<div class="forwarded body">`, 2) {
		rest.WriteString("<br>" + telegramParts().ReplaceAllStringFunc(part, func(one string) string {
			found := telegramParts().FindStringSubmatch(one)
			switch found[1] {
			case "from_name":
				if index > 0 { // who wrote what is forwarded
					return one
				}
				r.from = htmltext.Text(found[3])
			case "text":
				said["text"] = htmltext.Text(found[3])
			case "pull_right date":
				said["date"] = table.Moment(found[2])
			case "reply_to":
				if answered := telegramReply().FindStringSubmatch(found[3]); answered != nil {
					said["in_reply_to"] = r.folder + "-" + answered[1]
				}
			}
			return ""
		}))
	}
	made := item.Item{ID: r.folder + "-" + start[2], Line: 1}
	made.Put("id", made.ID)
	made.Put("chat", r.chat)
	made.Put("date", said["date"])
	if start[1] == "default" { // and not what the service says
		made.Put("from", r.from)
	}
	made.Put("in_reply_to", said["in_reply_to"])
	made.Put("text", said["text"])
	made.Put("details", htmltext.Text(rest.String()))
	var files []string
	for _, file := range telegramFile().FindAllStringSubmatch(cell, -1) {
		files = append(files, html.UnescapeString(file[1]))
	}
	made.Put("files", files)
	return made, nil
}
