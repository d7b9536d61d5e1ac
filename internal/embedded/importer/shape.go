package importer

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// shape gives a record the fields that its stream has: those of objects, times for what counts them, numbers for amounts, and when it was.
func (s *fileStream) shape(one *item.Item) {
	one.Unfold(s.objects)
	if !s.hasCells() { // whose reader did
		s.putThread(one)
		s.putCells(one)
	}
	for _, name := range s.times {
		if when := one.String(name); when != "" {
			one.Put(schema.WhenField, when)
			one.Text = nil
			break
		}
	}
	if said, _ := one.Value(s.timeField); one.Day != "" && s.timeField != "" && (len(said) == 0 || said[0] == 'n') {
		one.Fields = slices.DeleteFunc(one.Fields, func(field item.Field) bool { return field.Name == s.timeField })
		one.Put(s.timeField, one.Day)
	}
}

// hasCells reports that the values are cells of a table: texts, of which it is found out what they are.
func (s *fileStream) hasCells() bool { return ways[s.format].attached == aroundTable }

// putCells makes values of what the fields were found to be.
func (s *fileStream) putCells(one *item.Item) {
	var beside []item.Field
	said := func(name string) string { return one.String(name) }
	for index, field := range one.Fields {
		value, more := s.cells[field.Name].Value(field.Value, said)
		beside = append(beside, more...)
		if len(more) > 0 || !bytes.Equal(value, field.Value) {
			one.Fields[index].Value, one.Text = value, nil
		}
	}
	one.Fields = append(one.Fields, beside...)
}

// noteThread remembers which message another one answers, by its header, which need not name the first of the thread. Gmail numbers its
// threads instead: the first is then the earliest with the number, and answers none.
func (s *fileStream) noteThread(one item.Item) {
	thread := one.String("thread_id")
	if s.format != formatMail || thread == one.ID {
		return
	}
	sent, ok := one.Instant("sent_at")
	first, known := s.threads[thread]
	switch isGmail := strings.HasPrefix(thread, mail.GmailThread); {
	case isGmail && first == one.ID: // which another connection has, too
	case !isGmail || known && (!ok || !sent.Before(s.begun[thread])):
		s.threads[one.ID] = thread
	default:
		if known {
			s.threads[first] = thread
		}
		s.threads[thread], s.begun[thread] = one.ID, sent
	}
}

// longestThread is how many answers are followed back to the first message. Threads that lead back to themselves stay as they are.
const longestThread = 1000

func (s *fileStream) putThread(one *item.Item) {
	if s.format != formatMail {
		return
	}
	first := one.String("thread_id")
	for range longestThread {
		before, ok := s.threads[first]
		if !ok {
			one.Replace("thread_id", item.JSON(first))
			return
		}
		first = before
	}
}

// tuneAttached lets a record lead to what is attached to it, an attachment to its bytes, and a note to the links that lead to it.
func (f format) tuneAttached(records, attached *model.Stream) {
	h := ways[f].attached
	if h.key == "" {
		return
	}
	lead := func(name, key string) {
		records.Relations = append(records.Relations, model.HasMany(name, attached.Name, key))
	}
	lead(strings.TrimPrefix(h.suffix, "_"), h.key)
	if f == formatNotes && schema.HasField(attached.Fields, "target_id") {
		lead("backlinks", "target_id")
	}
	for index := range attached.Fields {
		switch field := &attached.Fields[index]; field.Name {
		case "blob_ref":
			*field = model.Field{Name: field.Name, Type: "blob", Nullable: true}
		case "filename", "target":
			field.Role = "primary-title"
		case h.key, "target_id":
			*field = schema.Capable(model.Field{Name: field.Name, Type: "string", Nullable: field.Nullable})
		}
	}
}

// maildirFlags end the name of a message of a Maildir: "1700.host2,S=4321:2,FS".
var maildirFlags = item.Expression(`[\W_]2,([A-Za-z]*)$`)

// putFlags says of a message of a Maildir what the name of its file says.
func putFlags(one *item.Item, name string) {
	if _, known := one.Value(seenField); known || !isMaildir(name) {
		return
	}
	flags := maildirFlags().FindString(name)
	one.Put(seenField, strings.Contains(flags, "S"))
	one.Put(flaggedField, strings.Contains(flags, "F"))
}

const seenField, flaggedField = "is_seen", "is_flagged"

// tuneReplies lets a message of a service lead to its answers.
func (f format) tuneReplies(stream *model.Stream) {
	key := ways[f].replies
	if key == "" || !schema.HasField(stream.Fields, key) || schema.AsKey(stream, key) != nil {
		return
	}
	stream.Relations = append(stream.Relations, model.HasMany("replies", stream.Name, key))
}
