package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// The corpus of the tests: two mailboxes and a chat that share the stream name "messages".

const (
	testOrigin = "http://rs.test"
	testClient = "rs-client"
	testSecret = "rs-secret"
)

var (
	testNow    = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	testTokens = authority.DemoTokens{
		Client: "tok-client", Narrow: "tok-narrow", Package: "tok-package", Owner: "tok-owner", Expired: "tok-expired",
		Revoked: "tok-revoked", MemberSecret: "secret",
	}
)

const (
	workMessages = 60
	homeMessages = 12
	chatMessages = 5
	testBlobID   = "blob_sha256_5e2bf57d3f40c4b6df69daf1936cb766f832374b4fc0259a7cbff06e2f70f269"
	japaneseBody = "明日の会議は京都駅で行います。資料をお持ちください。"
	arabicBody   = "موعد الاجتماع يوم الأحد في المكتب الجديد"
)

func testConnectors() []model.Connector {
	return []model.Connector{
		{
			Key: "mail", SourceID: "https://registry.test/connectors/mail",
			Connections: []model.Connection{{ID: "cin_mail_work", DisplayName: "Work mail"}, {ID: "cin_mail_home", DisplayName: "Home mail"}},
			Streams:     []model.Stream{testMail(), testBodies(), testAttachments()},
		},
		{
			Key: "chat", SourceID: "https://registry.test/connectors/chat",
			Connections: []model.Connection{{ID: "cin_chat", DisplayName: "Team chat"}},
			Streams:     []model.Stream{testChat()},
		},
		{
			Key: "notes", SourceID: "https://registry.test/connectors/notes",
			Connections: []model.Connection{{ID: "cin_notes_a", DisplayName: "Notes A"}, {ID: "cin_notes_b", DisplayName: "Notes B"}},
			Streams: []model.Stream{{Name: "notes", PrimaryKey: []string{"id"}, Fields: []model.Field{
				{Name: "id", Type: "string", Exact: true}, {Name: "text", Type: "text", Lexical: true},
			}}},
		},
	}
}

func testMail() model.Stream {
	return model.Stream{
		Name: "messages", PrimaryKey: []string{"id"}, CursorField: "received_at", ConsentTimeField: "received_at",
		Fields: []model.Field{
			{Name: "id", Type: "string", Exact: true},
			{Name: "thread_id", Type: "string", Exact: true, Aggregations: []string{"count_distinct"}},
			{Name: "subject", Type: "text", Role: "primary-title", Exact: true, Lexical: true, Nullable: true},
			{Name: "from_email", Type: "string", Role: "actor", Exact: true, Lexical: true, Aggregations: []string{"group_by", "count_distinct"}},
			{Name: "received_at", Type: "timestamp", Role: "event-time", Exact: true, Range: true, Aggregations: []string{"min", "max", "group_by_time"}},
			{Name: "size_bytes", Type: "integer", Exact: true, Range: true, Nullable: true, Aggregations: []string{"sum", "min", "max"}},
			{Name: "is_seen", Type: "boolean", Exact: true, Aggregations: []string{"group_by"}},
			{Name: "labels", Type: "array", Exact: true, Aggregations: []string{"count_distinct", "group_by"}},
			{Name: "snippet", Type: "text", Role: "secondary", Lexical: true},
		},
		Views: []model.View{{ID: "envelope", Label: "Envelope", Fields: []string{"id", "subject", "from_email"}}},
		Relations: []model.Relation{
			{Name: "message_bodies", Target: "message_bodies", ForeignKey: "message_id", Cardinality: "has_one"},
			{Name: "attachments", Target: "attachments", ForeignKey: "message_id", Cardinality: "has_many", DefaultLimit: 2, MaxLimit: 5},
		},
	}
}

func testBodies() model.Stream {
	return model.Stream{Name: "message_bodies", PrimaryKey: []string{"id"}, Fields: []model.Field{
		{Name: "id", Type: "string", Exact: true},
		{Name: "message_id", Type: "string", Exact: true},
		{Name: "body_text", Type: "text", Lexical: true},
		{Name: "origin", Type: "object"},
	}}
}

func testAttachments() model.Stream {
	return model.Stream{Name: "attachments", PrimaryKey: []string{"id"}, Fields: []model.Field{
		{Name: "id", Type: "string", Exact: true},
		{Name: "message_id", Type: "string", Exact: true},
		{Name: "filename", Type: "string", Lexical: true},
		{Name: "blob_ref", Type: "blob", Nullable: true},
	}}
}

func testChat() model.Stream {
	return model.Stream{
		Name: "messages", PrimaryKey: []string{"id"}, CursorField: "sent_at", ConsentTimeField: "sent_at",
		Fields: []model.Field{
			{Name: "id", Type: "string", Exact: true},
			{Name: "text", Type: "text", Lexical: true},
			{Name: "sent_at", Type: "timestamp", Role: "event-time", Range: true},
			{Name: "user_id", Type: "string", Exact: true, Aggregations: []string{"group_by"}},
		},
	}
}

// messageTime returns the time of message i: five days after the previous one, from the start of the year.
func messageTime(i int) time.Time {
	return time.Date(2026, time.January, 1, 9, 30, 0, 0, time.UTC).Add(time.Duration(i) * 60 * time.Hour)
}

func testRecords() []model.Record {
	var records []model.Record
	add := func(connection, stream, id string, emitted time.Time, data map[string]any) {
		data["id"] = id
		encoded, err := json.Marshal(data)
		if err != nil {
			panic(err)
		}
		records = append(records, model.Record{ConnectionID: connection, Stream: stream, ID: id, EmittedAt: emitted, Data: encoded})
	}
	mail := func(connection, prefix string, count int) {
		for i := range count {
			at := messageTime(i)
			add(connection, "messages", fmt.Sprintf("%s-%03d", prefix, i), at, map[string]any{
				"thread_id": fmt.Sprintf("t%d", i/4), "subject": fmt.Sprintf("Invoice number %d", i), "from_email": senders[i%3],
				"received_at": at.Format(time.RFC3339), "size_bytes": 1000 + i, "is_seen": i%4 != 0, "labels": []string{"INBOX", senders[i%3]},
				"snippet": fmt.Sprintf("The secretword and the café bill of %s %d", prefix, i),
			})
		}
	}
	mail("cin_mail_work", "w", workMessages)
	mail("cin_mail_home", "h", homeMessages)
	for _, connection := range []string{"cin_mail_work", "cin_mail_home"} {
		add(connection, "messages", "dup:1/a b", messageTime(0), map[string]any{
			"thread_id": "t0", "subject": "Zephyr", "from_email": "ada@example.com", "received_at": messageTime(0).Format(time.RFC3339),
			"size_bytes": nil, "is_seen": true, "labels": []string{}, "snippet": "",
		})
	}
	body := func(id, message, text string) {
		add("cin_mail_work", "message_bodies", id, messageTime(1), map[string]any{
			"message_id": message, "body_text": text, "origin": map[string]any{"note": "a nested note", "lines": []string{"first", "second"}},
		})
	}
	body("b-0", "w-000", testLongText())
	body("b-1", "w-050", japaneseBody)
	body("b-2", "w-051", arabicBody)
	for i := range 3 {
		attachment := map[string]any{"message_id": "w-050", "filename": fmt.Sprintf("report %d.txt", i), "blob_ref": nil}
		if i == 0 {
			attachment["blob_ref"] = map[string]any{"blob_id": testBlobID, "mime_type": "text/plain", "size_bytes": 4}
		}
		add("cin_mail_work", "attachments", fmt.Sprintf("a-%d", i), messageTime(50), attachment)
		if i == 0 {
			records[len(records)-1].Blob = &model.Blob{ID: testBlobID, MIMEType: "text/plain", Bytes: []byte("data")}
		}
	}
	for i := range chatMessages {
		add("cin_chat", "messages", fmt.Sprintf("c-%d", i), messageTime(i), map[string]any{
			"text": fmt.Sprintf("Chat line %d about the invoice", i), "sent_at": messageTime(i).Format(time.RFC3339), "user_id": "u" + fmt.Sprint(i%2),
		})
	}
	add("cin_notes_a", "notes", "n-1", messageTime(2), map[string]any{"text": "alpha <mark>beta</mark> gamma"})
	return records
}

var senders = [...]string{"ada@example.com", "grace@example.com", "alan@example.com"}

// testLongText has code points of one, two, three and four bytes.
func testLongText() string {
	var text strings.Builder
	for i := range 400 {
		fmt.Fprintf(&text, "Paragraph %d — café 🚀 会議. ", i)
	}
	return text.String()
}

func testCorpus() model.Corpus {
	return model.Corpus{
		Connectors: testConnectors(),
		Records: func(yield func(model.Record, error) bool) {
			for _, record := range testRecords() {
				if !yield(record, nil) {
					return
				}
			}
		},
	}
}

// A rig is a server with the corpus of the tests.
type rig struct {
	t      testing.TB
	server *Server
	grants *authority.Grants
}

func newRig(t *testing.T) *rig { return newRigWith(t, Options{}) }

// testStore is loaded once for all tests that only read, and is never closed.
var testStore = sync.OnceValues(func() (*store.Store, error) {
	ctx := context.Background()
	store, err := store.Open(ctx, "")
	if err != nil {
		return nil, err
	}
	return store, store.Load(ctx, testCorpus(), "test", nil)
})

func newRigWith(t *testing.T, options Options) *rig {
	t.Helper()
	store, err := testStore()
	if err != nil {
		t.Fatal(err)
	}
	return newRigOver(t, store, options)
}

func newRigOver(t *testing.T, store *store.Store, options Options) *rig {
	t.Helper()
	if options.Now == nil {
		options.Now = func() time.Time { return testNow }
	}
	options.Origin = func() string { return testOrigin }
	options.ClientID, options.ClientSecret = testClient, testSecret
	grants := authority.DemoGrants(store.Connectors(), testTokens, testNow)
	return &rig{t: t, server: NewServer(store, grants, options), grants: grants}
}

// An answer is a response of the server.
type answer struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (r *rig) get(token, target string) answer {
	r.t.Helper()
	request := httptest.NewRequest(http.MethodGet, testOrigin+target, nil)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return r.do(request)
}

func (r *rig) do(request *http.Request) answer {
	r.t.Helper()
	recorder := httptest.NewRecorder()
	r.server.ServeHTTP(recorder, request)
	a := answer{status: recorder.Code, header: recorder.Header(), text: recorder.Body.String()}
	if strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		decoder := json.NewDecoder(bytes.NewBufferString(a.text))
		if err := decoder.Decode(&a.body); err != nil && err != io.EOF {
			r.t.Fatalf("%s answers %q: %v", request.URL, a.text, err)
		}
	}
	return a
}

// ok gets a target and fails unless the status is 200.
func (r *rig) ok(token, target string) answer {
	r.t.Helper()
	a := r.get(token, target)
	if a.status != http.StatusOK {
		r.t.Fatalf("GET %s: status %d: %s", target, a.status, a.text)
	}
	return a
}

func (a answer) code() string { return text(a.at("error", "code")) }

// at returns the value in the body at a path of names and indexes.
func (a answer) at(path ...any) any { return walk(a.body, path...) }

func walk(value any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil
			}
			value = list[step]
		}
	}
	return value
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

func (a answer) list(path ...any) []any {
	l, _ := a.at(path...).([]any)
	return l
}

// ids returns a member of each item of data.
func (a answer) ids(name string) []string {
	ids := []string{}
	for _, item := range a.list("data") {
		ids = append(ids, text(walk(item, name)))
	}
	return ids
}

// walkPages reads all pages and returns a member of each item.
func (r *rig) walkPages(token, target, name string) []string {
	r.t.Helper()
	all := []string{}
	next := target
	for range 1000 {
		page := r.ok(token, next)
		all = append(all, page.ids(name)...)
		cursor := text(page.at("next_cursor"))
		if (cursor != "") != (page.at("has_more") == true) {
			r.t.Fatalf("GET %s: has_more %v with next_cursor %q", next, page.at("has_more"), cursor)
		}
		if cursor == "" {
			return all
		}
		next = target + "&cursor=" + url.QueryEscape(cursor)
	}
	r.t.Fatalf("GET %s: the pages do not end", target)
	return nil
}
