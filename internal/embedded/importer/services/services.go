// Package services reads what online services export: mostly JSON, in shapes of their own.
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

// parted yields what the records of a reader consist of, such as the messages of conversations, or those without parts as they are.
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

// text is the string at a path in JSON: empty if something else is there.
func text(from gjson.Result, path string) string {
	if found := from.Get(path); found.Type == gjson.String {
		return found.Str
	}
	return ""
}

// list is what the list at a path in JSON holds: nothing if something else is there.
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

func parse(parser *item.Parser, text []byte, line int) ([]item.Field, error) {
	fields, err := parser.Parse(text)
	if err != nil {
		return nil, item.Unusable(line, "%s", err)
	}
	return fields, nil
}

// put takes over fields of a record that have not been put in other words.
func put(one *item.Item, fields []item.Field, but ...string) {
	for _, field := range fields {
		if !slices.Contains(but, field.Name) {
			one.Fields = append(one.Fields, field)
		}
	}
}

// putNumber adds a field that is a number, unless the text is no number.
func putNumber(one *item.Item, name, text string) bool {
	if !table.IsNumber(text) {
		return false
	}
	one.Fields = append(one.Fields, item.Field{Name: name, Value: []byte(text)})
	return true
}

// elements are those of a file in XML, each at most as large as a line.
type elements struct{ *item.XML }

func newElements(file io.Reader) elements {
	return elements{item.NewXML(file, item.MaxLine)}
}

// next returns where the next element of a name begins, or of any name if that is empty.
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
