package render

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

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
