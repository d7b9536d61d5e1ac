package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// newFileServer serves records of the stream files, each with one attached file.
func newFileServer(t *testing.T, files map[string]model.Blob) *shopServer {
	t.Helper()
	var records []model.Record
	for name, blob := range files {
		data, _ := json.Marshal(map[string]any{"filename": name, "blob_ref": map[string]any{"blob_id": blob.ID, "mime_type": blob.MIMEType, "size_bytes": len(blob.Bytes)}})
		records = append(records, model.Record{ConnectionID: "cin_a", Stream: "files", ID: name, EmittedAt: time.Unix(1767312000, 0), Data: data, Blob: &blob})
	}
	connectors := []model.Connector{{
		Key: "mail", SourceID: "https://registry.test/mail", Connections: []model.Connection{{ID: "cin_a", DisplayName: "Mail"}},
		Streams: []model.Stream{{Name: "files", PrimaryKey: []string{"filename"}, Fields: []model.Field{{Name: "filename", Type: "string"}, {Name: "blob_ref", Type: "blob"}},
			Relations: []model.Relation{model.HasMany("namesakes", "files", "filename")},
		}},
	}}
	return serve(t, connectors, records)
}

// fetch includes attached texts in the document; for any other attachment it says how to read it.
func TestFetchShowsAttachedTexts(t *testing.T) {
	file := func(id, kind, content string) model.Blob {
		return model.Blob{ID: id, MIMEType: kind, Bytes: []byte(content)}
	}
	server := newFileServer(t, map[string]model.Blob{
		"note.txt":  file("blob_1", "text/plain", "First line\nSecond line"),
		"page.html": file("blob_2", "text/html; charset=utf-8", "<head><title>x</title></head><script>alert('a')</script><p>Dear <b>all</b>,</p><p>1 &lt; 2</p>"),
		"scan.pdf":  file("blob_3", "application/pdf", "%PDF-1.4"),
		"big.txt":   file("blob_4", "text/plain", strings.Repeat("x", 64<<10+1)),
		"long.txt":  file("blob_5", "text/plain", strings.Repeat("words ", 8000)),
		"lone.txt":  file("blob_6", "text/plain", "a\xff"),
	})
	for name, row := range map[string]struct {
		more  string // arguments
		want  string // how the text ends
		reads int
	}{
		"note.txt":  {"", "\n\nattached \"note.txt\", text/plain, 22 bytes:\n> First line\n> Second line", 3},
		"page.html": {"", ", text/html, 94 bytes:\n> Dear all,\n> 1 < 2", 3},
		"scan.pdf":  {"", "\n\nattached \"scan.pdf\", application/pdf, 8 bytes, which no tool reads, as it is not text: resource pdpp://", 2},
		"big.txt":   {"", "\n\nattached \"big.txt\", text/plain, 65537 bytes, not shown here: resource pdpp://", 2},
		"long.txt":  {"", "\n[cut; all of it is the resource pdpp://", 3},
		"lone.txt":  {"", "\n\nattached \"lone.txt\", text/plain, 2 bytes, not shown here: resource pdpp://", 3},
	} {
		t.Run(name, func(t *testing.T) {
			text, _, reply := server.call(t, toolNamed(t, "fetch"), fmt.Sprintf(`{"id":"cin_a/files:%s"%s}`, name, row.more))
			document := rs.AsObject(text)
			if got := document.Text("text"); !strings.Contains(got, row.want) {
				t.Errorf("want …%s, got\n%s", row.want, got)
			}
			if whole := name != "long.txt"; document.Object("metadata").Flag("complete") != whole {
				t.Errorf("complete: %t", !whole)
			}
			if len(server.read) != row.reads || reply.Reads != row.reads {
				t.Errorf("D28: read %q, reported as %d; want %d", server.read, reply.Reads, row.reads)
			}
		})
	}
	text, _, _ := server.call(t, toolNamed(t, "fetch"), `{"id":"cin_a/files:note.txt","fields":["filename"]}`)
	if strings.Contains(text, "attached") || strings.Contains(text, "not included") || len(server.read) != 1 {
		t.Errorf("a field that was not requested is read: %q\n%s", server.read, text)
	}
}

// With expand, fetch still shows everything that it shows without it: the body of a message next to its attachments, and a relation asked
// for by name. For the content of expanded records, such as the bodies of a thread's messages, the answer names the call that reads it.
func TestFetchWithExpandKeepsWhatItShowsWithout(t *testing.T) {
	const relation = `{"name":"%s","stream":"%s","cardinality":"%s"}`
	schemas := map[string]string{
		"threads": fmt.Sprintf(relation, "mails", "mails", "has_many"),
		"mails":   fmt.Sprintf(relation, "body", "bodies", "has_one") + "," + fmt.Sprintf(relation, "files", "files", "has_many"),
	}
	long, words := strings.Repeat("Dear all,\nthe tax is due. ", 10), strings.Repeat("the tax is due ", 200)
	mail := func(id, text string) string {
		return fmt.Sprintf(`{"object":"record","id":%q,"stream":"mails","connection_id":"c","data":{"thread_id":"t1","text":%q}}`, id, text)
	}
	expanded := map[string]string{
		"body": `{"object":"record","id":"m1","stream":"bodies","connection_id":"c","data":{"id":"m1","mail":"m1","text":` + rs.EncodeJSON(long) + `,"charset":"utf-8"}}`,
		"files": `{"data":[{"object":"record","id":"f1","stream":"files","connection_id":"c","data":{"name":"a.pdf",` +
			`"file":{"blob_id":"blob_0123456789abcdef","sha256":"0123456789abcdef"}}}],"has_more":false}`,
		"mails": `{"data":[` + mail("m1", "Hello") + "," + mail("m2", words) + `],"has_more":false}`,
	}
	for name, row := range map[string]struct {
		call     string
		want     []string
		without  string
		complete bool
	}{
		"a relation beside the body": {`{"id":"c/mails:m1","expand":["files"]}`, []string{"body of c/bodies:m1 (charset: utf-8)\ntext:\n> Dear all,",
			"expanded files: 1 record\nc/files:f1 {\"name\":\"a.pdf\",\"file\":{\"blob_id\":\"blob_0123456789abcdef\"}}\n"}, "not included", true},
		"the body by its name": {`{"id":"c/mails:m1","expand":["body"]}`, []string{
			"body of c/bodies:m1 (charset: utf-8)\ntext:\n> Dear all,", `[not included: files; with them: fetch {"id":"c/mails:m1","expand":["files"]}]`}, "expanded body", true},
		"messages of a thread": {`{"id":"c/threads:t1","expand":["mails"]}`, []string{
			"\nc/mails:m1 {", "… [cut; fetch has all of it]\n",
			`[not included: body of each; with them: query_records {"stream":"mails","connection_id":"c","filter":{"thread_id":"t1"},"expand":["body"]}]`}, "files", false},
		"named fields": {`{"id":"c/mails:m1","fields":["subject"],"expand":["files"]}`, []string{"expanded files: 1 record\n"}, "body", true},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				stream := strings.Split(strings.TrimPrefix(r.Path, "/v1/streams/"), "/")[0]
				if r.Path == "/v1/schema" {
					stream = r.Query.Get("stream")
					return middlewaretest.JSON(fmt.Sprintf(`{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[`+
						`{"name":%q,"expand_capabilities":[%s]}]}]}`, stream, schemas[stream])), nil
				}
				var parts []string
				for _, relation := range r.Query["expand"] {
					parts = append(parts, fmt.Sprintf("%q:%s", relation, expanded[relation]))
				}
				return middlewaretest.JSON(fmt.Sprintf(`{"object":"record","id":%q,"stream":%q,"connection_id":"c","data":{"subject":"Tax"},"expanded":{%s}}`,
					r.Path[strings.LastIndex(r.Path, "/")+1:], stream, strings.Join(parts, ","))), nil
			}}
			tool := toolNamed(t, "fetch")
			args, err := tool.Parse(json.RawMessage(row.call))
			if err != nil {
				t.Fatal(err)
			}
			scope, _ := args.Scope()
			reply, err := tools.Forward(t.Context(), tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(row.call), RS: server, Args: args, Scope: scope})
			if err != nil {
				t.Fatal(err)
			}
			result, err := tool.Render(reply.Call, reply.Answer)
			document := rs.AsObject(result.Text)
			for _, want := range row.want {
				if !strings.Contains(document.Text("text"), want) || err != nil {
					t.Errorf("want …%s, got\n%.3000s (%v)", want, document.Text("text"), err)
				}
			}
			if strings.Contains(document.Text("text"), row.without) {
				t.Errorf("shows %s:\n%.3000s", row.without, document.Text("text"))
			}
			if got := document.Object("metadata").Flag("complete"); got != row.complete {
				t.Errorf("complete: %t", got)
			}
		})
	}
}

// If the schema has a body for messages, it is read together with the message and cited by its own field. If the resource server refuses
// that relation, the message is read without it.
func TestFetchIncludesTheBodyOfAMessage(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"mails","expand_capabilities":[{"name":"body","stream":"bodies","cardinality":"has_one"},{"name":"files","stream":"files","cardinality":"has_many"}]}]}]}`
	const record = `{"object":"record","id":"m1","stream":"mails","connection_id":"c","data":{"subject":"Tax"}`
	long := strings.Repeat("Dear all,\nthe tax is due. ", 10)
	for name, row := range map[string]struct {
		body  string
		code  int // status with which the relation is refused
		want  []string
		reads []string
		asked string // query parameters of the read
	}{
		"a long one": {long, 0, []string{
			"body of c/bodies:m1\ntext:\n> Dear all,\n> the tax is due.",
			fmt.Sprintf("cite: c/bodies:m1 field=text 0-%d %s\n", len(long), render.Digest(render.Quotable(long))[:16]),
			"[not included: files; with",
		}, []string{"/v1/streams/mails/records/m1?connection_id=c&expand=body"}, ""},
		"a short one":            {"Thanks!", 0, []string{"expanded body: 1 record\nc/bodies:m1 {", "Thanks!"}, []string{"/v1/streams/mails/records/m1?connection_id=c&expand=body"}, ""},
		"one that is refused":    {"", 400, []string{"subject: Tax", "[not included: body, files; with"}, []string{"/v1/streams/mails/records/m1?connection_id=c&expand=body", "/v1/streams/mails/records/m1?connection_id=c"}, ""},
		"one that is asked for":  {"", 400, nil, []string{"/v1/streams/mails/records/m1?connection_id=c&expand=body"}, `,"expand":["body"]`},
		"longer than a document": {strings.Repeat(long, 500), 0, []string{"text is cut: ", "cite: c/bodies:m1 field=text 0-"}, []string{"/v1/streams/mails/records/m1?connection_id=c&expand=body"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				switch {
				case r.Path == "/v1/schema":
					return middlewaretest.JSON(schema), nil
				case !r.Query.Has("expand"):
					return middlewaretest.JSON(record + "}"), nil
				case row.code != 0:
					return nil, &rs.Error{Code: "invalid_expand", Status: row.code}
				}
				return middlewaretest.JSON(record + `,"expanded":{"body":{"object":"record","id":"m1","stream":"bodies","connection_id":"c","data":{"text":` + rs.EncodeJSON(row.body) + `}}}}`), nil
			}}
			tool := toolNamed(t, "fetch")
			raw := json.RawMessage(`{"id":"c/mails:m1"` + row.asked + `}`)
			args, err := tool.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			scope, _ := args.Scope()
			reply, err := tools.Forward(t.Context(), tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(string(raw)), RS: server, Args: args, Scope: scope})
			isSchema := func(line string) bool { return strings.HasPrefix(line, "/v1/schema?") }
			if got := slices.DeleteFunc(server.Lines(), isSchema); !slices.Equal(got, row.reads) {
				t.Errorf("D28: read %q; want %q", got, row.reads)
			}
			if row.want == nil && err != nil {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			result, err := tool.Render(reply.Call, reply.Answer)
			document := rs.AsObject(result.Text)
			for _, want := range row.want {
				if !strings.Contains(document.Text("text"), want) || err != nil {
					t.Errorf("want …%s, got\n%.2000s (%v)", want, document.Text("text"), err)
				}
			}
			if cut := strings.Contains(result.Text, `"id":"c/bodies:m1","field":"text","offset_chars":`); cut != (len(row.body) > 10_000) {
				t.Errorf("the call that reads on: %t\n%s", cut, document.Get("metadata"))
			}
		})
	}
}

// A record is described by the schema of its own connection, not by a stream of the same name in another one. Its title is the field that
// the schema marks as title, or else its first short values.
func TestFetchUsesTheSchemaOfTheRecordsConnection(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[` +
		`{"connector_key":"mail","granted_connections":[{"connection_id":"m"}],"streams":[{"name":"s","field_capabilities":{"shop":"t=string,role=primary-title","name":"t=string"},` +
		`"expand_capabilities":[{"name":"replies","stream":"replies","cardinality":"has_many"}]}]},` +
		`{"connector_key":"bank","granted_connections":[{"connection_id":"b"}],"streams":[{"name":"s","field_capabilities":{"payee":"t=string"},` +
		`"expand_capabilities":[{"name":"splits","stream":"splits","cardinality":"has_many"}]}]}]}`
	for connection, row := range map[string]struct{ data, title, offered string }{
		"m": {`{"id":"1","name":"Cup","shop":"Ribeira Pantry"}`, "Ribeira Pantry", "[not included: replies; with them"},
		"b": {`{"id":"1","day":"2026-04-01","account_id":"a7","payee":"Towpath","amount":-45.20,"left":null,"note":""}`, "Towpath, amount -45.20", "[not included: splits; with them"},
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			if r.Path == "/v1/schema" {
				return middlewaretest.JSON(schema), nil
			}
			return middlewaretest.JSON(fmt.Sprintf(`{"object":"record","id":"1","stream":"s","connection_id":%q,"data":%s}`, connection, row.data)), nil
		}}
		for _, id := range []string{"s:1", connection + "/s:1"} {
			document := rs.AsObject(use(t, toolNamed(t, "fetch"), server, json.RawMessage(`{"id":"`+id+`"}`)).Text)
			if document.Text("title") != row.title || !strings.Contains(document.Text("text"), row.offered) {
				t.Errorf("%s: %s\n%s", id, document.Text("title"), document.Text("text"))
			}
		}
	}
}

// One fetch returns a record and the text of its attachments: a relation to records with blobs is expanded in the same read if the
// schemas have one. The schemas are cached, so the next fetch only reads the record and its texts.
func TestFetchIncludesTheTextOfAttachments(t *testing.T) {
	server := newFileServer(t, map[string]model.Blob{"a": {ID: "blob_1", MIMEType: "text/plain", Bytes: []byte("First line")}})
	tool := toolNamed(t, "fetch")
	for _, reads := range []int{3, 2} {
		text, _, _ := server.call(t, tool, `{"id":"cin_a/files:a"}`)
		if got := rs.AsObject(text).Text("text"); strings.Contains(got, "not included") || !strings.Contains(got, "expanded namesakes: 1 record") ||
			!strings.HasSuffix(got, "attached \"a\", text/plain, 10 bytes:\n> First line") {
			t.Error(got)
		}
		if len(server.read) != reads {
			t.Errorf("D28: %q", server.read)
		}
	}
}

// The schema of a related stream is read once in a fetch, and those of a limited number of streams, however many relations there are.
func TestFetchReadsFewSchemas(t *testing.T) {
	for targets, most := range map[int]int{1: 4, 1000: 40} {
		relations := make([]string, 2000)
		for i := range relations {
			relations[i] = fmt.Sprintf(`{"name":"r%d","stream":"t%d"}`, i, i%targets)
		}
		schema := `{"streams":[{"name":"s","connection_id":"c","expand_capabilities":[` + strings.Join(relations, ",") + `]}]}`
		server := &middlewaretest.RS{Answers: map[string]string{"/v1/schema": schema, "/v1/streams/s/records/1": `{"object":"record","id":"1","stream":"s","data":{}}`}}
		use(t, toolNamed(t, "fetch"), server, json.RawMessage(`{"id":"c/s:1"}`))
		if reads := len(server.Requests()); reads > most {
			t.Errorf("%d reads for %d related streams", reads, targets)
		}
	}
}
