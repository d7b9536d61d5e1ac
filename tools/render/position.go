package render

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// marked is how long a mark is: of an item, or of a list, which has two digits for each of listArguments.
const marked = 2 * markBytes

// listArguments are the arguments that say which list a call reads, in the groups that the mark of a list tells apart, and what an error
// calls them.
var listArguments = [markBytes]struct {
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

// In returns a position with the mark of the list that a call with some arguments reads. It is an error of the code invalid_cursor where
// an answer printed the position for another list; of another connection only [Position.Under] says so, because a call may name one by its
// display name until the resource server has refused that.
func (p Position) In(args rs.Object) (Position, error) {
	printed := p.list
	p.list = ""
	var other []string
	for i, argument := range listArguments {
		digits := listDigits(args, argument.names)
		if printed != "" && printed[2*i:2*i+2] != digits {
			if digits = printed[2*i : 2*i+2]; i != connectionArgument {
				other = append(other, argument.called)
			}
		}
		p.list += digits
	}
	if other != nil {
		return Position{}, otherList(strings.Join(other, ", and other "))
	}
	return p, nil
}

// Under is the start of the same list of one connection. It is an error where an answer printed the position for another connection.
func (p Position) Under(connection string) (Position, error) {
	if p.list == "" {
		return Position{}, nil
	}
	argument := listArguments[connectionArgument]
	var args rs.Object
	if connection != "" {
		args = object{pair(argument.called, encode(connection))}
	}
	digits := listDigits(args, argument.names)
	const from, to = 2 * connectionArgument, 2*connectionArgument + 2
	if p.Shown > 0 && p.list[from:to] != digits {
		return Position{}, otherList(argument.called)
	}
	return Position{list: p.list[:from] + digits + p.list[to:]}, nil
}

func otherList(arguments string) *rs.Error {
	return &rs.Error{
		Code: rs.InvalidCursor, Param: "cursor", Message: "This cursor was printed for a list with other " + arguments + ".",
		Hint: "Send it with the same other arguments as the answer printed it, or begin this list without cursor.",
	}
}

// listDigits are two digits of some arguments, whatever the order of the members of a filter.
func listDigits(args rs.Object, names []string) string {
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
	return mark(strings.Join(sent, "\n"))[:2]
}

// sortedJSON is a value with the members of its objects sorted by name.
func sortedJSON(raw string) string {
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	var value any
	var sorted bytes.Buffer
	if decoder.Decode(&value) != nil || json.NewEncoder(&sorted).Encode(value) != nil {
		return raw
	}
	return sorted.String()
}
