// Package document reads notes in Markdown, HTML pages, plain texts, documents of word processors, and workbooks.
package document

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/archive"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// maxXML is the most bytes of XML that are read from a part of a document that is kept in memory.
const maxXML = 64 << 20

// whole returns a single record, which read makes of the text of a file.
func whole(file io.Reader, read func(text string) item.Item) item.Records {
	return item.One(func() (item.Item, error) {
		text, err := item.ReadAll(file)
		if err != nil {
			return item.Item{}, err
		}
		plain := strings.TrimPrefix(utf8text.Mend(string(text)), item.ByteOrderMark)
		return read(strings.ReplaceAll(plain, "\r\n", "\n")), nil
	})
}

var titleElement = item.Expression(`(?is)<title[^>]*>(.*?)</title>`)

// HTML reads an HTML page.
func HTML(file io.Reader, name string) item.Records {
	return whole(file, func(text string) item.Item {
		title := ""
		if found := titleElement().FindStringSubmatch(text); found != nil {
			title = html.UnescapeString(found[1])
		}
		return describe(name, title, htmltext.Text(text))
	})
}

// Plain reads a plain text.
func Plain(file io.Reader, name string) item.Records {
	return whole(file, func(text string) item.Item {
		return describe(name, "", strings.TrimSpace(text))
	})
}

// describe returns a record of a text. Without a title, the record gets the name of its file as one.
func describe(name, title, text string) item.Item {
	one := item.Item{Line: 1, ID: name, Day: DayOf(name)}
	one.Put("id", name)
	if title = strings.Join(strings.Fields(title), " "); title == "" {
		title = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	one.Put("title", title)
	one.Put("text", text)
	return one
}

var dayInName = item.Expression(`^(\d{4})([-_.]?)(\d\d)([-_.]?)(\d\d)(?:\D|$)`)

// DayOf returns the date with which the name of a file begins, as people name notes and minutes; "" if there is none.
func DayOf(name string) string {
	found := dayInName().FindStringSubmatch(path.Base(name))
	if found == nil || found[2] != found[4] {
		return ""
	}
	day, err := time.Parse("20060102", found[1]+found[3]+found[5])
	if err != nil || day.Year() < 1900 || day.Year() > 2100 { // some other number
		return ""
	}
	return day.Format(time.DateOnly)
}

// packed opens a file that is a zip archive of the parts of a document or a workbook.
func packed(file fs.File, noun string) (parts *zip.Reader, size int64, err error) {
	at, size, err := archive.ReaderAt(file)
	if err == nil {
		if parts, err = zip.NewReader(at, size); err != nil {
			err = item.UnusableError{Reason: "not a " + noun + " that can be read, or an encrypted one: " + err.Error()}
		}
	}
	return parts, size, err
}

// Office reads a document of a word processor: .docx or .odt.
func Office(file fs.File, name string) item.Records {
	return item.One(func() (item.Item, error) {
		parts, _, err := packed(file, "document")
		if err != nil {
			return item.Item{}, err
		}
		about, body := "docProps/core.xml", "word/document.xml"
		if strings.EqualFold(path.Ext(name), ".odt") {
			about, body = "meta.xml", "content.xml"
		}
		var text officeText
		err = eachToken(parts, body, text.add)
		for _, notes := range []string{"word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"} {
			if _, missing := parts.Open(notes); err == nil && missing == nil {
				err = eachToken(parts, notes, text.add)
			}
		}
		if err != nil {
			return item.Item{}, item.UnusableError{Reason: "not a document that can be read: " + utf8text.OneLine(err.Error())}
		}
		properties := map[string][]byte{}
		_ = eachToken(parts, about, func(token xml.Token, inside []string) error { // a document need not have this part
			if text, ok := token.(xml.CharData); ok && len(inside) > 0 {
				last := inside[len(inside)-1]
				properties[last] = append(properties[last], text...)
			}
			return nil
		})
		one := describe(name, string(properties["title"]), strings.TrimSpace(text.text.String()))
		one.Put("author", strings.TrimSpace(string(properties["creator"])))
		one.Put("created_at", moment(string(properties["created"])+string(properties["creation-date"])))
		one.Put("modified_at", moment(string(properties["modified"])+string(properties["date"])))
		return one, nil
	})
}

// moment returns the time at which a document was created or changed; "" for text that is not a time.
func moment(text string) string {
	if when := table.Moment(strings.TrimSpace(text)); item.IsTimestamp(when) {
		return when
	}
	return ""
}

// eachToken calls visit for each token of a part of a document, with the names of the open elements; see [item.XML].
func eachToken(parts *zip.Reader, name string, visit func(token xml.Token, inside []string) error) error {
	part, err := parts.Open(name)
	if err != nil {
		return fmt.Errorf("there is no %s", name)
	}
	defer func() { _ = part.Close() }() // it was only read
	decoder := item.NewXML(part, maxXML)
	for {
		token, err := decoder.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := visit(token, decoder.Inside); err != nil {
			return err
		}
	}
}

// An officeText collects the text of a document, one line for each paragraph.
type officeText struct{ text strings.Builder }

func (t *officeText) add(token xml.Token, inside []string) error {
	switch token := token.(type) {
	case xml.StartElement:
		switch token.Name.Local {
		case "tab":
			if !slices.Contains(inside, "tabs") { // else it is a position in the layout
				t.text.WriteByte('\t')
			}
		case "noBreakHyphen":
			t.text.WriteByte('-')
		case "br", "line-break", "cr":
			t.text.WriteByte('\n')
		case "s":
			t.text.WriteByte(' ')
		}
	case xml.EndElement:
		if token.Name.Local == "p" || token.Name.Local == "h" {
			t.text.WriteByte('\n')
		}
	case xml.CharData:
		if isShown(inside) {
			t.text.Write(token)
		}
	}
	if t.text.Len() > item.MaxLine {
		return item.ErrTooLong
	}
	return nil
}

// isShown reports that text is part of a paragraph: in .docx of a "t", in .odt of a "p" or "h" outside of tracked changes. What was moved
// is shown where it is now, and a text box in its first form.
func isShown(inside []string) bool {
	paragraph := false
	for _, name := range inside {
		switch name {
		case "tracked-changes", "delText", "instrText", "moveFrom", "Fallback":
			return false
		case "annotation": // leave out its author and date
			paragraph = false
		case "t", "p", "h":
			paragraph = true
		}
	}
	return paragraph
}
