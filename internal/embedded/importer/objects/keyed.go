package objects

import (
	"encoding/json"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

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
