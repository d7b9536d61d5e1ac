package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The messages of conversations with an assistant are records in order, each with the id of the message that it replies to.
func TestConversationsWithAnAssistantAreRead(t *testing.T) {
	records, skips := loadedTree(t, map[string]string{
		"gpt/conversations.json": `[{"title":"Trip","create_time":1768443333.1,"conversation_id":"c1","mapping":{
			"c":{"id":"c","message":{"id":"c","author":{"role":"assistant"},"create_time":1768443340.25,"content":{"content_type":"text","parts":["Sure"]},"metadata":{"model_slug":"m1"}},"parent":"s","children":["d"]},
			"s":{"id":"s","message":{"id":"s","author":{"role":"system"},"create_time":null,"content":{"content_type":"text","parts":[""]}},"parent":"b","children":["c"]},
			"a":{"id":"a","message":null,"parent":null,"children":["b"]},
			"b":{"id":"b","message":{"id":"b","author":{"role":"user"},"create_time":1768443333.2,"content":{"content_type":"multimodal_text","parts":[{"asset_pointer":"file-1"},"Plan a trip"]},"metadata":{"attachments":[{"name":"map.png"}]}},"parent":"a","children":["s"]},
			"d":{"id":"d","message":{"id":"d","author":{"role":"tool","name":"python"},"create_time":1768443341,"content":{"content_type":"execution_output","text":"42"}},"parent":"c","children":[]}}},
			{"title":"Empty","mapping":{}}]`,
		"claude/conversations.json": `[{"uuid":"u1","name":"Bread","created_at":"2026-01-15T02:15:33.123456Z","account":{"uuid":"x"},"chat_messages":[
			{"uuid":"m1","text":"How?","sender":"human","created_at":"2026-01-15T02:15:33Z","parent_message_uuid":"00000000-0000-4000-8000-000000000000","attachments":[{"file_name":"a.txt","extracted_content":"flour"}],"files":[{"file_name":"b.jpg"}]},
			{"uuid":"m2","text":"","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Flour."},{"type":"text","text":"Water."}],"sender":"assistant","created_at":"2026-01-15T02:15:40Z","parent_message_uuid":"m1"}]}]`,
		"other/conversations.json": `[{"id":1,"topic":"x"}]`,
	})
	want := map[string][]map[string]any{
		"gpt_conversations": {
			{"id": "b", "conversation": "Trip", "conversation_id": "c1", "sender": "user", "sent_at": "2026-01-15T02:15:33.2Z", "kind": "multimodal_text", "text": "Plan a trip", "files": []any{"file-1", "map.png"}},
			{"id": "c", "conversation": "Trip", "conversation_id": "c1", "sender": "assistant", "sent_at": "2026-01-15T02:15:40.25Z", "in_reply_to": "b", "model": "m1", "text": "Sure"},
			{"id": "d", "conversation": "Trip", "conversation_id": "c1", "sender": "python", "sent_at": "2026-01-15T02:15:41Z", "in_reply_to": "c", "kind": "execution_output", "text": "42"},
			{"title": "Empty", "mapping": map[string]any{}},
		},
		"claude_conversations": {
			{"id": "m1", "conversation": "Bread", "conversation_id": "u1", "sender": "human", "sent_at": "2026-01-15T02:15:33Z", "text": "How?", "files": []any{"b.jpg", "a.txt"}, "attached_text": "flour"},
			{"id": "m2", "conversation": "Bread", "conversation_id": "u1", "sender": "assistant", "sent_at": "2026-01-15T02:15:40Z", "in_reply_to": "m1", "text": "Flour.\nWater.", "thinking": "hm"},
		},
		"other_conversations": {{"id": 1.0, "topic": "x"}},
	}
	if diff := cmp.Diff(want, records); diff != "" || len(skips) > 0 {
		t.Errorf("skipped %v (-want +got)\n%s", skips, diff)
	}
}
