package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxLimit is the largest limit that the tools take.
const maxLimit = 100

// An excess counts the items that a resource server sent beyond what was asked for. They are left out (S0-6a, S0-6b).
type excess struct {
	limit   int // of the call
	over    int // items beyond it
	most    int // items that one page would have to hold for none to be over
	foreign int // items, and records expanded in them, of another connection than the one that the call names
}

// note says what was left out and how to get it, or "" when nothing was. A cursor of the resource server goes on behind the items
// beyond the limit.
func (e excess) note(noun string, cursor bool) string {
	var sentences []string
	if e.foreign > 0 {
		sentences = append(sentences, fmt.Sprintf("The resource server sent %s of other connections than connection_id; left out.", plural(e.foreign, noun)))
	}
	if e.over > 0 {
		s := fmt.Sprintf("The resource server sent more than limit %d; %s left out.", e.limit, plural(e.over, noun))
		if cursor {
			s += " next_cursor skips them."
		}
		if e.most <= maxLimit {
			s += fmt.Sprintf(" Repeat this call with limit %d to see them.", e.most)
		} else {
			s += " Narrow this call to see them."
		}
		sentences = append(sentences, s)
	}
	return strings.Join(sentences, " ")
}

// otherConnection reports whether an item says that it is of another connection than the one that was named.
func otherConnection(o object, named string) bool {
	if named == "" {
		return false
	}
	if conn := rs.ConnectionID(o); conn != "" && conn != named {
		return true
	}
	ref, ok := parseRef(o.Text("record_uri"))
	return ok && ref.ConnectionID != "" && ref.ConnectionID != named
}

// bound keeps the hits that were asked for: at most limit, of the named connection only.
func (r *hitReader) bound() excess {
	e := excess{limit: r.q.Limit}
	kept := r.hits[:0]
	for _, h := range r.hits {
		if h.foreign || r.q.ConnectionID != "" && h.conn != r.q.ConnectionID {
			e.foreign++
			continue
		}
		kept = append(kept, h)
	}
	if e.limit > 0 && len(kept) > e.limit {
		e.over, e.most = len(kept)-e.limit, len(kept)
		kept = kept[:e.limit]
	}
	r.hits = kept
	return e
}

// boundRecords keeps the records that were asked for: of the named connection only, and at most limit of each connection.
func boundRecords(l listing, body string, limit int, connection string) (listing, string, excess) {
	e := excess{limit: limit}
	if connection == "" && (limit == 0 || len(l.Items) <= limit) {
		return l, body, e
	}
	kept := make([]rs.Item, 0, len(l.Items))
	counts, changed := map[string]int{}, false
	for _, record := range l.Items {
		o := record.Members
		if otherConnection(o, connection) {
			e.foreign++
			continue
		}
		conn := rs.ConnectionID(o)
		if conn == "" {
			conn = connection
		}
		if counts[conn]++; limit > 0 && counts[conn] > limit {
			e.over, e.most = e.over+1, max(e.most, counts[conn])
			continue
		}
		if own, foreign := ownRelated(o, connection); foreign > 0 {
			e.foreign, record, changed = e.foreign+foreign, own.Item(), true
		}
		kept = append(kept, record)
	}
	if len(kept) == len(l.Items) && !changed {
		return l, body, e
	}
	l.Items, l.Body = kept, l.With(kept)
	return l, l.Body.JSON(), e
}

// ownRelated leaves out of a record what was expanded from other connections than the one that was named, and counts it.
func ownRelated(record object, connection string) (own object, foreign int) {
	expanded := record.Object("expanded")
	if connection == "" || expanded == nil {
		return record, 0
	}
	keep := func(list []string) string {
		kept := slices.DeleteFunc(slices.Clone(list), func(raw string) bool { return otherConnection(rs.AsObject(raw), connection) })
		foreign += len(list) - len(kept)
		return rs.JoinArray(kept)
	}
	for _, relation := range slices.Clone(expanded) {
		value := rs.AsObject(relation.Value)
		if list, many := rs.AsArray(relation.Value); many {
			expanded = expanded.With(relation.Name, keep(list))
		} else if list, many := rs.AsArray(value.Get("data")); many {
			expanded = expanded.With(relation.Name, value.With("data", keep(list)).JSON())
		} else if otherConnection(value, connection) {
			expanded, foreign = expanded.With(relation.Name, "null"), foreign+1
		}
	}
	if foreign == 0 {
		return record, 0
	}
	return record.With("expanded", expanded.JSON()), foreign
}
