package importer

import (
	"errors"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A messagesReader makes records of the messages of a file.
type messagesReader struct{ messages *mail.Reader }

func (r messagesReader) next() (item, error) {
	message, err := r.messages.Next()
	if bad, ok := errors.AsType[mail.UnusableError](err); ok {
		return item{}, unusable{bad.Line, bad.Reason}
	}
	if err != nil {
		return item{}, err
	}
	return messageItem(message), nil
}

func messageItem(m mail.Message) item {
	one := item{id: m.ID, line: m.Line, content: string(m.Digest[:])}
	one.put("subject", m.Subject)
	one.put("from_name", m.FromName)
	one.put("from_email", m.FromEmail)
	one.put("to", m.To)
	one.put("cc", m.Cc)
	one.put("bcc", m.Bcc)
	one.put("sent_at", m.SentAt)
	one.put("thread_id", m.ThreadID)
	one.put("in_reply_to", m.InReplyTo)
	one.put("list_id", m.ListID)
	one.put("labels", m.Labels)
	one.put("body_text", m.Text)
	one.put("has_attachments", len(m.Attachments) > 0)
	one.put("size_bytes", m.Size)
	one.put("defects", m.Defects)
	for _, file := range m.Attachments {
		one.attached = append(one.attached, attachmentItem(file))
	}
	return one
}

// attachmentsSuffix makes the name of the stream of a stream's attachments.
const attachmentsSuffix = "_attachments"

// attachmentItem makes a record of an attachment; its id and that of its message are put in front when they are known.
func attachmentItem(f mail.Attachment) item {
	var one item
	one.put("filename", f.Name)
	one.put("content_type", f.ContentType)
	one.put("size_bytes", len(f.Bytes))
	if len(f.Bytes) > maxBlob {
		return one
	}
	reference, blob := newBlob(f.ContentType, f.Bytes)
	one.put("blob_ref", reference)
	one.blob = blob
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
