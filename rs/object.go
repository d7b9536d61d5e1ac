package rs

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// An ObjectOf is a JSON object whose members keep their order and whose values stay the JSON that they were. It is read
// and spliced, never decoded and encoded again: what a resource server said reaches the host unchanged. Of a string, names
// and texts are parts and not copies, wherever they hold no escapes.
type ObjectOf[T JSON] []MemberOf[T]

// A MemberOf is one name of an [ObjectOf] with its value.
type MemberOf[T JSON] struct {
	Name  string
	Value T
}

// Object and Member are those of bytes.
type (
	Object = ObjectOf[json.RawMessage]
	Member = MemberOf[json.RawMessage]
)

// ReadObject reads one JSON object and nothing after it. Its error says what is expected and shows none of the text.
func ReadObject(raw json.RawMessage) (Object, error) {
	if kindBehindSpace(raw) != "object" {
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
func AsObject[T JSON](raw T) ObjectOf[T] {
	return ObjectOf[T](nil).Reread(raw)
}

// Reread is [AsObject] in the room of o, which is needed no more.
func (o ObjectOf[T]) Reread(raw T) ObjectOf[T] {
	if kindBehindSpace(raw) != "object" {
		return nil
	}
	members := o[:0]
	if cap(o) == 0 {
		members = make(ObjectOf[T], 0, 16)
	}
	text := string(raw)
	whole := eachPart(text, '{', '}', func(from, to int) bool {
		length := stringEnd(text[from:to])
		if length < 0 {
			return false
		}
		name, ok := unquote(text[from : from+length])
		value := trimLeft(text[from+length : to])
		if !ok || value == "" || value[0] != ':' {
			return false
		}
		value = trimLeft(value[1:])
		members = append(members, MemberOf[T]{name, raw[to-len(value) : to]})
		return true
	})
	if !whole {
		return nil
	}
	return members
}

// AsArray returns the elements of raw, which is valid JSON, and whether raw is an array.
func AsArray[T JSON](raw T) ([]T, bool) {
	if kindBehindSpace(raw) != "array" {
		return nil, false
	}
	return RereadArray(make([]T, 0, 32), raw)
}

// RereadArray is [AsArray] in the room of a list that is needed no more.
func RereadArray[T JSON](list []T, raw T) ([]T, bool) {
	list = list[:0]
	if !eachPart(string(raw), '[', ']', func(from, to int) bool { list = append(list, raw[from:to]); return true }) {
		return nil, false
	}
	return list, true
}

// eachPart calls use with where each part between the commas of an object or array stands, without the space around it, and
// reports whether raw is one and every part was used.
func eachPart(raw string, open, shut byte, use func(from, to int) bool) bool {
	whole := len(raw)
	raw = trimLeft(raw)
	from := whole - len(raw)
	raw = trimRight(raw)
	if len(raw) < 2 || raw[0] != open || raw[len(raw)-1] != shut {
		return false
	}
	rest := raw[1 : len(raw)-1]
	for from++; ; from++ {
		part := trimLeft(rest)
		from += len(rest) - len(part)
		if part == "" {
			return len(rest) == len(raw)-2 // a comma with nothing behind it is a fault
		}
		end := partEnd(part)
		if end < 0 || !use(from, from+len(trimRight(part[:end]))) {
			return false
		}
		if end == len(part) {
			return true
		}
		from, rest = from+end, part[end+1:]
	}
}

// partEnd is where the first comma outside strings and brackets stands, or the length, or -1 for brackets that do not match.
func partEnd(raw string) int {
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

// AsText returns a string, or a number or boolean as it is written.
func AsText[T JSON](raw T) (string, bool) {
	switch Kind(raw) {
	case "string":
		return unquote(string(raw))
	case "number", "boolean":
		return string(raw), true
	}
	return "", false
}

// Kind names the type of a JSON value: object, array, string, boolean, number, null, or nothing.
func Kind[T JSON](raw T) string {
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

// kindBehindSpace is the kind of a value with white space before it.
func kindBehindSpace[T JSON](raw T) string {
	for len(raw) > 0 && isSpace(raw[0]) {
		raw = raw[1:]
	}
	return Kind(raw)
}

// JoinArray writes an array of values that are JSON already.
func JoinArray[T JSON](list []T) T {
	size := len("[]") + len(list)
	for _, raw := range list {
		size += len(raw)
	}
	array := append(make([]byte, 0, size), '[')
	for i, raw := range list {
		if i > 0 {
			array = append(array, ',')
		}
		array = append(array, raw...)
	}
	return T(append(array, ']'))
}

// Get returns the value of a name, or nil when it is absent or null. Of a name given twice the last one counts, as in
// encoding/json.
func (o ObjectOf[T]) Get(name string) T {
	var none T
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Name == name {
			if Kind(o[i].Value) == "null" {
				return none
			}
			return o[i].Value
		}
	}
	return none
}

// Has reports whether a name has a value other than null.
func (o ObjectOf[T]) Has(name string) bool { return len(o.Get(name)) > 0 }

// Includes reports whether a name is there, even as null.
func (o ObjectOf[T]) Includes(name string) bool {
	return slices.ContainsFunc(o, func(m MemberOf[T]) bool { return m.Name == name })
}

// Text returns the first of the names that holds a string or a number and is not empty.
func (o ObjectOf[T]) Text(names ...string) string {
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
func (o ObjectOf[T]) Object(name string) ObjectOf[T] { return AsObject(o.Get(name)) }

// Array returns the elements of a name's array, or nil.
func (o ObjectOf[T]) Array(name string) []T {
	list, _ := AsArray(o.Get(name))
	return list
}

// Flag reports an explicit true.
func (o ObjectOf[T]) Flag(name string) bool { return string(o.Get(name)) == "true" }

// Denied reports an explicit false.
func (o ObjectOf[T]) Denied(name string) bool { return string(o.Get(name)) == "false" }

// Number returns a whole number, tolerating one written as a string.
func (o ObjectOf[T]) Number(name string) (int, bool) {
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
func (o ObjectOf[T]) Without(names ...string) ObjectOf[T] {
	kept := make(ObjectOf[T], 0, len(o))
	for _, m := range o {
		if !slices.Contains(names, m.Name) {
			kept = append(kept, m)
		}
	}
	return kept
}

// With returns o with a value set, in its place or at the end.
func (o ObjectOf[T]) With(name string, value T) ObjectOf[T] {
	set := make(ObjectOf[T], 0, len(o)+1)
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
		set = append(set, MemberOf[T]{name, value})
	}
	return set
}

// WithAll returns o with the values of all members set, as With does one by one.
func (o ObjectOf[T]) WithAll(members ObjectOf[T]) ObjectOf[T] {
	values := make(map[string]T, len(members))
	for _, m := range members {
		values[m.Name] = m.Value
	}
	set := make(ObjectOf[T], 0, len(o)+len(members))
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
func (o ObjectOf[T]) JSON() T { return T(o.AppendJSON(nil)) }

// AppendJSON appends what [ObjectOf.JSON] returns.
func (o ObjectOf[T]) AppendJSON(b []byte) []byte {
	size := len("{}")
	for _, m := range o {
		size += len(m.Name) + len(m.Value) + len(`"":,`)
	}
	b = append(slices.Grow(b, size), '{')
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(AppendText(b, m.Name), ':'), m.Value...)
	}
	return append(b, '}')
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
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}
