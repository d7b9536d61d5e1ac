package paging

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A Position is a place in a list of the resource server: a page, and how many of its items were shown. A channel that shows only
// the beginning of a page continues at a Position, so that its continuation returns exactly what it has not shown (D23). The
// zero Position is the start of the first page.
type Position struct {
	Cursor string       // of the page, as the resource server printed it; "" is the first page
	Limit  int          // with which the page was read; 0 is the resource server's default
	Shown  int          // items of the page that were shown; 0 is a cursor of the resource server as it is
	last   string       // mark of the last item shown
	list   func() marks // of its list ([Position.In]); nil if the list is unknown
}

// marks has a mark for each of listArguments. They are computed once, and only for a cursor that is printed or checked.
type marks [len(listArguments)]string

// RepairedList is the Cursor of a Position in the combined list of a repaired search (render.Repair), in which Shown counts all hits. The
// resource server never sees it: the repair is done again, and the hits that were shown are left out.
const RepairedList = "words"

const positionPrefix = "shown."

// Parse parses a cursor that a model sent. What does not have the form of a Position is taken for a cursor of the resource server.
func Parse(cursor string) Position {
	parts := strings.SplitN(strings.TrimPrefix(cursor, positionPrefix), ".", 4)
	if len(parts) == 4 && len(parts[2]) >= itemMark {
		p := Position{Cursor: parts[3], last: parts[2][:itemMark]}
		if len(parts[2]) == itemMark+listMarks+checkMark { // else it has no marks of a list
			var sent marks
			for i := range sent {
				sent[i] = parts[2][itemMark+i*argumentMark:][:argumentMark]
			}
			p.list = func() marks { return sent }
		}
		p.Shown, _ = strconv.Atoi(parts[0])
		p.Limit, _ = strconv.Atoi(parts[1])
		if p.Shown >= 1 && p.Shown <= rs.MaxItems && p.Limit >= 0 && p.Limit <= rs.MaxLimit && p.String() == cursor {
			return p
		}
	}
	return Position{Cursor: cursor}
}

// String returns the cursor that a model sends back: "shown.SHOWN.LIMIT.MARKS.CURSOR". If it has the marks of a list, MARKS ends with a
// mark of the cursor itself, so that a cursor with a changed character is not valid.
func (p Position) String() string {
	if p.Shown == 0 {
		return p.Cursor
	}
	cursor := func(marks string) string {
		return positionPrefix + strconv.Itoa(p.Shown) + "." + strconv.Itoa(p.Limit) + "." + marks + "." + p.Cursor
	}
	if p.list == nil {
		return cursor(p.last)
	}
	list := p.list()
	marks := p.last + strings.Join(list[:], "")
	return cursor(marks + mark(cursor(marks), checkMark))
}

// After returns the position after the first n items of the page that p is on, which was read with limit. key is that of the last of them:
// it distinguishes the item from the others on its page.
func (p Position) After(n, limit int, key string) Position {
	return Position{Cursor: p.Cursor, Limit: limit, Shown: n, last: mark(key, itemMark), list: p.list}
}

// Follows reports whether the last item that was shown has this key.
func (p Position) Follows(key string) bool { return p.last == mark(key, itemMark) }

// start returns the index of the first item to show of a page with n items, of which the i-th has the key key(i). It looks for the item
// that was shown last where it was, then everywhere. note says what may be inexact because the list has changed.
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

// Lengths of marks in characters: of an item, of each of listArguments, of all of these, and of the cursor itself.
const (
	itemMark     = 6
	argumentMark = 3
	listMarks    = argumentMark * len(listArguments)
	checkMark    = 3
)

// mark returns the beginning of a SHA-256 in base64. It only has to distinguish the items of one page, or one list from another.
func mark(text string, chars int) string {
	sum := sha256.Sum256([]byte(text))
	var encoded [2 * sha256.Size]byte
	base64.RawURLEncoding.Encode(encoded[:], sum[:])
	return string(encoded[:chars])
}

// listArguments are the arguments that determine which list a call reads, in groups that each have a mark, with what an error calls the
// group.
var listArguments = [4]struct {
	called string
	names  []string
}{
	{"stream", []string{"stream", "streams"}},
	connectionArgument: {"connection_id", []string{"connection_id"}},
	{"filter or time", []string{"filter", "since", "until", "time_zone", "changes_since"}},
	{"words, sort or mode", []string{"q", "query", "sort", "order", "mode"}},
}

const connectionArgument = 1 // index in listArguments

// First reports whether a position is the start of a list.
func (p Position) First() bool { return p.Cursor == "" && p.Shown == 0 }

// Start returns the start of the list that p is in.
func (p Position) Start() Position { return Position{list: p.list} }

// Repaired returns the start of the combined list of a repaired search.
func (p Position) Repaired() Position { return Position{Cursor: RepairedList, list: p.list} }

// In returns p with the marks of the list that a call with args reads. It returns an "invalid_cursor" error if p was printed for another
// list, or was changed. Only [Position.Under] refuses a position of another connection, because a call may name a connection by its display
// name until the resource server refuses that.
func (p Position) In(args rs.Object) (Position, error) {
	if p.Shown == 0 && strings.HasPrefix(p.Cursor, positionPrefix) {
		return Position{}, InvalidCursor("This cursor is not as an answer printed it.",
			"Copy it again exactly, or begin this list without cursor.")
	}
	if p.list == nil {
		p.list = sync.OnceValue(func() (now marks) {
			for i, argument := range listArguments {
				now[i] = markOf(args, argument.names)
			}
			return now
		})
		return p, nil
	}
	var other []string
	for i, argument := range listArguments {
		if i != connectionArgument && p.list()[i] != markOf(args, argument.names) {
			other = append(other, argument.called)
		}
	}
	if other != nil {
		return Position{}, otherList(strings.Join(other, ", and other "))
	}
	return p, nil
}

// Under returns an "invalid_cursor" error if p was printed for another connection.
func (p Position) Under(connection string) error {
	if p.Shown == 0 || p.list == nil {
		return nil
	}
	argument := listArguments[connectionArgument]
	var args rs.Object
	if connection != "" {
		args = rs.Object{rs.NewMember(argument.called, connection)}
	}
	if p.list()[connectionArgument] != markOf(args, argument.names) {
		return otherList(argument.called)
	}
	return nil
}

func otherList(arguments string) *rs.Error {
	return InvalidCursor("This cursor was printed for a list with other "+arguments+".",
		"Send it with the same other arguments as the answer printed it, or begin this list without cursor.")
}

// InvalidCursor returns an "invalid_cursor" error.
func InvalidCursor(message, hint string) *rs.Error {
	return &rs.Error{Code: "invalid_cursor", Param: "cursor", Message: message, Hint: hint}
}

// markOf returns the mark of a group of arguments. It does not depend on the order of members in a filter.
func markOf(args rs.Object, names []string) string {
	var sent []string
	for _, name := range names {
		value := args.Get(name)
		if value == "" || value == "{}" || name == "time_zone" && sent == nil { // which matters for dates only
			continue
		}
		if name == "query" {
			name = "q"
		}
		sent = append(sent, name+sortedJSON(value))
	}
	return mark(strings.Join(sent, "\n"), argumentMark)
}

// sortedJSON returns a value with the members of its objects sorted by name, and a line break, which is in the marks of earlier cursors.
func sortedJSON(raw string) string {
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber() // two numbers that a float64 cannot tell apart are two filters
	var value any
	if decoder.Decode(&value) != nil {
		return raw
	}
	sorted, _ := json.Marshal(value) // cannot fail for a value that was decoded from JSON
	return string(sorted) + "\n"
}
