package objects

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

const (
	maxParts = 64 // of a file
	maxDepth = 8  // of nested objects that are searched for arrays
)

// Parts returns the arrays of objects that become separate streams: if an object has several, or a single one in nested objects that
// contain nothing else. It returns nil if the file is to be read with [NewArray]. Arrays whose objects have the same fields, and whose keys
// differ in one place below the object itself, are one part. fields are the names of main arrays.
func Parts(file io.ReadSeeker, fields ...string) []Part {
	d := newDocument(file)
	switch start, err := d.begin(); {
	case err != nil:
		return nil
	case start == '[':
		var one foundArray
		if d.first(&one) != nil || one.list == "" {
			return nil
		}
		return withItems([]Part{{List: one.list}})
	}
	found, beside, err := d.arrays(nil, maxDepth)
	if err != nil || !errors.Is(d.end(), io.EOF) { // NewArray reports it
		return nil
	}
	var tables []foundArray
	hasRest := slices.ContainsFunc(beside, func(name string) bool { return !isAboutList(name) })
	for _, one := range found {
		if one.objects > 0 && one.shape != "" {
			tables = append(tables, one)
		} else {
			hasRest = hasRest || one.items > 0 && !isAboutList(one.at[0])
		}
	}
	isWrapped := len(tables) == 1 && len(tables[0].at) > 1 &&
		!slices.ContainsFunc(beside, func(name string) bool { return name != tables[0].at[0] && !isAboutList(name) })
	return divide(tables, hasRest, isWrapped, fields)
}

// divide returns the parts for the arrays of objects in an object and, if hasRest, for its other fields. isWrapped reports that the only
// such array is in the only field of the object.
func divide(tables []foundArray, hasRest, isWrapped bool, fields []string) []Part {
	if len(newPlaces(paths(tables)).arrays) < len(tables) { // a field occurs twice
		return nil
	}
	parts, rest := group(tables), ""
	first := slices.IndexFunc(parts, func(p Part) bool { return len(p.Arrays[0]) == 1 && slices.Contains(fields, p.Arrays[0][0]) })
	switch {
	case len(parts) == 0 || len(parts) > maxParts:
		return nil
	case len(tables) == 1 && (parts[0].List != "" || hasRest && isWrapped):
		first = 0
	case len(tables) == 1 && (len(tables[0].at) == 1 || hasRest && tables[0].objects < 2):
		return nil
	case len(parts) == 1 && !hasRest:
		parts[0].Name = ""
		return parts
	case !hasRest && first < 0 && alike(tables):
		return nil
	}
	if first >= 0 {
		parts[first].Name, rest = "", "rest"
	}
	if hasRest {
		parts = append(parts, Part{Name: rest, Beside: paths(tables)})
	}
	return withItems(parts)
}

// Around returns two parts of a file: the array in a field, and all other fields.
func Around(key string) (array, beside Part) {
	only := []path{{key}}
	return Part{Arrays: only}, Part{Beside: only}
}

// group returns the parts for arrays; it stops once there are more than maxParts. A part is named after its last key, or after all its keys
// if another part has the same one.
func group(tables []foundArray) []Part {
	var parts []Part
	shapes := map[string][]int{} // the parts whose objects have these fields
	for _, one := range tables {
		same := slices.IndexFunc(shapes[one.shape], func(at int) bool { return parts[at].takes(one.at) })
		if same >= 0 {
			at := shapes[one.shape][same]
			parts[at].Arrays = append(parts[at].Arrays, one.at)
			if parts[at].List != one.list {
				parts[at].List = ""
			}
			continue
		}
		shapes[one.shape] = append(shapes[one.shape], len(parts))
		if parts = append(parts, Part{Arrays: []path{one.at}, List: one.list}); len(parts) > maxParts {
			break
		}
	}
	counts := map[string]int{}
	for _, one := range parts {
		counts[strings.ToLower(last(one.keys()))]++
	}
	for index := range parts {
		one := &parts[index]
		if one.Name = last(one.keys()); counts[strings.ToLower(one.Name)] > 1 {
			one.Name = strings.Join(one.keys(), "/")
		}
	}
	return parts
}

// NewPart reads a part of a file.
func NewPart(file io.ReadSeeker, part Part) item.Records {
	if part.Beside != nil {
		return (&restReader{document: newDocument(file), what: "what is beside the arrays", without: newPlaces(part.Beside)}).records
	}
	from := (&arrayReader{document: newDocument(file), paths: part.Arrays}).records
	if part.List != "" {
		return listed(from, part)
	}
	return from
}

// A Part is one of several streams in a JSON object: an array of objects, several arrays whose objects have the same fields, or all other
// fields as one record.
type Part struct {
	Name   string // "" for the main array or, without one, for the other fields
	Arrays []path
	Beside []path // the arrays that the record omits; nil: the part has arrays, or is the array of the file
	List   string // the key of a list in each object, whose items are records too
	Items  bool   // the records are these items, not the objects with the list
}

func last(keys path) string { return keys[len(keys)-1] }

// takes reports whether an array belongs to the part: it is below the object itself, and its keys differ in the same place as the others.
func (p Part) takes(array path) bool {
	at := differAt(p.Arrays[0], array)
	return at >= 0 && len(array) > 1 && (len(p.Arrays) == 1 || at == differAt(p.Arrays[0], p.Arrays[1]))
}

// keys returns the keys that all arrays of a part have in common.
func (p Part) keys() path {
	if len(p.Arrays) == 1 {
		return p.Arrays[0]
	}
	at := differAt(p.Arrays[0], p.Arrays[1])
	return slices.Delete(slices.Clone(p.Arrays[0]), at, at+1)
}

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
	holder.Identify("id", "")
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
