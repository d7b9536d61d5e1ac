package services

import (
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A telegramReader yields the messages of all chats, or of the only one that was exported. One message is in memory at a time.
type telegramReader struct {
	decoder *jsontext.Decoder
	parser  *item.Parser
	chat    map[string]gjson.Result // name, type and id of the current chat, which precede its messages
	inside  bool                    // the decoder is in the array of messages
}

// Telegram reads the messages of the chats that Telegram exported.
func Telegram(file io.ReadSeeker) item.Records {
	lenient := jsontext.NewDecoder(item.Buffer(file), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return item.Each((&telegramReader{decoder: lenient, parser: item.NewParser(), chat: map[string]gjson.Result{}}).next)
}

func (r *telegramReader) next() (item.Item, error) {
	for {
		if r.inside && r.decoder.PeekKind() != ']' {
			return r.message()
		}
		token, err := r.decoder.ReadToken()
		switch {
		case err != nil:
			return item.Item{}, r.end(err)
		case token.Kind() == '{' && r.decoder.StackDepth() > 1: // a chat
			clear(r.chat)
		case token.Kind() == ']':
			r.inside = false
		case token.Kind() == '"':
			if err := r.member(token.String()); err != nil {
				return item.Item{}, err
			}
		}
	}
}

// end stops reading. It returns io.EOF at the end of the file, or an error that says that the rest of a broken file is left out.
func (r *telegramReader) end(err error) error {
	r.decoder.Reset(strings.NewReader(""))
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return item.UnusableError{Reason: "not JSON, and what follows is left out: " + strings.TrimPrefix(err.Error(), "jsontext: ")}
}

// member handles a member of the export, of a list of chats or of a chat. It leaves lists of chats and messages for next to enter.
func (r *telegramReader) member(name string) error {
	isTop := r.decoder.StackDepth() == 1
	switch {
	case name == "messages" && r.decoder.PeekKind() == '[':
		r.inside = true
		_, err := r.decoder.ReadToken()
		return err
	case isTop && (name == "chats" || name == "left_chats"), name == "list":
		return nil
	case name == "name" || name == "type" || name == "id":
		value, err := r.decoder.ReadValue()
		if err != nil {
			return r.end(err)
		}
		r.chat[name] = gjson.ParseBytes(value)
		return nil
	}
	if err := r.decoder.SkipValue(); err != nil {
		return r.end(err)
	}
	if isTop && name != "about" {
		return item.Unusable(1, "the field %q is left out: only messages are loaded", name)
	}
	return nil
}

func (r *telegramReader) message() (item.Item, error) {
	value, err := r.decoder.ReadValue()
	if err != nil {
		return item.Item{}, r.end(err)
	}
	chat := r.chat["name"].String()
	fields, err := r.parser.Parse(value)
	if err != nil {
		return item.Item{}, item.UnusableError{Line: 1, Reason: "a message of " + chat + " is " + err.Error()}
	}
	message := gjson.ParseBytes(value)
	made := item.Item{ID: r.chat["id"].Raw + "-" + message.Get("id").Raw, Line: 1}
	made.Put("id", made.ID)
	made.Put("chat", chat)
	made.Put("chat_type", r.chat["type"].String())
	if answered := message.Get("reply_to_message_id"); answered.Type == gjson.Number {
		made.Put("in_reply_to", r.chat["id"].Raw+"-"+answered.Raw)
	}
	var words strings.Builder
	for _, part := range message.Get("text").Array() { // a string, or a list of strings and of objects, such as links
		words.WriteString(part.Str + text(part, "text"))
		if target := text(part, "href"); target != "" {
			words.WriteString(" (" + target + ")")
		}
	}
	made.Put("text", words.String())
	put(&made, fields, "id", "text", "text_entities", "reply_to_message_id", "chat", "chat_type", "in_reply_to")
	return made, nil
}
