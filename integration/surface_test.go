package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// listedTools returns the names of the tools that models are shown, sorted. The tests of package tools fix which these are.
func listedTools() (names []string) {
	for _, tool := range tools.All(tools.Options{}) {
		if tool.Listed {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return names
}

// TestTheSurfaceIsTheSameEverywhere covers S0-R2, S0-1b, S0-2a, S0-2b, S3-5a, S3-5b, S4-R1 and S4-R3: over every transport and in every
// protocol era, a client finds the same tools, resources and instructions.
func TestTheSurfaceIsTheSameEverywhere(t *testing.T) {
	cache := cacheFile(t, sample.RSURL, map[string]any{"access_token": sample.ClientToken, "token_type": "Bearer", "grant_id": "grt_demo_client"})
	transports := []struct {
		name string
		open func(*testing.T) session
	}{
		{"hosted, legacy era", func(t *testing.T) session { return overHTTPIn(t, sample.MCPURL, sample.ClientToken, legacyEra) }},
		{"hosted, modern era", func(t *testing.T) session { return overHTTPIn(t, sample.MCPURL, sample.ClientToken, modernEra) }},
		{"stdio with a cached credential", func(t *testing.T) session { return overStdio(t, "--provider-url", sample.RSURL, "--cache-root", cache) }},
		{"stdio with the sample year", func(t *testing.T) session { return overStdio(t, "--demo") }},
	}
	type surface struct {
		Tools        []*mcp.Tool
		Resources    []*mcp.Resource
		Templates    []*mcp.ResourceTemplate
		Instructions string
	}
	listed := listedTools() // D1
	seen := map[string]surface{}
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			s := transport.open(t)
			tools, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			resources, err := s.ListResources(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			templates, err := s.ListResourceTemplates(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range tools.Tools {
				names = append(names, tool.Name)
				input, _ := json.Marshal(tool.InputSchema)
				if !strings.Contains(string(input), `"connection_id"`) || strings.Contains(string(input), "connector_instance_id") {
					t.Errorf("S0-2b: %s must take connection_id and no instance alias: %s", tool.Name, input)
				}
				if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint {
					t.Errorf("%s is not marked as reading only", tool.Name)
				}
			}
			slices.Sort(names)
			if diff := cmp.Diff(listed, names); diff != "" {
				t.Errorf("S0-2a: tools/list differs (-want +got):\n%s", diff)
			}
			seen[transport.name] = surface{tools.Tools, resources.Resources, templates.ResourceTemplates, s.InitializeResult().Instructions}
		})
	}
	first := seen[transports[0].name]
	if len(first.Resources) == 0 || len(first.Templates) == 0 {
		t.Error("there are no resources")
	}
	if at := strings.Index(first.Instructions, "connection_id"); at < 0 || at > 512 {
		t.Errorf("S4-1a: the first 512 characters of the instructions do not name connection_id:\n%s", first.Instructions)
	}
	for _, transport := range transports[1:] {
		if diff := cmp.Diff(canonical(first), canonical(seen[transport.name])); diff != "" {
			t.Errorf("S3-5b: %s differs from %s:\n%s", transport.name, transports[0].name, diff)
		}
	}
}

// TestEveryToolAnswers covers S3-R2, S3-2a, S3-2c, S3-R8, S3-8a, S3-8b, S3-8c, S3-12a, S3-12b, S3-R13 and S3-13b over one hosted session.
func TestEveryToolAnswers(t *testing.T) {
	s := overHTTP(t, sample.MCPURL, sample.ClientToken)

	t.Run("S3-8c schema names every stream, in text and in data", func(t *testing.T) {
		s := session{s.ClientSession, t}
		text := s.text("schema", args(`{}`))
		for _, name := range streamNames(t) {
			if !strings.Contains(text, name) {
				t.Errorf("the stream %s is missing from\n%s", name, text)
			}
		}
	})
	t.Run("S3-8a search gives stable ids, titles and citation URLs", func(t *testing.T) {
		s := session{s.ClientSession, t}
		type hits struct {
			Results []struct{ ID, Title, URL string } `json:"results"`
		}
		var once, again hits
		s.structured("search", args(`{"q":"Lisbon","limit":5}`), &once)
		s.structured("search", args(`{"query":"Lisbon","limit":5}`), &again)
		if diff := cmp.Diff(once, again); diff != "" {
			t.Errorf("the same search differs:\n%s", diff)
		}
		if len(once.Results) != 5 {
			t.Errorf("the limit of 5 gave %d hits", len(once.Results))
		}
		for _, hit := range once.Results {
			if hit.ID == "" || hit.Title == "" || !strings.HasPrefix(hit.URL, "http") {
				t.Errorf("a hit lacks what a host cites: %+v", hit)
			}
		}
	})
	t.Run("S3-8b fetch gives one document, the same on both channels", func(t *testing.T) {
		s := session{s.ClientSession, t}
		result := s.call("fetch", args(`{"id":"cin_notes/notes:note-0097"}`))
		var inText, inStructure map[string]any
		if err := json.Unmarshal([]byte(textOf(result)), &inText); err != nil {
			t.Fatal(err)
		}
		if err := structured(result, &inStructure); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(inStructure, inText); diff != "" {
			t.Errorf("S0-7a: the channels differ:\n%s", diff)
		}
		keys := slices.Sorted(maps.Keys(inText))
		if diff := cmp.Diff([]string{"id", "metadata", "text", "title", "url"}, keys); diff != "" {
			t.Errorf("S0-7a: the document differs:\n%s", diff)
		}
	})
	t.Run("S0-R7, S0-7b and S1-4b a narrowed fetch is inline, and has only what was requested", func(t *testing.T) {
		s := session{s.ClientSession, t}
		result := s.call("fetch", args(`{"id":"cin_mail_work/messages:dup-1","fields":["subject"]}`))
		all := textOf(result) + compact(result.StructuredContent)
		if len(result.Content) != 1 || strings.Contains(all, "pdpp://record/") || strings.Contains(all, "alarm contract") || strings.Contains(all, "from_email") {
			t.Errorf("got %s", all)
		}
		if !strings.Contains(all, "Keys and codes") || !strings.Contains(all, "cin_mail_work") {
			t.Errorf("the subject and the source must be there: %s", all)
		}
	})
	t.Run("S1-R3 and S1-3a a small field is inline and complete", func(t *testing.T) {
		s := session{s.ClientSession, t}
		result := s.call("read_record_field", args(`{"id":"cin_mail_work/messages:dup-1","field":"subject"}`))
		part := contentOnly{}.window(textOf(result))
		if part.text != "Keys and codes over Christmas" || part.next != nil || len(result.Content) != 1 || !strings.Contains(textOf(result), "complete") {
			t.Errorf("got %s", textOf(result))
		}
	})
	t.Run("S3-12a a count is in text and in data, and equals the resource server's", func(t *testing.T) {
		s := session{s.ClientSession, t}
		want := rsGet(t, sample, "/v1/streams/orders/aggregate?metric=count")["value"]
		text := s.text("aggregate", args(`{"stream":"orders","metric":"count"}`))
		if !strings.HasPrefix(text, fmt.Sprintf("%v orders", want)) {
			t.Errorf("the text lacks %v:\n%s", want, text)
		}
	})
	t.Run("S3-12b and S3-13b groups have other_count beside them", func(t *testing.T) {
		s := session{s.ClientSession, t}
		text := s.text("aggregate", args(`{"stream":"orders","metric":"count","group_by":"merchant","limit":2}`))
		if !strings.Contains(text, "other_count=") {
			t.Errorf("the text hides that groups are left out:\n%s", text)
		}
	})
	t.Run("S3-2a and S3-8c list_streams stays callable", func(t *testing.T) {
		s := session{s.ClientSession, t}
		var list struct {
			Data struct {
				Data []map[string]any `json:"data"`
			} `json:"data"`
		}
		s.structured("list_streams", args(`{}`), &list)
		if len(list.Data.Data) != 15 {
			t.Errorf("%d streams by connection, want 15", len(list.Data.Data))
		}
	})
	t.Run("S3-2c and S3-8c fetch_blob reads what a record points at", func(t *testing.T) {
		s := session{s.ClientSession, t}
		record := rsGet(t, sample, "/v1/streams/attachments/records/w-m0711-a1?connection_id=cin_mail_work")
		blob := record["data"].(map[string]any)["blob_ref"].(map[string]any)
		result := s.call("fetch_blob", map[string]any{"blob_id": blob["blob_id"], "connection_id": "cin_mail_work"})
		if result.IsError || !strings.Contains(compact(result), fmt.Sprint(blob["blob_id"])) {
			t.Errorf("fetch_blob answered %s", compact(result))
		}
	})
	t.Run("a record id that the text grammar refuses can still be fetched (D12)", func(t *testing.T) {
		s := session{s.ClientSession, t}
		ids := printedIDs(s.text("query_records", args(`{"stream":"orders","limit":1}`)))
		if len(ids) != 1 || !strings.HasPrefix(ids[0], "pdpp://record/") {
			t.Fatalf("the page shows %v", ids)
		}
		document := s.text("fetch", map[string]any{"id": ids[0]})
		if !strings.Contains(document, `"record_id":"2026/`) {
			t.Errorf("the record is not the one listed:\n%s", document)
		}
	})
}

// TestResourcesReadAsTheirTools covers S1-2b, S1-4a, S1-5c and D1: a resource URI is another form of a call.
func TestResourcesReadAsTheirTools(t *testing.T) {
	s := overHTTP(t, sample.MCPURL, sample.ClientToken)
	window := s.call("read_record_field", args(`{"id":"cin_notes/notes:note-0002","field":"body","offset_chars":100,"limit_chars":50}`))
	windowURI, _ := window.Meta["pdpp/resource_uri"].(string)
	recordURI := printedIDs(s.text("query_records", args(`{"stream":"orders","limit":1}`)))[0] // of a record whose id has a slash

	for _, row := range []struct {
		uri, tool string
		arguments any
	}{
		{"pdpp://streams", "list_streams", args(`{}`)},
		{"pdpp://stream/notes", "schema", args(`{"stream":"notes"}`)},
		{recordURI, "fetch", map[string]any{"id": recordURI}},
		{windowURI, "read_record_field", args(`{"id":"cin_notes/notes:note-0002","field":"body","offset_chars":100,"limit_chars":50}`)},
	} {
		t.Run(row.uri, func(t *testing.T) {
			read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: row.uri})
			if err != nil {
				t.Fatal(err)
			}
			called, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: row.tool, Arguments: row.arguments})
			if err != nil {
				t.Fatal(err)
			}
			var fromResource any
			if err := json.Unmarshal([]byte(read.Contents[0].Text), &fromResource); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(canonical(called.StructuredContent), canonical(fromResource)); diff != "" {
				t.Errorf("the resource and %s differ:\n%s", row.tool, diff)
			}
		})
	}

	t.Run("S3-2c a blob read as a resource has the resource server's bytes", func(t *testing.T) {
		s := session{s.ClientSession, t}
		record := rsGet(t, sample, "/v1/streams/attachments/records/w-m0711-a1?connection_id=cin_mail_work")
		id := record["data"].(map[string]any)["blob_ref"].(map[string]any)["blob_id"].(string)
		var blob struct {
			URI string `json:"uri"`
		}
		s.structured("fetch_blob", map[string]any{"blob_id": id, "connection_id": "cin_mail_work"}, &blob)
		read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: blob.URI})
		if err != nil {
			t.Fatalf("%q: %v", blob.URI, err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, sample.RSURL+"/v1/blobs/"+id, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+sample.ClientToken)
		_, header, bytes := do(t, request)
		if got := read.Contents[0]; string(got.Blob) != bytes || got.MIMEType != header.Get("Content-Type") {
			t.Errorf("%d bytes of %s, want %d of %s", len(got.Blob), got.MIMEType, len(bytes), header.Get("Content-Type"))
		}
	})
	t.Run("S1-4a the address of a window stays in hidden metadata", func(t *testing.T) {
		if windowURI == "" {
			t.Error("the window has no address")
		}
		if visible := textOf(window) + compact(window.StructuredContent); strings.Contains(visible, "pdpp://field-window/") {
			t.Errorf("the address is visible:\n%s", visible)
		}
	})
	for _, uri := range []string{"pdpp://record/../x", "pdpp://record/AAAA", "pdpp://stream/a%2Fb", "pdpp://nothing", "pdpp://record/missing:none"} {
		t.Run("an invalid address is not found: "+uri, func(t *testing.T) {
			_, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			var wire *jsonrpc.Error
			if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("got %v, want invalid params", err)
			}
		})
	}
}

// TestUnlistedToolsAreRefusedClearly covers S0-2a and S3-R3 where the journeys do not.
func TestUnlistedToolsAreRefusedClearly(t *testing.T) {
	s := overHTTP(t, sample.MCPURL, sample.ClientToken)
	if got := s.refusal("fetch_blob", args(`{"blob_id":"blob_none"}`)); got.Code != "blob_not_found" || got.Hint == "" {
		t.Errorf("a blob that does not exist gives %+v", got)
	}
	_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_event_subscription"})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("S0-2a: a tool that does not exist gives %v, want invalid params", err)
	}
}

// TestAnotherTokenSeesNoMore covers S0-2c and S3-6c: a narrow grant sees exactly what the resource server returns for it.
func TestAnotherTokenSeesNoMore(t *testing.T) {
	proxy := newWatch(t, sample.RSURL)
	url, _ := serve(t, append([]string{"--rs-url", sample.RSURL, "--rs-internal-url", proxy.URL}, introspected(sample)...)...)
	s := overHTTP(t, url, sample.NarrowToken)
	text := s.text("schema", args(`{"stream":"messages"}`))
	if strings.Contains(text, "snippet") || !strings.Contains(text, "subject") {
		t.Errorf("S0-2c: the schema is not that of the narrow grant:\n%s", text)
	}
	s.text("query_records", args(`{"stream":"messages","limit":3}`))
	s.text("search", args(`{"q":"Oslo"}`))
	if seen := proxy.requests(); len(seen) < 3 {
		t.Errorf("only %d reads were made", len(seen))
	}
	for _, r := range proxy.requests() {
		if r.token != sample.NarrowToken {
			t.Errorf("S3-6c: %s was read with another token", r.path)
		}
	}
}

// TestAValidClientTokenIsRequired covers S3-6a, S3-6b, S3-18a and D7.
func TestAValidClientTokenIsRequired(t *testing.T) {
	metadata := strings.TrimSuffix(sample.MCPURL, "/mcp") + "/.well-known/oauth-protected-resource/mcp"
	for _, row := range []struct {
		name, token string
		status      int
		code        string
	}{
		{"S3-6a no bearer", "", 401, "not_authenticated"},
		{"an unknown bearer", "pdpp_client_unknown", 401, "token_inactive"},
		{"D7 an expired bearer", sample.ExpiredToken, 401, "grant_expired"},
		{"D7 a revoked bearer", sample.RevokedToken, 401, "grant_revoked"},
		{"S3-6b the owner's", sample.OwnerToken, 403, "owner_token_refused"},
	} {
		t.Run(row.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, sample.MCPURL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			if row.token != "" {
				request.Header.Set("Authorization", "Bearer "+row.token)
			}
			status, header, body := do(t, request)
			var document struct {
				Error struct {
					Code     string `json:"code"`
					Metadata string `json:"resource_metadata"`
				} `json:"error"`
			}
			if err := json.Unmarshal([]byte(body), &document); err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			if status != row.status || document.Error.Code != row.code {
				t.Errorf("got %d %s; want %q", status, body, row.code)
			}
			if status != http.StatusUnauthorized {
				return
			}
			if document.Error.Metadata != metadata || !strings.Contains(header.Get("WWW-Authenticate"), `resource_metadata="`+metadata+`"`) {
				t.Errorf("S3-18a: the challenge %q and the body %s must both name %s", header.Get("WWW-Authenticate"), body, metadata)
			}
		})
	}
}

// streamNames returns the streams of the sample, as the resource server lists them.
func streamNames(t *testing.T) []string {
	t.Helper()
	names := map[string]bool{}
	for _, row := range rsGet(t, sample, "/v1/streams")["data"].([]any) {
		names[row.(map[string]any)["name"].(string)] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// rsGet reads the resource server directly, with the client token.
func rsGet(t *testing.T, d addresses, path string) map[string]any {
	t.Helper()
	return getJSON(t, d.RSURL+path, d.ClientToken)
}

func getJSON(t *testing.T, url, token string) map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	status, _, body := do(t, request)
	var document map[string]any
	if err := json.Unmarshal([]byte(body), &document); err != nil || status != http.StatusOK {
		t.Fatalf("GET %s: %d %s", url, status, body)
	}
	return document
}
