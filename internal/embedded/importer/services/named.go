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

type namer struct {
	lists  map[string]objects.Part // by their keys, in small letters
	open   func() (io.ReadSeekCloser, error)
	names  ListNames // so far
	fields map[string]reference
}

// A reference is the list that the ids in a field lead to, and what a field with the names is called.
type reference struct{ list, name string }

// Named adds names to records that have ids of records in another part of their file, such as that of the list which a card is in. What it
// reads of that part is put into names.
func Named(from item.Records, parts []objects.Part, names ListNames, open func() (io.ReadSeekCloser, error)) item.Records {
	n := namer{lists: map[string]objects.Part{}, open: open, names: names, fields: map[string]reference{}}
	for _, part := range parts {
		if len(part.Arrays) == 1 && !part.Items {
			keys := part.Arrays[0]
			n.lists[strings.ToLower(keys[len(keys)-1])] = part
		}
	}
	if len(n.lists) < 2 {
		return from
	}
	return item.Shaped(from, func(one item.Item) (item.Item, error) {
		for _, field := range one.Fields {
			of := n.reference(field.Name)
			if of.list == "" {
				continue
			}
			if _, taken := one.Value(of.name); taken {
				continue
			}
			if named := n.named(of.list, gjson.ParseBytes(field.Value)); named != nil {
				one.Put(of.name, named)
				one.Text = nil
			}
		}
		return one, nil
	})
}

// reference finds the list that a field leads to, which is called after one thing or after several.
func (n *namer) reference(field string) reference {
	of, known := n.fields[field]
	if known {
		return of
	}
	if found := idOf().FindStringSubmatch(field); found != nil {
		name := cmp.Or(found[1], found[2])
		name = strings.ToLower(name[:1]) + name[1:]
		thing := strings.ToLower(name)
		for _, list := range []string{thing, thing + "s", thing + "es", strings.TrimSuffix(thing, "y") + "ies"} {
			if _, ok := n.lists[list]; ok {
				of = reference{list, name}
			}
		}
	}
	n.fields[field] = of
	return of
}

// named is the name of the thing that has an id, or those of several: nil if one has none.
func (n *namer) named(list string, ids gjson.Result) any {
	if _, read := n.names[list]; !read {
		n.names[list] = n.read(n.lists[list])
	}
	if !ids.IsArray() {
		if name := n.names[list][ids.String()]; name != "" {
			return name
		}
		return nil
	}
	var names []string
	for _, id := range ids.Array() {
		names = append(names, n.names[list][id.String()])
	}
	if len(names) == 0 || slices.Contains(names, "") {
		return nil
	}
	return names
}

// read reads the names of the things in a list. A list that cannot be read has none.
func (n *namer) read(part objects.Part) map[string]string {
	file, err := n.open()
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }() // it was only read
	names := map[string]string{}
	for one, err := range Array(file, &part) {
		if len(names) > mostNamed {
			return nil
		}
		if err != nil {
			continue
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
