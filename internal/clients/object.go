package clients

import (
	"bytes"
	"encoding/json"
	"strings"
)

// An object is a JSON object whose members keep their order, for people who read the file.
type object []member

// A member is one key of an object. Its value is a string, a list of strings or an object.
type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(encode(m.key))
		out.WriteByte(':')
		out.WriteString(encode(m.value))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// indented formats a value over several lines with the indentation of its file. Lists of strings stay on one line.
func indented(value any, prefix, unit string) string {
	o, ok := value.(object)
	if !ok || len(o) == 0 {
		return spaced(value)
	}
	var out strings.Builder
	out.WriteString("{\n")
	for i, m := range o {
		out.WriteString(prefix + unit + encode(m.key) + ": " + indented(m.value, prefix+unit, unit))
		if i < len(o)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString(prefix + "}")
	return out.String()
}

// spaced is encode with a space between the items of a list.
func spaced(value any) string {
	items, ok := value.([]string)
	if !ok {
		return encode(value)
	}
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = encode(item)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// encode is JSON without the escapes that HTML would need. The values here are strings, lists and objects of them, none
// of which can fail.
func encode(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSuffix(out.String(), "\n")
}
