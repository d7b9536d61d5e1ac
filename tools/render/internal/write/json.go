// Package write builds the parts of an answer: JSON with its members in the order of building, and lines of text. It knows the limits of
// hosts for both, and truncates what is too long.
package write

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// JSON returns v as JSON, without escaping the < and > of marks.
func JSON(v any) string { return rs.EncodeJSON(v) }

// Object builds a JSON object, such as the arguments of a call or a part of a result, in the order of its method calls. The zero value is
// {}.
type Object struct{ b []byte }

const usualSize = 256 // bytes of a call

// NewObject returns an empty Object with space for size bytes.
func NewObject(size int) *Object { return &Object{make([]byte, 0, size)} }

// Put adds a member whose value is JSON, unless that is empty.
func (a *Object) Put(name, value string) *Object {
	if value == "" {
		return a
	}
	return a.Append(name, func(b []byte) []byte { return append(b, value...) })
}

// Append adds a member whose value the function value appends.
func (a *Object) Append(name string, value func(b []byte) []byte) *Object {
	a.name(name)
	a.b = value(a.b)
	return a
}

func (a *Object) name(name string) {
	a.comma()
	a.b = append(clean.AppendEscaped(append(a.b, '"'), name), `":`...)
}

func (a *Object) comma() {
	if len(a.b) == 0 {
		a.b = slices.Grow(a.b, usualSize)
		return
	}
	switch a.b[len(a.b)-1] {
	case '[', '{', ':':
	default:
		a.b = append(a.b, ',')
	}
}

// Open begins a nested object or array, without a name if it is an element of an array; Close ends it.
func (a *Object) Open(name string, bracket byte) *Object {
	if name == "" {
		a.comma()
	} else {
		a.name(name)
	}
	a.b = append(a.b, bracket)
	return a
}

// Close ends what Open began.
func (a *Object) Close(bracket byte) *Object {
	a.b = append(a.b, bracket)
	return a
}

// Text adds a string, unless it is empty. It escapes what a line of text would change, so that the string can be copied from one.
func (a *Object) Text(name, value string) *Object {
	if value == "" {
		return a
	}
	return a.Append(name, func(b []byte) []byte { return append(clean.AppendEscaped(append(b, '"'), value), '"') })
}

// Plain adds a string with the usual escapes of JSON.
func (a *Object) Plain(name, value string) *Object {
	return a.Append(name, func(b []byte) []byte { return rs.AppendText(b, value) })
}

// Optional is Plain, unless the string is empty.
func (a *Object) Optional(name, value string) *Object {
	if value == "" {
		return a
	}
	return a.Plain(name, value)
}

// Number adds a number, unless it is zero.
func (a *Object) Number(name string, value int) *Object {
	if value == 0 {
		return a
	}
	return a.Append(name, func(b []byte) []byte { return strconv.AppendInt(b, int64(value), 10) })
}

// Flag adds true if value is true, else nothing.
func (a *Object) Flag(name string, value bool) *Object {
	return a.Put(name, When(value, "true"))
}

// Rest adds members as they were sent, except those that are null.
func (a *Object) Rest(members rs.Object) *Object {
	for _, m := range members {
		if compact, err := rs.Compact(m.Value); err == nil && compact != "null" {
			a.Put(m.Name, compact)
		}
	}
	return a
}

// List adds an array of strings, unless it is empty.
func (a *Object) List(name string, values []string) *Object {
	if len(values) == 0 {
		return a
	}
	return a.Array(name, Each(values, clean.Quote))
}

// Array adds an array of values that are already JSON.
func (a *Object) Array(name string, values []string) *Object {
	return a.Put(name, rs.JoinArray(values))
}

// Elements adds an array whose elements are already written, with the commas between them.
func (a *Object) Elements(name string, raw []byte) *Object {
	a.Open(name, '[')
	a.b = append(a.b, raw...)
	return a.Close(']')
}

// Inside returns what was written, without the surrounding braces.
func (a *Object) Inside() []byte { return a.b }

// JSON returns what was written, as an object; "" for nil.
func (a *Object) JSON() string {
	if a == nil {
		return ""
	}
	return "{" + string(a.b) + "}"
}

// Call returns a call of a tool with these arguments, as text shows it; "" for nil.
func (a *Object) Call(tool string) string {
	if a == nil {
		return ""
	}
	return tool + " {" + string(a.b) + "}"
}

// ToolCall returns a call as structured output shows it, {"tool","arguments"}; "" without arguments.
func ToolCall(tool, arguments string) string {
	return When(arguments != "", new(Object).Plain("tool", tool).Put("arguments", arguments).JSON())
}

// Pair returns a member whose value is JSON.
func Pair(name string, value string) rs.Member { return rs.Member{Name: name, Value: value} }

// A value that does not fit is truncated after a character of a string, an element of an array or a member of an object. The answer names
// what was truncated (D18).

// Parameters of Truncate and TruncateObject.
const (
	LeastShare    = 64   // a member that would get fewer bytes is left out
	LeastField    = 1500 // the same for a field of a record: few are truncated, so that each can be named with the call that reads the rest
	TruncateDepth = 6    // levels of nesting; larger lists and objects below are replaced by null
)

// Truncate returns a JSON value cut to at most max bytes, or null, which has 4. The members of an object share the bytes: small ones stay
// complete and large ones share the rest, so that ids and cursors stay.
func Truncate(raw string, max int) string { return truncateAt(raw, max, TruncateDepth) }

func truncateAt(raw string, max, depth int) string {
	if len(raw) <= max {
		return raw
	}
	switch kind := rs.Kind(raw); {
	case kind == "string" && max >= len(`""`):
		text, _ := rs.AsText(raw)
		return JSON(Prefix(text, max-len(`""`)))
	case kind == "array" && depth > 0 && max >= len(`[]`):
		return truncateArray(raw, max, depth)
	case kind == "object" && depth > 0 && max >= len(`{}`):
		return TruncateObject(rs.AsObject(raw), max, LeastShare, depth).JSON()
	}
	return "null"
}

func truncateArray(raw string, max, depth int) string {
	elements, _ := rs.AsArray(raw)
	remaining := max - len(`[]`)
	for i, element := range elements {
		if len(element)+1 <= remaining {
			remaining -= len(element) + 1
			continue
		}
		if remaining <= LeastShare {
			return rs.JoinArray(elements[:i])
		}
		elements[i] = truncateAt(element, remaining-1, depth-1)
		return rs.JoinArray(elements[:i+1])
	}
	return rs.JoinArray(elements)
}

// TruncateObject truncates an object to most bytes. A member stays complete, or gets at least least bytes, including its name, or is left
// out with all members after it. A member whose name is too long for any call is always left out.
func TruncateObject(o rs.Object, most, least, depth int) rs.Object {
	remaining := most - len(`{}`)
	var fitted rs.Object
	var sizes []int
	for _, m := range o {
		if len(m.Name) > LongestName {
			continue
		}
		own := len(JSON(m.Name)) + len(`:,`)
		least = max(least, own+len("null")) // else a name could be larger than its share
		fitted, sizes = append(fitted, m), append(sizes, own+len(m.Value))
	}
	kept := Sharing(sizes, remaining, least)
	share := FairShare(sizes[:kept], remaining)
	fitted = append(rs.Object{}, fitted[:kept]...)
	for i, m := range fitted {
		if sizes[i] > share {
			fitted[i].Value = truncateAt(m.Value, share-(sizes[i]-len(m.Value)), depth-1)
		}
	}
	return fitted
}

// TruncateEnvelope truncates the members around a list to max bytes, except cursors, which would be useless.
func TruncateEnvelope(o rs.Object, max int) rs.Object {
	if len(o.JSON()) <= max {
		return o
	}
	cursors := []string{"next_cursor", "next_changes_since", "has_more"}
	fitted := TruncateObject(o.Without(cursors...), max, LeastShare, TruncateDepth)
	for _, key := range cursors {
		if value := o.Get(key); value != "" {
			fitted = append(fitted, Pair(key, value))
		}
	}
	return fitted
}

// Sharing returns how many of the first sizes can share remaining bytes so that each is complete or gets at least least bytes.
func Sharing(sizes []int, remaining, least int) int {
	needed := 0
	for i, size := range sizes {
		if needed += min(size, least); needed > remaining && least > 0 {
			return i
		}
	}
	return len(sizes)
}

// FairShare returns the largest share such that sizes, each truncated to it, fit in remaining bytes together.
func FairShare(sizes []int, remaining int) int {
	sorted := slices.Sorted(slices.Values(sizes))
	for i, size := range sorted {
		share := remaining / (len(sorted) - i)
		if size > share {
			return max(share, 0)
		}
		remaining -= size
	}
	return math.MaxInt
}

// Prefix returns the longest prefix of s that takes at most max bytes of JSON and does not end inside an emoji flag.
func Prefix(s string, max int) string {
	n := 0
	for i, c := range s {
		if n += escapedRune(c); n > max {
			return s[:clean.OpenFlag(s[:i])]
		}
	}
	return s
}

// Escaped returns how many bytes s takes inside a JSON string.
func Escaped(s string) int {
	n := 0
	for _, c := range s {
		n += escapedRune(c)
	}
	return n
}

func escapedRune(c rune) int {
	switch {
	case c == '\n' || c == '\t' || c == '\r' || c == '"' || c == '\\':
		return 2
	case c < ' ' || c == '\u2028' || c == '\u2029':
		return 6
	}
	return utf8.RuneLen(c)
}
