package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// A listing is a list answer.
type listing struct {
	rs.List
	meta object // of the envelope
}

// readListing reads a list answer. what names the answer in the error.
func readListing(response *rs.Response, what string) (listing, error) {
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

// maxLimit is the largest limit that the tools take.
const maxLimit = 100

// An excess counts the items that a resource server sent beyond what was asked for. They are left out (S0-6a, S0-6b).
type excess struct {
	limit   int // of the call
	over    int // items beyond it
	most    int // items that one page would have to hold for none to be over
	foreign int // items, and records expanded in them, of another connection than the one that the call names
}

// note says what was left out and how to get it, or "" when nothing was. A cursor of the resource server goes on behind the items
// beyond the limit.
func (e excess) note(noun string, cursor bool) string {
	var sentences []string
	if e.foreign > 0 {
		sentences = append(sentences, fmt.Sprintf("The resource server sent %s of other connections than connection_id; left out.", plural(e.foreign, noun)))
	}
	if e.over > 0 {
		s := fmt.Sprintf("The resource server sent more than limit %d; %s left out.", e.limit, plural(e.over, noun))
		if cursor {
			s += " next_cursor skips them."
		}
		if e.most <= maxLimit {
			s += fmt.Sprintf(" Repeat this call with limit %d to see them.", e.most)
		} else {
			s += " Narrow this call to see them."
		}
		sentences = append(sentences, s)
	}
	return strings.Join(sentences, " ")
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

// A Position is a place in a list of the resource server: a page, and how many of its items were shown. A channel that shows only
// the beginning of a page continues at a Position, so that its continuation returns exactly what it has not shown (D23). The
// zero Position is the start of the first page.
type Position struct {
	Cursor string // of the page, as the resource server printed it; "" is the first page
	Limit  int    // with which the page was read; 0 is the resource server's default
	Shown  int    // items of the page that were shown; 0 is a cursor of the resource server as it is
	last   string // mark of the last item shown
}

const (
	positionPrefix = "shown."
	markBytes      = 4 // of a SHA-256: it only tells the items of one page apart
)

// ParsePosition reads a cursor that a model sent. What does not have the form of a Position is a cursor of the resource server.
func ParsePosition(cursor string) Position {
	rest, ok := strings.CutPrefix(cursor, positionPrefix)
	parts := strings.SplitN(rest, ".", 4)
	if !ok || len(parts) != 4 {
		return Position{Cursor: cursor}
	}
	p := Position{Cursor: parts[3], last: parts[2]}
	var errShown, errLimit error
	p.Shown, errShown = strconv.Atoi(parts[0])
	p.Limit, errLimit = strconv.Atoi(parts[1])
	if errShown != nil || errLimit != nil || p.Shown < 1 || p.Shown > rs.MaxItems || p.Limit < 0 || p.Limit > maxLimit || p.String() != cursor {
		return Position{Cursor: cursor}
	}
	return p
}

// String returns the cursor that a model sends back: "shown.SHOWN.LIMIT.MARK.CURSOR".
func (p Position) String() string {
	if p.Shown == 0 {
		return p.Cursor
	}
	return fmt.Sprintf("%s%d.%d.%s.%s", positionPrefix, p.Shown, p.Limit, p.last, p.Cursor)
}

// after returns the position behind the first n items of the page that p is on, which was read with limit.
func (p Position) after(n, limit int, id string) Position {
	return Position{Cursor: p.Cursor, Limit: limit, Shown: n, last: mark(id)}
}

// start returns the index of the first item to show of a page with n items, of which the i-th has the id id(i). The item that was
// shown last is looked for where it was, then everywhere. note says what is not exact because the list has changed.
func (p Position) start(n int, id func(int) string) (start int, note string) {
	if p.Shown == 0 {
		return 0, ""
	}
	if p.Shown <= n && mark(id(p.Shown-1)) == p.last {
		return p.Shown, ""
	}
	for i := range n {
		if mark(id(i)) == p.last {
			return i + 1, "The list has changed since the last answer; this one goes on behind the last item that was shown."
		}
	}
	return min(p.Shown, n), "The list has changed since the last answer, and the last item shown is not on this page any more: items may be missing here or stand twice."
}

func mark(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:markBytes])
}
