package services

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// Evernote reads the notes of an Evernote export (.enex). Of attachments it reads only the names.
func Evernote(file io.ReadSeeker) item.Records {
	notes := newElements(&withoutData{input: bufio.NewReaderSize(file, 1<<16)})
	return item.Each(notes.note)
}

// A withoutData skips everything between <data> and </data>: attachments of many megabytes, each on one line.
type withoutData struct {
	input *bufio.Reader
	ready []byte
}

func (w *withoutData) Read(into []byte) (int, error) {
	if len(w.ready) == 0 {
		part, err := w.input.ReadSlice('>')
		w.ready = part
		if begin := bytes.LastIndexByte(part, '<'); err == nil && begin >= 0 && bytes.HasPrefix(part[begin:], []byte("<data")) {
			w.ready = bytes.Clone(part)
			for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
				_, err = w.input.ReadSlice('<')
			}
			if err == nil {
				err = w.input.UnreadByte()
			}
		}
		if len(w.ready) == 0 {
			return 0, err
		}
	}
	count := copy(into, w.ready)
	w.ready = w.ready[count:]
	return count, nil
}

var todoMarks = strings.NewReplacer(`<en-todo checked="true"/>`, "[x] ", `<en-todo checked="true" />`, "[x] ", `<en-todo checked="false"/>`,
	"[ ] ", `<en-todo checked="false" />`, "[ ] ", "<en-todo/>", "[ ] ")

func (r *elements) note() (item.Item, error) {
	start, line, err := r.next("note")
	if err != nil {
		return item.Item{}, err
	}
	var note struct {
		Title     string   `xml:"title"`
		Content   string   `xml:"content"`
		Created   string   `xml:"created"`
		Updated   string   `xml:"updated"`
		Tags      []string `xml:"tag"`
		Author    string   `xml:"note-attributes>author"`
		Source    string   `xml:"note-attributes>source-url"`
		Latitude  string   `xml:"note-attributes>latitude"`
		Longitude string   `xml:"note-attributes>longitude"`
		Reminder  string   `xml:"note-attributes>reminder-time"`
		Files     []string `xml:"resource>resource-attributes>file-name"`
	}
	if err := r.DecodeElement(&note, &start); err != nil {
		return item.Item{}, r.broken(line, err)
	}
	one := item.Item{Line: line}
	one.Put("title", strings.TrimSpace(note.Title))
	one.Put("created_at", table.Moment(note.Created))
	one.Put("updated_at", table.Moment(note.Updated))
	one.Put("tags", note.Tags)
	one.Put("author", note.Author)
	one.Put("source_url", note.Source)
	putNumber(&one, "latitude", note.Latitude)
	putNumber(&one, "longitude", note.Longitude)
	one.Put("reminder_at", table.Moment(note.Reminder))
	one.Put("attachments", note.Files)
	one.Put("text", htmltext.Text(todoMarks.Replace(note.Content)))
	return one, nil
}
