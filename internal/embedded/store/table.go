package store

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A Table stores one stream's records: each record as JSON, and one typed column for each field that a read may compare, so that
// comparisons need no JSON and run in SQLite. Its lexical fields are in the index of package search.
//
// Row ids are assigned in the order of emission over all tables. They are the versions of the changes feed.
type Table struct {
	Name      string // of the table in SQL, and prefix of the names of its indexes
	Connector *model.Connector
	Stream    *model.Stream
	Lexical   []model.Field // searched fields, in the order of the columns of the search index
	number    int           // unique in the store
	columns   []Column

	TimeFields   []string     // fields with the time at which a record happened, the best first
	conversation conversation // that its records form
}

// A Column is the comparable form of one field.
type Column struct {
	Kind  Kind
	name  string // in SQL or, if read is set, the expression that computes it
	field string
	local bool // a time without a zone
	read  bool // computed from the record's JSON for each comparison, instead of stored
}

func newTable(number int, connector *model.Connector, stream *model.Stream) *Table {
	t := &Table{Name: tableName(number), number: number, Connector: connector, Stream: stream}
	for i, field := range stream.Fields {
		if isSearched(field) {
			t.Lexical = append(t.Lexical, field)
		}
		kind := KindOf(field)
		if kind != KindNone && isCompared(connector, stream, field) {
			c := Column{name: fmt.Sprintf("f%d", i), field: field.Name, Kind: kind, local: field.Type == model.LocalTime}
			c.read = kind == KindText && isLong(connector, stream, field)
			if c.read {
				c.name = readSQL(field.Name)
			}
			t.columns = append(t.columns, c)
		}
	}
	t.TimeFields = timeFieldsOf(stream)
	t.conversation = t.conversationOf()
	return t
}

func tableName(number int) string { return fmt.Sprintf("s%d", number) }

func isCompared(connector *model.Connector, stream *model.Stream, field model.Field) bool {
	if field.Exact || field.Range || len(field.Aggregations) > 0 {
		return true
	}
	if field.Name == stream.CursorField || field.Name == stream.ConsentTimeField {
		return true
	}
	return slices.ContainsFunc(relationsTo(connector, stream), func(r model.Relation) bool { return r.ForeignKey == field.Name })
}

// relationsTo lists the relations whose foreign key is a field of a stream.
func relationsTo(connector *model.Connector, stream *model.Stream) (relations []model.Relation) {
	for _, other := range connector.Streams {
		for _, relation := range other.Relations {
			if relation.Target == stream.Name {
				relations = append(relations, relation)
			}
		}
	}
	return relations
}

// isLong reports whether a field is not worth storing twice: it is a long text or the record's id, and no order or relation needs it.
func isLong(connector *model.Connector, stream *model.Stream, field model.Field) bool {
	if field.Type != "text" && !slices.Equal(stream.PrimaryKey, []string{field.Name}) || strings.Contains(field.Name, "\"") {
		return false
	}
	bare := model.Field{Name: field.Name, Type: field.Type}
	return !isCompared(connector, stream, bare)
}

// readSQL returns the SQL that computes what [Kind.stored] would store for a text field. It is not a generated column: SQLite would compute
// that for each added record.
func readSQL(field string) string {
	value := "'$.\"" + strings.ReplaceAll(field, "'", "''") + "\"'"
	return fmt.Sprintf(`(CASE json_type(CAST(data AS TEXT), %[1]s) WHEN 'text' THEN CAST(data AS TEXT) ->> %[1]s
		WHEN 'null' THEN NULL WHEN 'object' THEN NULL WHEN 'array' THEN NULL ELSE CAST(data AS TEXT) -> %[1]s END)`, value)
}

// Column returns the column of a field, if it has one.
func (t *Table) Column(field string) (Column, bool) {
	return model.Find(t.columns, func(c Column) bool { return c.field == field })
}

// connectionNumber returns the number that is stored for a connection: its index in the connector.
func (t *Table) connectionNumber(id string) int {
	return slices.IndexFunc(t.Connector.Connections, func(one model.Connection) bool { return one.ID == id })
}

func (t *Table) sortColumn() string {
	if c, ok := t.Column(t.Stream.CursorField); ok {
		return c.name
	}
	return "emitted"
}

// consentColumn is the column that the time bounds of a grant apply to. If the consent field has no column of times, nothing matches.
func (t *Table) consentColumn() string {
	if t.Stream.ConsentTimeField == "" {
		return "emitted"
	}
	if c, ok := t.Column(t.Stream.ConsentTimeField); ok && c.Kind == KindInstant {
		return c.name
	}
	return "NULL"
}

// create returns the SQL that creates the table. Data is the last column, so that scans of the others skip its pages.
func (t *Table) create() string {
	return fmt.Sprintf("CREATE TABLE %s (version INTEGER PRIMARY KEY, connection INTEGER NOT NULL, id TEXT NOT NULL, emitted INTEGER%s, "+
		"data BLOB NOT NULL, UNIQUE (connection, id));\n", t.Name, t.columnNames())
}

// columnNames lists the stored columns, each after a comma.
func (t *Table) columnNames() string {
	var names strings.Builder
	for _, c := range t.columns {
		if !c.read {
			names.WriteString(", " + c.name)
		}
	}
	return names.String()
}

// index returns the SQL that creates the indexes, once the table is filled. The sort index covers all that counting records needs.
func (t *Table) index() string {
	var sql strings.Builder
	fmt.Fprintf(&sql, "CREATE INDEX %[1]s_sort ON %[1]s (connection, %[2]s, version, emitted);\n", t.Name, t.sortColumn())
	for _, relation := range relationsTo(t.Connector, t.Stream) {
		if c, ok := t.Column(relation.ForeignKey); ok {
			fmt.Fprintf(&sql, "CREATE INDEX IF NOT EXISTS %[1]s_%[2]s ON %[1]s (connection, %[2]s);\n", t.Name, c.name)
		}
	}
	return sql.String()
}

// insert returns the SQL that adds a record, with the arguments in the order of [Table.row].
func (t *Table) insert() string {
	names := t.columnNames()
	return fmt.Sprintf("INSERT INTO %s (version, connection, id, emitted%s, data) VALUES (?, ?, ?, ?%s, ?) "+
		"ON CONFLICT (connection, id) DO NOTHING", t.Name, names, strings.Repeat(", ?", strings.Count(names, ",")))
}

func (t *Table) row(version int64, record model.Record, fields map[string]json.RawMessage) []any {
	row := []any{version, t.connectionNumber(record.ConnectionID), record.ID, nil}
	if !record.EmittedAt.IsZero() {
		row[3] = record.EmittedAt.UnixMicro()
	}
	for _, c := range t.columns {
		if !c.read {
			row = append(row, c.Kind.stored(fields[c.field]))
		}
	}
	return append(row, []byte(record.Data))
}

// texts returns the searched texts of a record, in the order of the lexical fields.
func (t *Table) texts(fields map[string]json.RawMessage) []string {
	texts := make([]string, len(t.Lexical))
	for i, field := range t.Lexical {
		texts[i] = lexicalText(fields[field.Name])
	}
	return texts
}

type streamKey struct{ connector, stream string }

func (t *Table) key() streamKey { return streamKey{t.Connector.Key, t.Stream.Name} }

// eventOf returns when a record happened, in microseconds since 1970, or search.NoTime.
func (t *Table) eventOf(record model.Record, fields map[string]json.RawMessage) int64 {
	for _, name := range t.TimeFields {
		if instant, ok := KindInstant.stored(fields[name]).(int64); ok {
			return instant
		}
	}
	if record.EmittedAt.IsZero() {
		return search.NoTime
	}
	return record.EmittedAt.UnixMicro()
}

func timeFieldsOf(stream *model.Stream) []string {
	var names []string
	for _, field := range stream.Fields {
		if field.Role == "event-time" {
			names = append(names, field.Name)
		}
	}
	if field, ok := stream.Field(stream.CursorField); ok && KindOf(field) == KindInstant {
		names = append(names, field.Name)
	}
	return names
}

// A conversation says which records of a stream follow one another in a conversation.
type conversation struct {
	Field string // whose value identifies it; empty: the whole stream is one
	Is    bool   // the stream has conversations
}

// conversationNames are the names of fields that identify a conversation, for streams without a relation that does.
var conversationNames = []string{"thread_id", "conversation_id", "channel_id", "chat_id", "room_id", "thread", "conversation", "channel",
	"chat", "session_id", "session"}

// conversationOf finds the field that identifies conversations: the foreign key of a has_many relation or, without one, a field such as
// thread_id. Without either, a stream with actors and times is one conversation, unless it has titles and more than two searched fields.
func (t *Table) conversationOf() conversation {
	for _, relation := range relationsTo(t.Connector, t.Stream) {
		if relation.Cardinality == "has_many" {
			return conversation{relation.ForeignKey, true}
		}
	}
	for _, name := range conversationNames {
		if field, ok := t.Stream.Field(name); ok && KindOf(field) != KindNone {
			return conversation{name, true}
		}
	}
	titled := slices.ContainsFunc(t.Stream.Fields, func(f model.Field) bool { return f.Role == "primary-title" && len(t.Lexical) > 2 })
	spoken := slices.ContainsFunc(t.Stream.Fields, func(f model.Field) bool { return f.Role == "actor" })
	return conversation{"", spoken && !titled && len(t.TimeFields) > 0}
}

// number is equal for records of the same conversation. 0: the record is in none.
func (c conversation) number(fields map[string]json.RawMessage) uint64 {
	raw := fields[c.Field]
	if !c.Is || c.Field != "" && (len(raw) == 0 || string(raw) == "null") {
		return 0
	}
	hash := fnv.New64a()
	if c.Field != "" {
		_, _ = hash.Write(raw)
	}
	return max(hash.Sum64(), 1)
}
