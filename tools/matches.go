package tools

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxMatches bounds the matches whose places are said.
const maxMatches = 20

// withMatches adds to a window around the first match of a text how many there are in the field, and where the first of them begin: a
// resource server says that of one alone. It is one read more, of the record's field; what is not answered is not said, nor is it where the
// resource server matches otherwise.
func (w windowArgs) withMatches(ctx context.Context, call Call, response *rs.Response) *rs.Response {
	o := response.Object()
	first, ok := o.Object("window").Number("match_start_chars")
	if w.q == "" || !ok {
		return response
	}
	top, _, _ := strings.Cut(w.field, ".")
	record := answered(ctx, func(ctx context.Context) (*rs.Response, error) {
		return call.RS.Do(ctx, fetchArgs{recordArg: w.recordArg, fields: []string{top}}.Request(call.Scope))
	})
	if record == nil {
		return response
	}
	value := fieldJSON(record.Body, w.field)
	text, isText := rs.AsText(value)
	if !isText {
		text = value
	}
	starts, count := matchesOf([]rune(text), []rune(w.q), first)
	if count < 2 {
		return response
	}
	return response.WithBody(o.With("matches", rs.Object{
		{Name: "count", Value: rs.EncodeJSON(count)}, {Name: "starts", Value: rs.EncodeJSON(starts)},
	}.JSON()).JSON())
}

// matchesOf is where the first matches of a text begin, in code points and whatever the case of its letters, and how many there are; none
// overlaps another. They are words of their own if the first is one, else they may stand in words. There are none where first is not the
// first of these.
func matchesOf(text, q []rune, first int) (starts []int, count int) {
	same := func(a, b rune) bool { return unicode.ToLower(a) == unicode.ToLower(b) }
	isWord := func(at int) bool {
		return at >= 0 && at < len(text) && (unicode.IsLetter(text[at]) || unicode.IsNumber(text[at]) || unicode.IsMark(text[at]))
	}
	within := func(at int) bool { return isWord(at-1) && isWord(at) } // a word goes on here
	inside := func(at int) bool { return within(at) || within(at+len(q)) }
	if first < 0 || first+len(q) > len(text) || len(q) == 0 {
		return nil, 0
	}
	words := !inside(first)
	for at := 0; at+len(q) <= len(text); at++ {
		if !slices.EqualFunc(text[at:at+len(q)], q, same) || words && inside(at) {
			continue
		}
		if count++; len(starts) < maxMatches {
			starts = append(starts, at)
		}
		at += len(q) - 1
	}
	if count == 0 || starts[0] != first {
		return nil, 0
	}
	return starts, count
}
