package embedded

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// An answer says of so many files what was not read of them, names so many others, and counts the rest.
const maxUnread, maxNamed = 2, 3

// warnUnread tells what could not be read of the files that sources come from: an answer may miss it. A file that belongs to no stream is
// named to those who may see all of its connection, if it may be missing in one of the sources.
func (c *call) warnUnread(sources []access) {
	var unread []*model.LeftOut
	narrowed := len(sources) < len(c.sources)
	for i := range c.catalog.LeftOut {
		one := &c.catalog.LeftOut[i]
		isStray := one.Stream == "" && c.opensAll(one.ConnectionID)
		if isStray && !narrowed || slices.ContainsFunc(sources, func(s access) bool {
			return s.Connection.ID == one.ConnectionID && (s.Stream.Name == one.Stream || isStray && isNear(one.File, s.Stream.Name))
		}) {
			unread = append(unread, one)
		}
	}
	slices.SortStableFunc(unread, func(a, b *model.LeftOut) int {
		return cmp.Or(unreadRank(a)-unreadRank(b), b.Lost()-a.Lost(), a.Kept-b.Kept)
	})
	for i, one := range unread[:min(len(unread), maxUnread)] {
		pieces, how := one.Pieces-one.Aside, "not read"
		if pieces == 0 && one.Pieces > 0 {
			pieces, how = one.Pieces, "not read as a record"
		}
		if one.Kept > 0 {
			how = "not read in full"
		}
		message := fmt.Sprintf("%s was %s: %s", one.File, how, one.Reason)
		switch {
		case one.Line == 0:
		case pieces == 1:
			message = fmt.Sprintf("Line %d of %s was %s: %s", one.Line, one.File, how, one.Reason)
		default:
			message = fmt.Sprintf("%d pieces of %s were %s, the first at line %d: %s", pieces, one.File, how, one.Line, one.Reason)
		}
		if more := unread[i+1:]; i == maxUnread-1 && len(more) > 0 {
			message = fmt.Sprintf("Not read in full either: %s. %s", named(more), message)
		}
		c.warn(warning{Code: "not_read", Detail: map[string]int{"pieces": one.Pieces}, Message: message})
	}
}

// named are the names of some files, with why those are not read that are not at all, and how many others there are.
func named(files []*model.LeftOut) string {
	var names []string
	for _, one := range files[:min(len(files), maxNamed)] {
		name := one.File
		if one.Line == 0 {
			reason := strings.TrimPrefix(one.Reason, "of no known kind: ")
			if strings.HasPrefix(reason, ".") { // the endings of all kinds
				reason = "of no known kind"
			}
			name += " (" + reason + ")"
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if more := len(files) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// isNear reports whether a file may have been one of a stream, which is called after its folders: it is in one of those or, in none, its
// name begins as the stream's does.
func isNear(file, stream string) bool {
	of := path.Dir(file)
	if of == "." {
		of = strings.TrimSuffix(file, path.Ext(file))
	}
	notInWords := func(r rune) bool { return !unicode.IsLetter(r) }
	words, within := strings.FieldsFunc(of, notInWords), strings.FieldsFunc(stream, notInWords)
	least := min(len(words), len(within))
	return least > 0 && slices.Equal(words[:least], within[:least])
}

// unreadRank puts first what records are lost of, then files that are not read at all, and last what is no record.
func unreadRank(one *model.LeftOut) int {
	switch {
	case one.Stream != "" && one.Line == 0:
		return 0
	case one.Lost() > 0:
		return 1
	case one.Kept > 0:
		return 3
	case one.Pieces > 0:
		return 4
	}
	return 2
}

// warnPending tells that files have changed of which the store does not know yet.
func (c *call) warnPending() {
	if c.options.Pending == nil {
		return
	}
	if message := c.options.Pending(); message != "" {
		c.warn(warning{Code: "still_reading", Message: message})
	}
}
