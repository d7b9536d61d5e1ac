package rs

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// An Object is a JSON object whose members keep their order, and whose values are JSON text. It is read and spliced, never decoded and
// encoded again, so that what a resource server sent reaches the host unchanged. Values are substrings of the text that was read, not
// copies. The methods that are called most often are not inlined: inlining them makes the program 0.4 MB larger.
type Object []Member

// A Member is one name of an [Object] with its value, which is JSON.
type Member struct{ Name, Value string }

// NewMember returns a member with value encoded as JSON.
func NewMember(name string, value any) Member { return Member{name, EncodeJSON(value)} }

// index returns the index of a name, or -1 if it is absent. If a name occurs twice, the last one wins, as in encoding/json.
//
//go:noinline
func (o Object) index(name string) int {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Name == name {
			return i
		}
	}
	return -1
}

// Get returns the value of a name, or "" if it is absent or null.
func (o Object) Get(name string) string {
	if at := o.index(name); at >= 0 && o[at].Value != "null" {
		return o[at].Value
	}
	return ""
}

// Has reports whether a name has a value other than null.
//
//go:noinline
func (o Object) Has(name string) bool { return o.Get(name) != "" }

// Includes reports whether a name is present, even as null.
func (o Object) Includes(name string) bool { return o.index(name) >= 0 }

// Text returns the text of the first of the names whose value is a number or a non-empty string; "" if there is none.
func (o Object) Text(names ...string) string {
	for _, name := range names {
		raw := o.Get(name)
		if raw != "" && raw[0] == '"' {
			raw = unquoted(raw)
		} else if Kind(raw) != "number" {
			continue
		}
		if raw != "" {
			return raw
		}
	}
	return ""
}

// JSONString returns the text of a member that is a string, or "".
func (o Object) JSONString(name string) string {
	return unquoted(o.Get(name))
}

// Object returns the object of a name, or nil.
func (o Object) Object(name string) Object { return AsObject(o.Get(name)) }

// Array returns the elements of a name's array, or nil.
func (o Object) Array(name string) []string {
	list, _ := AsArray(o.Get(name))
	return list
}

// Flag reports whether a name is present and true.
func (o Object) Flag(name string) bool { return o.Get(name) == "true" }

// Denied reports whether a name is present and false.
func (o Object) Denied(name string) bool { return o.Get(name) == "false" }

// Number returns a value that is a whole number, or a string with one.
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

// Without returns o without some names.
//
//go:noinline
func (o Object) Without(names ...string) Object {
	kept := make(Object, 0, len(o))
	for _, m := range o {
		if !slices.Contains(names, m.Name) {
			kept = append(kept, m)
		}
	}
	return kept
}

// With returns o with a value set, at the name's position or at the end.
//
//go:noinline
func (o Object) With(name string, value string) Object {
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

// Renamed returns o with one member renamed in place and set to value. It drops another member of the new name.
func (o Object) Renamed(from, to, value string) Object {
	renamed := slices.DeleteFunc(slices.Clone(o), func(m Member) bool { return m.Name == to && from != to })
	if at := renamed.index(from); at >= 0 {
		renamed[at] = Member{to, value}
	}
	return renamed
}

// WithAll returns o with the values of all members set, as With does one by one.
//
//go:noinline
func (o Object) WithAll(members Object) Object {
	if len(members) == 0 {
		return o
	}
	set := make(Object, 0, len(o)+len(members))
	places := make(map[string]int, cap(set))
	for _, part := range [...]Object{o, members} {
		for _, m := range part {
			if at, placed := places[m.Name]; placed {
				set[at].Value = m.Value
				continue
			}
			places[m.Name] = len(set)
			set = append(set, m)
		}
	}
	return set
}

// JSON returns the object as JSON, with its members in order.
//
//go:noinline
func (o Object) JSON() string { return string(o.AppendJSON(nil)) }

// AppendJSON appends what [Object.JSON] returns.
func (o Object) AppendJSON(b []byte) []byte {
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

// Ambiguity finds a member that two JSON readers may interpret differently: one whose name occurs twice, in any case, or differs from one
// of names only in case. name is that one of names which equals the member's name in any case, "" if none does.
func (o Object) Ambiguity(names ...string) (member, name string, found bool) {
	const few = 16
	var seen map[string]bool // only for more than few members: fewer are compared pairwise
	if len(o) > few {
		seen = make(map[string]bool, len(o))
	}
	for i, m := range o {
		name = ""
		if at := slices.IndexFunc(names, func(known string) bool { return strings.EqualFold(known, m.Name) }); at >= 0 {
			name = names[at]
		}
		var twice bool
		if seen == nil {
			twice = slices.ContainsFunc(o[:i], func(before Member) bool { return strings.EqualFold(before.Name, m.Name) })
		} else {
			folded := strings.Map(FoldCase, m.Name)
			twice, seen[folded] = seen[folded], true
		}
		if twice || name != "" && name != m.Name {
			return m.Name, name, true
		}
	}
	return "", "", false
}

// FoldCase maps letters that strings.EqualFold and encoding/json treat as equal, such as k and the Kelvin sign, to the same letter.
func FoldCase(r rune) rune {
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}

// usualMembers is a capacity that suffices for most objects.
const usualMembers = 8

// AsObject returns the members of raw, which is valid JSON, or nil if raw is not an object. An empty object is not nil.
//
//go:noinline
func AsObject(raw string) Object { return asObject(raw, usualMembers) }

// asObject is AsObject with a capacity for so many members.
func asObject(raw string, members int) Object {
	value := gjson.Parse(raw)
	if !value.IsObject() {
		return nil
	}
	o := make(Object, 0, members)
	value.ForEach(func(name, member gjson.Result) bool {
		o = append(o, Member{unquoted(name.Raw), member.Raw})
		return true
	})
	return o
}

// ReadObject parses one JSON object with nothing after it. Its error says what was expected and contains none of the text.
func ReadObject(raw string) (Object, error) {
	decoder := newDecoder(raw)
	if decoder.PeekKind() != '{' {
		return nil, errors.New("an object is expected")
	}
	if decoder.SkipValue() != nil {
		return nil, errNotJSON
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return AsObject(raw), nil
}

// readDistinct returns the next value of a decoder of valid JSON without duplicate names: if a name occurs twice in an object, the last
// value wins.
func readDistinct(decoder *jsontext.Decoder) string {
	kind := decoder.PeekKind()
	if kind != '{' && kind != '[' {
		value, _ := decoder.ReadValue()
		return string(value)
	}
	var list []string
	var members Object
	_, _ = decoder.ReadToken()
	for next := decoder.PeekKind(); next > 0 && next != '}' && next != ']'; next = decoder.PeekKind() {
		if kind == '[' {
			list = append(list, readDistinct(decoder))
			continue
		}
		name, _ := decoder.ReadToken()
		m := Member{Name: name.String()}
		m.Value = readDistinct(decoder)
		members = append(members, m)
	}
	_, _ = decoder.ReadToken()
	if kind == '[' {
		return JoinArray(list)
	}
	return Object{}.WithAll(members).JSON()
}
