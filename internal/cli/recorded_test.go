package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

// A recordedRead is an answer of the reference resource server to a client token, minimized.
type recordedRead struct {
	Request string          `json:"request"`
	Status  int             `json:"status"`
	Body    json.RawMessage `json:"body"`
}

func (r recordedRead) address(t *testing.T) *url.URL {
	t.Helper()
	_, text, _ := strings.Cut(r.Request, " ")
	address, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func recordedReads(t *testing.T) map[string]recordedRead {
	t.Helper()
	text, err := os.ReadFile("../connect/testdata/reads.json")
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]recordedRead{}
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	return recorded
}

// mailSchema is the compact schema of the grant that most reads were recorded with.
const mailSchema = `{"object":"schema","detail":"compact","bearer":{"token_kind":"client","grant_id":"grt_made_up_19","client_id":"cli_made_up_11"},"connectors":[{"connector_key":"gmail",` +
	`"source":{"id":"https://registry.example/connectors/gmail","kind":"connector"},"granted_connections":[{"connection_id":"cin_gmail_work","display_name":"Work Gmail"},` +
	`{"connection_id":"cin_gmail_personal","display_name":"Personal Gmail"}],"streams":[{"name":"messages","field_capabilities":{"id":"declared","is_seen":"declared",` +
	`"received_at":"declared","size_bytes":"declared","snippet":"declared","subject":"declared"}},{"name":"threads","field_capabilities":{"id":"declared"}},{"name":"labels","field_capabilities":{"id":"declared"}}]}]}`

// A player answers each path with the read recorded there, and records the queries of each path.
type player struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]recordedRead // by path
	asked   map[string][]url.Values
}

func newPlayer(t *testing.T) *player {
	t.Helper()
	p := &player{answers: map[string]recordedRead{"/v1/schema": {Status: http.StatusOK, Body: json.RawMessage(mailSchema)}}, asked: map[string][]url.Values{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// answer makes a recording the answer of its path. A recorded tool call also has the schema that was read for it.
func (p *player) answer(t *testing.T, recorded map[string]recordedRead, name string) {
	t.Helper()
	r, found := recorded[name]
	if !found {
		t.Fatalf("no recording %q", name)
	}
	path := r.address(t).Path
	if path == "/mcp" {
		var call struct {
			Result struct {
				StructuredContent struct{ Data json.RawMessage } `json:"structuredContent"`
			}
		}
		if err := json.Unmarshal(r.Body, &call); err != nil {
			t.Fatal(err)
		}
		path, r.Body = "/v1/schema", call.Result.StructuredContent.Data
	}
	p.answers[path] = r
}

func (p *player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[r.URL.Path] = append(p.asked[r.URL.Path], r.URL.Query())
	answer, found := p.answers[r.URL.Path]
	if !found || r.Header.Get("Authorization") != "Bearer client_token_14" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body)
}

// wasSent reports whether a path was requested with all parameters of the query.
func (p *player) wasSent(path string, query url.Values) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.asked[path], func(sent url.Values) bool {
		for name, values := range query {
			if !slices.Equal(sent[name], values) {
				return false
			}
		}
		return true
	})
}

// ask stores a grant as connect does, calls a tool through the whole program, and returns the text of its answer.
func (p *player) ask(t *testing.T, grant credentials.Grant, tool, arguments string, flags ...string) string {
	t.Helper()
	root := t.TempDir()
	_, _, err := credentials.Store(t.Context(), root, "", credentials.Document{
		ProviderURL: p.URL, AuthorizationServer: p.URL, Credential: credentials.Issued{AccessToken: "client_token_14", TokenType: "Bearer", GrantID: "grt_made_up_19"}, Grant: grant,
	})
	if err != nil {
		t.Fatal(err)
	}
	var out, problems strings.Builder
	app := App{Version: "test", Out: &out, Err: &problems, In: strings.NewReader(""), Getenv: func(string) string { return "" }}
	if Run(t.Context(), append([]string{"call", tool, arguments, "--cache-root", root}, flags...), app); out.Len() == 0 {
		t.Fatal(problems.String())
	}
	return strings.ReplaceAll(out.String(), p.URL, "https://rs.example")
}

// A playedRead is a call of a tool and the expected text if the resource server answers as recorded.
type playedRead struct {
	recording, tool, arguments string
	says                       []string
	unsent                     bool // the recorded request, which was refused, is not sent
}

var mailGrant = credentials.Grant{
	Source: "https://registry.example/connectors/gmail", Streams: []string{"labels", "messages", "threads"}, Offered: []string{"labels", "messages", "threads"},
	Connections: []string{"cin_gmail_personal", "cin_gmail_work"},
}

// play makes the calls with a grant. Each call is answered by its own recording and by the others.
func play(t *testing.T, grant credentials.Grant, calls []playedRead, others ...string) {
	t.Helper()
	recorded := recordedReads(t)
	for _, c := range calls {
		t.Run(c.recording, func(t *testing.T) {
			p := newPlayer(t)
			for _, name := range append(others, c.recording) {
				p.answer(t, recorded, name)
			}
			text := p.ask(t, grant, c.tool, c.arguments)
			for _, says := range c.says {
				if !strings.Contains(text, says) {
					t.Errorf("%q is missing in\n%s", says, text)
				}
			}
			address := recorded[c.recording].address(t)
			beside := c.tool == "schema" && address.Path != "/v1/schema" // a refused schema may end the call first
			if p.wasSent(address.Path, address.Query()) == c.unsent && !beside {
				t.Errorf("%s is sent: %v; got requests %v", address, !c.unsent, p.asked)
			}
		})
	}
}

// Freshness that the reference reports is printed with the connector that it is about, even in an empty answer (FRESHNESS.md). Semantic
// hits are described as merely similar.
func TestRecordedFreshness(t *testing.T) {
	play(t, mailGrant, []playedRead{
		{"freshness-01-streams-no-runs", "schema", `{}`, []string{"Every connector is stale, last sync unknown.", `gmail, cin_gmail_work "Work Gmail": messages 12 (to 2026-06-06), threads 1 (to 2026-06-01), labels 0`}, false},
		{"freshness-03-one-connection-synced", "schema", `{}`, []string{"Every connector is current, data as of 2026-11-22.", `"Personal Gmail": messages 5 (to 2026-06-03), threads 1 (to 2026-06-01), labels 0`}, false},
		{"freshness-04-other-connection-failed", "schema", `{}`, []string{"Every connector is stale, data as of 2026-11-22.", `"Work Gmail": messages 12 (to 2026-06-06), threads 1 (to 2026-06-01), labels 0`}, false},
		{"freshness-06-connection-revoked-unchanged", "schema", `{}`, []string{`"Work Gmail": messages 12`, `"Personal Gmail": messages 5`}, false},
		{"freshness-02-stream-detail-no-runs", "schema", `{"stream":"messages"}`, []string{"this connector (gmail) is stale, last sync unknown"}, false},
		{"freshness-03-one-connection-synced-detail", "schema", `{"stream":"messages","connection_id":"cin_gmail_personal"}`, []string{"this connector (gmail) is current, data as of 2026-11-22 13:47"}, false},
		{"freshness-04-other-connection-failed-detail", "schema", `{"stream":"messages","connection_id":"cin_gmail_personal"}`, []string{"this connector (gmail) is stale, data as of 2026-11-22 13:47"}, false},
		{"freshness-03-one-connection-synced-records", "query_records", `{"stream":"messages","limit":1,"fields":["subject"]}`,
			[]string{"2 records, newest first, more follow", "The connections are merged", "This page has no cursor. To page on, name one connection:", "w-m11", "p-m4"}, false},
		{"freshness-03-one-connection-synced-search", "search", `{"q":"invoice","limit":1}`, []string{"5 hits for \"invoice\", by relevance, not date; ", "; this page: 1 hit\n", `"cursor":"made_up_cursor_01"`}, false},
		{"freshness-20-search-hybrid", "search", `{"q":"invoice discussion","mode":"hybrid","limit":2}`, []string{"the nearest in meaning", "cin_gmail_work/messages:w-m6"}, false},
		{"freshness-20-search-semantic", "search", `{"q":"invoice discussion","mode":"semantic","limit":2}`, []string{"the nearest in meaning", `"cursor":"sem1.made_up_cursor_02"`}, false},
		{"freshness-21-search-nothing", "search", `{"q":"zzzznotthere"}`, []string{"0 hits for \"zzzznotthere\" over 2 sources, each a stream of one connection", "how fresh, by connector: stale, last sync unknown, newest records emitted: Work Gmail 2026-06-06 23:00, Personal Gmail 2026-06-03 04:00"}, false},
		{"freshness-22-semantic-nothing", "search", `{"q":"zzzznotthere","mode":"semantic","limit":1}`, []string{"they need not have the words, or be about them"}, false},
		{"freshness-23-records-empty-stream", "query_records", `{"stream":"labels","limit":5,"connection_id":"cin_gmail_work","count":"exact"}`,
			[]string{"labels: 0 records, 0 match in all", "how fresh, by connector: Work Gmail, Personal Gmail unknown"}, false},
		{"freshness-24-aggregate-empty", "aggregate", `{"stream":"labels","metric":"count"}`, []string{`invalid_request: "Aggregations are not declared for stream 'labels'"`}, false},
		{"freshness-31-client-sort-allowed", "query_records", `{"stream":"messages","limit":2,"connection_id":"cin_gmail_work","sort":"received_at"}`, []string{"sorted by received_at", "w-m0 | "}, false},
		{"freshness-32-schema-stream-client", "schema", `{"stream":"messages"}`, []string{"no capability is advertised; filter, sort, aggregate and search may be tried"}, false},
	}, "freshness-01-streams-no-runs", "freshness-02-stream-detail-no-runs", "freshness-21-search-nothing")
	play(t, credentials.Grant{Source: "https://registry.example/connectors/slack", Streams: []string{"channels", "messages"}, Connections: []string{"cin_slack_acme"}}, []playedRead{
		{"freshness-05-old-success", "schema", `{}`, []string{"messages 8 (to 2026-07-02)", "channels 0", "stale, data as of 2026-11-21"}, false},
	}, "connect-89-host-call-with-client")
}

// What the reference refuses to a client token is never sent, or is refused with the call to make instead (FRESHNESS.md).
func TestRecordedRefusalsOfAClientToken(t *testing.T) {
	const filter = "No call of this token may do that here: page through the records newest first, or search for words or a period."
	play(t, mailGrant, []playedRead{
		{"refusal-client-filter", "query_records", `{"stream":"messages","connection_id":"cin_gmail_work","limit":2,"filter":{"is_seen":true}}`,
			[]string{filter, `send: query_records {"stream":"messages","connection_id":"cin_gmail_work","limit":2}`}, false},
		{"refusal-client-aggregate-filter", "aggregate", `{"stream":"messages","metric":"count","connection_id":"cin_gmail_work","filter":{"is_seen":true}}`, []string{filter, "send: query_records "}, false},
		{"refusal-client-search-filter", "search", `{"q":"invoice","streams":["messages"],"filter":{"is_seen":true}}`, []string{filter, `send: search {"q":"invoice","streams":["messages"]}`}, false},
		{"refusal-client-semantic-filter", "search", `{"q":"invoice","mode":"semantic","streams":["messages"],"filter":{"is_seen":true}}`, []string{filter, "send: search "}, false},
		{"refusal-client-hybrid-filter", "search", `{"q":"invoice","mode":"hybrid","streams":["messages"],"filter":{"is_seen":true}}`, []string{filter, "send: search "}, false},
		{"refusal-client-view", "query_records", `{"stream":"messages","connection_id":"cin_gmail_work","limit":2,"view":"summary"}`,
			[]string{"views are resolved when the grant is issued", `send: query_records {"stream":"messages","connection_id":"cin_gmail_work","limit":2}`}, false},
		{"refusal-client-sort", "query_records", `{"stream":"messages","connection_id":"cin_gmail_work","limit":2,"sort":"subject"}`, []string{"invalid_sort: ", "Without sort, the records are newest first", `send: query_records {"stream":"messages","connection_id":"cin_gmail_work","limit":2}`}, false},
		{"refusal-client-aggregate-undeclared", "aggregate", `{"stream":"messages","metric":"sum","connection_id":"cin_gmail_work","field":"subject"}`, []string{"Aggregation sum is not declared for 'subject'"}, false},
		{"refusal-client-aggregate-metric", "aggregate", `{"stream":"messages","metric":"avg","connection_id":"cin_gmail_work","field":"size_bytes"}`, nil, true},
		{"refusal-client-changes-since-sort", "query_records", `{"stream":"messages","connection_id":"cin_gmail_work","limit":2,"changes_since":"beginning","order":"asc"}`,
			[]string{"changes_since and order cannot be combined", `send: query_records {"stream":"messages","connection_id":"cin_gmail_work","limit":2,"changes_since":"beginning"}`}, true},
		{"refusal-client-count-bad", "query_records", `{"stream":"messages","connection_id":"cin_gmail_work","limit":2,"count":"bogus"}`, []string{"Send one of: exact, estimated, none."}, true},
		{"refusal-client-expand", "query_records", `{"stream":"messages","connection_id":"cin_gmail_work","limit":2,"expand":["attachments"]}`, []string{"advertises no relation to expand", "send: query_records "}, true},
		{"refusal-client-record-expand", "fetch", `{"id":"cin_gmail_work/messages:w-m1","expand":["attachments"]}`, []string{"advertises no relation to expand", "send: fetch "}, true},
		{"refusal-client-hybrid-cursor", "search", `{"q":"invoice","mode":"hybrid","cursor":"abc"}`, []string{"hybrid search has no pages", "send: search "}, true},
		{"refusal-client-search-fields", "search", `{"q":"invoice","fields":["subject"]}`, []string{`Unknown argument "fields"`, `send: search {"q":"invoice"}`}, true},
		{"refusal-client-unknown-param", "query_records", `{"stream":"messages","connection_id":"cin_gmail_work","limit":2,"bogus":1}`, []string{`Unknown argument "bogus"`, "send: query_records "}, true},
	}, "freshness-02-stream-detail-no-runs")
}

// An error about data outside the grant names the command that asks the owner for it, which includes what is already granted (CONNECT.md,
// section 12).
func TestRecordedReadsOutsideTheGrant(t *testing.T) {
	narrow := mailGrant
	narrow.Streams, narrow.Connections, narrow.Fields = []string{"messages"}, []string{"cin_gmail_work"}, []string{"messages.id", "messages.subject"}
	const (
		connect  = "the owner runs in a terminal: pdpp-mcp connect https://rs.example --source https://registry.example/connectors/gmail --stream messages"
		personal = connect + " --field messages.id --field messages.subject --connection cin_gmail_work --connection cin_gmail_personal"
		threads  = connect + " --stream threads --field messages.id --field messages.subject --connection cin_gmail_work"
		whole    = connect + " --connection cin_gmail_work --cache-root"
	)
	play(t, narrow, []playedRead{
		{"refusal-read-stream-not-granted", "query_records", `{"stream":"threads","limit":1}`, []string{`no stream "threads" in this grant`, threads}, false},
		{"refusal-read-stream-detail-not-granted", "schema", `{"stream":"threads"}`, []string{"threads", threads}, false},
		{"refusal-read-stream-unknown", "query_records", `{"stream":"nosuch","limit":1}`, []string{`no stream "nosuch" in this grant`, "--source KEY --stream nosuch", "no connected source is known to have nosuch"}, false},
		{"refusal-read-other-connection", "query_records", `{"stream":"messages","limit":1,"connection_id":"cin_gmail_personal"}`, []string{`no connection "cin_gmail_personal" in this grant`, personal}, false},
		{"refusal-read-unknown-connection", "query_records", `{"stream":"messages","limit":1,"connection_id":"cin_nosuch"}`, []string{`no connection "cin_nosuch" in this grant`, "--connection cin_nosuch"}, false},
		{"refusal-record-other-connection", "fetch", `{"id":"cin_gmail_personal/messages:p-m1"}`, []string{`no connection "cin_gmail_personal" in this grant`, personal}, false},
		{"refusal-search-other-connection", "search", `{"q":"invoice","connection_id":"cin_gmail_personal"}`, []string{`no connection "cin_gmail_personal" in this grant`, personal}, false},
		{"refusal-search-stream-not-granted", "search", `{"q":"invoice","streams":["threads"]}`, []string{`no stream "threads" in this grant`, threads}, false},
		{"refusal-record-outside-grant", "fetch", `{"id":"messages:p-m1"}`, []string{"What is outside the grant is not found either."}, false},
		{"refusal-read-field-not-granted", "query_records", `{"stream":"messages","limit":1,"fields":["snippet"]}`, []string{"field_not_granted", whole}, false},
		{"refusal-field-window-not-granted", "read_record_field", `{"id":"cin_gmail_work/messages:w-m1","field":"snippet"}`, []string{"field_not_granted", whole}, false},
		{"refusal-aggregate-field-not-granted", "aggregate", `{"stream":"messages","metric":"count","group_by":"is_seen"}`, []string{"field_not_granted", whole}, false},
		{"refusal-read-field-unknown", "query_records", `{"stream":"messages","limit":1,"fields":["bogus"]}`, []string{`messages has no field "bogus". It has: `}, false},
	}, "refusal-time-range-schema")
}

// The reference silently omits data older than the time limit of a grant, so each answer says it (FRESHNESS.md).
func TestRecordedReadsOfATimeLimit(t *testing.T) {
	limited := mailGrant
	limited.Streams, limited.Connections, limited.Since = []string{"messages"}, []string{"cin_gmail_work"}, "2026-06-04T00:00:00Z"
	const (
		cut   = "the grant of messages is limited to times from 2026-06-04 00:00; other records are left out"
		again = "the owner runs in a terminal: pdpp-mcp connect https://rs.example --source https://registry.example/connectors/gmail --stream messages --connection cin_gmail_work --cache-root"
	)
	play(t, limited, []playedRead{
		{"refusal-time-range-schema", "schema", `{}`, []string{cut, again}, false},
		{"refusal-time-range-silent", "query_records", `{"stream":"messages","limit":100,"count":"exact","fields":["id"]}`, []string{"6 records, 6 match in all, none follow", cut, again}, false},
		{"refusal-time-range-record", "fetch", `{"id":"messages:w-m0"}`, []string{"an older one is not found either", again}, false},
	}, "refusal-time-range-schema")
}

// An integer too large for a float64 is printed with all of its digits.
func TestStructuredOutputKeepsTheDigitsOfNumbers(t *testing.T) {
	p := newPlayer(t)
	p.answers["/v1/streams/messages/records"] = recordedRead{Status: http.StatusOK, Body: json.RawMessage(`{"object":"list","has_more":false,"data":[{"object":"record",` +
		`"id":"m1","stream":"messages","connection_id":"cin_gmail_work","emitted_at":"2026-06-01T00:00:00Z","data":{"id":"m1","size_bytes":9007199254740993}}]}`)}
	text := p.ask(t, mailGrant, "query_records", `{"stream":"messages","connection_id":"cin_gmail_work"}`, "--structured")
	if !strings.Contains(text, `"size_bytes": 9007199254740993`) {
		t.Error(text)
	}
}
