// Package services reads the exports of online services, apps and devices: mostly JSON, each service in its own format.
package services

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// parted yields the parts of each record, such as the messages of a conversation, or the record itself if it has no parts.
func parted(from item.Records, parts func(item.Item) []item.Item) item.Records {
	return func(yield func(item.Item, error) bool) {
		for one, err := range from {
			var all []item.Item
			if err == nil {
				all = parts(one)
			}
			if len(all) == 0 {
				all = []item.Item{one}
			}
			for _, part := range all {
				if !yield(part, err) {
					return
				}
			}
		}
	}
}

// text returns the string at a path in JSON, or "" if the value there is not a string.
func text(from gjson.Result, path string) string {
	if found := from.Get(path); found.Type == gjson.String {
		return found.Str
	}
	return ""
}

// list returns the elements of the array at a path in JSON, or nil if the value there is not an array.
func list(from gjson.Result, path string) []gjson.Result {
	if found := from.Get(path); found.IsArray() {
		return found.Array()
	}
	return nil
}

func texts(from gjson.Result, path string) (all []string) {
	for _, one := range list(from, path) {
		all = append(all, one.Str)
	}
	return all
}

// joinLines joins the texts that are not empty with newlines.
func joinLines(lines []string) string {
	return strings.TrimSpace(item.Joined(lines, "\n"))
}

func parse(parser *item.Parser, text []byte, line int) ([]item.Field, error) {
	fields, err := parser.Parse(text)
	if err != nil {
		return nil, item.Unusable(line, "%s", err)
	}
	return fields, nil
}

// put copies fields to a record, except those with the given names, which the caller has converted.
func put(one *item.Item, fields []item.Field, except ...string) {
	for _, field := range fields {
		if !slices.Contains(except, field.Name) {
			one.Fields = append(one.Fields, field)
		}
	}
}

// putNumber adds a numeric field. It returns false and adds nothing if the text is not a JSON number.
func putNumber(one *item.Item, name, text string) bool {
	if !table.IsNumber(text) {
		return false
	}
	one.Fields = append(one.Fields, item.Field{Name: name, Value: []byte(text)})
	return true
}

// elements reads the elements of an XML file, each of at most item.MaxLine bytes.
type elements struct{ *item.XML }

func newElements(file io.Reader) elements {
	return elements{item.NewXML(file, item.MaxLine)}
}

// next returns the start tag and the line of the next element with a name, or of any element if the name is empty.
func (e *elements) next(name string) (start xml.StartElement, line int, err error) {
	for {
		e.Left.N = item.MaxLine
		token, err := e.Token()
		line, _ = e.InputPos()
		switch start, ok := token.(xml.StartElement); {
		case errors.Is(err, io.EOF):
			return start, line, io.EOF
		case err != nil:
			return start, line, e.broken(line, err)
		case ok && (name == "" || start.Name.Local == name):
			return start, line, nil
		}
	}
}

func (e *elements) broken(line int, err error) error {
	*e = newElements(strings.NewReader(""))
	return item.UnusableError{Line: line, Reason: "not XML from here on: " + err.Error()}
}
