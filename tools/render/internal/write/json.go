// Package write has the mechanics of an answer: JSON in the order in which it is built, lines of text, how much hosts take of either, and
// how what is too long is cut.
package write

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// JSON returns v as JSON; <mark> stays legible.
func JSON(v any) string { return rs.EncodeJSON(v) }

// Object is the JSON object of a call, or a part of a result, in the order in which it was built. The zero value is {}.
type Object struct{ b []byte }

const usualSize = 256 // bytes of a call

// NewObject has space for about so many bytes.
func NewObject(size int) *Object { return &Object{make([]byte, 0, size)} }

// Put adds a member whose value is JSON, unless that is empty.
func (a *Object) Put(name, value string) *Object {
	if value == "" {
		return a
	}
	return a.Append(name, func(b []byte) []byte { return append(b, value...) })
}

// Append adds a member whose value is appended.
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

// Open begins an object or an array, of no name when it is an element; Close ends it.
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

// Text adds a string that can be copied from a line, unless it is empty.
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

// Flag adds true, or nothing.
func (a *Object) Flag(name string, value bool) *Object {
	if !value {
		return a
	}
	return a.Put(name, "true")
}

// Rest adds members as they were sent, without those that are null.
func (a *Object) Rest(members rs.Object) *Object {
	for _, m := range members {
		if compact, err := rs.Compact(m.Value); err == nil && compact != "null" {
			a.Put(m.Name, compact)
		}
	}
	return a
}

// List adds strings unless there are none.
func (a *Object) List(name string, values []string) *Object {
	if len(values) == 0 {
		return a
	}
	return a.Array(name, Each(values, clean.Quote))
}

// Array adds an array of values that are JSON already.
func (a *Object) Array(name string, values []string) *Object {
	return a.Put(name, rs.JoinArray(values))
}

// Elements adds an array whose elements were written already.
func (a *Object) Elements(name string, raw []byte) *Object {
	a.Open(name, '[')
	a.b = append(a.b, raw...)
	return a.Close(']')
}

// Inside is what was written, without brackets around it.
func (a *Object) Inside() []byte { return a.b }

// JSON returns what was written, as an object; "" for nil.
func (a *Object) JSON() string {
	if a == nil {
		return ""
	}
	return "{" + string(a.b) + "}"
}

// Call returns a call of a tool with these arguments as text has it; "" for nil.
func (a *Object) Call(tool string) string {
	if a == nil {
		return ""
	}
	return tool + " {" + string(a.b) + "}"
}

// ToolCall returns a call as structured output has it, {"tool","arguments"}; "" without arguments.
func ToolCall(tool, arguments string) string {
	return When(arguments != "", new(Object).Plain("tool", tool).Put("arguments", arguments).JSON())
}

// Pair is a member whose value is JSON.
func Pair(name string, value string) rs.Member { return rs.Member{Name: name, Value: value} }

// What does not fit is cut where it may be cut: a text after a character, a list after an element, an object after a
// member. The answer says beside it what was cut (D18).

// What a cut leaves at least, and how deep it goes.
const (
	LeastShare    = 64   // a member that would get fewer than this many bytes is left out
	LeastField    = 1500 // the same of a record's field: so few are cut that each can be named with the call that reads on
	TruncateDepth = 6    // how deep a value is looked into; what is large below that is left out as a whole
)

// Truncate returns a JSON value that takes at most max bytes, or the 4 of null. The members of an object share the bytes: the small ones
// stay complete and the large ones share what is left, so that ids and cursors stay.
func Truncate(raw string, max int) string { return truncateAt(raw, max, TruncateDepth) }

func truncateAt(raw string, max, depth int) string {
	if len(raw) <= max {
		return raw
	}
	switch kind := rs.Kind(raw); {
	case kind == "string" && max >= len(`""`):
		return JSON(Prefix(rs.TextStart(raw, max), max-len(`""`)))
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

// TruncateObject cuts an object to max bytes. A member is whole, or has at least least bytes, its name included, or is left
// out with those behind it. A member whose name is too long for any call is left out alone.
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

// TruncateEnvelope cuts what stands beside a list to max bytes, but no cursor: it would be worth nothing.
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

// Sharing is how many of the first sizes share remaining bytes so that each is complete or has at least least of them.
func Sharing(sizes []int, remaining, least int) int {
	needed := 0
	for i, size := range sizes {
		if needed += min(size, least); needed > remaining && least > 0 {
			return i
		}
	}
	return len(sizes)
}

// FairShare is the largest share at which sizes, each cut to it, fit in remaining bytes together.
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

// Prefix is the longest start of s that takes at most max bytes of JSON and does not end inside an emoji flag.
func Prefix(s string, max int) string {
	n := 0
	for i, c := range s {
		if n += escapedRune(c); n > max {
			return s[:clean.OpenFlag(s[:i])]
		}
	}
	return s
}

// Escaped is how many bytes s takes inside a JSON string.
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
