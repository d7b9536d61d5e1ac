package demo

// What may be asked of a field is declared in few words here, since the same few kinds of field return in every stream.

func idField(name string) Field { return Field{Name: name, Type: "string", Exact: true} }

func keyField(name string) Field {
	return Field{Name: name, Type: "string", Exact: true, Aggregations: []string{"count_distinct", "group_by"}}
}

func flagField(name string) Field {
	return Field{Name: name, Type: "boolean", Exact: true, Aggregations: []string{"group_by"}}
}

func amountField(name, kind string) Field {
	return Field{Name: name, Type: kind, Exact: true, Range: true, Aggregations: []string{"sum", "min", "max"}}
}

func timeField(name, role string) Field {
	return Field{Name: name, Type: "timestamp", Role: role, Exact: true, Range: true, Aggregations: []string{"min", "max", "group_by_time"}}
}

func textField(name, role string) Field {
	return Field{Name: name, Type: "text", Role: role, Exact: true, Lexical: true}
}

func listField(name string) Field { return Field{Name: name, Type: "array"} }

// nameField is a short string that people search for and group by: a person, a merchant, a file.
func nameField(name, role string) Field {
	return Field{Name: name, Type: "string", Role: role, Exact: true, Lexical: true, Aggregations: []string{"count_distinct", "group_by"}}
}

func nullable(field Field) Field {
	field.Nullable = true
	return field
}

func yearConnectors() []Connector {
	return []Connector{
		{
			Key: "gmail", SourceID: "https://registry.pdpp.example/connectors/gmail",
			Connections: []Connection{{ID: workMail, DisplayName: "Work mail"}, {ID: personalMail, DisplayName: "Personal mail"}},
			Streams:     mailStreams(),
		},
		{
			Key: "slack", SourceID: "https://registry.pdpp.example/connectors/slack",
			Connections: []Connection{{ID: teamChat, DisplayName: "Team chat"}},
			Streams:     chatStreams(),
		},
		{
			Key: "calendar", SourceID: "https://registry.pdpp.example/connectors/calendar",
			Connections: []Connection{{ID: homeCalendar, DisplayName: "Home calendar"}},
			Streams:     []Stream{eventStream()},
		},
		{
			Key: "shop", SourceID: "https://registry.pdpp.example/connectors/shop",
			Connections: []Connection{{ID: shopAccount, DisplayName: "Orders"}},
			Streams:     shopStreams(),
		},
		{
			Key: "notes", SourceID: "https://registry.pdpp.example/connectors/notes",
			Connections: []Connection{{ID: notebook, DisplayName: "Notebook"}},
			Streams:     []Stream{noteStream()},
		},
	}
}

func mailStreams() []Stream {
	return []Stream{
		{
			Name: "messages", PrimaryKey: []string{"id"}, CursorField: "received_at", ConsentTimeField: "received_at",
			Fields: []Field{
				idField("id"), keyField("thread_id"), textField("subject", "primary-title"), nameField("from_name", "actor"),
				nameField("from_email", ""), listField("to"), listField("cc"), timeField("received_at", "event-time"), listField("labels"),
				flagField("is_seen"), flagField("is_flagged"), flagField("has_attachments"), amountField("size_bytes", "integer"),
				textField("snippet", "secondary"),
			},
			Views: []View{
				{ID: "headline", Label: "Who wrote what, when", Fields: []string{"id", "subject", "from_name", "received_at"}},
				{ID: "preview", Label: "With the first words", Fields: []string{"id", "subject", "from_name", "from_email", "received_at", "snippet"}},
			},
			Relations: []Relation{
				{Name: "message_bodies", Target: "message_bodies", ForeignKey: "message_id", Cardinality: "has_one"},
				{Name: "attachments", Target: "attachments", ForeignKey: "message_id", Cardinality: "has_many", DefaultLimit: 10, MaxLimit: 50},
			},
		},
		{
			Name: "message_bodies", PrimaryKey: []string{"id"},
			Fields: []Field{idField("id"), idField("message_id"), textField("body_text", "primary-title"), keyField("charset")},
		},
		{
			Name: "attachments", PrimaryKey: []string{"id"},
			Fields: []Field{
				idField("id"), idField("message_id"), nameField("filename", "primary-title"), keyField("content_type"),
				amountField("size_bytes", "integer"), nullable(Field{Name: "blob_ref", Type: "blob"}),
			},
		},
		{
			Name: "threads", PrimaryKey: []string{"id"}, CursorField: "last_message_at", ConsentTimeField: "last_message_at",
			Fields: []Field{
				idField("id"), textField("subject", "primary-title"), listField("participant_emails"), amountField("message_count", "integer"),
				timeField("first_message_at", ""), timeField("last_message_at", "event-time"), amountField("unread_count", "integer"),
				flagField("has_attachments"),
			},
			Views: []View{{ID: "headline", Label: "Subject and time", Fields: []string{"id", "subject", "last_message_at"}}},
			Relations: []Relation{
				{Name: "messages", Target: "messages", ForeignKey: "thread_id", Cardinality: "has_many", DefaultLimit: 10, MaxLimit: 50},
			},
		},
	}
}

func chatStreams() []Stream {
	return []Stream{
		{
			Name: "channels", PrimaryKey: []string{"id"},
			Fields: []Field{
				idField("id"), nameField("name", "primary-title"), textField("purpose", "secondary"), amountField("member_count", "integer"),
				timeField("created_at", "event-time"), flagField("is_archived"),
			},
			Relations: []Relation{
				{Name: "messages", Target: "messages", ForeignKey: "channel_id", Cardinality: "has_many", DefaultLimit: 10, MaxLimit: 50},
			},
		},
		{
			Name: "messages", PrimaryKey: []string{"id"}, CursorField: "sent_at", ConsentTimeField: "sent_at",
			Fields: []Field{
				idField("id"), keyField("channel_id"), nameField("user_name", "actor"), timeField("sent_at", "event-time"),
				textField("text", "primary-title"), nullable(idField("thread_ts")), amountField("reaction_count", "integer"),
			},
			Views: []View{{ID: "line", Label: "Who said what", Fields: []string{"id", "user_name", "sent_at", "text"}}},
			Relations: []Relation{
				{Name: "reactions", Target: "reactions", ForeignKey: "message_id", Cardinality: "has_many", DefaultLimit: 10, MaxLimit: 50},
			},
		},
		{
			Name: "reactions", PrimaryKey: []string{"id"}, CursorField: "reacted_at", ConsentTimeField: "reacted_at",
			Fields: []Field{
				idField("id"), keyField("message_id"), keyField("emoji"), nameField("user_name", "actor"), timeField("reacted_at", "event-time"),
			},
		},
	}
}

func eventStream() Stream {
	return Stream{
		Name: "events", PrimaryKey: []string{"id"}, CursorField: "starts_at", ConsentTimeField: "starts_at",
		Fields: []Field{
			idField("id"), textField("title", "primary-title"), timeField("starts_at", "event-time"), timeField("ends_at", ""),
			nullable(nameField("location", "")), listField("attendees"), nullable(textField("notes", "secondary")), flagField("is_all_day"),
		},
		Views: []View{{ID: "agenda", Label: "What, when and where", Fields: []string{"id", "title", "starts_at", "ends_at", "location"}}},
	}
}

func shopStreams() []Stream {
	return []Stream{
		{
			Name: "orders", PrimaryKey: []string{"id"}, CursorField: "ordered_at", ConsentTimeField: "ordered_at",
			Fields: []Field{
				idField("id"), nameField("merchant", "primary-title"), timeField("ordered_at", "event-time"), amountField("total", "number"),
				keyField("currency"), keyField("status"), amountField("item_count", "integer"),
			},
			Views: []View{{ID: "receipt", Label: "What it came to", Fields: []string{"id", "merchant", "ordered_at", "total", "currency"}}},
			Relations: []Relation{
				{Name: "order_items", Target: "order_items", ForeignKey: "order_id", Cardinality: "has_many", DefaultLimit: 10, MaxLimit: 50},
			},
		},
		{
			Name: "order_items", PrimaryKey: []string{"id"},
			Fields: []Field{
				idField("id"), keyField("order_id"), textField("name", "primary-title"), amountField("quantity", "integer"),
				amountField("unit_price", "number"),
			},
		},
	}
}

func noteStream() Stream {
	return Stream{
		Name: "notes", PrimaryKey: []string{"id"}, CursorField: "updated_at", ConsentTimeField: "created_at",
		Fields: []Field{
			idField("id"), textField("title", "primary-title"), textField("body", "secondary"), timeField("created_at", ""),
			timeField("updated_at", "event-time"), listField("tags"), nullable(idField("source_url")), keyField("language"),
		},
		Views: []View{{ID: "titles", Label: "Titles only", Fields: []string{"id", "title", "updated_at", "language"}}},
	}
}
