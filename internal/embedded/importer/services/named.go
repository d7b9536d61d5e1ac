package services

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
)

// A JSON file with several lists often has the names of things in one and their ids in another: a card has the "idList" of one of the
// "lists". Nobody asks for the id.

// idOf is the name of a field that holds the ids of things: "idList", "idMembers", "list_id", "projectId", "tagIDs".
var idOf = item.Expression(`^(?:id_?([A-Z]\w*)|(\w+?)_?(?:Id|ID|_id)s?)$`)

// mostNamed is how many things of a list are remembered. A longer one is not asked for names.
const mostNamed = 50_000

// ListNames are those of things by their ids, by the key of the list. A file has them once for all of its parts.
type ListNames map[string]map[string]string

// A reference is the list that the ids in a field lead to, and what a field with the names is called.
type reference struct{ list, name string }

// Named adds names to records that have ids of records in another part of their file, such as that of the list which a card is in. What it
// reads of that part is put into names.
func Named(from item.Records, parts []objects.Part, names ListNames, open func() (io.ReadSeekCloser, error)) item.Records {
	lists := map[string]objects.Part{} // by their keys, in small letters
	for _, part := range parts {
		if len(part.Arrays) == 1 && !part.Items {
			keys := part.Arrays[0]
			lists[strings.ToLower(keys[len(keys)-1])] = part
		}
	}
	if len(lists) < 2 {
		return from
	}
	fields := map[string]reference{}
	return item.Shaped(from, func(one item.Item) (item.Item, error) {
		for _, field := range one.Fields {
			of, known := fields[field.Name]
			if !known {
				of = referenceIn(field.Name, lists)
				fields[field.Name] = of
			}
			if _, taken := one.Value(of.name); taken || of.list == "" {
				continue
			}
			if names[of.list] == nil {
				names[of.list] = namesIn(lists[of.list], open)
			}
			if named := named(names[of.list], gjson.ParseBytes(field.Value)); named != nil {
				one.Put(of.name, named)
				one.Text = nil
			}
		}
		return one, nil
	})
}

// referenceIn finds the list that a field leads to, which is called after one thing or after several.
func referenceIn(field string, lists map[string]objects.Part) (of reference) {
	found := idOf().FindStringSubmatch(field)
	if found == nil {
		return reference{}
	}
	name := cmp.Or(found[1], found[2])
	name = strings.ToLower(name[:1]) + name[1:]
	thing := strings.ToLower(name)
	for _, list := range []string{thing, thing + "s", thing + "es", strings.TrimSuffix(thing, "y") + "ies"} {
		if _, ok := lists[list]; ok {
			of = reference{list, name}
		}
	}
	return of
}

// named is the name of the thing that has an id, or those of several: nil if one has none.
func named(names map[string]string, ids gjson.Result) any {
	var all []string
	for _, id := range ids.Array() {
		all = append(all, names[id.String()])
	}
	switch {
	case len(all) == 0 || slices.Contains(all, ""):
		return nil
	case ids.IsArray():
		return all
	}
	return all[0]
}

// namesIn reads the names of the things in a list. A list that cannot be read has none.
func namesIn(part objects.Part, open func() (io.ReadSeekCloser, error)) map[string]string {
	names := map[string]string{}
	file, err := open()
	if err != nil {
		return names
	}
	defer func() { _ = file.Close() }() // it was only read
	for one, err := range Array(file, &part) {
		if err != nil {
			continue
		}
		if len(names) > mostNamed {
			return map[string]string{}
		}
		thing := gjson.ParseBytes(one.Data())
		name := ""
		for _, key := range []string{"name", "title", "fullName", "full_name", "displayName", "display_name", "username"} {
			name = cmp.Or(name, text(thing, key))
		}
		names[strings.Clone(thing.Get("id").String())] = strings.Clone(name) // without what is around them
	}
	delete(names, "") // what has no id is named by no field, and by none that is empty
	return names
}
