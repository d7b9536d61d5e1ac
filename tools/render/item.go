package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// An item is a record or a hit, as far as a line about it needs to know.
type item struct {
	id        string // what fetch takes: a record id, or the resource server's own when that is no record (S2-9)
	ref       rs.Ref // the zero Ref when id is no record
	stream    string
	recordID  string
	conn      string // connection_id
	connector string // short key
	label     string // display name of the connection
	title     string // "" when the source has none
	authored  string // when its author made it
	emitted   string // when the connector read it
	data      object // the source's own fields; nil when there are none
	expanded  object // related records by relation; nil when none were asked for
	deleted   bool
	deletedAt string

	timeField string     // of a record: where in data authored stands
	relations []relation // what is in expanded, of a record in a list
}

// readRecord reads a record with its data, nil when it has none, but for its title. stream and connection are
// used where it does not say them.
func readRecord(o, data object, stream, connection string) item {
	it := item{
		stream:    cmp.Or(o.Text("stream"), stream),
		recordID:  o.Text("id", "record_id", "record_key"),
		conn:      cmp.Or(rs.ConnectionID(o), connection),
		connector: rs.ConnectorKey(o),
		label:     o.Text("display_name"),
		emitted:   clean.Preview(o.Text("emitted_at"), 40),
		data:      data,
		expanded:  o.Object("expanded"),
		deleted:   o.Flag("deleted") || o.Has("deleted_at") || o.Text("op") == "delete",
		deletedAt: clean.Preview(o.Text("deleted_at"), 40),
	}
	if it.data == nil && !o.Has("data") && !it.deleted { // a flat record: what is not envelope is data
		it.data = o.Without(envelopeFields...)
	}
	if it.recordID == "" {
		it.recordID = it.data.Text("id")
	}
	it.authored, it.timeField = timeOf(nil, it.data)
	it.handled()
	return it
}

// handled sets id and ref from connection, stream and record id, and reports whether they make an id. A connection that breaks the
// grammar is left out of it (S2-9); parts that cannot be named at all make none.
func (it *item) handled() bool {
	it.id, it.ref = "", rs.Ref{}
	ref := rs.Ref{ConnectionID: it.conn, Stream: it.stream, RecordID: it.recordID}
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
	it.id, it.ref = id, ref
	return true
}

// separate is the connection_id that must be passed beside the id, or "" when the id embeds it (D16), or is no record's.
func (it *item) separate() string {
	if it.conn != "" && it.ref.ConnectionID == "" && it.ref != (rs.Ref{}) {
		return it.conn
	}
	return ""
}

// source is the connection's label and connector: "Work Gmail (gmail)".
func (it *item) source() string {
	label, key := clean.Bare(clean.Preview(it.label, labelChars)), clean.Bare(clean.Preview(it.connector, labelChars))
	switch {
	case label == "":
		return key
	case key == "" || strings.EqualFold(key, label):
		return label
	}
	return label + " (" + key + ")"
}

// heading is a title for people: the source's own, else what the record is (S0-6a).
func (it *item) heading() string {
	if title := clean.Preview(it.title, titleChars); title != "" {
		return title
	}
	return it.untitled()
}

// untitled says what a record is without a title of its own: stream, connection, in the grant's words, and day.
func (it *item) untitled() string {
	what := append(make([]byte, 0, 2*labelChars), cmp.Or(clean.Preview(it.stream, labelChars), "record")...)
	if source := cmp.Or(clean.Preview(it.label, labelChars), clean.Preview(it.connector, labelChars)); source != "" {
		what = append(append(what, " from "...), source...)
	}
	if day := day(cmp.Or(it.authored, it.emitted)); day != "" { // when its author made it, else when the connector read it (S0-6a)
		what = append(append(what, ", "...), day...)
	} else if it.label == "" && it.connector == "" && it.recordID != "" {
		what = append(append(what, ' '), clean.Preview(it.recordID, labelChars)...)
	}
	return string(what)
}

// envelopeFields are a record's own members beside its data: identity and operation, never content.
var envelopeFields = []string{
	"object", "id", "record_id", "record_key", "stream", "emitted_at", "connection_id", "connector_instance_id",
	"connector_key", "connector_id", "display_name", "grant_id", "deleted", "deleted_at", "version", "record_json_bytes",
	"record_uri", "record_url", "links", "meta", "data", "expanded",
}

// canonical is a record with connection_id and connector_key in place of their other names, which say the same again (D37). It reports
// whether there were any.
func canonical(o object) (_ object, renamed bool) {
	named := o.Without("connector_instance_id", "connector_id")
	if len(named) == len(o) {
		return o, false
	}
	if conn := rs.ConnectionID(o); conn != "" && !named.Has("connection_id") {
		named = named.With("connection_id", encode(conn))
	}
	if key := rs.ConnectorKey(o); key != "" && !named.Has("connector_key") {
		named = named.With("connector_key", encode(key))
	}
	return named, true
}

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
	expanded = slices.Clone(expanded)
	for i, relation := range expanded {
		value := rs.AsObject(relation.Value)
		if list, many := rs.AsArray(relation.Value); many {
			expanded[i].Value = keep(list)
		} else if list, many := rs.AsArray(value.Get("data")); many {
			expanded[i].Value = value.With("data", keep(list)).JSON()
		} else if otherConnection(value, connection) {
			expanded[i].Value, foreign = "null", foreign+1
		}
	}
	if foreign == 0 {
		return record, 0
	}
	return record.With("expanded", expanded.JSON()), foreign
}

// unwrapRecord finds the record in {"data":{record}}, which some servers answer (S3-15b).
func unwrapRecord(o object) object {
	inner := o.Object("data")
	if inner == nil || o.Has("id") || o.Has("stream") {
		return o
	}
	if inner.Text("object") == "record" || rs.AsObject(inner.Get("data")) != nil {
		return inner
	}
	return o
}

// deletedCell says that a record was deleted, and when where that is known.
func deletedCell(it *item) string {
	if it.deletedAt != "" {
		return "(deleted_at " + clean.Name(it.deletedAt) + ")"
	}
	return "(deleted)"
}

// otherConnection reports whether an item names another connection than the call.
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

// parseRef is [rs.ParseRef] where it is no error that a text is no record's id.
func parseRef(text string) (rs.Ref, bool) {
	if text == "" {
		return rs.Ref{}, false
	}
	ref, err := rs.ParseRef(text)
	return ref, err == nil
}
