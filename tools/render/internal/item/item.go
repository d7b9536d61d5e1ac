// Package item reads what a record or hit says about itself, such as its id, title and time, and writes records as tables, with the calls
// that read on what a table does not show.
package item

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// An Item is a record or a hit, as far as a line about it needs to know.
type Item struct {
	ID         string // what fetch takes: a record id, or the resource server's own when that is no record (S2-9)
	Ref        rs.Ref // the zero Ref when id is no record
	Stream     string
	RecordID   string
	Connection string    // connection_id
	Connector  string    // short key
	Label      string    // display name of the connection
	Title      string    // "" when the source has none
	Authored   string    // when its author made it
	Emitted    string    // emitted_at: when the source or the connector wrote the record, which need not be when what it tells of happens
	Data       rs.Object // the source's own fields; nil when there are none
	Expanded   rs.Object // related records by relation; nil when none were asked for
	Deleted    bool
	DeletedAt  string

	TimeField string     // of a record: where in data authored stands
	Relations []Relation // what is in expanded, of a record in a list
}

// Read reads a record with its data, which may be nil, but not its title. stream and connection are used if the record does not name its
// own.
func Read(o, data rs.Object, stream, connection string) Item {
	it := Item{
		Stream:     cmp.Or(o.Text("stream"), stream),
		RecordID:   o.Text("id", "record_id", "record_key"),
		Connection: cmp.Or(rs.ConnectionID(o), connection),
		Connector:  rs.ConnectorKey(o),
		Label:      o.Text("display_name"),
		Emitted:    clean.Preview(o.Text("emitted_at"), 40),
		Data:       data,
		Expanded:   o.Object("expanded"),
		Deleted:    o.Flag("deleted") || o.Has("deleted_at") || o.Text("op") == "delete",
		DeletedAt:  clean.Preview(o.Text("deleted_at"), 40),
	}
	if it.Data == nil && !o.Has("data") && !it.Deleted { // a flat record: what is not envelope is data
		it.Data = o.Without(EnvelopeFields...)
	}
	if it.RecordID == "" {
		it.RecordID = it.Data.Text("id")
	}
	it.Authored, it.TimeField = Time(nil, it.Data)
	it.SetHandle()
	return it
}

// SetHandle sets id and ref from connection, stream and record id, and reports whether they make an id. A connection that breaks the
// grammar is left out of it (S2-9); parts that cannot be named at all make none.
func (it *Item) SetHandle() bool {
	it.ID, it.Ref = "", rs.Ref{}
	ref := rs.Ref{ConnectionID: it.Connection, Stream: it.Stream, RecordID: it.RecordID}
	if rs.UnsafeName(ref.ConnectionID) != "" {
		ref.ConnectionID = ""
	}
	if rs.UnsafeName(ref.Stream) != "" || ref.RecordID == "" {
		return false
	}
	id := ref.String()
	if strings.HasPrefix(id, rs.RecordURIPrefix) { // any other id reads back as what it was made of
		if parsed, err := rs.ParseRef(id); err != nil || parsed != ref {
			return false
		}
	}
	it.ID, it.Ref = id, ref
	return true
}

// Separate is the connection_id that must be passed beside the id, or "" when the id embeds it (D16), or is no record's.
func (it *Item) Separate() string {
	if it.Connection != "" && it.Ref.ConnectionID == "" && it.Ref != (rs.Ref{}) {
		return it.Connection
	}
	return ""
}

// Handle is the id without a prefix, or what stands for none, and the connection_id that must be passed beside it.
func (it *Item) Handle(prefix, none string) string {
	conn := it.Separate()
	return cmp.Or(strings.TrimPrefix(it.ID, prefix), none) + write.When(conn != "", " connection_id="+clean.Name(conn))
}

// Source is the connection's label and connector: "Work Gmail (gmail)".
func (it *Item) Source() string {
	label, key := clean.Bare(write.Label(it.Label)), clean.Bare(write.Label(it.Connector))
	switch {
	case label == "":
		return key
	case key == "" || strings.EqualFold(key, label):
		return label
	}
	return label + " (" + key + ")"
}

// Heading is a title for people: the source's own, else what the record is (S0-6a).
func (it *Item) Heading() string {
	if title := clean.Preview(it.Title, write.TitleChars); title != "" {
		return title
	}
	return it.Untitled()
}

// Untitled says what a record is without a title of its own: stream, connection, in the grant's words, and day.
func (it *Item) Untitled() string {
	what := cmp.Or(write.Label(it.Stream), "record")
	source := cmp.Or(write.Label(it.Label), write.Label(it.Connector))
	from := write.When(source != "", " from ")
	switch day := write.Day(cmp.Or(it.Authored, it.Emitted)); { // when its author made it, else when the connector read it (S0-6a)
	case day != "":
		return what + from + source + ", " + day
	case it.Label == "" && it.Connector == "" && it.RecordID != "":
		return what + from + source + " " + write.Label(it.RecordID)
	}
	return what + from + source
}

// EnvelopeFields are a record's own members beside its data: identity and operation, never content.
var EnvelopeFields = []string{
	"object", "id", "record_id", "record_key", "stream", "emitted_at", "connection_id", "connector_instance_id",
	"connector_key", "connector_id", "display_name", "grant_id", "deleted", "deleted_at", "version", "record_json_bytes",
	"record_uri", "record_url", "links", "meta", "data", "expanded",
}

// Canonical is a record with connection_id and connector_key in place of their other names, which say the same again (D37). It reports
// whether there were any.
func Canonical(o rs.Object) (_ rs.Object, renamed bool) {
	if !o.Includes("connector_instance_id") && !o.Includes("connector_id") {
		return o, false
	}
	named := o.Without("connector_instance_id", "connector_id")
	if conn := rs.ConnectionID(o); conn != "" && !named.Has("connection_id") {
		named = named.With("connection_id", write.JSON(conn))
	}
	if key := rs.ConnectorKey(o); key != "" && !named.Has("connector_key") {
		named = named.With("connector_key", write.JSON(key))
	}
	return named, true
}

// Project drops the fields that were not asked for, so that they appear nowhere in a result (S0-7b, S0-7c).
// A dotted field keeps its top-level member. With no fields it returns data itself.
func Project(data rs.Object, fields []string) rs.Object {
	if len(fields) == 0 || data == nil {
		return data
	}
	return slices.DeleteFunc(slices.Clone(data), func(m rs.Member) bool { return !Wanted(m.Name, fields) })
}

// Wanted reports whether a field is among those that were asked for.
func Wanted(key string, fields []string) bool {
	return slices.ContainsFunc(fields, func(field string) bool {
		return field == key || strings.HasPrefix(field, key+".") || strings.HasPrefix(field, key+"[")
	})
}

// OwnRelated leaves out of a record what was expanded from other connections than the one that was named, and counts it.
func OwnRelated(record rs.Object, connection string) (own rs.Object, foreign int) {
	expanded := record.Object("expanded")
	if connection == "" || expanded == nil {
		return record, 0
	}
	keep := func(list []string) string {
		kept := slices.DeleteFunc(slices.Clone(list), func(raw string) bool { return OtherConnection(rs.AsObject(raw), connection) })
		foreign += len(list) - len(kept)
		return rs.JoinArray(kept)
	}
	expanded = slices.Clone(expanded)
	for i, relation := range expanded {
		value := rs.AsObject(relation.Value)
		if list, many := rs.AsArray(relation.Value); many {
			expanded[i].Value = keep(list)
		} else if list, many := rs.AsArray(value.Get("data")); many {
			expanded[i].Value = value.With("data", keep(list)).JSON()
		} else if OtherConnection(value, connection) {
			expanded[i].Value, foreign = "null", foreign+1
		}
	}
	if foreign == 0 {
		return record, 0
	}
	return record.With("expanded", expanded.JSON()), foreign
}

// Unwrap finds the record in {"data":{record}}, which some servers answer (S3-15b).
func Unwrap(o rs.Object) rs.Object {
	inner := o.Object("data")
	if inner == nil || o.Has("id") || o.Has("stream") {
		return o
	}
	if inner.Text("object") == "record" || rs.AsObject(inner.Get("data")) != nil {
		return inner
	}
	return o
}

// Other names what an item contradicts of the record that was asked for: its "connection", "stream" or "id"; "" for nothing.
func Other(o rs.Object, asked rs.Ref) string {
	differs := func(name, asked string) bool {
		said, ok := rs.AsText(o.Get(name))
		return ok && said != "" && said != asked
	}
	switch {
	case OtherConnection(o, asked.ConnectionID):
		return "connection"
	case differs("stream", asked.Stream):
		return "stream"
	case differs("record_id", asked.RecordID), !o.Has("record_id") && differs("id", asked.RecordID):
		return "id"
	}
	return ""
}

// OtherConnection reports whether an item names another connection than the call.
func OtherConnection(o rs.Object, named string) bool {
	if named == "" {
		return false
	}
	if conn := rs.ConnectionID(o); conn != "" && conn != named {
		return true
	}
	ref, ok := ParseRef(o.Text("record_uri"))
	return ok && ref.ConnectionID != "" && ref.ConnectionID != named
}

// ParseRef is [rs.ParseRef] for a text that need not be a record's id.
func ParseRef(text string) (rs.Ref, bool) {
	if text == "" {
		return rs.Ref{}, false
	}
	ref, err := rs.ParseRef(text)
	return ref, err == nil
}

// The orders of records by their times.
const (
	newestFirst = "newest first"
	OldestFirst = "oldest first"
)

// Order says how records are sorted by time, where their times show it; else "".
func Order(items []Item) string {
	timeOf := func(i int) string { return write.When(items[i].TimeField == items[0].TimeField, items[i].Authored) }
	order := 0 // the sign of each comparison
	for i := range items[:max(len(items)-1, 0)] {
		one, next := timeOf(i), timeOf(i+1)
		sign := strings.Compare(one, next)
		if one == "" || len(one) != len(next) || sign*order < 0 {
			return ""
		}
		order = cmp.Or(order, sign)
	}
	if order > 0 {
		return newestFirst
	}
	return write.When(order < 0, OldestFirst)
}
