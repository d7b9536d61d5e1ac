package embedded

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Sizes of a field window. Everything here counts code points: never bytes, never UTF-16 units.
const (
	defaultWindow  = 4096
	maxWindow      = 16384
	defaultContext = 1000
	maxContext     = 8192
	maxOffset      = 1 << 40
)

type windowPlan struct {
	query         string
	offset, limit int
	before, after int
}

// fieldWindow answers GET /v1/streams/{stream}/records/{id}/field-window.
func (c *call) fieldWindow() any {
	path := c.params.single["field"]
	if path == "" {
		c.refuse(newError(http.StatusBadRequest, "invalid_field_path", "field is required and must be a non-empty string").withParam("field"))
	}
	sources, plan := c.open(), c.windowPlan()
	sources = c.usable(sources, "", func(s access) (access, *apiError) { return s, s.demandWindow(path) })
	from, stored := c.locate(sources, c.path[3])
	if c.err != nil {
		return nil
	}
	text, refusal := textAt(string(stored.Data), from.windowPath(path), path)
	c.refuse(refusal)
	window, refusal := plan.cut(text)
	c.refuse(refusal)
	return object{
		{"field", object{{"path", path}, {"type", "string"}}}, {"object", "field_window"}, {"record_id", stored.ID}, {"stream", from.Stream.Name},
		{"url", c.url.EscapedPath()}, {"window", window}, {"links", c.self()}, {"meta", c.meta()},
	}
}

func (c *call) windowPlan() windowPlan {
	if c.params.has("q") && (c.params.has("offset_chars") || c.params.has("limit_chars")) {
		c.refuse(invalidRequest("Send q with before_chars and after_chars, or offset_chars with limit_chars, not both").withParam("q"))
	}
	return windowPlan{
		query:  c.params.single["q"],
		offset: c.number("offset_chars", 0, 0, maxOffset), limit: c.number("limit_chars", defaultWindow, 1, maxWindow),
		before: c.number("before_chars", defaultContext, 0, maxContext), after: c.number("after_chars", defaultContext, 0, maxContext),
	}
}

// demandWindow refuses a field that is not granted. On this route, unknown fields get the same error.
func (s access) demandWindow(path string) *apiError {
	if _, ok := s.Granted(s.windowPath(path)[0]); ok {
		return nil
	}
	return newError(http.StatusForbidden, "field_not_granted", "field '%s' is not within the granted projection for this stream", path)
}

// windowPath splits a dotted path. The name of the field may itself contain dots.
func (s access) windowPath(path string) []string {
	segments := strings.Split(path, ".")
	for last := len(segments); last > 1; last-- {
		name := strings.Join(segments[:last], ".")
		if _, ok := s.Stream.Field(name); ok {
			return append([]string{name}, segments[last:]...)
		}
	}
	return segments
}

// textAt returns the text at a path through objects and arrays.
func textAt(data string, segments []string, path string) (string, *apiError) {
	for _, segment := range segments {
		next, ok := inside(data, segment)
		if !ok {
			return "", newError(http.StatusBadRequest, "invalid_field_path", "field '%s' does not exist in this record", path).withParam("field")
		}
		data = next
	}
	if rs.Kind(data) != "string" {
		return "", newError(http.StatusUnprocessableEntity, "field_not_text",
			"field '%s' is %s, not a readable text field; non-text and binary fields are metadata-only", path, rs.Kind(data))
	}
	text, _ := rs.AsText(data)
	return text, nil
}

// inside returns the member of an object by name, or the item of an array by index.
func inside(data, segment string) (string, bool) {
	if members := rs.AsObject(data); members.Includes(segment) {
		return cmp.Or(members.Get(segment), "null"), true
	}
	items, _ := rs.AsArray(data)
	at, err := strconv.Atoi(segment)
	if err != nil || at < 0 || at >= len(items) {
		return "", false
	}
	return items[at], true
}

func (p windowPlan) cut(text string) (object, *apiError) {
	runes := []rune(text)
	if p.query == "" {
		start := min(p.offset, len(runes))
		return windowOf(runes, start, min(start+p.limit, len(runes)), p.limit), nil
	}
	match, end, found := findText(text, p.query)
	if !found {
		return nil, newError(http.StatusNotFound, "query_not_found", "q was not found in the field").withParam("q")
	}
	window := windowOf(runes, max(0, match-p.before), min(len(runes), end+p.after), p.before+end-match+p.after)
	window.set("match_start_chars", match)
	window.set("match_end_chars", end)
	return window, nil
}

func windowOf(text []rune, start, end, limit int) object {
	window := object{
		{"complete", start == 0 && end == len(text)}, {"start_chars", start}, {"end_chars", end}, {"has_more", end < len(text)},
		{"limit_chars", limit}, {"text", string(text[start:end])}, {"total_chars", len(text)},
		{"match_start_chars", nil}, {"match_end_chars", nil}, {"next_offset_chars", nil}, {"previous_offset_chars", nil},
	}
	if end < len(text) {
		window.set("next_offset_chars", end)
	}
	if start > 0 {
		window.set("previous_offset_chars", max(0, start-limit))
	}
	return window
}

// findText returns the first occurrence of a query in a text, ignoring case, in code points. Its time grows with the sum of their lengths
// only.
func findText(text, query string) (start, end int, found bool) {
	query = strings.Map(rs.FoldCase, query)
	before, _, found := strings.Cut(strings.Map(rs.FoldCase, text), query)
	start = utf8.RuneCountInString(before)
	return start, start + utf8.RuneCountInString(query), found
}
