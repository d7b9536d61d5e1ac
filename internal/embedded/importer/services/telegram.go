package services

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

var oneChat = item.Expression(`"type":\s*"(?:personal_chat|bot_chat|saved_messages|(?:private|public)_(?:group|supergroup|channel))"`)

// IsTelegram reports that a file begins as what Telegram exports of one chat or of all chats.
func IsTelegram(name string, start []byte) bool {
	return path.Base(name) == "result.json" &&
		(bytes.Contains(start, []byte(`"personal_information"`)) || bytes.Contains(start, []byte(`"chats"`)) || oneChat().Match(start))
}

// A telegramReader yields the messages of all chats, of which one is in memory at a time.
type telegramReader struct {
	next func() (item.Item, error, bool)
	stop func()
}

// Telegram reads the messages of the chats that Telegram exported.
func Telegram(file io.ReadSeeker) item.Reader {
	input := bufio.NewReaderSize(file, 1<<16)
	item.SkipMark(input)
	next, stop := iter.Pull2(func(yield func(item.Item, error) bool) {
		export := telegramExport{decoder: json.NewDecoder(input), parser: item.NewParser(), yield: yield}
		if err := export.object(export.top); err != nil && !errors.Is(err, errStopped) {
			yield(item.Item{}, item.UnusableError{Reason: "not JSON, and what follows is left out: " + err.Error()})
		}
	})
	return &telegramReader{next, stop}
}

func (r *telegramReader) Next() (item.Item, error) {
	one, err, ok := r.next()
	if !ok {
		return one, io.EOF
	}
	return one, err
}

// Close ends the reading.
func (r *telegramReader) Close() error {
	r.stop()
	return nil
}

var errStopped = errors.New("stopped")

type telegramExport struct {
	decoder *json.Decoder
	parser  *item.Parser
	yield   func(item.Item, error) bool
	only    telegramChat // of an export of one chat
}

// telegramChat is what is said of a chat before its messages.
type telegramChat struct {
	name, kind string
	id         json.Number
}

// each visits the pieces of an object or an array.
func (t *telegramExport) each(begin json.Delim, noun string, visit func() error) error {
	if start, err := t.decoder.Token(); err != nil || start != begin {
		return errors.Join(err, fmt.Errorf("%v where %s should be", start, noun))
	}
	for t.decoder.More() {
		if err := visit(); err != nil {
			return err
		}
	}
	_, err := t.decoder.Token()
	return err
}

// object visits the members of an object, of which each visit reads the value.
func (t *telegramExport) object(visit func(name string) error) error {
	return t.each('{', "an object", func() error {
		name, err := t.decoder.Token()
		if err != nil {
			return err
		}
		return visit(fmt.Sprint(name))
	})
}

func (t *telegramExport) array(visit func() error) error { return t.each('[', "an array", visit) }

// give yields a record or what is wrong with one.
func (t *telegramExport) give(one item.Item, wrong error) error {
	if !t.yield(one, wrong) {
		return errStopped
	}
	return nil
}

func (t *telegramExport) skip() error {
	var value json.RawMessage
	return t.decoder.Decode(&value)
}

func (t *telegramExport) top(name string) error {
	switch name {
	case "about":
		return t.skip()
	case "name", "type", "id", "messages":
		return t.member(&t.only, name)
	}
	if name != "chats" && name != "left_chats" {
		wrong := item.UnusableError{Line: 1, Reason: fmt.Sprintf("the field %q is left out: only messages are loaded", name)}
		if err := t.give(item.Item{}, wrong); err != nil {
			return err
		}
		return t.skip()
	}
	return t.object(func(name string) error {
		if name != "list" {
			return t.skip()
		}
		return t.array(t.chat)
	})
}

// chat reads a chat, whose name and id come before its messages.
func (t *telegramExport) chat() error {
	var chat telegramChat
	return t.object(func(name string) error { return t.member(&chat, name) })
}

// member reads one member of a chat.
func (t *telegramExport) member(chat *telegramChat, name string) error {
	switch name {
	case "name":
		return t.decoder.Decode(&chat.name) // null leaves it empty
	case "type":
		return t.decoder.Decode(&chat.kind)
	case "id":
		return t.decoder.Decode(&chat.id)
	case "messages":
		return t.array(func() error { return t.message(chat) })
	}
	return t.skip()
}

func (t *telegramExport) message(chat *telegramChat) error {
	var value json.RawMessage
	if err := t.decoder.Decode(&value); err != nil {
		return err
	}
	fields, err := t.parser.Parse(value)
	if err != nil {
		return t.give(item.Item{}, item.UnusableError{Line: 1, Reason: "a message of " + chat.name + " is " + err.Error()})
	}
	said := item.Item{Fields: fields}
	number, _ := said.Value("id")
	made := item.Item{ID: chat.id.String() + "-" + string(number), Line: 1}
	made.Put("id", made.ID)
	made.Put("chat", chat.name)
	made.Put("chat_type", chat.kind)
	if answered, ok := said.Value("reply_to_message_id"); ok {
		made.Put("in_reply_to", chat.id.String()+"-"+string(answered))
	}
	text, _ := said.Value("text")
	made.Put("text", telegramText(text))
	put(&made, fields, "id", "text", "text_entities", "reply_to_message_id", "chat", "chat_type", "in_reply_to")
	return t.give(made, nil)
}

// telegramText is a text, or the texts of a list of texts and of links.
func telegramText(value json.RawMessage) string {
	var parts []json.RawMessage
	if json.Unmarshal(value, &parts) != nil {
		parts = []json.RawMessage{value}
	}
	var text strings.Builder
	for _, part := range parts {
		var plain string
		var marked struct{ Text string }
		if json.Unmarshal(part, &plain) != nil {
			decode(part, &marked) // a part that is not a text adds none
		}
		text.WriteString(plain + marked.Text)
	}
	return text.String()
}
