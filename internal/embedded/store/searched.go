package store

import (
	"encoding/json"
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

// eventOf returns when a record happened, in microseconds since 1970, or search.NoTime.
func (t *Table) eventOf(record model.Record, fields map[string]json.RawMessage) int64 {
	for _, name := range t.timeFields {
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

// A conversation is what records that follow one another have in common.
type conversation struct {
	Field string // that holds it; empty: the whole stream is one
	Is    bool
}

// conversationNames are fields that hold what the records of a conversation have in common, where no relation says so.
var conversationNames = []string{"thread_id", "conversation_id", "channel_id", "chat_id", "room_id", "thread", "conversation", "channel",
	"chat", "session_id", "session"}

// conversationOf finds what the records of a table which belong together have in common: their parent in a relation or, without one, their
// thread. A stream of short texts by several people in time order is one conversation.
func (t *Table) conversationOf() conversation {
	for _, other := range t.Connector.Streams {
		for _, relation := range other.Relations {
			if relation.Target == t.Stream.Name && relation.Cardinality == "has_many" {
				return conversation{relation.ForeignKey, true}
			}
		}
	}
	for _, name := range conversationNames {
		if field, ok := t.Stream.Field(name); ok && KindOf(field) != KindNone {
			return conversation{name, true}
		}
	}
	titled := slices.ContainsFunc(t.Stream.Fields, func(f model.Field) bool { return f.Role == "primary-title" && len(t.Lexical) > 2 })
	spoken := slices.ContainsFunc(t.Stream.Fields, func(f model.Field) bool { return f.Role == "actor" })
	return conversation{"", spoken && !titled && len(t.timeFields) > 0}
}

// number is equal for records which belong together. 0: the record stands alone.
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

// searched lays out for package search the fields that may be seen, but not which records.
func (s Source) searched(number int) search.Source {
	source := search.Source{Number: number, Complete: true, Talk: s.conversation.Is}
	isBody := func(f model.Field) bool { return f.Role != "actor" && f.Role != "primary-title" }
	for i, field := range s.Lexical {
		if _, ok := s.Granted(field.Name); !ok {
			source.Complete = false
			continue
		}
		weight := float32(bodyWeight)
		switch {
		case field.Role == "actor":
			weight = actorWeight
		case field.Role == "primary-title" && slices.ContainsFunc(s.Lexical, isBody): // a title that is all of the text is a body
			weight = titleWeight
		}
		source.Fields = append(source.Fields, search.Field{Column: i, Weight: weight})
	}
	return source
}
