package render

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
func (a *arguments) elements(key string, raw []byte) *arguments {
	a.open(key, '[')
	a.b = append(a.b, raw...)
	return a.close(']')
}

// bytes are what was written, without brackets around it.
func (a *arguments) bytes() []byte { return a.b }

func (a *arguments) json() string { return "{" + string(a.b) + "}" }

func (a *arguments) call(tool string) string { return tool + " " + a.json() }

// toolCall is a call in structured output.
func toolCall(tool, arguments string) string {
	return object{pair("tool", encode(tool)), pair("arguments", arguments)}.JSON()
}

// What does not fit is cut where it may be cut: a text after a character, a list after an element, an object after a
// member. The answer says beside it what was cut (D18).

const (
	leastShare    = 64   // a member that would get fewer than this many bytes is left out
	leastField    = 1500 // the same of a record's field: so few are cut that each can be named with the call that reads on
	truncateDepth = 6    // how deep a value is looked into; what is large below that is left out as a whole
)

// truncateJSON returns a JSON value of at most max bytes, which are the 4 of null at least, or as it is when it fits. The members of an
// object share the bytes: the small ones are whole and the large ones get what is left, so that ids and cursors stay.
func truncateJSON(raw string, max int) string { return truncateAt(raw, max, truncateDepth) }

func truncateAt(raw string, max, depth int) string {
	if len(raw) <= max {
		return raw
	}
	switch kind := rs.Kind(raw); {
	case kind == "string" && max >= len(`""`):
		return encode(prefix(rs.TextStart(raw, max), max-len(`""`)))
	case kind == "array" && depth > 0 && max >= len(`[]`):
		return truncateArray(raw, max, depth)
	case kind == "object" && depth > 0 && max >= len(`{}`):
		return truncateObject(rs.AsObject(raw), max, leastShare, depth).JSON()
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
		if remaining <= leastShare {
			return rs.JoinArray(elements[:i])
		}
		elements[i] = truncateAt(element, remaining-1, depth-1)
		return rs.JoinArray(elements[:i+1])
	}
	return rs.JoinArray(elements)
}

// truncateObject cuts an object to max bytes. A member is whole, or has at least least bytes, its name included, or is left
// out with those behind it. A member whose name is too long for any call is left out alone.
func truncateObject(o object, most, least, depth int) object {
	remaining := most - len(`{}`)
	var fitted object
	var sizes []int
	for _, m := range o {
		if len(m.Name) > longestName {
			continue
		}
		own := len(encode(m.Name)) + len(`:,`)
		least = max(least, own+len("null")) // else a name could be larger than its share
		fitted, sizes = append(fitted, m), append(sizes, own+len(m.Value))
	}
	kept := sharing(sizes, remaining, least)
	share := fairShare(sizes[:kept], remaining)
	fitted = append(object{}, fitted[:kept]...)
	for i, m := range fitted {
		if sizes[i] > share {
			fitted[i].Value = truncateAt(m.Value, share-(sizes[i]-len(m.Value)), depth-1)
		}
	}
	return fitted
}

// truncateEnvelope cuts what stands beside a list to max bytes, but no cursor: it would be worth nothing.
func truncateEnvelope(o object, max int) object {
	if len(o.JSON()) <= max {
		return o
	}
	cursors := []string{"next_cursor", "next_changes_since", "has_more"}
	fitted := truncateObject(o.Without(cursors...), max, leastShare, truncateDepth)
	for _, key := range cursors {
		if value := o.Get(key); value != "" {
			fitted = append(fitted, pair(key, value))
		}
	}
	return fitted
}

// sharing is how many of the first sizes share remaining bytes so that each is complete or has at least least of them.
func sharing(sizes []int, remaining, least int) int {
	needed := 0
	for i, size := range sizes {
		if needed += min(size, least); needed > remaining && least > 0 {
			return i
		}
	}
	return len(sizes)
}

// fairShare is the largest share at which sizes, each cut to it, fit in remaining bytes together.
func fairShare(sizes []int, remaining int) int {
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

// prefix is the longest start of s that takes at most max bytes of JSON and does not end inside an emoji flag.
func prefix(s string, max int) string {
	n := 0
	for i, c := range s {
		if n += escapedRune(c); n > max {
			return s[:clean.OpenFlag(s[:i])]
		}
	}
	return s
}

// escaped is how many bytes s takes inside a JSON string.
func escaped(s string) int {
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

// sendableName reports whether a tool takes a name of a stream or connection, and sendableField one of a field.
func sendableName(s string) bool { return len(s) <= longestName && rs.UnsafeName(s) == "" }

func sendableField(s string) bool { return len(s) <= longestName && rs.UnsafeField(s) == "" }

// jsonText is the same JSON for a line of text: characters that do not print are escaped.
func jsonText(raw string) string {
	var b []byte
	for _, c := range raw {
		if clean.Shows(c) {
			b = utf8.AppendRune(b, c)
		} else {
			b = clean.AppendEscaped(b, string(c))
		}
	}
	return string(b)
}

func pair(name string, value string) member { return member{Name: name, Value: value} }
