// Package window cuts parts out of the fields that a resource server does not window itself, such as lists and objects, and counts the
// matches of a text in a field.
package window

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// Field returns the value of a field, or of a dotted path into it; "" if the record has none.
func Field(record *rs.Response, path string) string {
	for value := read.Record(record).Get("data"); value != ""; {
		if whole := memberOf(value, path); whole != "" { // a name may contain a dot
			compact, _ := rs.Compact(whole)
			return compact
		}
		name, rest, dotted := strings.Cut(path, ".")
		if !dotted {
			return ""
		}
		value, path = memberOf(value, name), rest
	}
	return ""
}

// memberOf returns the member of an object by name, or the element of an array by index.
func memberOf(value, name string) string {
	if list, ok := rs.AsArray(value); ok {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(list) {
			return list[i]
		}
		return ""
	}
	return rs.AsObject(value).Get(name)
}

// A Query says which part of a text is meant: by offset and limit in code points, or around the first match of Q.
type Query struct {
	Field         string // as in the call, for the answer
	Q             string
	Offset, Limit int  // 0 for the usual ones
	Before, After *int // code points before and after the match; nil for the usual number
}

// Of returns the window of JSON text in the form that a resource server answers for a text field.
func (w Query) Of(text string) (string, error) {
	const defaultLimit = 4096
	runes := []rune(text)
	start, end := w.Offset, w.Offset+cmp.Or(w.Limit, defaultLimit)
	window := rs.Object{}
	if w.Q != "" {
		before, _, found := strings.Cut(text, w.Q)
		if !found {
			return "", &rs.Error{
				Code: "query_not_found", Param: "q",
				Message: fmt.Sprintf("%s is not in the JSON of field %s.", quote.Exact(w.Q), quote.Exact(w.Field)),
			}
		}
		first := utf8.RuneCountInString(before)
		last := first + utf8.RuneCountInString(w.Q)
		start, end = first-around(w.Before), last+around(w.After)
		window = append(window, rs.NewMember("match_start_chars", first), rs.NewMember("match_end_chars", last))
	}
	start, end = min(max(start, 0), len(runes)), min(end, len(runes))
	window = append(window,
		rs.NewMember("text", string(runes[start:end])), rs.NewMember("start_chars", start), rs.NewMember("end_chars", end),
		rs.NewMember("total_chars", len(runes)), rs.NewMember("complete", end-start == len(runes)))
	if end < len(runes) {
		window = append(window, rs.NewMember("next_offset_chars", end), rs.NewMember("has_more", true))
	}
	field := rs.Object{rs.NewMember("path", w.Field), rs.NewMember("type", "json")}
	return rs.Object{{Name: "field", Value: field.JSON()}, {Name: "window", Value: window.JSON()}}.JSON(), nil
}

// around returns how many characters are shown before or after a match.
func around(requested *int) int {
	const usual = 200
	if requested == nil {
		return usual
	}
	return *requested
}

// maxMatches bounds the matches whose positions are listed.
const maxMatches = 20

// Matches returns where the first [maxMatches] matches of q in a text begin, in code points, and how many matches there are. Case does
// not matter, and matches do not overlap. It tries matches of whole words, then all matches, and returns those of which the first begins
// at first; else none.
func Matches(text, q string, first int) (starts []int, count int) {
	text, q = strings.ToLower(text), strings.ToLower(q) // the number of code points stays the same
	isInWord := func(position int) bool {               // in the middle of a word
		before, _ := utf8.DecodeLastRuneInString(text[:position])
		after, _ := utf8.DecodeRuneInString(text[position:])
		return unicode.In(before, wordRunes...) && unicode.In(after, wordRunes...)
	}
	for _, wholeWords := range []bool{true, false} {
		starts, count = nil, 0
		for offset, position := 0, 0; q != ""; { // one by one: there may be one for each character
			start := strings.Index(text[offset:], q)
			if start < 0 {
				break
			}
			start += offset
			end := start + len(q)
			position += utf8.RuneCountInString(text[offset:start])
			if !wholeWords || !isInWord(start) && !isInWord(end) {
				if count++; count <= maxMatches {
					starts = append(starts, position)
				}
			}
			offset, position = end, position+utf8.RuneCountInString(q)
		}
		if count > 0 && starts[0] == first {
			return starts, count
		}
	}
	return nil, 0
}

var wordRunes = []*unicode.RangeTable{unicode.Letter, unicode.Number, unicode.Mark}
