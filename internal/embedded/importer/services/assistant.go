package services

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
)

var assistantName = item.Expression(`^conversations[\w-]*\.json$`)

// IsAssistant reports that a file begins as the conversations with an assistant do, as ChatGPT and Claude export them.
func IsAssistant(name string, start []byte) bool {
	return assistantName().MatchString(path.Base(name)) &&
		(bytes.Contains(start, []byte(`"mapping"`)) || bytes.Contains(start, []byte(`"chat_messages"`)))
}

// An assistantNode is a place in a conversation of ChatGPT, which goes on in several ways where something was asked again.
type assistantNode struct {
	Parent  string
	Message struct {
		Author     struct{ Role, Name string }
		CreateTime json.Number `json:"create_time"`
		Content    struct {
			ContentType  string `json:"content_type"`
			Text, Result string
			Parts        []json.RawMessage
		}
		Metadata struct {
			Model       string `json:"model_slug"`
			Attachments []struct{ Name string }
		}
	}
}

// Assistant reads the messages of conversations with an assistant.
func Assistant(file io.ReadSeeker) item.Reader {
	return &parted{from: objects.NewArray(file), parts: func(one item.Item) []item.Item {
		var said struct {
			Title, Name, ID, UUID string
			Mapping               map[string]assistantNode
			Messages              []claudeMessage `json:"chat_messages"`
		}
		decode(one.Data(), &said)
		begin := item.Item{Line: one.Line}
		begin.Put("conversation", said.Title+said.Name)
		begin.Put("conversation_id", cmp.Or(said.ID, one.String("conversation_id"), said.UUID))
		messages := chatGPTMessages(begin, said.Mapping)
		for _, message := range said.Messages {
			messages = append(messages, message.item(begin))
		}
		if len(messages) == 0 {
			return []item.Item{one}
		}
		return messages
	}}
}

// newMessage is a message of a conversation.
func newMessage(begin item.Item, id, sender, when string) item.Item {
	made := item.Item{Line: begin.Line, ID: id, Fields: []item.Field{{Name: "id", Value: item.JSON(id)}}}
	made.Fields = append(made.Fields, begin.Fields...)
	made.Put("sender", sender)
	made.Put("sent_at", when)
	return made
}

func chatGPTMessages(begin item.Item, nodes map[string]assistantNode) []item.Item {
	texts, files := map[string]string{}, map[string][]string{}
	for key, node := range nodes {
		content := node.Message.Content
		lines := []string{content.Text, content.Result}
		for _, part := range content.Parts {
			var plain string
			var other struct {
				Text    string
				Pointer string `json:"asset_pointer"`
			}
			if json.Unmarshal(part, &plain) != nil {
				decode(part, &other)
			}
			lines = append(lines, plain, other.Text)
			if other.Pointer != "" {
				files[key] = append(files[key], other.Pointer)
			}
		}
		for _, file := range node.Message.Metadata.Attachments {
			files[key] = append(files[key], file.Name)
		}
		texts[key] = strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "\n")
	}
	says := func(key string) bool { return texts[key] != "" || files[key] != nil } // the instructions of an assistant are empty
	keys := slices.SortedFunc(maps.Keys(nodes), func(a, b string) int {
		first, _ := nodes[a].Message.CreateTime.Float64() // 0 where it has no time
		second, _ := nodes[b].Message.CreateTime.Float64()
		return cmp.Or(cmp.Compare(first, second), cmp.Compare(a, b))
	})
	var messages []item.Item
	for _, key := range keys {
		if !says(key) {
			continue
		}
		message := nodes[key].Message
		when, _ := secondTime(message.CreateTime.String())
		made := newMessage(begin, key, cmp.Or(message.Author.Name, message.Author.Role), when)
		above := nodes[key].Parent
		for climbed := 0; !says(above) && climbed < len(nodes); climbed++ {
			above = nodes[above].Parent
		}
		if says(above) {
			made.Put("in_reply_to", above)
		}
		made.Put("model", message.Metadata.Model)
		if kind := message.Content.ContentType; kind != "text" {
			made.Put("kind", kind)
		}
		made.Put("text", texts[key])
		made.Put("files", files[key])
		messages = append(messages, made)
	}
	return messages
}

type claudeMessage struct {
	UUID, Text, Sender string
	CreatedAt          string `json:"created_at"`
	Parent             string `json:"parent_message_uuid"`
	Content            []struct{ Text, Thinking string }
	Files, Attachments []struct {
		Name string `json:"file_name"`
		Text string `json:"extracted_content"`
	}
}

func (m claudeMessage) item(begin item.Item) item.Item {
	made := newMessage(begin, m.UUID, m.Sender, m.CreatedAt)
	if !strings.HasPrefix(m.Parent, "00000000") { // the first one names nothing
		made.Put("in_reply_to", m.Parent)
	}
	var parts, thoughts, files, attached []string
	for _, part := range m.Content {
		parts, thoughts = append(parts, part.Text), append(thoughts, part.Thinking)
	}
	for _, file := range slices.Concat(m.Files, m.Attachments) {
		files, attached = append(files, file.Name), append(attached, file.Text)
	}
	made.Put("text", cmp.Or(m.Text, strings.TrimSpace(strings.Join(parts, "\n"))))
	made.Put("thinking", strings.TrimSpace(strings.Join(thoughts, "\n")))
	made.Put("files", files)
	made.Put("attached_text", strings.TrimSpace(strings.Join(attached, "\n")))
	return made
}
