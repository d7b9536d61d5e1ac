package importer

import (
	"errors"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A messagesReader makes records of the messages of a file.
type messagesReader struct{ messages *mail.Reader }

func (r messagesReader) Next() (item.Item, error) {
	message, err := r.messages.Next()
	if bad, ok := errors.AsType[mail.UnusableError](err); ok {
		return item.Item{}, item.Unusable{Line: bad.Line, Reason: bad.Reason}
	}
	if err != nil {
		return item.Item{}, err
	}
	return messageItem(message), nil
}

func messageItem(m mail.Message) item.Item {
	one := item.Item{ID: m.ID, Line: m.Line, Content: string(m.Digest[:])}
	one.Put("subject", m.Subject)
	one.Put("from_name", m.FromName)
	one.Put("from_email", m.FromEmail)
	one.Put("to", m.To)
	one.Put("cc", m.Cc)
	one.Put("bcc", m.Bcc)
	one.Put("sent_at", m.SentAt)
	one.Put("thread_id", m.ThreadID)
	one.Put("in_reply_to", m.InReplyTo)
	one.Put("list_id", m.ListID)
	one.Put("labels", m.Labels)
	one.Put("body_text", m.Text)
	one.Put("has_attachments", len(m.Attachments) > 0)
	one.Put("size_bytes", m.Size)
	one.Put("defects", m.Defects)
	for _, file := range m.Attachments {
		one.Attached = append(one.Attached, attachmentItem(file))
	}
	return one
}

// attachmentsSuffix makes the name of the stream of a stream's attachments.
const attachmentsSuffix = "_attachments"

// attachmentItem makes a record of an attachment; its id and that of its message are put in front when they are known.
func attachmentItem(f mail.Attachment) item.Item {
	var one item.Item
	one.Put("filename", f.Name)
	one.Put("content_type", f.ContentType)
	one.Put("size_bytes", len(f.Bytes))
	if len(f.Bytes) > maxBlob {
		return one
	}
	reference, blob := newBlob(f.ContentType, f.Bytes)
	one.Put("blob_ref", reference)
	one.Blob = blob
	return one
}

// tuneMail says what inference cannot know of messages.
func tuneMail(stream *model.Stream) {
	for index := range stream.Fields {
		switch field := &stream.Fields[index]; field.Name {
		case "to", "cc":
			field.Lexical = true
		case "from_email":
			field.Lexical = true
		}
	}
}

// tuneAttachments lets a message lead to its attachments, and an attachment to its bytes.
func tuneAttachments(messages, files *model.Stream) {
	messages.Relations = append(messages.Relations, model.Relation{
		Name: "attachments", Target: files.Name, ForeignKey: "message_id", Cardinality: "has_many",
		DefaultLimit: model.DefaultExpandLimit, MaxLimit: model.MaxExpandLimit,
	})
	for index := range files.Fields {
		switch field := &files.Fields[index]; field.Name {
		case "blob_ref":
			*field = model.Field{Name: field.Name, Type: "blob", Nullable: true}
		case "filename":
			field.Role = "primary-title"
		}
	}
}
