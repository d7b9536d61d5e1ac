package services

import (
	"bytes"
	"html"
	"io"
	"path"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

var (
	telegramPage  = item.Expression(`^messages\d*\.html$`)
	telegramTitle = item.Expression(`(?s)<div class="text bold">(.*?)</div>`)
	telegramStart = item.Expression(`^(service|default)[^>]*? id="message(-?\d+)"[^>]*>`)
	// telegramParts are what is put into fields of its own. What a page shows beside the rest, such as initials and day, goes into none.
	telegramParts = item.Expression(`(?s)<div class="(userpic|pull_right date|from_name|reply_to|` +
		`text)\b[^"]*"(?: title="([^"]*)")?[^>]*>(.*?)</div>`)
	telegramReply = item.Expression(`go_to_message(\d+)`)
	telegramFile  = item.Expression(`<a class="[^"]*(?:wrap|media)[^"]*" href="([^"]*)"`)
)

// IsTelegramPage reports a page of a chat as Telegram exports it to be read in a browser.
func IsTelegramPage(name string, start []byte) bool {
	return telegramPage().MatchString(path.Base(name)) && bytes.Contains(start, []byte(`<div class="page_wrap">`))
}

type telegramPageReader struct {
	cells        *cells
	folder, chat string
	from         string // of the last message: the next one may go on without a name
}

// TelegramPage reads the messages of a page of a chat, which lies in a folder of its own.
func TelegramPage(file io.Reader, folder string) item.Reader {
	r := &telegramPageReader{cells: newCells(file, []byte(`<div class="message `)), folder: folder}
	if title := telegramTitle().FindStringSubmatch(r.cells.above); title != nil {
		r.chat = htmltext.Text(title[1])
	}
	return r
}

func (r *telegramPageReader) Next() (item.Item, error) {
	var cell string
	var start []string
	for start == nil || strings.HasPrefix(start[2], "-") { // a day between messages
		var err error
		if cell, err = r.cells.next(); err != nil {
			return item.Item{}, err
		}
		if start = telegramStart().FindStringSubmatch(cell); start == nil {
			return item.Item{}, item.UnusableError{Line: 1, Reason: "a message without a number"}
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
