package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A package token gives access to several grants: the demo's has six connections, of which cin_notes is revoked.

// servePackages starts a server over the demo that supports its packages, and a proxy that records its reads.
func servePackages(t *testing.T) (string, *watch) {
	t.Helper()
	proxy := newWatch(t, sample.RSURL)
	url, _ := serve(t, append([]string{
		"--rs-url", sample.RSURL, "--rs-internal-url", proxy.URL, "--packages-url", sample.RSURL + "/packages",
	}, introspected(sample)...)...)
	return url, proxy
}

// A packagePage is the structured content of a search.
type packagePage struct {
	Results []packageHit `json:"results"`
	Data    struct {
		Next        string                  `json:"next_cursor"`
		Unavailable []unavailableConnection `json:"unavailable_connections"`
	} `json:"data"`
}

type packageHit struct {
	ID           string `json:"id"`
	Title        string `json:"title"`
	ConnectionID string `json:"connection_id"`
	ConnectorKey string `json:"connector_key"`
	Stream       string `json:"stream"`
	RecordID     string `json:"record_id"`
	DisplayName  string `json:"display_name"`
}

type unavailableConnection struct {
	ID   string `json:"connection_id"`
	Code string `json:"code"`
}

// notes is the revoked member, which every answer reports.
var notes = []unavailableConnection{{"cin_notes", "grant_revoked"}}

// walk reads a search to the end, using the sessions in turn, and returns all ids in order.
func walk(t *testing.T, arguments map[string]any, sessions ...session) []string {
	t.Helper()
	var ids []string
	var unavailable []unavailableConnection // every page reports it, not only the first
	for page := range 100 {
		var got packagePage
		sessions[page%len(sessions)].structured("search", arguments, &got)
		if limit, _ := arguments["limit"].(int); len(got.Results) > limit {
			t.Errorf("a page has %d hits, and limit is %d", len(got.Results), limit)
		}
		for _, hit := range got.Results {
			ids = append(ids, hit.ID)
		}
		if page == 0 {
			unavailable = got.Data.Unavailable
		} else if diff := cmp.Diff(unavailable, got.Data.Unavailable); diff != "" {
			t.Errorf("page %d names other unavailable connections (-first +got):\n%s", page+1, diff)
		}
		if got.Data.Next == "" {
			return ids
		}
		arguments = maps.Clone(arguments)
		arguments["cursor"] = got.Data.Next
	}
	t.Fatal("the pages do not end")
	return nil
}

// TestAPackageIsSearchedAsOne covers S0-R6, S0-6a, S0-6b, S3-R16, S3-16a, S3-16b, S3-16c, S3-16d, S3-19a and S3-3a.
func TestAPackageIsSearchedAsOne(t *testing.T) {
	url, proxy := servePackages(t)
	s := overHTTP(t, url, sample.PackageToken)

	t.Run("the first hits are of different connections, which each hit names", func(t *testing.T) {
		var page packagePage
		session{s.ClientSession, t}.structured("search", args(`{"q":"Lisbon","limit":4}`), &page)
		from := map[string]bool{}
		for _, hit := range page.Results {
			from[hit.ConnectionID] = true
			if hit.ConnectorKey == "" || hit.Stream == "" || hit.RecordID == "" || hit.DisplayName == "" || hit.Title == "" ||
				!strings.HasPrefix(hit.ID, hit.ConnectionID+"/"+hit.Stream+":") && !strings.HasPrefix(hit.ID, "pdpp://record/") {
				t.Errorf("a hit without its source: %+v", hit)
			}
		}
		if len(page.Results) != 4 || len(from) != 4 { // personal mail, chat, calendar and shop have hits
			t.Errorf("%d hits of %v", len(page.Results), from)
		}
		if diff := cmp.Diff(notes, page.Data.Unavailable); diff != "" {
			t.Errorf("unavailable_connections (-want +got):\n%s", diff)
		}
	})
	t.Run("the text has the source mix, and names the missing member", func(t *testing.T) {
		text := session{s.ClientSession, t}.text("search", args(`{"q":"Lisbon","limit":6}`))
		for _, part := range []string{"source_mix: ", "Personal mail=", "Team chat=", "Home calendar=1", "Orders=1", "Notebook (grant_revoked)", "first_fetch_id=", "cursor"} {
			if !strings.Contains(text, part) {
				t.Errorf("the text lacks %q:\n%s", part, text)
			}
		}
	})
	t.Run("paging to the end returns every hit of every member once, over two replicas", func(t *testing.T) {
		other, _ := servePackages(t)
		replica := overHTTP(t, other, sample.PackageToken)
		all := walk(t, map[string]any{"q": "Lisbon", "limit": 5}, session{s.ClientSession, t}, replica)
		var want []string
		for _, id := range walk(t, map[string]any{"q": "Lisbon", "limit": 100}, overHTTP(t, url, sample.ClientToken)) {
			if !strings.HasPrefix(id, "cin_notes/") {
				want = append(want, id)
			}
		}
		slices.Sort(all)
		slices.Sort(want)
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("the hits of one grant, and of the package (-want +got):\n%s", diff)
		}
		if len(all) < 20 {
			t.Errorf("%d hits are too few for this test", len(all))
		}
	})
	t.Run("messages are searched with their bodies on every page, as in one grant", func(t *testing.T) {
		for _, also := range []map[string]any{
			{}, {"since": "2026-06-01"}, {"connection_id": "cin_mail_personal"}, {"filter": map[string]any{"from_name": "Avon Community Choir"}},
		} {
			arguments := map[string]any{"q": "chapel", "streams": []string{"messages"}, "limit": 4}
			maps.Copy(arguments, also)
			all := walk(t, arguments, session{s.ClientSession, t})
			want := walk(t, arguments, overHTTP(t, url, sample.ClientToken))
			slices.Sort(all)
			slices.Sort(want)
			if diff := cmp.Diff(want, all); diff != "" {
				t.Errorf("%v: the hits of one grant, and of the package (-want +got):\n%s", also, diff)
			}
			if bodies := strings.Count(strings.Join(all, " "), "/message_bodies:"); bodies < 5 || bodies == len(all) {
				t.Errorf("%v: %d of %d hits are bodies", also, bodies, len(all))
			}
		}
	})
	t.Run("a cursor is only valid for its search and its package", func(t *testing.T) {
		s := session{s.ClientSession, t}
		var page packagePage
		s.structured("search", args(`{"q":"Lisbon","limit":3}`), &page)
		for _, arguments := range []map[string]any{
			{"q": "dentist", "limit": 3, "cursor": page.Data.Next},
			{"q": "Lisbon", "limit": 3, "cursor": page.Data.Next, "streams": []string{"messages"}},
			{"q": "Lisbon", "limit": 3, "cursor": page.Data.Next + "A"},
		} {
			before := len(proxy.requests())
			if got := s.refusal("search", arguments); got.Code != "invalid_cursor" || len(proxy.requests()) != before {
				t.Errorf("%v: %+v, and %d reads", arguments, got, len(proxy.requests())-before)
			}
		}
	})
	t.Run("a member is only read for the streams that it has", func(t *testing.T) {
		s := session{s.ClientSession, t}
		for _, row := range []struct {
			streams []string
			tokens  int
		}{{[]string{"events"}, 1}, {[]string{"messages"}, 3}, {[]string{"events", "order_items"}, 2}, {[]string{"messages", "events", "threads"}, 4}} {
			before := len(proxy.requests())
			var page packagePage
			s.structured("search", map[string]any{"q": "Lisbon", "streams": row.streams, "limit": 10}, &page)
			tokens := map[string]bool{}
			for _, r := range proxy.requests()[before:] {
				if strings.HasSuffix(r.path, "/search") { // not the schema of the parts
					tokens[r.token] = true
				}
			}
			if len(tokens) != row.tokens || len(page.Data.Unavailable) != 0 {
				t.Errorf("%v: %d members were read, want %d; unavailable: %v", row.streams, len(tokens), row.tokens, page.Data.Unavailable)
			}
			for _, hit := range page.Results {
				part := hit.Stream == "message_bodies" && slices.Contains(row.streams, "messages") // bodies are read with the messages
				if !part && !slices.Contains(row.streams, hit.Stream) {
					t.Errorf("%v: a hit of %s", row.streams, hit.Stream)
				}
			}
		}
		if got := s.refusal("search", args(`{"q":"Lisbon","streams":["nothing"]}`)); got.Code != "unknown_stream" {
			t.Errorf("a stream that no member grants: %+v", got)
		}
	})
	t.Run("with connection_id only that connection is searched", func(t *testing.T) {
		before := len(proxy.requests())
		var page packagePage
		session{s.ClientSession, t}.structured("search", args(`{"q":"Lisbon","connection_id":"cin_chat_team","limit":3}`), &page)
		if len(page.Results) != 3 || len(proxy.requests())-before != 1 {
			t.Errorf("%d hits by %d reads", len(page.Results), len(proxy.requests())-before)
		}
		for _, hit := range page.Results {
			if hit.ConnectionID != "cin_chat_team" {
				t.Errorf("%+v", hit)
			}
		}
	})
	noPackageReads(t, proxy)
}

// noPackageReads checks that the package's own token never reached the resource server.
func noPackageReads(t *testing.T, proxy *watch) {
	t.Helper()
	for _, r := range proxy.requests() {
		if r.token == sample.PackageToken || r.token == "" {
			t.Errorf("%s was read with %q", r.path, r.token)
		}
	}
}

// TestAPackagesSchemaIsOneDocument covers S3-R16, S0-5a, S0-5e, S0-5f and S3-3a.
func TestAPackagesSchemaIsOneDocument(t *testing.T) {
	url, proxy := servePackages(t)
	s := overHTTP(t, url, sample.PackageToken)
	type document struct {
		Data struct {
			Connectors []struct {
				Key         string `json:"connector_key"`
				Connections []struct {
					ID string `json:"connection_id"`
				} `json:"granted_connections"`
				Streams []struct {
					Name string `json:"name"`
				} `json:"streams"`
			} `json:"connectors"`
		} `json:"data"`
	}
	rows := func(d document) (rows []string) {
		for _, connector := range d.Data.Connectors {
			for _, connection := range connector.Connections {
				for _, stream := range connector.Streams {
					rows = append(rows, connector.Key+" "+connection.ID+" "+stream.Name)
				}
			}
		}
		slices.Sort(rows)
		return rows
	}
	t.Run("it has the streams of all members, and the members that could not be read", func(t *testing.T) {
		s := session{s.ClientSession, t}
		var whole struct {
			Data struct {
				Connections []struct {
					ID      string `json:"connection_id"`
					Streams []struct {
						Name    string
						Records int
					}
				}
				Unavailable []unavailableConnection `json:"unavailable_connections"`
			}
		}
		s.structured("schema", args(`{}`), &whole)
		seen := map[string]bool{}
		for _, c := range whole.Data.Connections {
			for _, stream := range c.Streams {
				if seen[c.ID+" "+stream.Name] = true; stream.Records == 0 {
					t.Errorf("%s %s has no count", c.ID, stream.Name)
				}
			}
		}
		if len(seen) != 14 {
			t.Errorf("%d rows: %v", len(seen), seen)
		}
		if diff := cmp.Diff(notes, whole.Data.Unavailable); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		text := s.text("schema", args(`{}`))
		for _, part := range []string{"cin_mail_work", "cin_mail_personal", "cin_chat_team", "cin_calendar_home", "cin_shop", "order_items", "Notebook", "grant_revoked"} {
			if !strings.Contains(text, part) {
				t.Errorf("the text lacks %q:\n%s", part, text)
			}
		}
	})
	t.Run("for one stream it has each connection with that stream", func(t *testing.T) {
		var one document
		session{s.ClientSession, t}.structured("schema", args(`{"stream":"messages"}`), &one)
		want := []string{"gmail cin_mail_personal messages", "gmail cin_mail_work messages", "slack cin_chat_team messages"}
		if diff := cmp.Diff(want, rows(one)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("full needs one stream and one connection", func(t *testing.T) {
		s := session{s.ClientSession, t}
		before := len(proxy.requests())
		if got := s.refusal("schema", args(`{"detail":"full"}`)); got.Code == "" || len(proxy.requests()) != before {
			t.Errorf("%+v after %d reads", got, len(proxy.requests())-before)
		}
		got := s.refusal("schema", args(`{"detail":"full","stream":"messages"}`))
		if got.Code != "ambiguous_connection" || got.RetryWith != "connection_id" || len(got.Connections) != 3 {
			t.Errorf("%+v", got)
		}
		var full document
		s.structured("schema", args(`{"detail":"full","stream":"messages","connection_id":"cin_mail_work"}`), &full)
		if diff := cmp.Diff([]string{"gmail cin_mail_work messages"}, rows(full)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	noPackageReads(t, proxy)
}

// TestAReadOfOneSourceNamesIt covers S0-R8, S0-8a, S3-3a, S3-19b, S3-19c and S3-19d.
func TestAReadOfOneSourceNamesIt(t *testing.T) {
	url, proxy := servePackages(t)
	s := overHTTP(t, url, sample.PackageToken)
	for _, row := range []struct {
		name, tool, arguments, code string
		choices                     int // connections that may serve the read
	}{
		{"query_records without a connection", "query_records", `{"stream":"messages"}`, "ambiguous_connection", 3},
		{"query_records of a stream that no connection has", "query_records", `{"stream":"dreams"}`, "unknown_stream", 0},
		{"query_records of a stream that only a revoked connection has", "query_records", `{"stream":"notes"}`, "grant_revoked", 0},
		{"query_records with expand", "query_records", `{"stream":"messages","expand":["message_bodies"]}`, "ambiguous_connection", 3},
		{"aggregate", "aggregate", `{"stream":"messages","metric":"count"}`, "ambiguous_connection", 3},
		{"fetch by an id without a connection", "fetch", `{"id":"messages:p-m0094"}`, "ambiguous_connection", 3},
		{"fetch with expand", "fetch", `{"id":"messages:p-m0094","expand":["message_bodies"]}`, "ambiguous_connection", 3},
		{"read_record_field by an id without a connection", "read_record_field", `{"id":"messages:p-m0094","field":"subject"}`, "ambiguous_connection", 3},
		{"a connection that is in no grant of the package", "query_records", `{"stream":"messages","connection_id":"cin_nobody"}`, "unknown_connection", 3},
		{"a connection that cannot be read", "query_records", `{"stream":"notes","connection_id":"cin_notes"}`, "grant_revoked", 0},
		{"a record of a connection that cannot be read", "fetch", `{"id":"cin_notes/notes:note-0001"}`, "grant_revoked", 0},
		{"an id and a connection that differ", "fetch", `{"id":"cin_mail_work/messages:w-m0001","connection_id":"cin_shop"}`, "conflicting_connection_id", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := len(proxy.requests())
			got := session{s.ClientSession, t}.refusal(row.tool, args(row.arguments))
			if got.Code != row.code {
				t.Errorf("got %+v, want %s", got, row.code)
			}
			if asked := proxy.requests()[before:]; len(asked) != 0 {
				t.Errorf("the members were probed: %v", asked)
			}
			if row.code == "conflicting_connection_id" {
				return
			}
			if (got.RetryWith == "connection_id") != (row.choices > 0) || len(got.Connections) != row.choices {
				t.Errorf("the choice is %+v, retry_with=%q", got.Connections, got.RetryWith)
			}
			for _, c := range got.Connections {
				if c.ID == "cin_notes" {
					t.Error("a connection that cannot be read is offered")
				}
			}
			if row.choices > 0 && !strings.Contains(got.text, "connection_id="+got.Connections[0].ID) || !strings.Contains(got.text, "unavailable: connection_id=cin_notes") {
				t.Errorf("the text does not say what to choose:\n%s", got.text)
			}
		})
	}
	t.Run("D26 a stream that only one connection has is read there", func(t *testing.T) {
		before := len(proxy.requests())
		text := session{s.ClientSession, t}.text("query_records", args(`{"stream":"events","limit":1}`))
		asked := proxy.requests()[before:]
		if !strings.Contains(text, "cin_calendar_home/events:") || len(asked) != 1 {
			t.Errorf("%v\n%s", asked, text)
		}
	})
	t.Run("with a connection the read is the member's", func(t *testing.T) {
		s := session{s.ClientSession, t}
		for _, arguments := range []string{
			`{"stream":"messages","connection_id":"cin_mail_personal","limit":2}`,
			`{"stream":"messages","connection_id":"cin_mail_personal","limit":1,"expand":["message_bodies"]}`,
		} {
			var got, want struct {
				Data struct {
					Data []any `json:"data"`
				} `json:"data"`
			}
			s.structured("query_records", args(arguments), &got)
			overHTTP(t, url, sample.ClientToken).structured("query_records", args(arguments), &want)
			if diff := cmp.Diff(want.Data.Data, got.Data.Data); diff != "" || len(got.Data.Data) == 0 {
				t.Errorf("the grant's records, and the package's (-want +got):\n%s", diff)
			}
		}
		if text := s.text("aggregate", args(`{"stream":"messages","metric":"count","connection_id":"cin_mail_work"}`)); !strings.HasPrefix(text, "720 messages") {
			t.Error(text)
		}
	})
	t.Run("S3-19b every id that a search prints can be fetched unchanged", func(t *testing.T) {
		s := session{s.ClientSession, t}
		for _, id := range printedIDs(s.text("search", args(`{"q":"Lisbon","limit":8}`))) {
			var document struct {
				ID       string `json:"id"`
				Metadata struct {
					ConnectionID string `json:"connection_id"`
				} `json:"metadata"`
			}
			s.structured("fetch", map[string]any{"id": id}, &document)
			if document.ID != id || document.Metadata.ConnectionID == "" {
				t.Errorf("fetch %s: %+v", id, document)
			}
		}
	})
	noPackageReads(t, proxy)
}

// TestAPackagesStreamsResourcesAndBlobs covers S3-2a, S3-2c and S3-8c under a package.
func TestAPackagesStreamsResourcesAndBlobs(t *testing.T) {
	url, proxy := servePackages(t)
	s := overHTTP(t, url, sample.PackageToken)
	type list struct {
		Data struct {
			Data []struct {
				Name         string `json:"name"`
				ConnectionID string `json:"connection_id"`
			} `json:"data"`
			Unavailable []unavailableConnection `json:"unavailable_connections"`
		} `json:"data"`
	}
	read := func(t *testing.T, uri string) *mcp.ReadResourceResult {
		t.Helper()
		result, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
		return result
	}
	t.Run("list_streams and its resource list the streams of all members", func(t *testing.T) {
		s := session{s.ClientSession, t}
		var called, resource list
		s.structured("list_streams", args(`{}`), &called)
		if err := json.Unmarshal([]byte(read(t, "pdpp://streams").Contents[0].Text), &resource); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(called, resource); diff != "" || len(called.Data.Data) != 14 {
			t.Errorf("%d rows; the tool and the resource differ:\n%s", len(called.Data.Data), diff)
		}
		if diff := cmp.Diff(notes, called.Data.Unavailable); diff != "" {
			t.Errorf("unavailable_connections (-want +got):\n%s", diff)
		}
		if text := s.text("list_streams", args(`{}`)); !strings.Contains(text, "Notebook") {
			t.Errorf("the text hides who is missing:\n%s", text)
		}
		var one list
		s.structured("list_streams", args(`{"connection_id":"cin_shop"}`), &one)
		if len(one.Data.Data) != 2 {
			t.Errorf("of one connection: %+v", one.Data.Data)
		}
	})
	t.Run("a stream, a record and a field window are resources", func(t *testing.T) {
		s := session{s.ClientSession, t}
		order := printedIDs(s.text("query_records", args(`{"stream":"orders","connection_id":"cin_shop","limit":1}`)))[0]
		for uri, part := range map[string]string{"pdpp://stream/messages": "cin_chat_team", order: `"record_id":"2026/`} {
			if got := read(t, uri).Contents[0].Text; !strings.Contains(got, part) {
				t.Errorf("%s: %s", uri, got)
			}
		}
		window := s.call("read_record_field", args(`{"id":"cin_mail_personal/message_bodies:p-m0094","field":"body_text","limit_chars":20}`))
		uri, _ := window.Meta["pdpp/resource_uri"].(string)
		if got := read(t, uri).Contents[0].Text; !strings.Contains(got, "Thank you for bookin") {
			t.Errorf("%s: %s", uri, got)
		}
		var wire *jsonrpc.Error
		if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "pdpp://stream/notes"}); !errors.As(err, &wire) || !strings.Contains(string(wire.Data), "grant_revoked") {
			t.Errorf("the stream of the member that cannot be read: %v", err)
		}
	})
	t.Run("a blob is found in whichever member has it", func(t *testing.T) {
		s := session{s.ClientSession, t}
		for _, record := range []string{"cin_mail_work/attachments:w-m0711-a1", "cin_mail_personal/attachments:p-m0094-a1"} {
			connection, _, _ := strings.Cut(record, "/")
			_, id, _ := strings.Cut(record, ":")
			blob := rsGet(t, sample, "/v1/streams/attachments/records/"+id+"?connection_id="+connection)["data"].(map[string]any)["blob_ref"].(map[string]any)
			for _, arguments := range []map[string]any{{"blob_id": blob["blob_id"]}, {"blob_id": blob["blob_id"], "connection_id": connection}} {
				var got map[string]any
				s.structured("fetch_blob", arguments, &got)
				if got["sha256"] != blob["sha256"] {
					t.Errorf("%v: %v", arguments, got)
				}
				if uri, _ := got["uri"].(string); uri != "" && len(read(t, uri).Contents[0].Blob) != int(blob["size_bytes"].(float64)) {
					t.Errorf("%s has other bytes", uri)
				}
			}
		}
		if got := s.refusal("fetch_blob", args(`{"blob_id":"blob_sha256_none"}`)); got.Status != http.StatusNotFound {
			t.Errorf("a blob that no member has: %+v", got)
		}
	})
	noPackageReads(t, proxy)
}

// TestWhoMayUseAServerOfPackages covers S0-R3, S3-6b, S3-R6, D7 and D40 for the demo's own tokens.
func TestWhoMayUseAServerOfPackages(t *testing.T) {
	url, proxy := servePackages(t)
	single, _ := serve(t, append([]string{"--rs-url", sample.RSURL, "--rs-internal-url", proxy.URL}, introspected(sample)...)...)
	for _, row := range []struct {
		name, url, token string
		status           int
		code             string
	}{
		{"an owner", url, sample.OwnerToken, 403, "owner_token_refused"},
		{"an expired grant", url, sample.ExpiredToken, 401, "grant_expired"},
		{"a revoked grant", url, sample.RevokedToken, 401, "grant_revoked"},
		{"an unknown token", url, "unknown", 401, "token_inactive"},
		{"a package where none are configured", single, sample.PackageToken, 403, "token_kind_refused"},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := len(proxy.requests())
			status, header, body := post(t, row.url, row.token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"q":"Lisbon"}}}`)
			if status != row.status || !strings.Contains(body, `"code":"`+row.code+`"`) || header.Get("WWW-Authenticate") == "" {
				t.Errorf("%d %v %s; want %q", status, header, body, row.code)
			}
			if asked := proxy.requests()[before:]; len(asked) != 0 {
				t.Errorf("the resource server got requests: %v", asked)
			}
		})
	}
	t.Run("a narrow grant reads its own data", func(t *testing.T) {
		s := overHTTP(t, url, sample.NarrowToken)
		var page packagePage
		s.structured("search", args(`{"q":"invoice","limit":5}`), &page)
		for _, hit := range page.Results {
			if hit.ConnectionID != "cin_mail_work" || hit.Stream != "messages" {
				t.Errorf("%+v", hit)
			}
		}
		if got := s.refusal("query_records", args(`{"stream":"orders"}`)); got.Code == "" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("D10 the metadata names the kinds that are served", func(t *testing.T) {
		for at, want := range map[string]string{url: `"pdpp_token_kinds_supported":["client","mcp_package"]`, single: `"pdpp_token_kinds_supported":["client"]`} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(at, "/mcp")+"/.well-known/oauth-protected-resource/mcp", nil)
			if err != nil {
				t.Fatal(err)
			}
			if status, _, body := do(t, request); status != 200 || !strings.Contains(body, want) {
				t.Errorf("%d %s; want %q", status, body, want)
			}
		}
	})
}

// A family is a scripted resource server, authority and directory of one package, whose members behave as configured.
type family struct {
	*httptest.Server
	members    []scriptedMember
	introspect map[string]http.HandlerFunc // how the authority answers about a member, by name; a member without one is a valid client
	issuer     string                      // of the package's token; may be empty

	mu           sync.Mutex
	seen         []read
	introspected []string // the members that were introspected
}

// A scriptedMember answers its reads; those of the schema and of the streams only if it has functions for them.
type scriptedMember struct {
	name   string
	answer http.HandlerFunc
}

// well answers everything successfully for a member.
func well(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/search":
			body(200, "application/json", fmt.Sprintf(`{"object":"list","data":[{"object":"search_result","stream":"notes","record_key":"1","connection_id":"cin_%s","snippet":{"field":"body","text":"<mark>x</mark> of %[1]s"}}],"has_more":false,"meta":{"count":1}}`, name))(w, r)
		case "/v1/schema":
			body(200, "application/json", fmt.Sprintf(`{"object":"schema","detail":"compact","connectors":[{"connector_key":"notes","granted_connections":[{"connection_id":"cin_%s"}],"streams":[{"name":"notes","field_capabilities":{"body":"t=text,lex"}}]}]}`, name))(w, r)
		default:
			body(200, "application/json", fmt.Sprintf(`{"object":"list","data":[{"object":"stream","name":"notes","record_count":1,"connection_id":"cin_%s"}]}`, name))(w, r)
		}
	}
}

func newFamily(t *testing.T, members ...scriptedMember) *family {
	t.Helper()
	f := &family{members: members}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/introspect":
			ids := `"pdpp_token_kind":"client"` // of a member's token
			if token := r.FormValue("token"); token == "a-package" {
				ids = `"pdpp_token_kind":"mcp_package","grant_package_id":"pkg"`
			} else if name := strings.TrimPrefix(token, "member-"); f.asked(name) != nil {
				f.introspect[name](w, r)
				return
			}
			body(200, "application/json", fmt.Sprintf(`{"active":true,%s,"aud":%q,"iss":%q}`, ids, f.URL, f.issuer))(w, r)
		case "/packages":
			f.directory(w)
		default:
			f.read(w, r)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *family) directory(w io.Writer) {
	members := []map[string]any{}
	for _, c := range f.members {
		members = append(members, map[string]any{
			"grant_id": "grt_" + c.name, "connection_id": "cin_" + c.name, "connector_key": "notes", "display_name": c.name,
			"streams": []string{"notes"}, "access_token": "member-" + c.name, "usable": true,
		})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"package_id": "pkg", "status": "active", "members": members})
}

func (f *family) read(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	f.mu.Lock()
	f.seen = append(f.seen, read{r.URL.Path, token})
	f.mu.Unlock()
	for _, c := range f.members {
		if token == "member-"+c.name {
			c.answer(w, r)
			return
		}
	}
	body(404, "application/json", `{"error":{"code":"not_found","message":"Unknown."}}`)(w, r)
}

// asked records the introspection of a member and returns its scripted answer, if any.
func (f *family) asked(name string) http.HandlerFunc {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.introspected = append(f.introspected, name)
	return f.introspect[name]
}

// questions returns the members introspected since the last call, sorted.
func (f *family) questions() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	introspected := f.introspected
	f.introspected = nil
	slices.Sort(introspected)
	return introspected
}

// reads returns the reads so far.
func (f *family) reads() []read {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.seen)
}

// dialFamily serves the package and connects to it.
func dialFamily(t *testing.T, f *family, more ...string) session {
	t.Helper()
	url, _ := serve(t, append([]string{
		"--rs-url", f.URL, "--packages-url", f.URL + "/packages", "--introspection-url", f.URL + "/introspect",
		"--introspection-client-id", "mcp", "--introspection-client-secret", "s3cret",
	}, more...)...)
	return overHTTP(t, url, "a-package")
}

// memberDeadline is the longest time that a package waits for one member, with some time for the machine.
const memberDeadline = 5*time.Second + 3*time.Second

// TestAMemberThatHangsCostsItsDeadline covers S3-R16: the others are served, and the answer names the missing one.
func TestAMemberThatHangsCostsItsDeadline(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	f := newFamily(t, scriptedMember{"first", well("first")}, scriptedMember{"hangs", hang}, scriptedMember{"last", well("last")})
	s := dialFamily(t, f)
	want := []unavailableConnection{{"cin_hangs", "deadline_exceeded"}}
	for _, row := range []struct{ tool, arguments string }{{"search", `{"q":"x"}`}, {"schema", `{}`}, {"list_streams", `{}`}} {
		t.Run(row.tool, func(t *testing.T) {
			t.Parallel()
			s := session{s.ClientSession, t}
			began := time.Now()
			result := s.call(row.tool, args(row.arguments))
			if took := time.Since(began); took > memberDeadline {
				t.Errorf("it took %v", took)
			}
			var got packagePage
			if err := structured(result, &got); err != nil || result.IsError {
				t.Fatal(textOf(result), err)
			}
			if diff := cmp.Diff(want, got.Data.Unavailable); diff != "" {
				t.Errorf("unavailable_connections (-want +got):\n%s", diff)
			}
			text := compact(result)
			if !strings.Contains(text, "cin_first") || !strings.Contains(text, "cin_last") || !strings.Contains(textOf(result), "deadline_exceeded") {
				t.Errorf("the others are not served, or the text hides who is missing: %s", text)
			}
		})
	}
}

// TestAMemberWithInvalidAnswersIsNamed covers S3-R16 and S3-R3.
func TestAMemberWithInvalidAnswersIsNamed(t *testing.T) {
	t.Parallel()
	garbage := map[string]struct {
		answer http.HandlerFunc
		code   string
	}{
		"page":    {body(200, "text/html", "<html>It works!</html>"), "invalid_response"},
		"empty":   {body(200, "application/json", ""), "invalid_response"},
		"array":   {body(200, "application/json", `[1,2]`), "invalid_response"},
		"text":    {body(200, "application/json", `"hello"`), "invalid_response"},
		"null":    {body(200, "application/json", `null`), "invalid_response"},
		"wrong":   {body(200, "application/json", `{"data":7,"connectors":"none","streams":{}}`), "invalid_response"},
		"fails":   {body(500, "text/html", "<h1>Internal Server Error</h1>"), "upstream_error"},
		"revoked": {body(403, "application/json", `{"error":{"code":"grant_revoked","message":"Revoked."}}`), "grant_revoked"},
		"breaks": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, `{"data":[`)
		}, "response_truncated"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/", http.StatusFound)
		}, "redirect_refused"},
	}
	for _, row := range []struct{ tool, arguments string }{{"search", `{"q":"x"}`}, {"schema", `{}`}, {"list_streams", `{}`}} {
		t.Run(row.tool, func(t *testing.T) {
			t.Parallel()
			members := []scriptedMember{{"good", well("good")}}
			want := map[string]string{}
			for name, g := range garbage {
				members = append(members, scriptedMember{name, g.answer})
				want["cin_"+name] = g.code
			}
			s := dialFamily(t, newFamily(t, members...))
			result := s.call(row.tool, args(row.arguments))
			var page packagePage
			if err := structured(result, &page); err != nil || result.IsError {
				t.Fatal(textOf(result), err)
			}
			got := map[string]string{}
			for _, u := range page.Data.Unavailable {
				got[u.ID] = u.Code
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("unavailable_connections (-want +got):\n%s", diff)
			}
			if text := compact(result); !strings.Contains(text, "cin_good") || strings.Contains(text, "member-") || strings.Contains(text, "It works") {
				t.Errorf("%s", text)
			}
		})
	}
	t.Run("if no member's answer can be read, the error names the members", func(t *testing.T) {
		t.Parallel()
		s := dialFamily(t, newFamily(t, scriptedMember{"page", garbage["page"].answer}, scriptedMember{"null", garbage["null"].answer}))
		if got := s.refusal("search", args(`{"q":"x"}`)); got.Code != "invalid_response" || !strings.Contains(got.text, "cin_page") || !strings.Contains(got.text, "cin_null") {
			t.Errorf("%+v", got)
		}
	})
}

// TestALargePackageListsFewConnections covers S0-R8 and S0-8a: no probe, at most twelve options, their total, and where to find the others.
func TestALargePackageListsFewConnections(t *testing.T) {
	var members []scriptedMember
	for i := range 30 {
		name := fmt.Sprintf("c%02d", i)
		members = append(members, scriptedMember{name, well(name)})
	}
	f := newFamily(t, members...)
	s := dialFamily(t, f)
	if got := s.refusal("schema", args(`{"stream":"notes","detail":"full"}`)); got.Code != "ambiguous_connection" || len(got.Connections) != 12 { // S0-5f
		t.Errorf("the full schema of a stream that all have: %+v", got)
	}
	result := s.call("query_records", args(`{"stream":"notes"}`))
	var got struct {
		Error struct {
			Code    string              `json:"code"`
			Options []map[string]string `json:"available_connections"`
			Total   int                 `json:"total_connections"`
		} `json:"error"`
	}
	if err := structured(result, &got); err != nil {
		t.Fatal(err)
	}
	if got.Error.Code != "ambiguous_connection" || len(got.Error.Options) != 12 || got.Error.Total != 30 || !strings.Contains(textOf(result), "schema") || !strings.Contains(textOf(result), "30") {
		t.Errorf("%s", textOf(result))
	}
	for _, option := range got.Error.Options {
		if option["connection_id"] == "" || option["grant_id"] == "" || option["connector_key"] == "" {
			t.Errorf("an option lacks its identity: %v", option)
		}
	}
	if reads, questions := f.reads(), f.questions(); len(reads)+len(questions) != 0 {
		t.Errorf("members were read: %v, and introspected: %v", reads, questions)
	}
	var page packagePage
	s.structured("search", args(`{"q":"x","limit":20}`), &page)
	from := map[string]bool{}
	for _, hit := range page.Results {
		from[hit.ConnectionID] = true
	}
	if len(from) != 20 {
		t.Errorf("20 hits are of %d connections", len(from))
	}
	if all := walk(t, map[string]any{"q": "x", "limit": 7}, s); len(slices.Compact(slices.Sorted(slices.Values(all)))) != 30 || len(all) != 30 {
		t.Errorf("the walk yields %v", all)
	}
}
