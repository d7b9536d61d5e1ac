package paging

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// MaxLimit is the largest limit that the tools take.
const MaxLimit = 100

// A Position is a place in a list of the resource server: a page, and how many of its items were shown. A channel that shows only
// the beginning of a page continues at a Position, so that its continuation returns exactly what it has not shown (D23). The
// zero Position is the start of the first page.
type Position struct {
	Cursor string // of the page, as the resource server printed it; "" is the first page
	Limit  int    // with which the page was read; 0 is the resource server's default
	Shown  int    // items of the page that were shown; 0 is a cursor of the resource server as it is
	last   string // mark of the last item shown
	list   marks  // of the list that it is in ([Position.In]), one for each of listArguments
}

type marks [len(listArguments)]string // none is "", or all where no list is known

// RepairedList is the Cursor of a Position in the list that a repaired search makes (render.Repair), in which Shown counts all hits. The
// resource server never sees it: the repair is done again, and what was shown is left out.
const RepairedList = "words"

const positionPrefix = "shown."

// Parse reads a cursor that a model sent. What does not have the form of a Position is a cursor of the resource server.
func Parse(cursor string) Position {
	parts := strings.SplitN(strings.TrimPrefix(cursor, positionPrefix), ".", 4)
	if len(parts) == 4 && len(parts[2]) >= itemMark {
		p := Position{Cursor: parts[3], last: parts[2][:itemMark]}
		if len(parts[2]) == itemMark+listMarks+checkMark { // else it is that of no list
			for i := range p.list {
				p.list[i] = parts[2][itemMark+i*argumentMark:][:argumentMark]
			}
		}
		p.Shown, _ = strconv.Atoi(parts[0])
		p.Limit, _ = strconv.Atoi(parts[1])
		if p.Shown >= 1 && p.Shown <= rs.MaxItems && p.Limit >= 0 && p.Limit <= MaxLimit && p.String() == cursor {
			return p
		}
	}
	return Position{Cursor: cursor}
}

// String returns the cursor that a model sends back: "shown.SHOWN.LIMIT.MARKS.CURSOR". Where the marks are those of a list, they end with
// one of the cursor itself, so that a cursor of which a character was changed is none.
func (p Position) String() string {
	if p.Shown == 0 {
		return p.Cursor
	}
	cursor := func(check string) string {
		marks := p.last + strings.Join(p.list[:], "") + check
		return positionPrefix + strconv.Itoa(p.Shown) + "." + strconv.Itoa(p.Limit) + "." + marks + "." + p.Cursor
	}
	if p.list == (marks{}) {
		return cursor("")
	}
	return cursor(mark(cursor(""), checkMark))
}

// After returns the position behind the first n items of the page that p is on, which was read with limit. key is that of the last
// of them: what tells it from the others of its page.
func (p Position) After(n, limit int, key string) Position {
	return Position{Cursor: p.Cursor, Limit: limit, Shown: n, last: mark(key, itemMark), list: p.list}
}

// Follows reports whether the last item that was shown has a key.
func (p Position) Follows(key string) bool { return p.last == mark(key, itemMark) }

// start returns the index of the first item to show of a page with n items, of which the i-th has the key key(i). The item that was
// shown last is looked for where it was, then everywhere. note says what is not exact because the list has changed.
func (p Position) start(n int, key func(int) string) (start int, note string) {
	if p.Shown == 0 {
		return 0, ""
	}
	if p.Shown <= n && p.Follows(key(p.Shown-1)) {
		return p.Shown, ""
	}
	for i := range n {
		if p.Follows(key(i)) {
			return i + 1, "The list has changed since the last answer; this one goes on behind the last item that was shown."
		}
	}
	return min(p.Shown, n), "The list has changed since the last answer, and the last item shown is not on this page any more: items may be missing here or stand twice."
}

// Characters of the marks of an item, of each of listArguments and all of them, and of the cursor itself.
const (
	itemMark     = 6
	argumentMark = 3
	listMarks    = argumentMark * len(listArguments)
	checkMark    = 3
)

// mark is the beginning of a SHA-256: it only tells the items of one page apart, or a list from another.
func mark(text string, chars int) string {
	sum := sha256.Sum256([]byte(text))
	var encoded [2 * sha256.Size]byte
	base64.RawURLEncoding.Encode(encoded[:], sum[:])
	return string(encoded[:chars])
}

// listArguments are the arguments that say which list a call reads, in the groups that the mark of a list tells apart, and what an error
// calls them.
var listArguments = [4]struct {
	called string
	names  []string
}{
	{"stream", []string{"stream", "streams"}},
	connectionArgument: {"connection_id", []string{"connection_id"}},
	{"filter or time", []string{"filter", "since", "until", "time_zone", "changes_since"}},
	{"words, sort or mode", []string{"q", "query", "sort", "order", "mode"}},
}

const connectionArgument = 1 // of listArguments

// First reports whether a position is the start of a list.
func (p Position) First() bool { return p.Cursor == "" && p.Shown == 0 }

// Start is the start of the list that a position is in.
func (p Position) Start() Position { return Position{list: p.list} }

// Repaired is the start of the list that a repaired search makes.
func (p Position) Repaired() Position { return Position{Cursor: RepairedList, list: p.list} }

// In returns a position with the mark of the list that a call with some arguments reads. Its error is "invalid_cursor": the position was
// printed for another list, or changed. Only [Position.Under] refuses one of another connection, because a call may name a connection by
// its display name until the resource server refuses that.
func (p Position) In(args rs.Object) (Position, error) {
	if p.Shown == 0 && strings.HasPrefix(p.Cursor, positionPrefix) {
		return Position{}, InvalidCursor("This cursor is not as an answer printed it.",
			"Copy it again exactly, or begin this list without cursor.")
	}
	var other []string
	for i, argument := range listArguments {
		now := markOf(args, argument.names)
		if p.list[i] = cmp.Or(p.list[i], now); p.list[i] != now && i != connectionArgument {
			other = append(other, argument.called)
		}
	}
	if other != nil {
		return Position{}, otherList(strings.Join(other, ", and other "))
	}
	return p, nil
}

// Under returns the start of the same list of one connection. Its error is that the position was printed for another connection.
func (p Position) Under(connection string) (Position, error) {
	if p.list == (marks{}) {
		return Position{}, nil
	}
	argument := listArguments[connectionArgument]
	var args rs.Object
	if connection != "" {
		args = rs.Object{write.Pair(argument.called, write.JSON(connection))}
	}
	start := p.Start()
	if start.list[connectionArgument] = markOf(args, argument.names); p.Shown > 0 && start.list != p.list {
		return Position{}, otherList(argument.called)
	}
	return start, nil
}

func otherList(arguments string) *rs.Error {
	return InvalidCursor("This cursor was printed for a list with other "+arguments+".",
		"Send it with the same other arguments as the answer printed it, or begin this list without cursor.")
}

// InvalidCursor refuses a cursor.
func InvalidCursor(message, hint string) *rs.Error {
	return &rs.Error{Code: "invalid_cursor", Param: "cursor", Message: message, Hint: hint}
}

// markOf is the mark of some arguments, whatever the order of the members of a filter.
func markOf(args rs.Object, names []string) string {
	var sent []string
	for _, name := range names {
		value := args.Get(name)
		if value == "" || value == "{}" || name == "time_zone" && sent == nil { // which only dates have
			continue
		}
		if name == "query" {
			name = "q"
		}
		sent = append(sent, name+sortedJSON(value))
	}
	return mark(strings.Join(sent, "\n"), argumentMark)
}

// sortedJSON is a value with the members of its objects sorted by name, and a line break, as in the cursors printed so far.
func sortedJSON(raw string) string {
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber() // two numbers that a float64 cannot tell apart are two filters
	var value any
	if decoder.Decode(&value) != nil {
		return raw
	}
	sorted, _ := json.Marshal(value) // of what was read from JSON that does not fail
	return string(sorted) + "\n"
}
