package objects

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

const (
	maxParts = 64 // of a file
	maxDepth = 8  // of objects in one another in which arrays are looked for
)

// Parts finds the arrays of objects that are better read as streams of their own: where an object has several, or its only one in objects
// that hold nothing else. nil means that the file is to be read as [NewArray] does. Arrays whose keys differ in one place, below the object
// itself, and whose objects have the same fields are one part. fields are names of arrays that a file is about.
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
	if err != nil || !errors.Is(d.end(), io.EOF) { // the reader says so
		return nil
	}
	var tables []foundArray
	more := slices.ContainsFunc(beside, func(name string) bool { return !isAboutList(name) })
	for _, one := range found {
		if one.objects > 0 && one.shape != "" {
			tables = append(tables, one)
		} else {
			more = more || one.items > 0 && !isAboutList(one.at[0])
		}
	}
	return divide(tables, more, fields)
}

// divide makes parts of the arrays of objects in an object, and of what more is beside them.
func divide(tables []foundArray, more bool, fields []string) []Part {
	if len(newPlaces(paths(tables)).arrays) < len(tables) { // it has a field twice
		return nil
	}
	parts, rest := group(tables), ""
	first := slices.IndexFunc(parts, func(p Part) bool { return len(p.Arrays[0]) == 1 && slices.Contains(fields, p.Arrays[0][0]) })
	switch {
	case len(parts) == 0 || len(parts) > maxParts:
		return nil
	case len(tables) == 1 && parts[0].List != "":
		first = 0
	case len(tables) == 1 && (more || len(tables[0].at) == 1):
		return nil
	case len(parts) == 1 && !more:
		parts[0].Name = ""
		return parts
	case !more && first < 0 && alike(tables):
		return nil
	}
	if first >= 0 {
		parts[first].Name, rest = "", "rest"
	}
	if more {
		parts = append(parts, Part{Name: rest, Beside: paths(tables)})
	}
	return withItems(parts)
}

// Around returns the part of a file that is one of its arrays, and that beside it.
func Around(key string) (array, beside Part) {
	only := []path{{key}}
	return Part{Arrays: only}, Part{Beside: only}
}

// group makes parts of arrays, as soon as there are too many not of all. Each is called after its key, or after all of them where another
// has the same.
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

// A Part is one of several streams that a JSON object holds: an array of objects, or several whose objects have the same fields; or what is
// beside them, as one record.
type Part struct {
	Name   string // "" for the named one or, without one, for what is beside the arrays
	Arrays []path
	Beside []path // the arrays that the record is without; nil: the part has arrays, or is the array that the file holds
	List   string // the key of a list in each object, whose objects are records by themselves
	Items  bool   // the records are those, not what holds them
}

func last(keys path) string { return keys[len(keys)-1] }

// takes reports whether an array can be one of the part: below the object itself, where its keys differ from those of the others.
func (p Part) takes(array path) bool {
	at := differAt(p.Arrays[0], array)
	return at >= 0 && len(array) > 1 && (len(p.Arrays) == 1 || at == differAt(p.Arrays[0], p.Arrays[1]))
}

// keys are those that all arrays of a part have.
func (p Part) keys() path {
	if len(p.Arrays) == 1 {
		return p.Arrays[0]
	}
	at := differAt(p.Arrays[0], p.Arrays[1])
	return slices.Delete(slices.Clone(p.Arrays[0]), at, at+1)
}

// differAt is the place of the only key in which two paths differ; -1 unless exactly one differs.
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
