package importer

import "testing"

func TestFieldsHaveTheRolesThatTheirNamesSay(t *testing.T) {
	for name, one := range map[string]struct{ line, title, actor string }{
		"a message of a chat":       {`{"sender_name":"Ana Ruiz","content":"see you","timestamp_ms":1768443300123}`, "", "sender_name"},
		"who is an object":          {`{"creator":{"name":"Ana Ruiz","email":"a@x.example"},"text":"see you"}`, "", "creator.name"},
		"a conversation by words":   {`{"conversation":"A week in Rome","sender":"user","text":"see you"}`, "conversation", "sender"},
		"a conversation by its id":  {`{"conversation":"ana_123","sender":"user","text":"see you"}`, "", "sender"},
		"the title of conversation": {`{"Conversation Title":"Trip","From":"ana","Content":"see you"}`, "Conversation Title", "From"},
		"the name of who wrote it":  {`{"author":"Ana Ruiz","display_name":"ana","text":"see you","channel":"general"}`, "channel", "author"},
		"the name of a group":       {`{"display_name":"Trip","channel":"general","guid":"x1"}`, "display_name", ""},
		"an order":                  {`{"Website":"shop.example","Product Name":"A kettle","Order ID":"1-2"}`, "Product Name", ""},
	} {
		stream := inferred(t, one.line)
		title, actor := "", ""
		for _, field := range stream.Fields {
			switch field.Role {
			case "primary-title":
				title = field.Name
			case "actor":
				actor = field.Name
			}
		}
		if title != one.title || actor != one.actor {
			t.Errorf("%s: title %q, actor %q", name, title, actor)
		}
	}
}
