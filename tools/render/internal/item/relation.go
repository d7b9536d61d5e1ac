package item

import (
	"cmp"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A Relation is what was expanded in a record under one name.
type Relation struct {
	Name    string
	Records []Item
	more    bool // the resource server has others
}

// Rest is the note that records of a relation are not shown; "" if all are.
func (r *Relation) Rest(shown int) string {
	left := len(r.Records) - shown
	order := write.When(left > 0 || r.more, Order(r.Records))
	return strings.Join(write.NotEmpty(order, write.When(left > 0, write.Thousands(left)+" more not shown"),
		write.When(left > 0 && r.more, "and more exist"), write.When(left <= 0 && r.more, "more exist")), ", ")
}

// All is how to read every record of a relation: a call, where a field of them is certain to have the parent's id.
func (r *Relation) All(parent *Item) string {
	lead := "all, newest first: " // as resource servers list records, where the call does not say it
	if Order(r.Records) == OldestFirst {
		lead = "all in this order: "
	}
	return cmp.Or(write.Lead(lead, r.Call(parent)), "raise expand_limit, or query their stream")
}

// Call reads every record of a relation, with what is to be expanded in them; "" where no field of them is certain to have the parent's id.
func (r *Relation) Call(parent *Item, expand ...string) string {
	filter := r.of(parent)
	if filter == "" {
		return ""
	}
	first := &r.Records[0]
	call := new(write.Object).Text("stream", first.Stream).Text("connection_id", first.Connection).Put("filter", filter).List("expand", expand)
	if Order(r.Records) == OldestFirst { // the call goes on where these end
		call.Text("order", "asc")
	}
	return write.Offer("", call.Call("query_records"), write.LineChars/2)
}

// of is the filter by which every record of a relation is read: on the only field that has the parent's id in each; "" if there is none.
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

// RelatedRecords are the records of a relation, which is a list of them, or has one, or is one.
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
