package objects

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Some objects are rather lists with a name: conversations with their messages, and playlists with their songs. Who asks about those asks
// for what is in the lists.

// sampled is how many items of an array show what its items are.
const sampled = 50

// lists are those in the fields of some objects, by their keys.
type lists map[string]*heldList

type heldList struct {
	bytes, lists, items int
	shared              []string // fields that all of the items have
	other               bool     // it is something else in an object, or holds something else
}

// add notes a field of an object.
func (l lists) add(field item.Field) {
	var items []json.RawMessage
	held := l[field.Name]
	if held == nil {
		held = &heldList{}
		l[field.Name] = held
	}
	if field.Value[0] != '[' || json.Unmarshal(field.Value, &items) != nil {
		held.other = held.other || field.Value[0] != 'n'
		return
	}
	held.bytes += len(field.Value)
	if len(items) > 0 {
		held.lists++
	}
	parser := item.NewParser()
	for _, one := range items {
		fields, err := parser.Parse(one)
		has := func(name string) bool {
			return slices.ContainsFunc(fields, func(f item.Field) bool { return f.Name == name })
		}
		if held.other = held.other || err != nil; held.items == 0 {
			for _, field := range fields {
				held.shared = append(held.shared, field.Name)
			}
		}
		held.shared = slices.DeleteFunc(held.shared, func(name string) bool { return !has(name) })
		held.items++
	}
}

// main is the key of the list that is most of the bytes of the objects, and has rather several items than one, which have a field in
// common. A list of one thing, or of a text and what was attached to it, is no list.
func (l lists) main(bytes int) string {
	for name, held := range l {
		if 2*held.bytes > bytes && 2*held.items >= 3*held.lists && len(held.shared) > 0 && !held.other {
			return name
		}
	}
	return ""
}

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
	pending []json.RawMessage
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
	text := l.pending[0]
	l.pending = l.pending[1:]
	l.number++
	fields, err := l.parser.Parse(text)
	if err != nil {
		return item.Item{}, item.UnusableError{Line: l.holder.Line,
			Reason: fmt.Sprintf("item %d of the lists %q is %s", l.number, l.part.List, err)}
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
	if json.Unmarshal(value, &l.pending) != nil { // it has none, or something else there
		return
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
