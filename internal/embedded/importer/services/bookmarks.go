package services

import (
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// A bookmarksReader reads links in nested lists. The heading above a list is the name of its folder.
type bookmarksReader struct {
	folders []string        // of the open lists, outermost first
	heading string          // the last one read
	text    strings.Builder // since the last element began
	link    item.Item
	number  int
}

// Bookmarks reads the bookmarks of a browser. It yields a link when the next one begins, because a description follows its link.
func Bookmarks(file io.ReadSeeker) item.Records {
	return func(yield func(item.Item, error) bool) {
		r, page := &bookmarksReader{}, html.NewTokenizer(file)
		page.SetMaxBuf(item.MaxLine)
		for kind := page.Next(); kind != html.ErrorToken; kind = page.Next() {
			if kind == html.TextToken {
				r.text.Write(page.Text())
				continue
			}
			switch element := page.Token(); {
			case kind == html.EndTagToken:
				r.end(element.Data)
			case element.Data == "a":
				done := r.link
				r.begin(element)
				if done.Fields != nil && !yield(done, nil) {
					return
				}
			case element.Data == "dl":
				r.describe()
				r.folders, r.heading = append(r.folders, r.heading), ""
			case element.Data == "dt" || strings.HasPrefix(element.Data, "h") || element.Data == "dd":
				r.describe()
			}
		}
		if r.describe(); r.link.Fields != nil && !yield(r.link, nil) {
			return
		}
		if err := page.Err(); !errors.Is(err, io.EOF) {
			yield(item.Item{}, item.UnusableError{Reason: "what follows is left out: " + err.Error()})
		}
	}
}

func (r *bookmarksReader) begin(element html.Token) {
	r.describe()
	r.number++
	r.link = item.Item{Line: r.number}
	r.link.Put("folder", item.Joined(r.folders, "/"))
	attributes := map[string]string{}
	for _, attribute := range element.Attr {
		attributes[attribute.Key] = attribute.Val
	}
	r.link.Put("url", attributes["href"])
	r.link.Put("created_at", table.Counted(attributes["add_date"]))
	r.link.Put("modified_at", table.Counted(attributes["last_modified"]))
	r.link.Put("tags", strings.FieldsFunc(attributes["tags"], func(one rune) bool { return one == ',' }))
}

// end takes the text of an element: the title of a link, or the name of a folder. The heading "Bookmarks" of the page is not a folder.
func (r *bookmarksReader) end(element string) {
	text := strings.Join(strings.Fields(r.text.String()), " ")
	switch element {
	case "a":
		r.link.Fields = slices.Insert(r.link.Fields, 0, item.Field{Name: "title", Value: item.JSON(text)})
	case "h1", "h3":
		if r.heading = text; element == "h1" && len(r.folders) == 0 && text == "Bookmarks" {
			r.heading = ""
		}
	case "dl":
		r.describe()
		r.folders = r.folders[:max(len(r.folders)-1, 0)]
	default:
		return
	}
	r.text.Reset()
}

// describe adds the text after a link to its description.
func (r *bookmarksReader) describe() {
	text := strings.TrimSpace(r.text.String())
	if before := r.link.String("description"); before != "" && text != "" {
		r.link.Replace("description", item.JSON(before+"\n"+text))
	} else if r.link.Fields != nil {
		r.link.Put("description", text)
	}
	r.text.Reset()
}
