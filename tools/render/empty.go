package render

import (
	"fmt"
	"strings"
)

// An EmptyField is a field of a filter that leaves no records: how many it leaves alone, and which values the field has.
type EmptyField struct {
	Field  string
	Alone  int // -1 when it is not known
	Values []KnownValue
}

// A KnownValue is a value of a field, as JSON, and how many records have it.
type KnownValue struct {
	Key   string
	Count int
}

// explain says of each field of a filter what it leaves alone; nothing where that is not known.
func explain(fields []EmptyField) []string {
	var alone, lines []string
	for _, e := range fields {
		if e.Alone >= 0 {
			alone = append(alone, fmt.Sprintf("%s %d", shownName(e.Field), e.Alone))
		}
		if len(e.Values) > 0 {
			values := make([]string, len(e.Values))
			for i, v := range e.Values {
				key, _ := appendValue(nil, v.Key, keyChars)
				values[i] = fmt.Sprintf("%s (%d)", key, v.Count)
			}
			lines = append(lines, clip(shownName(e.Field)+" is "+strings.Join(values, ", ")+".", LineChars))
		}
	}
	if len(alone) == 0 {
		return nil
	}
	return append([]string{clip("Records that match each condition alone: "+strings.Join(alone, ", ")+".", LineChars)}, lines...)
}

// explained is the same in structured output.
func explained(fields []EmptyField) string {
	a := &arguments{}
	a.open("", '[')
	for _, e := range fields {
		a.open("", '{').plain("field", clip(e.Field, longestName))
		if e.Alone >= 0 {
			a.put("alone", encode(e.Alone))
		}
		if len(e.Values) > 0 {
			a.open("values", '[')
			for _, v := range e.Values {
				a.open("", '{').put("key", fitted(v.Key, identityBytes)).put("count", encode(v.Count)).shut('}')
			}
			a.shut(']')
		}
		a.shut('}')
	}
	return string(a.shut(']').b)
}
