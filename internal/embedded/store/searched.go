package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// What a match in a field weighs, by what the field is.
const (
	bodyWeight  = 1
	titleWeight = 2
	actorWeight = 2
)

// HasMeaning reports whether a field has texts to search by meaning. A name has none.
func HasMeaning(field model.Field) bool { return field.Lexical && field.Role != "actor" }

// eventOf returns when a record happened, in microseconds since 1970, or search.NoTime.
func (t *Table) eventOf(record model.Record, fields map[string]json.RawMessage) int64 {
	for _, name := range t.TimeFields() {
		if instant, ok := storedInstant(fields[name]).(int64); ok {
			return instant
		}
	}
	if record.EmittedAt.IsZero() {
		return search.NoTime
	}
	return record.EmittedAt.UnixMicro()
}

// TimeFields are the fields that say when a record happened, the best first.
func (t *Table) TimeFields() []string {
	var names []string
	for _, field := range t.Stream.Fields {
		if field.Role == "event-time" {
			names = append(names, field.Name)
		}
	}
	if field, ok := t.Stream.Field(t.Stream.CursorField); ok && KindOf(field) == KindInstant {
		names = append(names, field.Name)
	}
	return names
}

// conversationNames are fields that hold what the records of a conversation have in common, where no relation says so.
var conversationNames = []string{"thread_id", "conversation_id", "channel_id", "chat_id", "room_id", "thread", "conversation", "channel",
	"chat", "session_id", "session"}

// conversationOf returns a number that is equal for records which belong together: those with the same parent in a relation or, without
// one, the same thread. A stream of short texts by several people in time order is one conversation. 0: the record stands alone.
func (t *Table) conversationOf(fields map[string]json.RawMessage) uint64 {
	name, ok := t.conversationField()
	if !ok {
		return 0
	}
	hash := fnv.New64a()
	if name != "" {
		raw := fields[name]
		if len(raw) == 0 || string(raw) == "null" {
			return 0
		}
		_, _ = hash.Write(raw)
	}
	return max(hash.Sum64(), 1)
}

// conversationField names the field that records of a conversation have in common: "" when the whole stream is one.
func (t *Table) conversationField() (name string, ok bool) {
	for _, other := range t.Connector.Streams {
		for _, relation := range other.Relations {
			if relation.Target == t.Stream.Name && relation.Cardinality == "has_many" {
				return relation.ForeignKey, true
			}
		}
	}
	for _, name := range conversationNames {
		if field, ok := t.Stream.Field(name); ok && KindOf(field) != KindNone {
			return name, true
		}
	}
	titled := slices.ContainsFunc(t.Stream.Fields, func(f model.Field) bool { return f.Role == "primary-title" && len(t.Lexical) > 2 })
	spoken := slices.ContainsFunc(t.Stream.Fields, func(f model.Field) bool { return f.Role == "actor" })
	return "", spoken && !titled && len(t.TimeFields()) > 0
}

// Searched lays a source out for package search: what may be seen of it, and nothing else.
func (s *Store) Searched(ctx context.Context, c *Catalog, from Source) (search.Source, error) {
	source := from.searched(c)
	w := from.conditions()
	if len(w.clauses) == 1 { // all records of the connection
		return source, nil
	}
	source.Only = map[int64]bool{}
	query := fmt.Sprintf("SELECT version FROM %s WHERE %s", from.Name, w)
	err := s.each(ctx, query, w.args, func(rows *sql.Rows) error {
		var version int64
		err := rows.Scan(&version)
		source.Only[version] = true
		return err
	})
	return source, err
}

// searched lays out the fields that may be seen, but not which records.
func (s Source) searched(c *Catalog) search.Source {
	source := search.Source{Number: c.sourceNumber(s.Table, s.connectionNumber(s.Connection.ID)), Complete: true}
	bodies := 0
	for _, field := range s.Lexical {
		if field.Role != "actor" && field.Role != "primary-title" {
			bodies++
		}
	}
	for i, field := range s.Lexical {
		if _, ok := s.Granted(field.Name); !ok {
			source.Complete = false
			continue
		}
		weight := float32(bodyWeight)
		switch {
		case field.Role == "actor":
			weight = actorWeight
		case field.Role == "primary-title" && bodies > 0: // a title that is all of the text is a body
			weight = titleWeight
		}
		source.Fields = append(source.Fields, search.Field{Column: i, Weight: weight})
	}
	_, source.Talk = s.conversationField()
	return source
}

// A layout is all that the rows of a table and what is searched in them follow from.
type layout struct {
	Stream       model.Stream
	Connections  []model.Connection
	Width        int
	Table        string
	Conversation string
}

func (c *Catalog) layout(t *Table) string {
	conversation, ok := t.conversationField()
	// texts and numbers
	text, _ := json.Marshal(layout{*t.Stream, t.Connector.Connections, c.width(), t.create() + t.index(), fmt.Sprint(conversation, ok)})
	return string(text)
}
