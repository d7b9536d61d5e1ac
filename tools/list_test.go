package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

var update = flag.Bool("update", false, "rewrite testdata")

// maxListBytes is the limit of the whole tools/list result; the specification allows 24,576 bytes.
const maxListBytes = 10_000

// listed is the result of tools/list as sent over the wire, complete and by tool.
type listed struct {
	whole []byte
	tools []struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Input       inputSchema     `json:"inputSchema"`
		Output      json.RawMessage `json:"outputSchema"`
		Annotations struct {
			ReadOnly    bool  `json:"readOnlyHint"`
			Destructive *bool `json:"destructiveHint"`
		} `json:"annotations"`
	}
	raw []json.RawMessage
}

type inputSchema struct {
	Type                 string                     `json:"type"`
	Properties           map[string]json.RawMessage `json:"properties"`
	Required             []string                   `json:"required"`
	AdditionalProperties *bool                      `json:"additionalProperties"`
}

// listTools lists the tools as a client would.
func listTools(t *testing.T) listed {
	t.Helper()
	client, err := rsclient.New(rsclient.Options{Base: recordBase}) // receives no request
	if err != nil {
		t.Fatal(err)
	}
	server := transport.NewPipeline(transport.PipelineOptions{Client: client, Name: "pdpp-mcp", Version: "0.0.0", Logger: zerolog.Nop()})
	near, far := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	connection, err := near.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(id float64, method, params string) json.RawMessage {
		request := &jsonrpc.Request{Method: method, Params: json.RawMessage(params)}
		if id != 0 {
			if request.ID, err = jsonrpc.MakeID(id); err != nil {
				t.Fatal(err)
			}
		}
		if err := connection.Write(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		if id == 0 {
			return nil
		}
		message, err := connection.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		response, ok := message.(*jsonrpc.Response)
		if !ok || response.Error != nil {
			t.Fatalf("%s answers %+v", method, message)
		}
		return response.Result
	}
	ask(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}`)
	ask(0, "notifications/initialized", `{}`)
	l := listed{whole: ask(2, "tools/list", `{}`)}
	var result struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(l.whole, &result); err != nil {
		t.Fatal(err)
	}
	l.raw = result.Tools
	data, err := json.Marshal(result.Tools)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &l.tools); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestToolsList(t *testing.T) {
	list := listTools(t)

	t.Run("S0-2a D1 the read tools are listed, and nothing else", func(t *testing.T) {
		var names []string
		for _, tool := range list.tools {
			names = append(names, tool.Name)
		}
		slices.Sort(names)
		if diff := cmp.Diff([]string{"aggregate", "fetch", "query_records", "read_record_field", "schema", "search"}, names); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("S0-R4 S0-4a S2-10 S4-3a the whole list stays within its budget", func(t *testing.T) {
		t.Logf("tools/list is %d bytes", len(list.whole))
		if len(list.whole) > maxListBytes {
			t.Errorf("tools/list is %d bytes; the budget is %d", len(list.whole), maxListBytes)
		}
	})
	for i, tool := range list.tools {
		t.Run(tool.Name, func(t *testing.T) {
			compareWithSnapshot(t, filepath.Join("testdata", "list", tool.Name+".json"), list.raw[i])
			if tool.Title == "" || !tool.Annotations.ReadOnly || tool.Annotations.Destructive == nil || *tool.Annotations.Destructive {
				t.Errorf("title %q, annotations %+v", tool.Title, tool.Annotations)
			}
			if _, ok := tool.Input.Properties["connection_id"]; !ok {
				t.Error("S0-2b: connection_id is not advertised")
			}
			if strings.Contains(string(list.raw[i]), "connector_instance_id") {
				t.Error("S0-2b S3-2d: connector_instance_id is advertised")
			}
			if slices.Contains(tool.Input.Required, "connection_id") {
				t.Error("S0-2b: connection_id is required")
			}
			if tool.Input.Type != "object" || tool.Input.AdditionalProperties == nil || *tool.Input.AdditionalProperties {
				t.Errorf("the arguments are %+v, not one closed object", tool.Input)
			}
			for name, property := range tool.Input.Properties {
				checkProperty(t, name, property)
			}
			checkDescription(t, tool.Description)
			if n := len("mcp__pdpp-mcp__" + tool.Name); n >= 60 {
				t.Errorf("D22: server and tool name are %d characters", n)
			}
			for _, keyword := range []string{"$ref", "oneOf", "anyOf", "allOf", "const", "propertyNames", "if", "not"} {
				if bytes.Contains(list.raw[i], []byte(`"`+keyword+`":`)) {
					t.Errorf("D22: the schema uses %s", keyword)
				}
			}
			if bytes.Contains(list.raw[i], []byte("`")) {
				t.Error("D22: a description has a backtick")
			}
			if regexp.MustCompile(`"type":\s*\[`).Match(list.raw[i]) {
				t.Error("D22: the schema has a list of types")
			}
		})
	}
}

// checkProperty checks that an argument has one type and a description (D22).
func checkProperty(t *testing.T, name string, raw json.RawMessage) {
	t.Helper()
	var property struct {
		Type        string `json:"type"`
		Description string `json:"description"`
		Items       struct {
			Type string `json:"type"`
		} `json:"items"`
	}
	if err := json.Unmarshal(raw, &property); err != nil {
		t.Errorf("D22: %s has no single type: %s", name, raw)
		return
	}
	if !slices.Contains([]string{"string", "integer", "array", "object"}, property.Type) || property.Description == "" {
		t.Errorf("%s is %s", name, raw)
	}
	if property.Type == "array" && property.Items.Type != "string" {
		t.Errorf("%s has items of type %q", name, property.Items.Type)
	}
	if name == "filter" { // S3-10a
		if property.Type != "object" {
			t.Errorf("S3-10a: filter is of type %q", property.Type)
		}
		for _, word := range []string{"exact", "range", "gte", "gt", "lte", "lt", `{"status":"paid"`, `{"gte":`} {
			if !strings.Contains(property.Description, word) {
				t.Errorf("S3-10a: filter does not mention %s: %s", word, property.Description)
			}
		}
	}
	if name == "expand_limit" && property.Type != "object" { // S3-R11
		t.Errorf("expand_limit is of type %q", property.Type)
	}
}

func checkDescription(t *testing.T, description string) {
	t.Helper()
	for rule, needle := range map[string]string{
		"S4-2b the description says that the tool only reads": "Read-only",
		"S4-2b the description names the endpoint":            "GET /v1/",
		"S4-4a the description speaks of structured output":   "structured output",
	} {
		if !strings.Contains(strings.ToLower(description), strings.ToLower(needle)) {
			t.Errorf("%s: %s", rule, description)
		}
	}
	// S4-4a, S4-4b, D2, S0-1a: descriptions do not claim that anything is hidden, promise a result-detail control, or mention events,
	// profiles or owner credentials.
	if word := regexp.MustCompile(`(?i)hidden|event|subscri|webhook|profile|toolset|owner|control.plane`).FindString(description); word != "" {
		t.Errorf("the description says %q: %s", word, description)
	}
	if len(description) > 2048 || strings.ContainsAny(description, "\n\r\t") {
		t.Errorf("%d bytes, or several lines: %q", len(description), description)
	}
}

func TestWhichToolsFilterAndExpand(t *testing.T) {
	list := listTools(t)
	having := func(argument string) []string {
		var names []string
		for _, tool := range list.tools {
			if _, ok := tool.Input.Properties[argument]; ok {
				names = append(names, tool.Name)
			}
		}
		slices.Sort(names)
		return names
	}
	for argument, want := range map[string][]string{
		"filter":       {"aggregate", "query_records", "search"}, // S3-10a
		"expand":       {"fetch", "query_records"},               // S3-R11
		"expand_limit": {"fetch", "query_records"},               // S3-R11
		"cursor":       {"query_records", "search"},
		"fields":       {"fetch", "query_records", "schema"},
		"offset":       {"schema"},
		"limit":        {"aggregate", "query_records", "search"},
	} {
		if diff := cmp.Diff(want, having(argument)); diff != "" {
			t.Errorf("%s: %s", argument, diff)
		}
	}
}

// S4-4a: each tool that can return much says how to ask for less.
func TestDescriptionsAdviseToNarrow(t *testing.T) {
	for name, words := range map[string][]string{
		"query_records":     {"limit", "fields", "next_cursor", "aggregate"},
		"aggregate":         {"Prefer"},
		"search":            {"Narrow"},
		"fetch":             {"fields", "read_record_field"},
		"read_record_field": {"limit_chars", "next part"},
		"schema":            {"stream"},
	} {
		description := toolNamed(t, name).Description
		for _, word := range words {
			if !strings.Contains(description, word) {
				t.Errorf("%s does not say %s: %s", name, word, description)
			}
		}
	}
}

// S3-13a
func TestAggregateExplainsOtherCount(t *testing.T) {
	if d := toolNamed(t, "aggregate").Description; !regexp.MustCompile(`other_count.*positive means only the top groups`).MatchString(d) {
		t.Errorf("other_count is not explained: %s", d)
	}
}

// S4-R2, S4-2a: guidance for all tools is in the instructions, once.
func TestNoLongSentenceIsRepeated(t *testing.T) {
	list := listTools(t)
	seen := map[string]string{}
	for _, sentence := range regexp.MustCompile(`[.;:] `).Split(tools.Instructions, -1) {
		seen[sentence] = "the instructions"
	}
	for i, tool := range list.tools {
		texts := []string{tool.Description}
		for _, match := range regexp.MustCompile(`"description":"((?:[^"\\]|\\.)*)"`).FindAllSubmatch(list.raw[i], -1) {
			texts = append(texts, string(match[1]))
		}
		own := map[string]bool{}
		for _, text := range texts {
			for _, sentence := range regexp.MustCompile(`[.;:] `).Split(text, -1) {
				if len(sentence) < 45 || own[sentence] || strings.HasPrefix(sentence, "By field an exact value") {
					continue // each filter describes its own grammar
				}
				own[sentence] = true
				if other, ok := seen[sentence]; ok {
					t.Errorf("%s and %s both say: %s", other, tool.Name, sentence)
				}
				seen[sentence] = tool.Name
			}
		}
	}
}

// D1, S3-8c: tools that are not listed can be called and come last.
func TestAllNamesEachToolOnce(t *testing.T) {
	all := tools.All(tools.Options{RecordBase: recordBase})
	names := map[string]bool{}
	for i, tool := range all {
		if names[tool.Name] || i > 0 && tool.Listed && !all[i-1].Listed {
			t.Errorf("%s occurs twice, or is listed after an unlisted tool", tool.Name)
		}
		names[tool.Name] = true
		checkDescription(t, tool.Description)
	}
}

func TestInstructions(t *testing.T) {
	if len(tools.Instructions) > 1200 {
		t.Errorf("the instructions are %d bytes", len(tools.Instructions))
	}
	if !utf8.ValidString(tools.Instructions) || strings.Contains(tools.Instructions, "`") {
		t.Error("the instructions have a backtick, or are not UTF-8")
	}
	first := firstCharacters(tools.Instructions, 512)
	t.Run("S4-1a the first 512 characters carry the whole pattern", func(t *testing.T) {
		for _, word := range []string{"granted", "schema", "connection_id", "typed object", `{"gte":`, "limit", "page", "next_cursor", "aggregate", "fields"} {
			if !strings.Contains(first, word) {
				t.Errorf("%q is missing in: %s", word, first)
			}
		}
	})
	t.Run("D21 they end at a sentence", func(t *testing.T) {
		if !regexp.MustCompile(`\.[\s]?$`).MatchString(first) {
			t.Errorf("they end with %q", first[max(0, len(first)-40):])
		}
	})
	t.Run("S4-1a S0-1a D2 nobody is asked for an owner's credential, and nothing is said of events", func(t *testing.T) {
		if word := regexp.MustCompile(`(?i)owner|control.plane|bearer|event|subscri|webhook|profile|hidden`).FindString(tools.Instructions); word != "" {
			t.Errorf("the instructions say %q", word)
		}
	})
}

// firstCharacters returns the first n characters, as a host with that limit shows them; the rest must begin on a new line.
func firstCharacters(text string, n int) string {
	runes := []rune(text)
	return string(runes[:min(n, len(runes))])
}

// compareWithSnapshot compares JSON with a snapshot that is indented for readers. The JSON on the wire has no space between its tokens,
// so equal snapshots mean equal bytes.
func compareWithSnapshot(t *testing.T, path string, wire []byte) {
	t.Helper()
	var compact, indented bytes.Buffer
	if err := json.Compact(&compact, wire); err != nil || !bytes.Equal(compact.Bytes(), wire) {
		t.Errorf("the JSON on the wire has spaces: %v", err)
	}
	if err := json.Indent(&indented, wire, "", "  "); err != nil {
		t.Fatal(err)
	}
	got := append(indented.Bytes(), '\n')
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("differs from %s; if that is intended, run go test ./tools -update and read the difference:\n%s", path, cmp.Diff(string(want), string(got)))
	}
}
