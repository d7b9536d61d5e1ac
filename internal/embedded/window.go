package embedded

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Sizes of a field window. Everything here counts code points: never bytes, never UTF-16 units.
const (
	defaultWindow  = 4096
	maxWindow      = 16384
	defaultContext = 1000
	maxContext     = 8192
	maxOffset      = 1 << 40
)

type windowBody struct {
	Field    windowField `json:"field"`
	Object   string      `json:"object"`
	RecordID string      `json:"record_id"`
	Stream   string      `json:"stream"`
	URL      string      `json:"url"`
	Window   textWindow  `json:"window"`
	Links    *selfLink   `json:"links"`
	Meta     *metaBody   `json:"meta"`
}

type windowField struct {
	Path string `json:"path"`
	Type string `json:"type"`
}

type textWindow struct {
	Complete            bool   `json:"complete"`
	EndChars            int    `json:"end_chars"`
	HasMore             bool   `json:"has_more"`
	LimitChars          int    `json:"limit_chars"`
	MatchEndChars       *int   `json:"match_end_chars"`
	MatchStartChars     *int   `json:"match_start_chars"`
	NextOffsetChars     *int   `json:"next_offset_chars"`
	PreviousOffsetChars *int   `json:"previous_offset_chars"`
	StartChars          int    `json:"start_chars"`
	Text                string `json:"text"`
	TotalChars          int    `json:"total_chars"`
}

// A windowPlan says which part of a text is asked for.
type windowPlan struct {
	query         string
	offset, limit int
	before, after int
}

// fieldWindow answers GET /v1/streams/{stream}/records/{id}/field-window.
func (c *call) fieldWindow() (any, error) {
	path := c.params.single["field"]
	if path == "" {
		return nil, newError(http.StatusBadRequest, "invalid_field_path", "field is required and must be a non-empty string").withParam("field")
	}
	sources, refusal := c.open(c.path[1])
	if refusal != nil {
		return nil, refusal
	}
	plan, refusal := c.windowPlan()
	if refusal != nil {
		return nil, refusal
	}
	sources, refusal = keepUsable(sources, func(s access) *apiError { return s.demandWindow(path) })
	if refusal != nil {
		return nil, refusal
	}
	from, stored, err := c.locate(sources, c.path[3])
	if err != nil {
		return nil, err
	}
	text, refusal := textAt(stored.Data, from.windowPath(path), path)
	if refusal != nil {
		return nil, refusal
	}
	window, refusal := plan.cut([]rune(text))
	if refusal != nil {
		return nil, refusal
	}
	return windowBody{
		Field: windowField{Path: path, Type: "string"}, Object: "field_window", RecordID: stored.ID, Stream: from.Stream.Name,
		URL: c.url.EscapedPath(), Window: window, Links: c.self(), Meta: c.meta(),
	}, nil
}

func (c *call) windowPlan() (windowPlan, *apiError) {
	plan := windowPlan{query: c.params.single["q"]}
	if plan.query != "" && (c.params.has("offset_chars") || c.params.has("limit_chars")) {
		return windowPlan{}, invalidRequest("Send q with before_chars and after_chars, or offset_chars with limit_chars, not both").withParam("q")
	}
	for _, number := range []struct {
		name                string
		value               *int
		fallback, low, high int
	}{
		{"offset_chars", &plan.offset, 0, 0, maxOffset},
		{"limit_chars", &plan.limit, defaultWindow, 1, maxWindow},
		{"before_chars", &plan.before, defaultContext, 0, maxContext},
		{"after_chars", &plan.after, defaultContext, 0, maxContext},
	} {
		value, clamped, err := c.params.number(number.name, number.fallback, number.low, number.high)
		if err != nil {
			return windowPlan{}, err
		}
		c.warn(clamped)
		*number.value = value
	}
	return plan, nil
}

// demandWindow refuses a field that is not granted, in this route's own words: unknown fields get the same error.
func (s access) demandWindow(path string) *apiError {
	if _, ok := s.Granted(s.windowPath(path)[0]); ok {
		return nil
	}
	return newError(http.StatusForbidden, "field_not_granted", "field '%s' is not within the granted projection for this stream", path)
}

// windowPath splits a dotted path. A field may have dots in its own name.
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

// textAt walks to the text at a path, through objects and arrays.
func textAt(data json.RawMessage, segments []string, path string) (string, *apiError) {
	for _, segment := range segments {
		next, ok := member(data, segment)
		if !ok {
			return "", newError(http.StatusBadRequest, "invalid_field_path", "field '%s' does not exist in this record", path).withParam("field")
		}
		data = next
	}
	var text string
	if len(data) == 0 || data[0] != '"' || json.Unmarshal(data, &text) != nil {
		return "", newError(http.StatusUnprocessableEntity, "field_not_text",
			"field '%s' is %s, not a readable text field; non-text and binary fields are metadata-only", path, jsonType(data))
	}
	return text, nil
}

func member(data json.RawMessage, segment string) (json.RawMessage, bool) {
	switch data = bytes.TrimSpace(data); {
	case len(data) > 0 && data[0] == '{':
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			return nil, false
		}
		value, ok := object[segment]
		return value, ok
	case len(data) > 0 && data[0] == '[':
		var items []json.RawMessage
		at, err := strconv.Atoi(segment)
		if err != nil || at < 0 || json.Unmarshal(data, &items) != nil || at >= len(items) {
			return nil, false
		}
		return items[at], true
	}
	return nil, false
}

func jsonType(data json.RawMessage) string {
	if len(data) == 0 {
		return "null"
	}
	switch data[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// cut takes the window out of the text.
func (p windowPlan) cut(text []rune) (textWindow, *apiError) {
	if p.query == "" {
		start := min(p.offset, len(text))
		return newWindow(text, start, min(start+p.limit, len(text)), p.limit), nil
	}
	query := []rune(p.query)
	match := indexFold(text, query)
	if match < 0 {
		return textWindow{}, newError(http.StatusNotFound, "query_not_found", "q was not found in the field").withParam("q")
	}
	end := match + len(query)
	window := newWindow(text, max(0, match-p.before), min(len(text), end+p.after), p.before+len(query)+p.after)
	window.MatchStartChars, window.MatchEndChars = &match, &end
	return window, nil
}

func newWindow(text []rune, start, end, limit int) textWindow {
	window := textWindow{
		Complete: start == 0 && end == len(text), StartChars: start, EndChars: end, HasMore: end < len(text),
		LimitChars: limit, Text: string(text[start:end]), TotalChars: len(text),
	}
	if window.HasMore {
		window.NextOffsetChars = &end
	}
	if start > 0 {
		previous := max(0, start-limit)
		window.PreviousOffsetChars = &previous
	}
	return window
}

// indexFold finds the first place of query in text without regard to case, as words of their own if there is one; else -1.
func indexFold(text, query []rune) int {
	inside := -1
	folded := make([]rune, len(query))
	for i, r := range query {
		folded[i] = foldCase(r)
	}
	for at := 0; at+len(folded) <= len(text); at++ {
		if slices.EqualFunc(text[at:at+len(folded)], folded, func(r, want rune) bool { return foldCase(r) == want }) {
			if end := at + len(folded); (at == 0 || !continues(text[at-1], text[at])) && (end == len(text) || !continues(text[end-1], text[end])) {
				return at
			}
			if inside < 0 {
				inside = at
			}
		}
	}
	return inside
}

// continues reports whether two characters stand in one word.
func continues(before, after rune) bool {
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }
	return isWord(before) && isWord(after)
}

// foldCase maps the cases of a letter, one rune to one rune, so that offsets stay what they are.
func foldCase(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }
