package embedded

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// An answer says of so many files what was not read of them, names so many others, and counts the rest.
const maxUnread, maxNamed = 2, 3

// warnUnread tells what could not be read of the files that sources come from: an answer may miss it. A file that belongs to no stream is
// named to those who may see all of its connection.
func (c *call) warnUnread(sources []access) {
	var unread []*model.LeftOut
	for i := range c.catalog.LeftOut {
		one := &c.catalog.LeftOut[i]
		if one.Stream == "" && c.opensAll(one.ConnectionID) || slices.ContainsFunc(sources, func(s access) bool {
			return s.Connection.ID == one.ConnectionID && s.Stream.Name == one.Stream
		}) {
			unread = append(unread, one)
		}
	}
	narrowed := len(sources) < len(c.sources)
	slices.SortStableFunc(unread, func(a, b *model.LeftOut) int {
		return cmp.Or(unreadRank(a, narrowed)-unreadRank(b, narrowed), b.Lost()-a.Lost(), a.Kept-b.Kept)
	})
	for i, one := range unread[:min(len(unread), maxUnread)] {
		pieces, how := one.Pieces-one.Aside, "not read"
		if pieces == 0 {
			pieces = one.Pieces
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

// named are the names of some files, and how many others there are.
func named(files []*model.LeftOut) string {
	var names []string
	for _, one := range files[:min(len(files), maxNamed)] {
		names = append(names, one.File)
	}
	text := strings.Join(names, ", ")
	if more := len(files) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// unreadRank puts first what records are lost of, then files that are not read at all, unless the answer is of some streams alone, and last
// what is no record.
func unreadRank(one *model.LeftOut, narrowed bool) int {
	switch {
	case one.Stream != "" && one.Line == 0:
		return 0
	case one.Lost() > 0:
		return 1
	case one.Kept > 0:
		return 3
	case one.Pieces > 0:
		return 5
	case narrowed:
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
