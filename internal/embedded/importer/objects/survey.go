package objects

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A foundArray is an array in a field of the object, or of a nested object.
type foundArray struct {
	at             path
	items, objects int
	shape          string // the names of the fields of its first item
	list           string // the key of the list that is most of its first items, or ""
}

// alike reports whether all arrays are fields of the outer object, and their objects have the same fields.
func alike(found []foundArray) bool {
	return !slices.ContainsFunc(found, func(one foundArray) bool { return one.shape != found[0].shape || len(one.at) > 1 })
}

func paths(found []foundArray) (all []path) {
	for _, one := range found {
		all = append(all, one.at)
	}
	return all
}

// differAt returns the index of the only key in which two paths differ, or -1 unless exactly one differs.
func differAt(a, b path) int {
	at := -1
	if len(a) != len(b) {
		return at
	}
	for index := range a {
		if a[index] == b[index] {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = index
	}
	return at
}

// arrays reads an object, down to a depth of nested objects. It returns its arrays, and the names of the fields with any other value in
// them or below them.
func (d *document) arrays(at path, depth int) (found []foundArray, beside []string, err error) {
	for d.more() {
		key, err := d.token()
		if err != nil {
			return found, beside, notJSON(err)
		}
		name := key.String()
		var rest bool // it has values other than arrays
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

// sampled is how many items of an array are examined.
const sampled = 50

// survey examines the first items of an array, and counts all of them.
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
	candidates := lists{}
	for size := 0; of.items < sampled && size < item.MaxLine && d.more(); of.items++ {
		text, err := d.value()
		if err != nil {
			return err
		}
		size += len(text)
		if text[0] == '{' {
			of.objects++
		}
		fields, _ := d.parser.Parse(text) // the shape of anything but an object is empty
		var names []string
		for _, field := range fields {
			names = append(names, field.Name+"\n")
			candidates.add(field)
		}
		if of.items == 0 {
			of.shape = strings.Join(names, "")
		}
		of.list = candidates.main(size)
	}
	return nil
}

// isAboutList reports whether a field describes a list, so that it can be left out without a loss.
func isAboutList(name string) bool {
	return aboutList[strings.ToLower(name)] || strings.HasPrefix(name, "@")
}

var aboutList = map[string]bool{
	"type": true, "kind": true, "status": true, "version": true, "schema": true, "$schema": true, "count": true, "total": true, "page": true,
	"next": true, "ok": true, "success": true, "metadata": true, "meta": true,
}

// leastKeyed is the minimum number of values of an object that is read as a list of its values.
const leastKeyed = 5

// holdsRecords reports whether an object is a list of records by key: all values are objects, with at least half of all field names on
// average, or all keys are dates with a value that is neither an object nor an array.
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

// lists has the lists in the fields of sampled objects, by key. Some objects are mainly a list with a name, such as a conversation with its
// messages or a playlist with its songs: users ask for the items of such a list.
type lists map[string]*listStats

type listStats struct {
	bytes, lists, items int
	shared              []string // fields that all of the items have
	other               bool     // in some object it is not a list of objects
}

func (l lists) add(field item.Field) {
	stats := l[field.Name]
	if stats == nil {
		stats = &listStats{}
		l[field.Name] = stats
	}
	if field.Value[0] != '[' {
		stats.other = stats.other || field.Value[0] != 'n'
		return
	}
	stats.bytes += len(field.Value)
	items := gjson.ParseBytes(field.Value).Array()
	if len(items) > 0 {
		stats.lists++
	}
	for _, one := range items {
		members := one.Map()
		if stats.other = stats.other || !one.IsObject(); stats.items == 0 {
			stats.shared = slices.Collect(maps.Keys(members))
		}
		stats.shared = slices.DeleteFunc(stats.shared, func(name string) bool { return !members[name].Exists() })
		stats.items++
	}
}

// main returns the key of the list that makes up most bytes of the objects, and usually has several items with a field in common, or "". A
// list of one item, or of a text and its attachment, does not count.
func (l lists) main(bytes int) string {
	for name, stats := range l {
		if 2*stats.bytes > bytes && 2*stats.items >= 3*stats.lists && len(stats.shared) > 0 && !stats.other {
			return name
		}
	}
	return ""
}
