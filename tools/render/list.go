package render

import (
	"fmt"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// A listing is a list answer.
type listing struct {
	rs.List
	meta object // of the envelope
}

// readListing reads a list answer. what names the answer in the error. sent is the cursor that it was asked for with: a next_cursor that is
// the same leads nowhere, and counts as none.
func readListing(response *rs.Response, what, sent string) (listing, error) {
	l, ok := response.List()
	switch {
	case l.Body == nil:
		return listing{}, notAnObject(response.Body, what)
	case l.Count > rs.MaxItems:
		return listing{}, &rs.Error{
			Code:    rs.ResponseTooLarge,
			Message: fmt.Sprintf("The resource server's answer to %s has %d items; at most %d are taken.", what, l.Count, rs.MaxItems),
			Hint:    "Ask for less: a smaller limit, a narrower filter, or one connection.",
		}
	case !ok:
		return listing{}, invalidResponse(what, "has no list of items: data is "+rs.Kind(l.Body.Get("data")))
	}
	if sent != "" && l.Envelope.Text("next_cursor") == sent {
		l = l.Without("next_cursor")
	}
	return listing{l, l.Envelope.Object("meta")}, nil
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
			line += " " + clean.Name(clean.Preview(code, labelChars))
		}
		message := w.Text("message")
		if w == nil {
			message, _ = rs.AsText(raw)
		}
		if message != "" {
			line += ": " + clean.Quote(clean.Preview(message, 240))
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

// keep returns the list with other items in place of its own.
func (l listing) keep(items []rs.Item) listing {
	l.Items, l.Body = items, l.With(items)
	l.Raw = l.Body.JSON()
	return l
}

// datesReadAs says what the dates of a filter were read as: a line for each field, where the core says so in the answer.
func datesReadAs(answer object) []string {
	var lines []string
	for _, raw := range answer.Array("read_as") {
		text, _ := rs.AsText(raw)
		lines = append(lines, "dates read as: "+clean.Preview(text, 300))
	}
	return lines
}

// otherConnection reports whether an item says that it is of another connection than the one that was named.
func otherConnection(o object, named string) bool {
	if named == "" {
		return false
	}
	if conn := rs.ConnectionID(o); conn != "" && conn != named {
		return true
	}
	ref, ok := parseRef(o.Text("record_uri"))
	return ok && ref.ConnectionID != "" && ref.ConnectionID != named
}

// parseRef is [rs.ParseRef] where it is no error that a text is no record's id.
func parseRef(text string) (rs.Ref, bool) {
	if text == "" {
		return rs.Ref{}, false
	}
	ref, err := rs.ParseRef(text)
	return ref, err == nil
}
