// Package write has the mechanics of an answer: JSON in the order in which it is built, lines of text, how much hosts take of either, and
// how what is too long is cut.
package write

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// JSON returns v as JSON; <mark> stays legible.
func JSON(v any) string {
	if text, ok := v.(string); ok {
		return string(rs.AppendText(nil, text))
	}
	return rs.EncodeJSON(v)
}

// Object is the JSON object of a call, or a part of a result, in the order in which it was built. The zero value is {}.
type Object struct{ b []byte }

// NewObject has space for about so many bytes.
func NewObject(size int) *Object { return &Object{make([]byte, 0, size)} }

// Put adds a member of any name.
func (a *Object) Put(name, value string) *Object {
	a.comma()
	a.b = append(append(clean.AppendQuoted(a.b, name), ':'), value...)
	return a
}

// key begins a member. Its name is one of ours, in which nothing is to be escaped.
func (a *Object) key(key string) {
	a.comma()
	a.b = append(append(append(a.b, '"'), key...), `":`...)
}

func (a *Object) comma() {
	if len(a.b) == 0 {
		return
	}
	switch a.b[len(a.b)-1] {
	case '[', '{', ':', ',':
	default:
		a.b = append(a.b, ',')
	}
}

// Open begins an object or an array, of no name when it is an element; close ends it.
func (a *Object) Open(key string, bracket byte) *Object {
	if key == "" {
		a.comma()
	} else {
		a.key(key)
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
func (a *Object) Text(key, value string) *Object {
	if value == "" {
		return a
	}
	a.key(key)
	a.b = clean.AppendQuoted(a.b, value)
	return a
}

// Plain adds a string as JSON usually has it.
func (a *Object) Plain(key, value string) *Object {
	a.key(key)
	a.b = rs.AppendText(a.b, value)
	return a
}

// Append adds a value that is appended.
func (a *Object) Append(key string, value func(b []byte) []byte) *Object {
	a.key(key)
	a.b = value(a.b)
	return a
}

// Optional is plain, unless the string is empty.
func (a *Object) Optional(key, value string) *Object {
	if value == "" {
		return a
	}
	return a.Plain(key, value)
}

// Number adds a number unless it is zero.
func (a *Object) Number(key string, value int) *Object {
	if value == 0 {
		return a
	}
	return a.Put(key, strconv.Itoa(value))
}

// Rest adds members as they were sent.
func (a *Object) Rest(members rs.Object) *Object {
	for _, m := range members {
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(m.Value)) == nil && compact.String() != "null" {
			a.Put(m.Name, compact.String())
		}
	}
	return a
}

// List adds strings unless there are none.
func (a *Object) List(key string, values []string) *Object {
	if len(values) == 0 {
		return a
	}
	return a.Put(key, "["+strings.Join(Each(values, clean.Quote), ",")+"]")
}

// Array adds an array of values that are JSON already.
func (a *Object) Array(key string, values []string) *Object {
	a.Open(key, '[')
	for _, value := range values {
		a.comma()
		a.b = append(a.b, value...)
	}
	return a.Close(']')
}

// Elements adds an array whose elements were written already.
func (a *Object) Elements(key string, raw []byte) {
	a.Open(key, '[')
	a.b = append(a.b, raw...)
	a.Close(']')
}

// Bytes are what was written, without brackets around it.
func (a *Object) Bytes() []byte { return a.b }

// JSON is what was written, as an object.
func (a *Object) JSON() string { return "{" + string(a.b) + "}" }

// Call is a call of a tool with these arguments, in text.
func (a *Object) Call(tool string) string { return tool + " " + a.JSON() }

// ToolCall is a call in structured output.
func ToolCall(tool, arguments string) string {
	return rs.Object{Pair("tool", JSON(tool)), Pair("arguments", arguments)}.JSON()
}

// Pair is a member whose value is JSON.
func Pair(name string, value string) rs.Member { return rs.Member{Name: name, Value: value} }
