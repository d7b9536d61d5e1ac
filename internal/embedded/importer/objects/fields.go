package objects

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// A foundArray is an array in a field of the object.
type foundArray struct {
	name           string
	items, objects int
	shape          string // the names of the fields of its first item
}

// choose finds the field of the object whose array has the most objects.
func (r *arrayReader) choose() (string, error) {
	longest, most, shape := "", -1, ""
	var found []foundArray
	items := 0
	beside, err := r.walk("", func(one foundArray) {
		if one.objects > most {
			longest, most, shape = one.name, one.objects, one.shape
		}
		items += one.items
		found = append(found, one)
	})
	only := ", the one with the most items,"
	for _, name := range slices.Backward(r.fields) {
		if slices.ContainsFunc(found, func(one foundArray) bool { return one.name == name }) {
			longest, most, only = name, max(most, 1), ""
		}
	}
	switch {
	case err == nil && most <= 0 && len(beside)+items > 0, most < 0 && err == nil:
		r.single = true
		return "", nil
	case most < 0:
		return "", err
	}
	r.ended = false // a file that is broken later on is read until there
	differs := func(one foundArray) bool { return one.items > 0 && one.shape != shape }
	r.alike = err == nil && len(beside) == 0 && only != "" && len(found) > 1 && !slices.ContainsFunc(found, differs)
	for _, one := range found {
		if one.name != longest && one.items > 0 && !r.alike && !strings.HasPrefix(one.name, "@") { // as in "@context", which says what the names mean
			r.others = append(r.others, item.UnusableError{Line: 1, Reason: fmt.Sprintf("the field %q is an array too; only %q%s is loaded", utf8text.OneLine(one.name), utf8text.OneLine(longest), only)})
		}
	}
	beside = slices.DeleteFunc(beside, func(name string) bool { return aboutList[strings.ToLower(name)] || strings.HasPrefix(name, "@") })
	if len(beside) > 0 {
		names := utf8text.OneLine(strings.Join(beside, ", "))
		reason := fmt.Sprintf("only the array %q is loaded, and not what is beside it: %s", utf8text.OneLine(longest), names)
		r.others = append(r.others, item.UnusableError{Line: 1, Reason: reason})
	}
	return longest, nil
}

// aboutList are the names of fields that say something about a list, and nothing that anybody misses.
var aboutList = map[string]bool{
	"type": true, "kind": true, "status": true, "version": true, "schema": true, "$schema": true, "count": true, "total": true, "page": true,
	"next": true, "ok": true, "success": true, "metadata": true, "meta": true,
}

// walk passes over the fields of an object, tells of each that is an array, and names the others that hold something. It stops inside the
// one that is wanted.
func (r *arrayReader) walk(wanted string, array func(foundArray)) (others []string, err error) {
	for {
		r.input.refill()
		key, err := r.decoder.Token()
		if err != nil {
			return others, r.stop("not JSON: " + why(err))
		}
		if key == json.Delim('}') {
			return others, nil
		}
		start, err := r.decoder.Token()
		if err != nil {
			return others, r.stop("not JSON: " + why(err))
		}
		name, _ := key.(string) // which keys of objects are
		found := foundArray{name: name}
		switch start {
		case json.Delim('['):
			if array == nil && name == wanted {
				return others, nil
			}
			if array != nil && r.decoder.More() {
				err = r.first(&found)
			}
		case json.Delim('{'):
			others = append(others, name)
		default:
			if start != nil && start != "" {
				others = append(others, name)
			}
			continue
		}
		if err == nil {
			err = r.leave(&found)
		}
		if start == json.Delim('[') && array != nil {
			array(found)
		}
		if err != nil {
			return others, r.stop("not JSON: " + why(err))
		}
	}
}

// first looks at the first item of an array.
func (r *arrayReader) first(of *foundArray) error {
	r.input.refill()
	var text json.RawMessage
	if err := r.decoder.Decode(&text); err != nil {
		return err
	}
	of.items = 1
	if text[0] == '{' {
		of.objects = 1
	}
	fields, _ := r.parser.Parse(text) // that it is no object says its shape
	for _, field := range fields {
		of.shape += field.Name + "\n"
	}
	return nil
}

// leave passes over the rest of an array or object, and counts what is directly in it.
func (r *arrayReader) leave(found *foundArray) error {
	for depth := 1; depth > 0; {
		r.input.refill()
		token, err := r.decoder.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('}'), json.Delim(']'):
			depth--
			continue
		}
		if depth == 1 {
			found.items++
		}
		switch token {
		case json.Delim('{'):
			if depth == 1 {
				found.objects++
			}
			depth++
		case json.Delim('['):
			depth++
		}
	}
	return nil
}
