package schema

import "github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"

// leastSingles is in how many records a list has one object, if it is not to be by chance that it never has several.
const leastSingles = 5

// countSingle counts what a list holds that is a list of one object.
func (t *FieldTally) countSingle(list item.Field) {
	if t.several {
		return
	}
	object, ok := item.Only(list.Value)
	if t.several = !ok || t.objectKind > 0; t.several {
		if t.objectKind == 0 {
			t.members = nil
		}
		return
	}
	if object[0] == '{' {
		t.singles++
		t.countMembers(item.Field{Name: list.Name, Value: object})
	}
}

// holder says how the field holds objects.
func (t *FieldTally) holder() item.Holder {
	switch {
	case t.singles == 0, t.objectKind > 0:
		return item.InField
	case !t.several && t.singles >= leastSingles:
		return item.InList
	}
	return 0
}
