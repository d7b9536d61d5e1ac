package item

import (
	"cmp"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A Relation is the records that were expanded in a record under one name.
type Relation struct {
	Name    string
	Records []Item
	more    bool // the resource server has others
}

// Rest returns the note that records of a relation are not shown; "" if all are.
func (r *Relation) Rest(shown int) string {
	left := len(r.Records) - shown
	order := write.When(left > 0 || r.more, Order(r.Records))
	return strings.Join(write.NotEmpty(order, write.When(left > 0, write.Thousands(left)+" more not shown"),
		write.When(left > 0 && r.more, "and more exist"), write.When(left <= 0 && r.more, "more exist")), ", ")
}

// All says how to read every record of a relation: with a call, if a field of the records certainly has the parent's id.
func (r *Relation) All(parent *Item) string {
	lead := "all, newest first: " // the default order of resource servers
	if Order(r.Records) == OldestFirst {
		lead = "all in this order: "
	}
	return cmp.Or(write.Lead(lead, r.Call(parent)), "raise expand_limit, or query their stream")
}

// Call returns the call that reads every record of a relation, with expand; "" if no field of the records certainly has the parent's id.
func (r *Relation) Call(parent *Item, expand ...string) string {
	filter := r.of(parent)
	if filter == "" {
		return ""
	}
	first := &r.Records[0]
	call := new(write.Object).Text("stream", first.Stream).Text("connection_id", first.Connection).Put("filter", filter).List("expand", expand)
	if Order(r.Records) == OldestFirst { // the call lists them in the same order
		call.Text("order", "asc")
	}
	return write.Offer("", call.Call("query_records"), write.LineChars/2)
}

// of returns the filter that selects every record of a relation: on the only field that has the parent's id in each; "" if there is none.
func (r *Relation) of(parent *Item) string {
	if len(r.Records) == 0 || parent.RecordID == "" || r.Records[0].Stream == "" {
		return ""
	}
	key := ""
	for _, m := range r.Records[0].Data {
		if text, ok := rs.AsText(m.Value); ok && text == parent.RecordID {
			if key != "" {
				return ""
			}
			key = m.Name
		}
	}
	for i := range r.Records {
		if other := &r.Records[i]; key == "" || other.Stream != r.Records[0].Stream || other.Data.Get(key) != r.Records[0].Data.Get(key) {
			return ""
		}
	}
	return rs.Object{write.Pair(key, r.Records[0].Data.Get(key))}.JSON()
}

// Relations returns the related records that came with a record.
func Relations(it *Item) []Relation {
	var relations []Relation
	for _, m := range it.Expanded {
		r := Relation{Name: m.Name, more: rs.AsObject(m.Value).Flag("has_more")}
		for _, raw := range RelatedRecords(m.Value) {
			if o := rs.AsObject(raw); o != nil {
				r.Records = append(r.Records, Read(o, o.Object("data"), "", it.Connection))
			}
		}
		relations = append(relations, r)
	}
	return relations
}

// RelatedRecords returns the records of a relation, which is a list, an object with a list as data, or a single record.
func RelatedRecords(raw string) []string {
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
