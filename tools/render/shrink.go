package render

import (
	"encoding/json"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// shrinkDepth is how deep a value is looked into; what is nested deeper is emptied when it does not fit.
const shrinkDepth = 24

// shrink returns a JSON value of at most max bytes, and at least 4. What is too long is cut where it is longest: strings
// end in "…", and arrays and objects lose members from their end only when there are too many of them. A value that fits
// keeps its bytes.
func shrink(raw json.RawMessage, max int) json.RawMessage { return shrinkAt(raw, max, 0) }

func shrinkAt(raw json.RawMessage, max, depth int) json.RawMessage {
	if len(raw) <= max {
		return raw
	}
	switch rs.Kind(raw) {
	case "string":
		s, _ := rs.AsText(raw)
		return shrinkText(s, max)
	case "array":
		list, _ := rs.AsArray(raw)
		if depth == shrinkDepth {
			list = nil
		}
		values := shrinkAll(list, func(int) int { return 1 }, max-2, depth)
		return rs.JoinArray(values)
	case "object":
		o := rs.AsObject(raw)
		if depth == shrinkDepth {
			o = nil
		}
		values := make([]json.RawMessage, len(o))
		for i, m := range o {
			values[i] = m.Value
		}
		values = shrinkAll(values, func(i int) int { return len(encode(o[i].Name)) + 2 }, max-2, depth)
		kept := slices.Clone(o[:len(values)])
		for i, value := range values {
			kept[i].Value = value
		}
		return kept.JSON()
	}
	return json.RawMessage("null")
}

// shrinkText cuts a string at a rune so that its JSON has at most max bytes.
func shrinkText(s string, max int) json.RawMessage {
	const ellipsis = `"…"`
	n := most(len(s), func(n int) bool { return len(encode(s[:runeStart(s, n)]))+len("…") <= max })
	if n == 0 && len(ellipsis) > max {
		return json.RawMessage(`""`)
	}
	return encode(s[:runeStart(s, n)] + "…")
}

// runeStart is the start of the rune that byte n of s belongs to.
func runeStart(s string, n int) int {
	for n > 0 && n < len(s) && s[n]&0xC0 == 0x80 {
		n--
	}
	return n
}

// shrinkAll shrinks values so that they fit into room together, with what is written around each: those that are short
// stay whole, the long ones share what is left.
func shrinkAll(values []json.RawMessage, around func(int) int, room, depth int) []json.RawMessage {
	const least = 4 // null
	count := 0
	for used := 0; count < len(values); count++ {
		if used += around(count) + min(len(values[count]), least); used > room {
			break
		}
	}
	values = slices.Clone(values[:count])
	sizes := make([]int, count)
	for i, value := range values {
		sizes[i], room = len(value), room-around(i)
	}
	slices.Sort(sizes)
	share := 0
	for i, size := range sizes {
		if share = room / (count - i); size > share {
			break
		}
		room -= size
	}
	for i, value := range values {
		values[i] = shrinkAt(value, max(share, least), depth+1)
	}
	return values
}

// most returns the largest n, at most limit, up to which fits holds; 0 when 1 does not fit.
func most(limit int, fits func(int) bool) int {
	low, high := 0, 1
	for high <= limit && fits(high) {
		low, high = high, 2*high
	}
	high = min(high, limit+1)
	for high-low > 1 {
		if middle := (low + high) / 2; fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
