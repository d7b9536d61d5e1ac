package render

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// project drops the fields that were not asked for, so that they appear nowhere in a result (S0-7b, S0-7c).
// A dotted field keeps its top-level member. With no fields it returns data itself.
func project(data object, fields []string) object {
	if len(fields) == 0 || data == nil {
		return data
	}
	kept := make(object, 0, len(data))
	for _, m := range data {
		if wanted(m.Name, fields) {
			kept = append(kept, m)
		}
	}
	return kept
}

func wanted(key string, fields []string) bool {
	for _, field := range fields {
		if field == key || strings.HasPrefix(field, key+".") || strings.HasPrefix(field, key+"[") {
			return true
		}
	}
	return false
}

// projectRecord narrows one record of a list and reports whether there was anything to drop.
// Its envelope stays: identity and what paging needs.
func projectRecord(record rs.Item, fields []string) (rs.Item, bool) {
	o := record.Members
	if o == nil {
		return record, false
	}
	kept := o
	if data := o.Object("data"); data != nil {
		if narrow := project(data, fields); len(narrow) != len(data) {
			kept = o.With("data", narrow.JSON())
		}
	}
	narrow := make(object, 0, len(kept))
	for _, m := range kept {
		if m.Name == "data" || wanted(m.Name, envelopeFields) || wanted(m.Name, fields) {
			narrow = append(narrow, m)
		}
	}
	if len(narrow) == len(o) && narrow.Get("data") == o.Get("data") {
		return record, false
	}
	return narrow.Item(), true
}

// projectAll narrows every record of a list, leaving the body as received when nothing was too much.
func projectAll(l listing, body string, fields []string) (listing, string) {
	if len(fields) == 0 {
		return l, body
	}
	changed := false
	items := make([]rs.Item, len(l.Items))
	for i, record := range l.Items {
		narrow, cut := projectRecord(record, fields)
		items[i], changed = narrow, changed || cut
	}
	if !changed {
		return l, body
	}
	l.Items = items
	return l, l.With(items).JSON()
}
