// Package item reads what a record or hit states about itself, such as its id, title and time. It writes records as tables, with the calls
// that read what a table does not show.
package item

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// An Item is a record or a hit, with what a line about it needs.
type Item struct {
	ID         string // what fetch takes: a record id, or the resource server's own id of something else (S2-9)
	Ref        rs.Ref // the zero Ref if ID is not that of a record
	Stream     string
	RecordID   string
	Connection string    // connection_id
	Connector  string    // short key
	Label      string    // display name of the connection
	Title      string    // "" if the source has none
	Authored   string    // when its author made it
	Emitted    string    // emitted_at: when the source or the connector wrote the record, which need not be the time of its event
	Data       rs.Object // the source's own fields; nil if there are none
	Expanded   rs.Object // related records by relation; nil if none were requested
	Deleted    bool
	DeletedAt  string

	TimeField string     // the field from which Authored is
	Relations []Relation // the content of Expanded, for a record in a list
}

// Read reads a record with its data, which may be nil, but not its title. stream and connection are used if the record names none.
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
	if it.Data == nil && !o.Has("data") && !it.Deleted { // a flat record: everything outside the envelope is data
		it.Data = o.Without(EnvelopeFields...)
	}
	if it.RecordID == "" {
		it.RecordID = it.Data.Text("id")
	}
	it.Authored, it.TimeField = Time(nil, it.Data)
	it.SetHandle()
	return it
}

// SetHandle sets ID and Ref from connection, stream and record id, and reports whether these form an id. It leaves out a connection that
// breaks the grammar (S2-9). Other parts that break it form no id.
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
	if strings.HasPrefix(id, rs.RecordURIPrefix) { // any other id always parses to the same parts
		if parsed, err := rs.ParseRef(id); err != nil || parsed != ref {
			return false
		}
	}
	it.ID, it.Ref = id, ref
	return true
}

// Separate returns the connection_id that must be passed with the id; "" if the id embeds it (D16) or is not that of a record.
func (it *Item) Separate() string {
	if it.Connection != "" && it.Ref.ConnectionID == "" && it.Ref != (rs.Ref{}) {
		return it.Connection
	}
	return ""
}

// Handle returns the id without a prefix, or none if there is no id, and the connection_id that must be passed with it.
func (it *Item) Handle(prefix, none string) string {
	conn := it.Separate()
	return cmp.Or(strings.TrimPrefix(it.ID, prefix), none) + write.When(conn != "", " connection_id="+clean.Name(conn))
}

// Source returns the connection's label and connector: "Work Gmail (gmail)".
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

// Heading returns a title for people: the source's own, else what the record is (S0-6a).
func (it *Item) Heading() string {
	if title := clean.Preview(it.Title, write.TitleChars); title != "" {
		return title
	}
	return it.Untitled()
}

// Untitled describes a record without a title: stream, connection as the grant names it, and day.
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

// EnvelopeFields are the members of a record next to its data: identity and operation, never content.
var EnvelopeFields = []string{
	"object", "id", "record_id", "record_key", "stream", "emitted_at", "connection_id", "connector_instance_id",
	"connector_key", "connector_id", "display_name", "grant_id", "deleted", "deleted_at", "version", "record_json_bytes",
	"record_uri", "record_url", "links", "meta", "data", "expanded",
}

// Canonical returns a record with connection_id and connector_key in place of their older or duplicate names (D37). renamed reports whether
// it had any of these.
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

// Project drops the fields that were not requested, so that they appear nowhere in a result (S0-7b, S0-7c). A dotted field keeps its
// top-level member. With no fields it returns data itself.
func Project(data rs.Object, fields []string) rs.Object {
	if len(fields) == 0 || data == nil {
		return data
	}
	return slices.DeleteFunc(slices.Clone(data), func(m rs.Member) bool { return !Wanted(m.Name, fields) })
}

// Wanted reports whether a field is among those that were requested, or contains one of them.
func Wanted(key string, fields []string) bool {
	return slices.ContainsFunc(fields, func(field string) bool {
		return field == key || strings.HasPrefix(field, key+".") || strings.HasPrefix(field, key+"[")
	})
}

// OwnRelated removes from a record the expanded records of other connections than the named one, and counts them.
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

// Unwrap returns the record in {"data":{record}}, which some servers answer (S3-15b), or o itself.
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

// Other returns which part of the requested ref an item contradicts: "connection", "stream" or "id"; "" for none.
func Other(o rs.Object, requested rs.Ref) string {
	differs := func(name, want string) bool {
		got, ok := rs.AsText(o.Get(name))
		return ok && got != "" && got != want
	}
	switch {
	case OtherConnection(o, requested.ConnectionID):
		return "connection"
	case differs("stream", requested.Stream):
		return "stream"
	case differs("record_id", requested.RecordID), !o.Has("record_id") && differs("id", requested.RecordID):
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

// ParseRef is [rs.ParseRef] for a text that need not be a record id; ok is false if it is not.
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

// Order says how records are sorted by time, if their times show it; else "".
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
