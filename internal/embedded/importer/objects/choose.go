package objects

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// arrays passes over an object, down to some depth of objects, and returns its arrays, and the fields that hold something else, or
// something else below them.
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

// leastKeyed is how many values an object has at least that is read as its values.
const leastKeyed = 5

// holdsRecords reports that an object is a list of records under their keys: all are objects, which have at least half of all their fields
// on an average, or each is the value of a day.
func (d *document) holdsRecords() (bool, error) {
	if _, err := d.begin(); err != nil {
		return false, err
	}
	count, fields, names, days := 0, 0, map[string]bool{}, 0
	for ; d.decoder.More(); count++ {
		d.input.refill()
		key, err := d.decoder.Token()
		if err != nil {
			return false, notJSON(err)
		}
		var text json.RawMessage
		if err := d.decoder.Decode(&text); err != nil {
			return false, notJSON(err)
		}
		switch name, _ := key.(string); {
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
