package objects

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A path is the keys that lead from the object of a file to a value in it.
type path []string

// A foundArray is an array in a field of the object, or of an object in it.
type foundArray struct {
	at             path
	items, objects int
	shape          string // the names of the fields of its first item
	list           string // the key of the list that its first items consist of, if they do
}

// arrays passes over an object, down to some depth of objects, and returns its arrays, and the fields that hold something else, or
// something else below them.
func (d *document) arrays(at path, depth int) (found []foundArray, beside []string, err error) {
	for d.more() {
		key, err := d.token()
		if err != nil {
			return found, beside, notJSON(err)
		}
		name := key.String()
		var rest bool // it holds something else than arrays
		one := foundArray{at: append(slices.Clone(at), name)}
		switch kind := d.peek(); {
		case kind == '{' && depth > 1:
			_, _ = d.token() // its beginning is there
			var below []foundArray
			var other []string
			below, other, err = d.arrays(one.at, depth-1)
			found, rest = append(found, below...), len(other) > 0
		case kind == '[':
			err = d.survey(&one)
			found, rest = append(found, one), false
		case kind == '{':
			_, _ = d.token() // its beginning is there
			rest = d.more()
			err = d.leave()
		default:
			var value []byte
			if value, err = d.value(); err != nil {
				return found, beside, notJSON(err)
			}
			rest = string(value) != `""` && (string(value) != "null" || d.hadNumbers(value))
		}
		if rest && (len(at) == 0 || !isAboutList(name)) {
			beside = append(beside, name)
		}
		if err != nil {
			return found, beside, notJSON(err)
		}
	}
	_, err = d.token()
	return found, beside, notJSON(err)
}

// sampled is how many items of an array show what its items are.
const sampled = 50

// survey looks at the first items of an array, and counts all of them.
func (d *document) survey(of *foundArray) error {
	if _, err := d.token(); err != nil {
		return err
	}
	if err := d.first(of); err != nil {
		return err
	}
	for ; d.more(); of.items++ {
		if d.peek() == '{' {
			of.objects++
		}
		if err := d.skip(); err != nil {
			return err
		}
	}
	return d.leave()
}

func (d *document) first(of *foundArray) error {
	held := lists{}
	for size := 0; of.items < sampled && size < item.MaxLine && d.more(); of.items++ {
		text, err := d.value()
		if err != nil {
			return err
		}
		size += len(text)
		if text[0] == '{' {
			of.objects++
		}
		fields, _ := d.parser.Parse(text) // that it is no object says its shape
		var names []string
		for _, field := range fields {
			names = append(names, field.Name+"\n")
			held.add(field)
		}
		if of.items == 0 {
			of.shape = strings.Join(names, "")
		}
		of.list = held.main(size)
	}
	return nil
}

// isAboutList reports a field that says something about a list, and nothing that anybody misses.
func isAboutList(name string) bool {
	return aboutList[strings.ToLower(name)] || strings.HasPrefix(name, "@")
}

var aboutList = map[string]bool{
	"type": true, "kind": true, "status": true, "version": true, "schema": true, "$schema": true, "count": true, "total": true, "page": true,
	"next": true, "ok": true, "success": true, "metadata": true, "meta": true,
}

// leastKeyed is how many values an object has at least that is read as its values.
const leastKeyed = 5

// holdsRecords reports that an object is a list of records under their keys: all are objects, which have at least half of all their fields
// on an average, or each is the value of a day.
func (d *document) holdsRecords() (bool, error) {
	if _, err := d.begin(); err != nil {
		return false, err
	}
	count, fields, names, days := 0, 0, map[string]bool{}, 0
	for ; d.more(); count++ {
		key, err := d.token()
		if err != nil {
			return false, notJSON(err)
		}
		name := key.String()
		text, err := d.value()
		if err != nil {
			return false, notJSON(err)
		}
		switch {
		case text[0] == '{':
			found, err := d.parser.Parse(text)
			if err != nil {
				return false, nil //nolint:nilerr // its reader says so
			}
			for _, one := range found {
				names[one.Name] = true
			}
			fields += len(found)
		case text[0] != '[' && item.IsTimestamp(name):
			days++
		default:
			return false, nil
		}
	}
	alike := days == 0 && 2*fields >= count*len(names)
	return count >= leastKeyed && (alike || days == count), nil
}

// lists are those in the fields of some objects, by their keys. Some objects are rather lists with a name: conversations with their
// messages, and playlists with their songs. Who asks about those asks for what is in the lists.
type lists map[string]*heldList

type heldList struct {
	bytes, lists, items int
	shared              []string // fields that all of the items have
	other               bool     // it is something else in an object, or holds something else
}

func (l lists) add(field item.Field) {
	held := l[field.Name]
	if held == nil {
		held = &heldList{}
		l[field.Name] = held
	}
	if field.Value[0] != '[' {
		held.other = held.other || field.Value[0] != 'n'
		return
	}
	held.bytes += len(field.Value)
	items := gjson.ParseBytes(field.Value).Array()
	if len(items) > 0 {
		held.lists++
	}
	for _, one := range items {
		members := one.Map()
		if held.other = held.other || !one.IsObject(); held.items == 0 {
			held.shared = slices.Collect(maps.Keys(members))
		}
		held.shared = slices.DeleteFunc(held.shared, func(name string) bool { return !members[name].Exists() })
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
