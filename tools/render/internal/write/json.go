// Package write has the mechanics of an answer: JSON in the order in which it is built, lines of text, how much hosts take of either, and
// how what is too long is cut.
package write

import (
	"slices"

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

// Plain adds a string as JSON usually has it.
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
	return a.Put(name, JSON(value))
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

// JSON is what was written, as an object; "" where there is none.
func (a *Object) JSON() string {
	if a == nil {
		return ""
	}
	return "{" + string(a.b) + "}"
}

// Call is a call of a tool with these arguments, in text; "" where there are none.
func (a *Object) Call(tool string) string { return Lead(tool+" ", a.JSON()) }

// ToolCall is a call in structured output; "" where there are no arguments.
func ToolCall(tool, arguments string) string {
	return When(arguments != "", new(Object).Plain("tool", tool).Put("arguments", arguments).JSON())
}

// Pair is a member whose value is JSON.
func Pair(name string, value string) rs.Member { return rs.Member{Name: name, Value: value} }
