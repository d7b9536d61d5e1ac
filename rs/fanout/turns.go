package fanout

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

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

// rows returns the items that are objects, as every hit or row is.
func rows(items []rs.Item) []rs.Item {
	return slices.DeleteFunc(slices.Clone(items), func(item rs.Item) bool { return item.Members == nil })
}
