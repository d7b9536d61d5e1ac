package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

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
