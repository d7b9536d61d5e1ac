package objects

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// withItems adds after each part whose objects have a list a part with the items of the list.
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

// ParentField names, in a record of a list, the id of the object that has the list.
const ParentField = "parent"

var titleFields = []string{"title", "name", "displayName", "display_name", "subject", "label", "id"}

// listed yields the items in a list of each record or, unless part.Items, the records without the list.
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
			if item.IsUnusable(err) { // the other part yields it
				continue
			}
			if err != nil {
				yield(holder, err)
				return
			}
			parentFields := fieldsOfParent(holder)
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
				for _, field := range parentFields {
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

// fieldsOfParent returns the fields in the records of a list that describe the object with the list: its title and its id.
func fieldsOfParent(holder item.Item) (fields []item.Field) {
	holder.Identify("id")
	title := ""
	for _, name := range titleFields {
		title = cmp.Or(title, holder.String(name))
	}
	for at := 0; at < len(holder.Fields) && title == ""; at++ { // or by its first text
		title = item.Item{Fields: holder.Fields[at : at+1]}.String(holder.Fields[at].Name)
	}
	if title != "" {
		fields = append(fields, item.Field{Name: "list", Value: item.JSON(title)})
	}
	return append(fields, item.Field{Name: ParentField, Value: item.JSON(holder.ID)})
}
