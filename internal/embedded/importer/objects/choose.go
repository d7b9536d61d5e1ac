package objects

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// A path is the keys that lead from the object of a file to a value in it.
type path []string

// key is a text that no other path has.
func (p path) key() string { return fmt.Sprintf("%q", []string(p)) }

// places are where a reader meets arrays, and the objects that lead to them, by their keys.
type places struct{ arrays, above map[string]bool }

func newPlaces(of []path) places {
	p := places{map[string]bool{}, map[string]bool{}}
	for _, one := range of {
		p.arrays[one.key()] = true
		for end := range one {
			p.above[one[:end].key()] = true
		}
	}
	return p
}

// A foundArray is an array in a field of the object, or of an object in it.
type foundArray struct {
	at             path
	items, objects int
	shape          string // the names of the fields of its first item
}

// arrays passes over an object, down to some depth of objects, and returns its arrays, and the fields that hold something else, or something
// else below them.
func (d *document) arrays(at path, depth int) (found []foundArray, beside []string, err error) {
	for {
		d.input.refill()
		key, err := d.decoder.Token()
		if err != nil {
			return found, beside, notJSON(err)
		}
		name, isKey := key.(string)
		if !isKey {
			return found, beside, nil
		}
		start, err := d.decoder.Token()
		if err != nil {
			return found, beside, notJSON(err)
		}
		one := foundArray{at: append(slices.Clone(at), name)}
		rest := start != "" && start != json.Delim('[') && (start != nil || d.hadNumbers(len("null")))
		switch {
		case start == json.Delim('{') && depth > 1:
			var below []foundArray
			var other []string
			below, other, err = d.arrays(one.at, depth-1)
			found, rest = append(found, below...), len(other) > 0
		case start == json.Delim('{'):
			err = d.leave(&one)
		case start == json.Delim('['):
			if d.decoder.More() {
				err = d.first(&one)
			}
			if err == nil {
				err = d.leave(&one)
			}
			found = append(found, one)
		}
		if rest && (len(at) == 0 || !isAboutList(name)) {
			beside = append(beside, name)
		}
		if err != nil {
			return found, beside, notJSON(err)
		}
	}
}

// chooseField finds the field of the object whose array is read.
func (r *arrayReader) chooseField(fields []string) error {
	found, beside, err := r.arrays(nil, 1)
	if err == nil && len(found) == 0 {
		r.keyed, err = r.holdsRecords()
		r.single = !r.keyed
		return err
	}
	if filled := slices.DeleteFunc(slices.Clone(found), func(one foundArray) bool { return one.items == 0 }); len(filled) > 0 {
		found = filled
	} else if err != nil || len(beside) > 0 {
		r.single = err == nil
		return err
	}
	longest, only := found[0], ", the one with the most items,"
	for _, one := range found {
		if one.objects > longest.objects {
			longest = one
		}
	}
	for _, name := range slices.Backward(fields) {
		if at := slices.IndexFunc(found, func(one foundArray) bool { return one.at[0] == name }); at >= 0 {
			longest, only = found[at], ""
		}
	}
	if err == nil && only != "" && longest.objects == 0 && longest.items > 0 {
		r.single = true
		return nil
	}
	r.paths = []path{longest.at} // a file that is broken later on is read until there
	if err == nil && len(beside) == 0 && only != "" && len(found) > 1 && alike(found) {
		r.paths, r.lists = paths(found), true
		return nil
	}
	name := utf8text.OneLine(longest.at[0])
	for _, one := range found {
		if one.at[0] != longest.at[0] && !strings.HasPrefix(one.at[0], "@") { // as in "@context", which says what the names mean
			r.others = append(r.others, item.UnusableError{Line: 1, Reason: fmt.Sprintf("the field %q is an array too; only %q%s is loaded", utf8text.OneLine(one.at[0]), name, only)})
		}
	}
	if beside = slices.DeleteFunc(beside, isAboutList); len(beside) > 0 {
		reason := fmt.Sprintf("only the array %q is loaded, and not what is beside it: %s", name, utf8text.OneLine(strings.Join(beside, ", ")))
		r.others = append(r.others, item.UnusableError{Line: 1, Reason: reason})
	}
	return nil
}

// alike reports that the objects in arrays have the same fields.
func alike(found []foundArray) bool {
	return !slices.ContainsFunc(found, func(one foundArray) bool { return one.shape != found[0].shape })
}

func paths(found []foundArray) (all []path) {
	for _, one := range found {
		all = append(all, one.at)
	}
	return all
}

// isAboutList reports a field that says something about a list, and nothing that anybody misses.
func isAboutList(name string) bool {
	return aboutList[strings.ToLower(name)] || strings.HasPrefix(name, "@")
}

var aboutList = map[string]bool{
	"type": true, "kind": true, "status": true, "version": true, "schema": true, "$schema": true, "count": true, "total": true, "page": true,
	"next": true, "ok": true, "success": true, "metadata": true, "meta": true,
}
