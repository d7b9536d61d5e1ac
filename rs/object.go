package rs

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Object is a JSON object whose members keep their order and whose values stay the bytes that they were. It is read
// and spliced, never decoded and encoded again: what a resource server said reaches the host unchanged.
type Object []Member

// A Member is one name of an [Object] with its value.
type Member struct {
	Name  string
	Value json.RawMessage
}

// ReadObject reads one JSON object and nothing after it. Its error says what is expected and shows none of the text.
func ReadObject(raw []byte) (Object, error) {
	if Kind(bytes.TrimLeft(raw, whiteSpace)) != "object" {
		return nil, errors.New("an object is expected")
	}
	if object := AsObject(raw); object != nil && json.Valid(raw) {
		return object, nil
	}
	var first json.RawMessage
	if json.NewDecoder(bytes.NewReader(raw)).Decode(&first) == nil {
		return nil, errors.New("something follows the object")
	}
	return nil, errors.New("the JSON is malformed")
}

// AsObject returns the members of raw, which is valid JSON, or nil when raw is not an object. An empty object is not nil.
func AsObject(raw []byte) Object {
	object := make(Object, 0, 16)
	end := eachPart(raw, '{', '}', func(part []byte) bool {
		nameEnd := stringEnd(part)
		if nameEnd < 0 {
			return false
		}
		name, ok := AsText(part[:nameEnd])
		value, colon := bytes.CutPrefix(bytes.TrimLeft(part[nameEnd:], whiteSpace), []byte{':'})
		object = append(object, Member{name, bytes.TrimLeft(value, whiteSpace)})
		return ok && colon
	})
	if !end {
		return nil
	}
	return object
}

// AsArray returns the elements of raw, which is valid JSON, and whether raw is an array.
func AsArray(raw []byte) ([]json.RawMessage, bool) {
	list := []json.RawMessage{}
	if !eachPart(raw, '[', ']', func(part []byte) bool { list = append(list, part); return true }) {
		return nil, false
	}
	return list, true
}

const whiteSpace = " \t\r\n"

// eachPart calls use with each part between the commas of an object or array, without the space around it, and reports
// whether raw is one and every part was used. It looks at each byte once and copies none.
func eachPart(raw []byte, open, shut byte, use func([]byte) bool) bool {
	raw = bytes.Trim(raw, whiteSpace)
	if len(raw) < 2 || raw[0] != open || raw[len(raw)-1] != shut {
		return false
	}
	raw = bytes.TrimLeft(raw[1:len(raw)-1], whiteSpace)
	for len(raw) > 0 {
		end := partEnd(raw)
		if end < 0 || !use(bytes.TrimRight(raw[:end], whiteSpace)) {
			return false
		}
		if end == len(raw) {
			return true
		}
		if raw = bytes.TrimLeft(raw[end+1:], whiteSpace); len(raw) == 0 {
			return false // a comma with nothing behind it
		}
	}
	return true
}

// partEnd is where the first comma outside strings and brackets stands, or the length, or -1 for brackets that do not match.
func partEnd(raw []byte) int {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			length := stringEnd(raw[i:])
			if length < 0 {
				return -1
			}
			i += length - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return -1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	if depth != 0 {
		return -1
	}
	return len(raw)
}

// stringEnd is the length of the JSON string that raw starts with, or -1.
func stringEnd(raw []byte) int {
	if len(raw) == 0 || raw[0] != '"' {
		return -1
	}
	for at := 1; ; {
		quote := bytes.IndexByte(raw[at:], '"')
		if quote < 0 {
			return -1
		}
		at += quote
		escapes := 0
		for raw[at-1-escapes] == '\\' { // the first byte is a quote
			escapes++
		}
		if at++; escapes%2 == 0 {
			return at
		}
	}
}

// AsText returns a string, or a number or boolean as it is written.
func AsText(raw []byte) (string, bool) {
	switch Kind(raw) {
	case "string":
		if len(raw) >= 2 && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
			return string(raw[1 : len(raw)-1]), true
		}
		var text string
		return text, json.Unmarshal(raw, &text) == nil
	case "number", "boolean":
		return string(raw), true
	}
	return "", false
}

// Kind names the type of a JSON value: object, array, string, boolean, number, null, or nothing.
func Kind(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// JoinArray writes an array of values that are JSON already.
func JoinArray(list []json.RawMessage) json.RawMessage {
	array := []byte{'['}
	for i, raw := range list {
		if i > 0 {
			array = append(array, ',')
		}
		array = append(array, raw...)
	}
	return append(array, ']')
}

// Get returns the value of a name, or nil when it is absent or null. Of a name given twice the last one counts, as in
// encoding/json.
func (o Object) Get(name string) json.RawMessage {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Name == name {
			if Kind(o[i].Value) == "null" {
				return nil
			}
			return o[i].Value
		}
	}
	return nil
}

// Has reports whether a name has a value other than null.
func (o Object) Has(name string) bool { return o.Get(name) != nil }

// Includes reports whether a name is there, even as null.
func (o Object) Includes(name string) bool {
	return slices.ContainsFunc(o, func(m Member) bool { return m.Name == name })
}

// Text returns the first of the names that holds a string or a number and is not empty.
func (o Object) Text(names ...string) string {
	for _, name := range names {
		raw := o.Get(name)
		if kind := Kind(raw); kind != "string" && kind != "number" {
			continue
		}
		if text, ok := AsText(raw); ok && text != "" {
			return text
		}
	}
	return ""
}

// Object returns the object of a name, or nil.
func (o Object) Object(name string) Object { return AsObject(o.Get(name)) }

// Array returns the elements of a name's array, or nil.
func (o Object) Array(name string) []json.RawMessage {
	list, _ := AsArray(o.Get(name))
	return list
}

// Flag reports an explicit true.
func (o Object) Flag(name string) bool { return string(o.Get(name)) == "true" }

// Denied reports an explicit false.
func (o Object) Denied(name string) bool { return string(o.Get(name)) == "false" }

// Number returns a whole number, tolerating one written as a string.
func (o Object) Number(name string) (int, bool) {
	text, ok := AsText(o.Get(name))
	if !ok {
		return 0, false
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != float64(int(f)) {
		return 0, false
	}
	return int(f), true
}

// Without returns o less some names.
func (o Object) Without(names ...string) Object {
	kept := make(Object, 0, len(o))
	for _, m := range o {
		if !slices.Contains(names, m.Name) {
			kept = append(kept, m)
		}
	}
	return kept
}

// With returns o with a value set, in its place or at the end.
func (o Object) With(name string, value json.RawMessage) Object {
	set := make(Object, 0, len(o)+1)
	found := false
	for _, m := range o {
		if m.Name == name {
			if found {
				continue
			}
			m.Value, found = value, true
		}
		set = append(set, m)
	}
	if !found {
		set = append(set, Member{name, value})
	}
	return set
}

// WithAll returns o with the values of all members set, as With does one by one.
func (o Object) WithAll(members Object) Object {
	values := make(map[string]json.RawMessage, len(members))
	for _, m := range members {
		values[m.Name] = m.Value
	}
	set := make(Object, 0, len(o)+len(members))
	placed := make(map[string]bool, len(members))
	for _, m := range slices.Concat(o, members) {
		if value, given := values[m.Name]; given {
			if placed[m.Name] {
				continue
			}
			m.Value, placed[m.Name] = value, true
		}
		set = append(set, m)
	}
	return set
}

// JSON writes the members in their order.
func (o Object) JSON() json.RawMessage {
	size := 2
	for _, m := range o {
		size += len(m.Name) + len(m.Value) + 4
	}
	object := append(make([]byte, 0, size), '{')
	for i, m := range o {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(append(AppendText(object, m.Name), ':'), m.Value...)
	}
	return append(object, '}')
}

// plainText reports whether a text stands in JSON as it is: most names and ids do.
func plainText(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ', c == '"', c == '\\':
			return false
		case c == 0xE2 && strings.HasPrefix(text[i+1:], "\x80") && i+2 < len(text) && text[i+2]&^1 == 0xA8: // U+2028 and U+2029
			return false
		}
	}
	return utf8.ValidString(text)
}

// EncodeJSON writes a value without escaping <, > and &: a result is not HTML. The value must be one that
// encoding/json can write; anything else becomes null.
func EncodeJSON(value any) json.RawMessage {
	switch value := value.(type) {
	case string:
		return AppendText(make([]byte, 0, len(value)+2), value)
	case int:
		return strconv.AppendInt(nil, int64(value), 10)
	case bool:
		return strconv.AppendBool(nil, value)
	}
	return encoded(value)
}

// AppendText appends a text as a JSON string, as [EncodeJSON] writes it.
func AppendText(b []byte, text string) []byte {
	if plainText(text) {
		return append(append(append(b, '"'), text...), '"')
	}
	return append(b, encoded(text)...)
}

func encoded(value any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}
