package fanout

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	packageCursorVersion = 1
	packageCursorKind    = "package_search"
	// maxPackageCursorBytes limits an encoded cursor; the tools accept no longer one.
	maxPackageCursorBytes = 16 << 10
	maxCursorSkip         = 100_000
)

// A packageCursor is the position where a page of a search across a package ended. It contains all that the next page needs, so that any
// replica can serve it, even after a restart. It is not signed: a forged one reaches no more than the search itself does, because members
// are looked up in the caller's package and read with their own tokens.
//
// It is bound to the search and the package, but not to the package's members: it names those itself. A member that has left the package
// is reported as unavailable, and one that has joined since is not part of this search.
type packageCursor struct {
	Version int          `json:"v"`
	Kind    string       `json:"k"`
	Bound   string       `json:"b"` // hash of the search and the package
	Size    int          `json:"l"` // page size of the members: skip counts hits of pages of this size
	Done    tally        `json:"d,omitzero"`
	Turns   []cursorTurn `json:"t"` // the members with more to show, in the order of their turns
	Parts   []string     `json:"p,omitempty"`
}

type cursorTurn struct {
	ConnectionID string `json:"i"`
	GrantID      string `json:"g,omitempty"` // only where several members share the connection
	Cursor       string `json:"c,omitempty"`
	Skip         int    `json:"s,omitempty"`
	Failed       bool   `json:"f,omitempty"`
}

// bindSearch returns a hash of what a cursor is valid for: the package and the search, without page size and parts.
func bindSearch(r rs.Request, packageID string) string {
	query := url.Values{}
	for name, values := range r.Query {
		if name == "streams" {
			values = requestedStreams(r)
		}
		if name != "cursor" && name != "limit" {
			query[name] = slices.Compact(slices.Sorted(slices.Values(values)))
		}
	}
	sum := sha256.Sum256([]byte(packageID + "\x00" + r.Path + "\x00" + query.Encode()))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// encode returns the cursor as text, or "" if it is too long to be sent back.
func (c packageCursor) encode() string {
	c.Version, c.Kind = packageCursorVersion, packageCursorKind
	text := rs.EncodeHandle(c)
	if len(text) > maxPackageCursorBytes {
		return ""
	}
	return text
}

// decodePackageCursor parses a cursor and checks that it is bound to the search. Its error is "invalid_cursor".
func decodePackageCursor(text, bound string) (c packageCursor, refused *rs.Error) {
	switch {
	case len(text) > maxPackageCursorBytes || rs.DecodeHandle(text, &c) != nil,
		c.Version != packageCursorVersion || c.Kind != packageCursorKind || !c.inRange():
		return c, invalidCursor("The cursor is not one that a search of this package printed.")
	case c.Bound != bound:
		return c, invalidCursor("The cursor belongs to another search or another package.")
	}
	return c, nil
}

// inRange reports whether a search can have the numbers and turns of a cursor.
func (c packageCursor) inRange() bool {
	seen := map[[2]string]bool{}
	for _, t := range c.Turns {
		key := [...]string{t.ConnectionID, t.GrantID}
		if t.ConnectionID == "" || t.Skip < 0 || t.Skip > maxCursorSkip || seen[key] || strings.ContainsRune(t.Cursor, 0) {
			return false
		}
		seen[key] = true
	}
	return c.Size >= 1 && c.Size <= rs.MaxLimit && len(c.Turns) <= maxMembers &&
		min(c.Done.Count, c.Done.Ranked, c.Done.Window, c.Done.Searched, c.Done.Truncated, c.Done.Some, c.Done.Members) >= 0
}

func invalidCursor(message string) *rs.Error {
	return &rs.Error{Code: "invalid_cursor", Param: "cursor", Message: message, Hint: "Start again without cursor, or send it exactly as printed with the same other arguments."}
}

func (t *turn) state() cursorTurn {
	s := cursorTurn{ConnectionID: t.member.ID, Cursor: t.cursor, Skip: t.skip, Failed: t.failed}
	if t.member.shared {
		s.GrantID = t.member.GrantID
	}
	return s
}

// find returns the member of a cursor's turn, or nil if it is no longer in the package.
func (p *grantPackage) find(s cursorTurn) *member {
	var found *member
	for _, m := range p.members {
		switch {
		case m.ID != s.ConnectionID:
		case m.GrantID == s.GrantID:
			return m
		case s.GrantID == "" && found == nil:
			found = m
		}
	}
	return found
}

// requestedStreams returns the streams that a search names, without [rs.Request.Parts].
func requestedStreams(r rs.Request) []string {
	return slices.DeleteFunc(slices.Clone(r.Query["streams"]), func(name string) bool { return slices.Contains(r.Parts, name) })
}

// A turn is one member's position in a search: where in the member's results the next hit is, and the page that has it.
type turn struct {
	member *member
	cursor string // of the page with the next hit; "" is the first page
	skip   int    // hits of that page that were shown already
	failed bool   // the last attempt to read the page failed and may be repeated

	loaded  bool // hits is the page at cursor
	hits    []rs.Item
	next    string    // the member's own cursor of its next page; may be empty
	more    bool      // the member's has_more, even if it gives no cursor
	done    bool      // no hit is left
	failure *rs.Error // of the read in this call
	tally   tally     // of its last answer in this call; zero if it did not answer
}
