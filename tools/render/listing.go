package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A listing is a list answer: its items, and the envelope that has their cursor and count.
type listing struct {
	raw      string   // the body, with each name once
	body     object   // its members
	envelope object   // everything but the items
	meta     object   // of the envelope
	items    []string // in order
	path     []string // where the items stand in body
}

// maxItems is how many items a list may have. A page has a hundred; a list of streams has no pages.
const maxItems = 10_000

// readListing finds the items of an answer in any of the shapes that resource servers use: data[], data.data[],
// data.results[], results[], hits[], records[]. what names the answer in the error.
func readListing(response *rs.Response, what string) (listing, error) {
	raw := unique(response.Body)
	body := rs.AsObject(raw)
	if body == nil {
		return listing{}, notAnObject(response.Body, what)
	}
	l := listing{raw: raw, body: body}
	if name, items, ok := body.Items(); ok {
		l.items, l.envelope, l.path = items, body.Without(name), []string{name}
	} else {
		const outer = "data"
		inner := body.Object(outer)
		name, items, ok := inner.Items()
		if !ok {
			return listing{}, invalidResponse(what, "has no list of items: data is "+rs.Kind(body.Get(outer)))
		}
		l.items, l.envelope, l.path = items, body.Without(outer).WithAll(inner.Without(name)), []string{outer, name}
	}
	if len(l.items) > maxItems {
		return listing{}, &rs.Error{
			Code:    rs.ResponseTooLarge,
			Message: fmt.Sprintf("The resource server's answer to %s has %d items; at most %d are taken.", what, len(l.items), maxItems),
			Hint:    "Ask for less: a smaller limit, a narrower filter, or one connection.",
		}
	}
	l.meta = l.envelope.Object("meta")
	return l, nil
}

// replace returns the body with other items in place of its own.
func (l listing) replace(items []string) object {
	list := rs.JoinArray(items)
	if len(l.path) == 1 {
		return l.body.With(l.path[0], list)
	}
	return l.body.With(l.path[0], l.body.Object(l.path[0]).With(l.path[1], list).JSON())
}

// count is the number of matches when the resource server counted: "401", "at least 260", "about 400", or "".
func (l listing) count() string {
	if n, ok := l.meta.Number("count"); ok {
		if l.meta.Text("count_accuracy") == "lower_bound" {
			return fmt.Sprintf("at least %d", n)
		}
		return strconv.Itoa(n)
	}
	count := l.meta.Object("count")
	n, ok := count.Number("value")
	if !ok {
		return ""
	}
	switch count.Text("kind") {
	case "lower_bound":
		return fmt.Sprintf("at least %d", n)
	case "estimated", "estimate", "approximate":
		return fmt.Sprintf("about %d", n)
	}
	return strconv.Itoa(n)
}

// warnings are the resource server's, one line each, at most max of them. What it says is quoted.
func (l listing) warnings(max int) []string {
	var lines []string
	for _, raw := range l.meta.Array("warnings") {
		if len(lines) == max {
			break
		}
		w := rs.AsObject(raw)
		line := "warning"
		if code := w.Text("code"); code != "" {
			line += " " + name(preview(code, labelChars))
		}
		message := w.Text("message")
		if w == nil {
			message, _ = rs.AsText(raw)
		}
		if message != "" {
			line += ": " + quote(preview(message, 240))
		}
		lines = append(lines, line)
	}
	return lines
}

// warned reports whether the resource server warned with a code.
func (l listing) warned(code string) bool {
	for _, raw := range l.meta.Array("warnings") {
		if rs.AsObject(raw).Text("code") == code {
			return true
		}
	}
	return false
}

// cursorLine prints a cursor alone on its line, or says where a cursor stands that no line could hold or that could be taken for
// more than a cursor.
func cursorLine(key, value string) string {
	line := key + "=" + value
	if longerThan(line, LineChars) || oneLine(value) != value || strings.ContainsAny(value, " \"{}") {
		return key + " is in structuredContent.data." + key
	}
	return line
}
