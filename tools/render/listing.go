package render

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// A listing is a list answer: its items, and the envelope that has their cursor and count.
type listing struct {
	body     object            // as received
	envelope object            // everything but the items
	items    []json.RawMessage // in order
	path     []string          // where the items stand in body
}

// readListing finds the items in any of the shapes that resource servers use: data[], data.data[], data.results[],
// results[], hits[], records[].
func readListing(body object, what string) (listing, error) {
	keys := []string{"data", "results", "hits", "records"}
	for _, key := range keys {
		if items, ok := asArray(body.raw(key)); ok {
			return listing{body, body.without(key), items, []string{key}}, nil
		}
	}
	if inner := body.object("data"); inner != nil {
		for _, key := range keys {
			if items, ok := asArray(inner.raw(key)); ok {
				envelope := body.without("data")
				for _, m := range inner.without(key) {
					envelope = envelope.with(m.key, m.raw)
				}
				return listing{body, envelope, items, []string{"data", key}}, nil
			}
		}
	}
	return listing{}, invalidResponse(what, "has no list of items: data is "+kind(body.raw("data")), nil)
}

// replace returns the body with other items in place of its own.
func (l listing) replace(items []json.RawMessage) object {
	list := joinArray(items)
	if len(l.path) == 1 {
		return l.body.with(l.path[0], list)
	}
	return l.body.with(l.path[0], l.body.object(l.path[0]).with(l.path[1], list).json())
}

// count is the number of matches when the resource server counted: "401", "at least 260", "about 400", or "".
func (l listing) count() string {
	meta := l.envelope.object("meta")
	if n, ok := meta.number("count"); ok {
		if meta.text("count_accuracy") == "lower_bound" {
			return fmt.Sprintf("at least %d", n)
		}
		return strconv.Itoa(n)
	}
	count := meta.object("count")
	n, ok := count.number("value")
	if !ok {
		return ""
	}
	switch count.text("kind") {
	case "lower_bound":
		return fmt.Sprintf("at least %d", n)
	case "estimated", "estimate", "approximate":
		return fmt.Sprintf("about %d", n)
	}
	return strconv.Itoa(n)
}

// warnings are the resource server's, one line each, at most max of them.
func (l listing) warnings(max int) []string {
	var lines []string
	for _, raw := range l.envelope.object("meta").array("warnings") {
		if len(lines) == max {
			break
		}
		w := asObject(raw)
		line := "warning"
		if code := w.text("code"); code != "" {
			line += " " + preview(code, labelChars)
		}
		message := w.text("message")
		if w == nil {
			message, _ = asText(raw)
		}
		if message != "" {
			line += ": " + preview(message, 240)
		}
		lines = append(lines, line)
	}
	return lines
}

// warned reports whether the resource server warned with a code.
func (l listing) warned(code string) bool {
	for _, raw := range l.envelope.object("meta").array("warnings") {
		if asObject(raw).text("code") == code {
			return true
		}
	}
	return false
}

// cursorLine prints a cursor alone on its line, or says where a cursor stands that no line could hold.
func cursorLine(key, value string) string {
	line := key + "=" + value
	if longerThan(line, LineChars) || oneLine(value) != value {
		return key + " is in structuredContent.data." + key
	}
	return line
}
