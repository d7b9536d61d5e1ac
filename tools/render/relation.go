package render

import (
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// A relation is what was expanded in a record under one name.
type relation struct {
	name    string
	records []item
	more    bool // the resource server has others
}

// rest is the note that records of a relation are not shown; "" if all are.
func (r *relation) rest(shown int) string {
	switch left := len(r.records) - shown; {
	case left > 0 && r.more:
		return thousands(left) + " more not shown, and more exist"
	case left > 0:
		return thousands(left) + " more not shown"
	case r.more:
		return "more exist"
	}
	return ""
}

// all is how to read every record of a relation: a call, where a field of them is certain to have the parent's id.
func (r *relation) all(parent *item) string {
	if key := r.keyOf(parent); key != "" {
		first := &r.records[0]
		filter := object{pair(key, first.data.Get(key))}.JSON()
		call := new(arguments).text("stream", first.stream).text("connection_id", first.conn).put("filter", filter).call("query_records")
		if clean.Line(call) == call && !clean.LongerThan(call, lineChars/2) {
			return "all: " + call
		}
	}
	return "raise expand_limit, or query their stream"
}

// keyOf is the only field that has the parent's id in every record of a relation; "" if there is none.
func (r *relation) keyOf(parent *item) string {
	if len(r.records) == 0 || parent.recordID == "" || r.records[0].stream == "" {
		return ""
	}
	key := ""
	for _, m := range r.records[0].data {
		if text, ok := rs.AsText(m.Value); ok && text == parent.recordID {
			if key != "" {
				return ""
			}
			key = m.Name
		}
	}
	for i := range r.records {
		if other := &r.records[i]; key == "" || other.stream != r.records[0].stream || other.data.Get(key) != r.records[0].data.Get(key) {
			return ""
		}
	}
	return key
}

func readRelations(it *item) []relation {
	var relations []relation
	for _, m := range it.expanded {
		r := relation{name: m.Name, more: rs.AsObject(m.Value).Flag("has_more")}
		for _, raw := range relatedRecords(m.Value) {
			if o := rs.AsObject(raw); o != nil {
				r.records = append(r.records, readRecord(o, o.Object("data"), "", it.conn))
			}
		}
		relations = append(relations, r)
	}
	return relations
}

// relatedRecords are the records of a relation, which is a list of them, or has one, or is one.
func relatedRecords(raw string) []string {
	relation := rs.AsObject(raw)
	if items, many := rs.AsArray(relation.Get("data")); many {
		return items
	}
	if list, ok := rs.AsArray(raw); ok {
		return list
	}
	if relation != nil {
		return []string{raw}
	}
	return nil
}
