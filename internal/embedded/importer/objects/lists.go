package objects

import (
	"cmp"
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

var names = []string{"title", "name", "displayName", "display_name", "subject", "label", "id"}

// listed yields the objects in a list of each record, or the records without it.
func listed(from item.Records, part Part) item.Records {
	if !part.Items {
		return item.Shaped(from, func(one item.Item) (item.Item, error) {
			one.Fields = slices.DeleteFunc(one.Fields, func(field item.Field) bool { return field.Name == part.List })
			one.Text = nil
			return one, nil
		})
	}
	return func(yield func(item.Item, error) bool) {
		parser, number := item.NewParser(), 0
		for holder, err := range from {
			if item.IsUnusable(err) { // which the other part says
				continue
			}
			if err != nil {
				yield(holder, err)
				return
			}
			front := frontOf(holder)
			value, _ := holder.Value(part.List)
			list := gjson.ParseBytes(value)
			if !list.IsArray() { // something else is there
				continue
			}
			for _, text := range list.Array() {
				number++
				one := item.Item{Line: holder.Line, Number: number}
				fields, err := parser.Parse([]byte(text.Raw))
				if err != nil {
					err = item.Unusable(holder.Line, "item %d of the lists %q is %s", number, part.List, err)
				}
				for _, field := range front {
					if !slices.ContainsFunc(fields, func(other item.Field) bool { return other.Name == field.Name }) {
						one.Fields = append(one.Fields, field)
					}
				}
				one.Fields = append(one.Fields, fields...)
				if !yield(one, err) {
					return
				}
			}
		}
	}
}

// frontOf is what the records of a list say about the object that has the list.
func frontOf(holder item.Item) (front []item.Field) {
	holder.Identify("id")
	called := ""
	for _, name := range names {
		called = cmp.Or(called, holder.String(name))
	}
	for at := 0; at < len(holder.Fields) && called == ""; at++ { // or by its first text
		called = item.Item{Fields: holder.Fields[at : at+1]}.String(holder.Fields[at].Name)
	}
	if called != "" {
		front = append(front, item.Field{Name: "list", Value: item.JSON(called)})
	}
	return append(front, item.Field{Name: ParentField, Value: item.JSON(holder.ID)})
}
