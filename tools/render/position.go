package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A markForm is how marks are written: those of an item, and of each of listArguments.
type markForm struct {
	item, argument int // characters
	of             func(sum []byte) string
}

var (
	marks    = markForm{6, 3, base64.RawURLEncoding.EncodeToString}
	oldMarks = markForm{8, 2, hex.EncodeToString} // of cursors that earlier versions printed, and of those that follow them
)

func (f markForm) list() int { return f.argument * len(listArguments) }

// mark is the beginning of a SHA-256: it only tells the items of one page apart, or a list from another.
func (f markForm) mark(text string, chars int) string {
	sum := sha256.Sum256([]byte(text))
	return f.of(sum[:])[:chars]
}

// at is the mark of the i-th of listArguments.
func (f markForm) at(list string, i int) string { return list[i*f.argument : (i+1)*f.argument] }

// form is the form of the marks of a position.
func (p Position) form() markForm {
	if len(p.list) == oldMarks.list() || p.list == "" && len(p.last) == oldMarks.item {
		return oldMarks
	}
	return marks
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

// In returns a position with the mark of the list that a call with some arguments reads. It is an error of the code invalid_cursor where
// an answer printed the position for another list; of another connection only [Position.Under] says so, because a call may name one by its
// display name until the resource server has refused that.
func (p Position) In(args rs.Object) (Position, error) {
	printed, form := p.list, p.form()
	p.list = ""
	var other []string
	for i, argument := range listArguments {
		mark := form.ofArguments(args, argument.names)
		if printed != "" && form.at(printed, i) != mark {
			if mark = form.at(printed, i); i != connectionArgument {
				other = append(other, argument.called)
			}
		}
		p.list += mark
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
	form := p.form()
	mark, from := form.ofArguments(args, argument.names), form.argument*connectionArgument
	if p.Shown > 0 && form.at(p.list, connectionArgument) != mark {
		return Position{}, otherList(argument.called)
	}
	return Position{list: p.list[:from] + mark + p.list[from+form.argument:]}, nil
}

func otherList(arguments string) *rs.Error {
	return &rs.Error{
		Code: rs.InvalidCursor, Param: "cursor", Message: "This cursor was printed for a list with other " + arguments + ".",
		Hint: "Send it with the same other arguments as the answer printed it, or begin this list without cursor.",
	}
}

// ofArguments is the mark of some arguments, whatever the order of the members of a filter.
func (f markForm) ofArguments(args rs.Object, names []string) string {
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
	return f.mark(strings.Join(sent, "\n"), f.argument)
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
