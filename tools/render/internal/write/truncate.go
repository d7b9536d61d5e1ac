package write

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// What does not fit is cut where it may be cut: a text after a character, a list after an element, an object after a
// member. The answer says beside it what was cut (D18).

// What a cut leaves at least, and how deep it goes.
const (
	LeastShare    = 64   // a member that would get fewer than this many bytes is left out
	LeastField    = 1500 // the same of a record's field: so few are cut that each can be named with the call that reads on
	TruncateDepth = 6    // how deep a value is looked into; what is large below that is left out as a whole
)

// Truncate returns a JSON value of at most max bytes, which are the 4 of null at least, or as it is when it fits. The members of an
// object share the bytes: the small ones are whole and the large ones get what is left, so that ids and cursors stay.
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
