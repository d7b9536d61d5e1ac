package fanout

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	packageCursorVersion = 1
	packageCursorKind    = "package_search"
	// maxPackageCursorBytes bounds a cursor as it is printed; the tools take no longer one.
	maxPackageCursorBytes = 16 << 10
	maxCursorSkip         = 100_000
	maxSearchLimit        = 100 // hits of one page
)

// A packageCursor is where a search across a package ended. It holds all that the next page needs, so that any replica
// can serve it, also after a restart. It is not signed: a changed one reaches no more than the search itself does,
// because the members are looked up in the caller's own package and read with the members' own tokens.
//
// It is bound to the search and the package, but not to the package's members: those it names itself. A member that is
// gone meanwhile is reported as unavailable, and one that came later is not part of this search.
type packageCursor struct {
	Version int          `json:"v"`
	Kind    string       `json:"k"`
	Bound   string       `json:"b"` // hash of the search and the package
	Size    int          `json:"l"` // page size of the members: skip counts hits of pages of this size
	Done    tally        `json:"d,omitzero"`
	Turns   []cursorTurn `json:"t"` // the members with more to show, in the order of their turns
}

type cursorTurn struct {
	ConnectionID string `json:"i"`
	GrantID      string `json:"g,omitempty"` // only where several members share the connection
	Cursor       string `json:"c,omitempty"`
	Skip         int    `json:"s,omitempty"`
	Failed       bool   `json:"f,omitempty"`
}

// bindSearch is the hash of what a cursor belongs to: the search, whatever its page size, and the package.
func bindSearch(r rs.Request, packageID string) string {
	query := url.Values{}
	for name, values := range r.Query {
		if name != "cursor" && name != "limit" {
			query[name] = slices.Compact(slices.Sorted(slices.Values(values)))
		}
	}
	sum := sha256.Sum256([]byte(packageID + "\x00" + r.Path + "\x00" + query.Encode()))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// encode returns the cursor as text, or "" when it would be too long to be sent back.
func (c packageCursor) encode() string {
	c.Version, c.Kind = packageCursorVersion, packageCursorKind
	text := rs.EncodeHandle(c)
	if len(text) > maxPackageCursorBytes {
		return ""
	}
	return text
}

// decodePackageCursor reads a cursor for a search. Its error is an InvalidCursor; nothing is asked then.
func decodePackageCursor(text, bound string) (c packageCursor, refused *rs.Error) {
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	whole := err == nil && len(text) <= maxPackageCursorBytes && utf8.Valid(data) && json.Valid(data) && decoder.Decode(&c) == nil
	switch {
	case !whole || c.Version != packageCursorVersion || c.Kind != packageCursorKind || !c.inRange():
		return c, invalidCursor("The cursor is not one that a search of this package printed.")
	case c.Bound != bound:
		return c, invalidCursor("The cursor belongs to another search or another package.")
	}
	return c, nil
}

// inRange reports whether a cursor has numbers and turns that a search may have.
func (c packageCursor) inRange() bool {
	seen := map[[2]string]bool{}
	for _, t := range c.Turns {
		key := [...]string{t.ConnectionID, t.GrantID}
		if t.ConnectionID == "" || t.Skip < 0 || t.Skip > maxCursorSkip || seen[key] || strings.ContainsRune(t.Cursor, 0) {
			return false
		}
		seen[key] = true
	}
	return c.Size >= 1 && c.Size <= maxSearchLimit && len(c.Turns) > 0 && len(c.Turns) <= maxMembers &&
		min(c.Done.Count, c.Done.Ranked, c.Done.Window, c.Done.Searched, c.Done.Truncated, c.Done.Some, c.Done.Members) >= 0
}

func invalidCursor(message string) *rs.Error {
	return &rs.Error{Code: rs.InvalidCursor, Param: "cursor", Message: message, Hint: "Start again without cursor, or send it exactly as printed with the same other arguments."}
}

// state is a turn as the next page needs it.
func (t *turn) state() cursorTurn {
	s := cursorTurn{ConnectionID: t.member.ID, Cursor: t.cursor, Skip: t.skip, Failed: t.failed}
	if t.member.shared {
		s.GrantID = t.member.GrantID
	}
	return s
}

// find returns the member that a cursor speaks of, or nil when it is no longer in the package.
func (p *grantPackage) find(s cursorTurn) *member {
	var found *member
	for _, c := range p.members {
		switch {
		case c.ID != s.ConnectionID:
		case c.GrantID == s.GrantID:
			return c
		case s.GrantID == "" && found == nil:
			found = c
		}
	}
	return found
}
