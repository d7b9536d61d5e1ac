package embedded

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// maxUnread is how many files an answer names of which something was not read.
const maxUnread = 2

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
	slices.SortStableFunc(unread, func(a, b *model.LeftOut) int { return cmp.Or(b.Pieces-b.Kept-a.Pieces+a.Kept, a.Kept-b.Kept) })
	for i, one := range unread[:min(len(unread), maxUnread)] {
		message := fmt.Sprintf("%s was not read: %s", one.File, one.Reason)
		how := "not read"
		if one.Kept > 0 {
			how = "not read in full"
		}
		switch {
		case one.Pieces == 1:
			message = fmt.Sprintf("Line %d of %s was %s: %s", one.Line, one.File, how, one.Reason)
		case one.Pieces > 1:
			message = fmt.Sprintf("%d pieces of %s were %s, the first at line %d: %s", one.Pieces, one.File, how, one.Line, one.Reason)
		}
		if more := len(unread) - maxUnread; i == maxUnread-1 && more > 0 {
			message = fmt.Sprintf("Files not read in full beside this one: %d. %s", more, message)
		}
		c.warn(warning{Code: "not_read", Detail: map[string]int{"pieces": one.Pieces}, Message: message})
	}
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
