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
	return []string{clip("  "+shownName(r.relation)+": "+header(r.prefix, r.columns, false), lineChars)}
}

// relation are lines of the related records of a record, as many as have room.
func (t *recordTable) relation(g *tableGroup, related *relation, room int) []string {
	columns := g.related[slices.IndexFunc(g.related, func(r relatedColumns) bool { return r.relation == related.name })]
	var lines []string
	if g.block && len(related.records) > 0 {
		lines = columns.header()
	}
	start, written := "  "+shownName(related.name)+": ", 0
	for written < min(len(related.records), maxChildShown) && size(lines) < room-lineChars {
		line := t.row(columns.prefix, columns.columns, false, &related.records[written])
		lines = append(lines, start+clip(line, lineChars-4*labelChars))
		written++
	}
	switch left := len(related.records) - written; {
	case left > 0:
		lines = append(lines, fmt.Sprintf("%s%d more, in fetch with this id and expand", start, left))
	case related.more:
		lines = append(lines, start+"more exist; raise expand_limit")
	case len(related.records) == 0:
		lines = append(lines, start+"none")
	}
	return lines
}
