package embedded

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// How many incompletely read files a schema response and any other response explain. Further files are listed by name in one warning of at
// most maxWarning bytes, since clients may truncate a longer one; the rest is counted.
const schemaUnread, maxUnread, maxWarning = 14, 1, 320

// warnUnread warns of files of sources that were not read completely: the answer may lack their records. It explains at most limit files.
func (c *call) warnUnread(sources []access, limit int) {
	unread := c.unread(sources)
	for _, one := range unread[:min(limit, len(unread))] {
		c.warn(warning{Code: "not_read", Detail: map[string]int{"pieces": one.Pieces}, Message: unreadMessage(one)})
	}
	others := unread[min(limit, len(unread)):]
	if len(others) == 0 {
		return
	}
	called := func(one *model.LeftOut) string {
		if one.IsUnread() {
			return one.File + " (not at all)"
		}
		return one.File
	}
	names := "Not read in full either: " + called(others[0])
	for others = others[1:]; len(others) > 0 && len(names)+len(called(others[0])) < maxWarning-len(", and 10000 more"); others = others[1:] {
		names += ", " + called(others[0])
	}
	if len(others) > 0 {
		names += fmt.Sprintf(" and %d more", len(others))
	}
	c.warn(warning{Code: "not_read", Message: names})
}

// unread lists the files of sources that could not be read completely, greatest loss first. A file of no stream is listed only if all
// sources of the grant are read, and the grant gives access to the whole connection of the file.
func (c *call) unread(sources []access) []*model.LeftOut {
	var unread []*model.LeftOut
	for i := range c.catalog.LeftOut {
		one := &c.catalog.LeftOut[i]
		isOfAll := one.Stream == "" && len(sources) == len(c.sources) && c.opensAll(one.ConnectionID)
		if isOfAll || slices.ContainsFunc(sources, func(s access) bool {
			return s.Connection.ID == one.ConnectionID && s.Stream.Name == one.Stream
		}) {
			unread = append(unread, one)
		}
	}
	slices.SortStableFunc(unread, func(a, b *model.LeftOut) int { return cmp.Or(unreadRank(a)-unreadRank(b), b.Lost()-a.Lost()) })
	return unread
}

// unreadRank is 0 for a file with lost records, 1 with incomplete records, and 2 if no record is affected.
func unreadRank(one *model.LeftOut) int {
	switch {
	case one.Lost() > 0, one.IsUnread():
		return 0
	case one.Kept > 0:
		return 1
	}
	return 2
}

// unreadMessage says how much of a file was not read, at which line the first such piece is, and why.
func unreadMessage(one *model.LeftOut) string {
	pieces, how := one.Pieces-one.Aside, "not read"
	if pieces == 0 && one.Pieces > 0 {
		pieces, how = one.Pieces, "not read as a record"
	}
	if one.Kept > 0 {
		how = "not read in full"
	}
	switch {
	case one.Line == 0:
		return fmt.Sprintf("%s was %s: %s", one.File, how, one.Reason)
	case pieces == 1:
		return fmt.Sprintf("Line %d of %s was %s: %s", one.Line, one.File, how, one.Reason)
	}
	return fmt.Sprintf("%d pieces of %s were %s, the first at line %d: %s", pieces, one.File, how, one.Line, one.Reason)
}

// warnPending warns of changed files that the store has not read yet.
func (c *call) warnPending() {
	if c.options.Pending == nil {
		return
	}
	if message := c.options.Pending(); message != "" {
		c.warn(warning{Code: "still_reading", Message: message})
	}
}
