package render_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Properties of every answer, for a reader who has nothing else: everything printed can be sent back unchanged, and no text of a record
// can be mistaken for text of the adapter.

var (
	firstFetchID = regexp.MustCompile(`first_fetch_id=(\S+)`)
	lineID       = regexp.MustCompile(`(?m)^([^\s"(]+)(?: (?:\| )?connection_id=(\S+))? (?:\| |field )`)
	recordLine   = regexp.MustCompile(`(?m)^[>+] .*$`)
	callStart    = regexp.MustCompile(`^(` + strings.Join(tools.Names(), "|") + `) \{`)
	placeholders = strings.NewReplacer(`"id":"…"`, `"id":"messages:m1"`, `"stream":"…"`, `"stream":"messages"`)
)

// assertSendable checks that each id, call and continuation of an answer is accepted unchanged: in text a tool's name with its arguments;
// in structured output tool with arguments, next, and ids.
func assertSendable(t *testing.T, tool string, r render.Result) {
	t.Helper()
	if tool != "fetch" { // the text of fetch is the structured result
		text := recordLine.ReplaceAllString(r.Text, "")
		for _, m := range firstFetchID.FindAllStringSubmatch(quotedText.ReplaceAllString(text, `""`), -1) {
			assertID(t, m[1], "")
		}
		for _, m := range lineID.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], ":") && tool != "error" && tool != "fetch_blob" {
				assertID(t, m[1], strings.Trim(m[2], `"`))
			}
		}
		for line := range strings.SplitSeq(text, "\n") {
			assertCalls(t, line)
		}
	}
	structured := rs.AsObject(r.Structured)
	if next := structured.Get("next"); next != "" && !rs.AsObject(next).Has("tool") {
		t.Errorf("next is not a call: %s", next)
	}
	assertMembers(t, structured.Without("data"))
	assertURIs(t, r.Meta)
}

// assertCalls checks the calls of a line that are not inside quotes.
func assertCalls(t *testing.T, line string) {
	t.Helper()
	for i := 0; i < len(line); i++ {
		if line[i] == '"' {
			i += quotedBytes(line[i:]) - 1
			continue
		}
		m := callStart.FindStringSubmatch(line[i:])
		if m == nil || i > 0 && (line[i-1] == '_' || unicode.IsLetter(rune(line[i-1]))) {
			continue
		}
		var arguments json.RawMessage
		from := i + len(m[1]) + 1
		decoder := json.NewDecoder(strings.NewReader(line[from:]))
		if err := decoder.Decode(&arguments); err != nil {
			t.Errorf("printed arguments are not JSON: %v: %.100s", err, line[i:])
			return
		}
		assertCall(t, m[1], json.RawMessage(placeholders.Replace(string(arguments))))
		i = from + int(decoder.InputOffset()) - 1
	}
}

// quotedBytes returns the length of the JSON string at the start of a text, or of the whole text if the string does not end.
func quotedBytes(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// assertCall checks that a tool accepts the arguments.
func assertCall(t *testing.T, name string, arguments json.RawMessage) {
	t.Helper()
	tool := toolNamed(name)
	if tool == nil {
		t.Errorf("no tool is named %q", name)
		return
	}
	args, err := tool.Parse(arguments)
	if err == nil {
		_, err = args.Scope()
	}
	if err != nil {
		t.Errorf("%s does not accept the call that was printed for it: %v: %.200s", name, err, arguments)
	}
}

// assertID checks that fetch accepts an id. A URL and result:3 are not ids of records and are left unchanged (S2-9).
func assertID(t *testing.T, id, connection string) {
	t.Helper()
	if strings.HasPrefix(id, "https://") || strings.HasPrefix(id, "result:") {
		return
	}
	arguments := map[string]string{"id": id}
	if connection != "" && rs.UnsafeName(connection) == "" {
		arguments["connection_id"] = connection
	}
	assertCall(t, "fetch", json.RawMessage(rs.EncodeJSON(arguments)))
}

// assertMembers looks through structured output for ids, calls and continuations.
func assertMembers(t *testing.T, o rs.Object) {
	t.Helper()
	if arguments := o.Get("arguments"); o.Text("tool") != "" && arguments != "" {
		assertCall(t, o.Text("tool"), json.RawMessage(arguments))
	}
	for _, m := range o {
		switch text, _ := rs.AsText(m.Value); {
		case m.Name == "rs" || m.Name == "arguments": // rs is the resource server's own data; arguments are checked above
		case m.Name == "id" && rs.Kind(m.Value) == "string":
			assertID(t, text, "")
		case m.Name == "blob_id" && rs.Kind(m.Value) == "string":
			assertCall(t, "fetch_blob", json.RawMessage(rs.EncodeJSON(map[string]string{m.Name: text})))
		default:
			assertMembers(t, rs.AsObject(m.Value))
			list, _ := rs.AsArray(m.Value)
			for _, element := range list {
				assertMembers(t, rs.AsObject(element))
			}
		}
	}
}

// assertURIs checks that each resource URI in _meta can be read.
func assertURIs(t *testing.T, meta map[string]any) {
	t.Helper()
	var uris []string
	for _, value := range meta {
		switch value := value.(type) {
		case string:
			uris = append(uris, value)
		case []string:
			uris = append(uris, value...)
		}
	}
	for _, uri := range uris {
		taken := slices.ContainsFunc(tools.Resources(allTools()), func(r tools.Resource) bool {
			call, err := r.Call(uri)
			if err == nil && (r.Template || r.URI == uri) {
				_, err = call.Tool.Parse(call.Raw)
			}
			return err == nil && (r.Template || r.URI == uri)
		})
		if strings.HasPrefix(uri, "pdpp://") && !taken {
			t.Errorf("no resource accepts %.200s", uri)
		}
	}
}

// Tag characters are only allowed in an emoji flag.
var emojiFlag = regexp.MustCompile(`\x{1F3F4}[\x{E0020}-\x{E007E}]+\x{E007F}`)

// assertHarmless checks, independently of the code that removes them, that neither channel has characters that control a terminal, hide
// text or flood a screen (D19).
func assertHarmless(t *testing.T, r render.Result) {
	t.Helper()
	check := func(where, text string) {
		marks := 0
		for _, c := range emojiFlag.ReplaceAllString(text, "") {
			if marks++; !unicode.In(c, unicode.Mn, unicode.Me) {
				marks = 0
			}
			switch {
			case c == '\n' || c == '\t':
			case marks > 10, unicode.IsControl(c), c >= 0x202A && c <= 0x202E, c >= 0x2066 && c <= 0x206F,
				c == 0x2028, c == 0x2029, c == 0xFEFF, c >= 0xE0000 && c <= 0xE007F, c >= 0xFDD0 && c <= 0xFDEF, c&0xFFFE == 0xFFFE:
				t.Errorf("D19: %s contains %U", where, c)
				return
			}
		}
	}
	check("text", r.Text)
	var visit func(value any)
	visit = func(value any) {
		switch value := value.(type) {
		case string:
			check("structured output", value)
		case []any:
			for _, element := range value {
				visit(element)
			}
		case map[string]any:
			for name, member := range value {
				check("a name in structured output", name)
				visit(member)
			}
		}
	}
	var value any
	if err := json.Unmarshal([]byte(r.Structured), &value); err != nil {
		t.Error(err)
	}
	visit(value)
}

// Texts in the records and in the labels of connections; every hostile case has the first.
const (
	canary = "CANARY"
	label  = "LABELLED"
)

var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// assertCells checks that text of a record is in a cell of a table or after the name of a field, and that unquoted text there can only be
// read as a value.
func assertCells(t *testing.T, line string) {
	t.Helper()
	first, rest, isRow := strings.Cut(quotedText.ReplaceAllString(recordURI.ReplaceAllString(line, ""), `""`), " | ")
	if !isRow {
		first, rest, _ = strings.Cut(first, ": ")
	}
	if strings.Contains(first, canary) || strings.Contains(rest, canary) && (strings.ContainsAny(rest, "{}<>=") || strings.Contains(rest, "next page: ")) {
		t.Errorf("text of a record is outside a cell: %.200s", line)
	}
}

// recordURI is one word, in which a record's id is percent-encoded.
var recordURI = regexp.MustCompile(`pdpp://record/[\w.~%:@&=+$/-]+`)

// assertCanaries checks that text of records is inside quotes or after "> ", and that no line begins with it.
func assertCanaries(t *testing.T, name string, tool *tools.Tool, isError bool, body []byte, r render.Result) {
	t.Helper()
	if strings.HasPrefix(name, "hostile") && !strings.Contains(string(body), canary) {
		t.Errorf("a hostile case without %s proves nothing", canary)
	}
	text, quoted := r.Text, true
	switch {
	case tool.Name == "fetch" && !isError: // the result is one string, in which each value follows its name
		text, quoted = rs.AsObject(r.Structured).Text("text"), false
	case isError: // the resource server's message follows its code
		quoted = false
	}
	for line := range strings.SplitSeq(recordLine.ReplaceAllString(text, ""), "\n") {
		if begin := strings.TrimLeft(line, " "); strings.HasPrefix(begin, canary) || strings.HasPrefix(begin, label) {
			t.Errorf("a line begins with text of a record, or with a label: %.120s", line)
		}
		if (tool.Name == "query_records" || tool.Name == "search") && !isError {
			assertCells(t, line)
			continue
		}
		if quoted && strings.Contains(quotedText.ReplaceAllString(recordURI.ReplaceAllString(line, ""), ""), canary) {
			t.Errorf("text of a record is outside quotes: %.200s", line)
		}
	}
}
