package render

import (
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A relation is what was expanded in a record under one name.
type relation struct {
	name    string
	records []item
	more    bool // the resource server has others
}

func readRelations(it *item) []relation {
	var relations []relation
	for _, m := range it.expanded {
		related := rs.AsObject(m.Value)
		list, many := rs.AsArray(m.Value)
		if !many {
			if list, many = rs.AsArray(related.Get("data")); !many && related != nil {
				list = []string{m.Value} // a relation to one record
			}
		}
		r := relation{name: m.Name, more: many && related.Flag("has_more")}
		for _, raw := range list {
			if o := rs.AsObject(raw); o != nil {
				r.records = append(r.records, readRecord(new(texts), o, o.Object("data"), "", it.conn))
			}
		}
		relations = append(relations, r)
	}
	return relations
}

// relatedOf are the relations of some records, each with its columns.
func relatedOf(items []item) []relatedColumns {
	var all []relatedColumns
	records := map[string][]item{}
	for i := range items {
		for _, r := range items[i].relations {
			if _, seen := records[r.name]; !seen {
				all = append(all, relatedColumns{relation: r.name})
			}
			records[r.name] = append(records[r.name], r.records...)
		}
	}
	for i := range all {
		list := records[all[i].relation]
		all[i].columns, all[i].prefix = columnsOf(list), commonPrefix(list)
	}
	return all
}

// relatedColumns are the columns of the records of a relation that came with those of a group.
type relatedColumns struct {
	relation string
	prefix   string
	columns  []string
}

func (r *relatedColumns) header() []string {
	if len(r.columns) == 0 {
		return nil
	}
	return []string{clip("  "+shownName(r.relation)+": "+header(r.prefix, r.columns, false), LineChars)}
}

// appendRelation appends the related records of a record below it, as many as have room.
func (t *recordTable) appendRelation(b []byte, g *tableGroup, related *relation, end int) []byte {
	columns := g.related[slices.IndexFunc(g.related, func(r relatedColumns) bool { return r.relation == related.name })]
	if g.block && len(related.records) > 0 {
		for _, line := range columns.header() {
			b = append(append(b, '\n'), line...)
		}
	}
	start := "\n  " + shownName(related.name) + ": "
	written := 0
	for written < min(len(related.records), maxChildShown) && len(b) < end-LineChars {
		line := t.appendRow(nil, columns.prefix, columns.columns, false, &related.records[written])
		b = append(append(b, start...), clip(string(line), LineChars-4*labelChars)...)
		written++
	}
	switch left := len(related.records) - written; {
	case left > 0:
		b = fmt.Appendf(b, "%s%d more, in fetch with this id and expand", start, left)
	case related.more:
		b = append(b, start+"more exist; raise expand_limit"...)
	case len(related.records) == 0:
		b = append(b, start+"none"...)
	}
	return b
}
