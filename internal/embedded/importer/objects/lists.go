package objects

import (
	"errors"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// withItems puts what is in the lists of objects behind the part of these.
func withItems(parts []Part) []Part {
	var all []Part
	for _, one := range parts {
		all = append(all, one)
		if one.List != "" {
			one.Name, one.Items = strings.TrimPrefix(one.Name+"/"+one.List, "/"), true
			all = append(all, one)
		}
	}
	return all
}

// ParentField leads from a record of a list to the object that has the list.
const ParentField = "parent"

// names are what an object is called by.
var names = []string{"title", "name", "displayName", "display_name", "subject", "label", "id"}

// A listReader reads the objects in a list of each record, or the records without it.
type listReader struct {
	from    item.Reader
	part    Part
	parser  *item.Parser
	pending []gjson.Result
	holder  item.Item // of those
	front   []item.Field
	number  int
}

func (l *listReader) Next() (item.Item, error) {
	for len(l.pending) == 0 {
		one, err := l.from.Next()
		if !l.part.Items {
			one.Fields = slices.DeleteFunc(one.Fields, func(field item.Field) bool { return field.Name == l.part.List })
			one.Text = nil
			return one, err
		}
		if _, said := errors.AsType[item.UnusableError](err); said { // of the other part
			continue
		}
		if err != nil {
			return one, err
		}
		l.begin(one)
	}
	fields, err := l.parser.Parse([]byte(l.pending[0].Raw))
	l.pending = l.pending[1:]
	l.number++
	if err != nil {
		return item.Item{}, item.Unusable(l.holder.Line, "item %d of the lists %q is %s", l.number, l.part.List, err)
	}
	one := item.Item{Line: l.holder.Line, Number: l.number}
	for _, field := range l.front {
		if !slices.ContainsFunc(fields, func(other item.Field) bool { return other.Name == field.Name }) {
			one.Fields = append(one.Fields, field)
		}
	}
	one.Fields = append(one.Fields, fields...)
	return one, nil
}

// begin takes the list from an object, and what its records say about the object.
func (l *listReader) begin(holder item.Item) {
	l.holder, l.pending, l.front = holder, nil, nil
	value, _ := holder.Value(l.part.List)
	if list := gjson.ParseBytes(value); list.IsArray() { // it may have none, or something else there
		l.pending = list.Array()
	}
	holder.Identify("id")
	all := names
	for _, field := range holder.Fields { // or by its first text
		all = append(all[:len(all):len(all)], field.Name)
	}
	if at := slices.IndexFunc(all, func(name string) bool { return holder.String(name) != "" }); at >= 0 {
		l.front = append(l.front, item.Field{Name: "list", Value: item.JSON(holder.String(all[at]))})
	}
	l.front = append(l.front, item.Field{Name: ParentField, Value: item.JSON(holder.ID)})
}
