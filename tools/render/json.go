package render

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// Short names for what every renderer writes.
type (
	object = rs.Object
	member = rs.Member
)

// encode returns v as JSON; <mark> stays legible.
func encode(v any) string {
	if text, ok := v.(string); ok {
		return string(rs.AppendText(nil, text))
	}
	return rs.EncodeJSON(v)
}

// arguments is the JSON object of a call, or a part of a result, in the order in which it was built. The zero value is {}.
type arguments struct{ b []byte }

// newArguments has space for about so many bytes.
func newArguments(size int) *arguments { return &arguments{make([]byte, 0, size)} }

// put adds a member of any name.
func (a *arguments) put(name, value string) *arguments {
	a.comma()
	a.b = append(append(clean.AppendQuoted(a.b, name), ':'), value...)
	return a
}

// key begins a member. Its name is one of ours, in which nothing is to be escaped.
func (a *arguments) key(key string) {
	a.comma()
	a.b = append(append(append(a.b, '"'), key...), `":`...)
}

func (a *arguments) comma() {
	if len(a.b) == 0 {
		return
	}
	switch a.b[len(a.b)-1] {
	case '[', '{', ':', ',':
	default:
		a.b = append(a.b, ',')
	}
}

// open begins an object or an array, of no name when it is an element; close ends it.
func (a *arguments) open(key string, bracket byte) *arguments {
	if key == "" {
		a.comma()
	} else {
		a.key(key)
	}
	a.b = append(a.b, bracket)
	return a
}

func (a *arguments) close(bracket byte) *arguments {
	a.b = append(a.b, bracket)
	return a
}

// text adds a string that can be copied from a line, unless it is empty.
func (a *arguments) text(key, value string) *arguments {
	if value == "" {
		return a
	}
	a.key(key)
	a.b = clean.AppendQuoted(a.b, value)
	return a
}

// plain adds a string as JSON usually has it.
func (a *arguments) plain(key, value string) *arguments {
	a.key(key)
	a.b = rs.AppendText(a.b, value)
	return a
}

// append adds a value that is appended.
func (a *arguments) append(key string, value func(b []byte) []byte) *arguments {
	a.key(key)
	a.b = value(a.b)
	return a
}

// optional is plain, unless the string is empty.
func (a *arguments) optional(key, value string) *arguments {
	if value == "" {
		return a
	}
	return a.plain(key, value)
}

// number adds a number unless it is zero.
func (a *arguments) number(key string, value int) *arguments {
	if value == 0 {
		return a
	}
	return a.put(key, strconv.Itoa(value))
}

// rest adds members as they were sent.
func (a *arguments) rest(members object) *arguments {
	for _, m := range members {
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(m.Value)) == nil && compact.String() != "null" {
			a.put(m.Name, compact.String())
		}
	}
	return a
}

// list adds strings unless there are none.
func (a *arguments) list(key string, values []string) *arguments {
	if len(values) == 0 {
		return a
	}
	return a.put(key, "["+strings.Join(each(values, clean.Quote), ",")+"]")
}

// array adds an array of values that are JSON already.
func (a *arguments) array(key string, values []string) *arguments {
	a.open(key, '[')
	for _, value := range values {
		a.comma()
		a.b = append(a.b, value...)
	}
	return a.close(']')
}

// elements adds an array whose elements were written already.
func (a *arguments) elements(key string, raw []byte) {
	a.open(key, '[')
	a.b = append(a.b, raw...)
	a.close(']')
}

// bytes are what was written, without brackets around it.
func (a *arguments) bytes() []byte { return a.b }

func (a *arguments) json() string { return "{" + string(a.b) + "}" }

func (a *arguments) call(tool string) string { return tool + " " + a.json() }

// toolCall is a call in structured output.
func toolCall(tool, arguments string) string {
	return object{pair("tool", encode(tool)), pair("arguments", arguments)}.JSON()
}

func pair(name string, value string) member { return member{Name: name, Value: value} }
