package fanout

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// rows returns the items that are objects, as every hit or row is.
func rows(items []rs.Item) []rs.Item {
	return slices.DeleteFunc(slices.Clone(items), func(item rs.Item) bool { return item.Members == nil })
}

// listRead returns a read that fails unless the answer is a list. what names the list in the error.
func listRead(r rs.Request, what string) memberRead {
	return func(ctx context.Context, d rs.Doer) (*rs.Response, error) {
		response, err := d.Do(ctx, r)
		if err == nil {
			if _, ok := response.List(); !ok {
				return nil, &rs.Error{Code: "invalid_response", Message: "This connection's answer is not the " + what + " that the contract promises."}
			}
		}
		return response, err
	}
}

// attribute adds the connection to a hit or row that does not name it (S3-16a, S0-6a).
func attribute(item rs.Item, source rs.Connection) rs.Item {
	object := item.Members
	if named := rs.ConnectionID(object); named != "" && source.ID != "" && named != source.ID {
		return item // of another connection: unchanged, so that it can be dropped (S0-6b)
	}
	for _, part := range [...]struct{ name, value string }{
		{"connection_id", source.ID}, {"connector_key", source.ConnectorKey},
		{"display_name", source.DisplayName}, {"grant_id", source.GrantID},
	} {
		if part.value != "" && object.JSONString(part.name) == "" {
			object = object.With(part.name, rs.EncodeJSON(part.value))
		}
	}
	return object.Item()
}

// attributed returns the rows of a list, each with its connection.
func attributed(items []rs.Item, source rs.Connection) []rs.Item {
	items = rows(items)
	for i, item := range items {
		items[i] = attribute(item, source)
	}
	return items
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

// needsPage reports whether the page must be read before the turn can be taken.
func (t *turn) needsPage() bool { return !t.loaded && !t.done && t.failure == nil }

// load stores the page at the cursor, and returns how many hits it dropped: those of other connections (S0-6b).
func (t *turn) load(page rs.List) (dropped int) {
	hits := rows(page.Items)
	all := len(hits)
	t.hits = slices.DeleteFunc(hits, func(hit rs.Item) bool {
		named := rs.ConnectionID(hit.Members)
		return named != "" && named != t.member.ID
	})
	t.next = page.Envelope.JSONString("next_cursor")
	t.more = page.Envelope.Flag("has_more")
	if t.next == t.cursor { // it would lead to this page again, forever
		t.next, t.more = "", t.more && len(t.hits) > 0
	}
	t.loaded, t.failed, t.tally = true, false, readTally(page.Envelope.Object("meta"))
	t.advance()
	return all - len(t.hits)
}

// advance moves to the next page once all hits of the page are shown.
func (t *turn) advance() {
	switch {
	case t.skip < len(t.hits):
	case t.next != "":
		t.cursor, t.skip, t.loaded = t.next, 0, false
	default:
		t.done = true
	}
}

func (t *turn) shift() rs.Item {
	hit := t.hits[t.skip]
	t.skip++
	t.advance()
	return hit
}

// A ring merges the hits of all members round-robin. Scores of different members cannot be compared, but ranks can: each member in turn
// gives its next best hit, and none fills the page while others have hits. A hit with all words of the query comes before hits with some,
// whichever member has it.
type ring struct {
	turns []*turn
	at    int // index of the next turn
}

// take returns up to limit hits, each with its member's attribution. It stops where a page must be read first.
func (r *ring) take(limit int) []rs.Item {
	var hits []rs.Item
	for len(hits) < limit {
		t := r.next()
		if t == nil {
			break
		}
		hits = append(hits, attribute(t.shift(), t.member.Connection))
	}
	return hits
}

// next returns the turn that gives the next hit, and moves the ring past it. It returns nil if no hit is left or a page must be read.
func (r *ring) next() *turn {
	best, unread := worstMatch+1, false
	for _, t := range r.turns {
		unread = unread || t.needsPage()
		if t.loaded && !t.done {
			best = min(best, matchRank(t.hits[t.skip]))
		}
	}
	if best > 0 && unread { // the page to be read may have better hits
		return nil
	}
	for range r.turns {
		t := r.turns[r.at]
		if t.needsPage() {
			return nil
		}
		r.at = (r.at + 1) % len(r.turns)
		if t.loaded && !t.done && matchRank(t.hits[t.skip]) == best {
			return t
		}
	}
	return nil
}

const worstMatch = 2

// matchRank orders hits by how many words of the query they have, if the resource server tells: all, some, or only similar words.
func matchRank(hit rs.Item) int {
	switch hit.Members.Text("match") {
	case "some":
		return 1
	case "nearest":
		return worstMatch
	}
	return 0
}

// needPages returns the turns whose page must be read, in the order of the turns.
func (r *ring) needPages() []*turn {
	return slices.DeleteFunc(r.inOrder(), func(t *turn) bool { return !t.needsPage() })
}

// inOrder returns the turns, the next one first.
func (r *ring) inOrder() []*turn { return slices.Concat(r.turns[r.at:], r.turns[:r.at]) }

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
