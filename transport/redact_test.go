package transport_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// No error quotes the token of its caller, whoever words it: what was sent as a name, a URI or a value of the wrong type, as it is or
// percent-encoded, at any place of a text that is cut. The resource server hears nothing of it, and the id goes back as it came.
func TestNoErrorQuotesTheToken(t *testing.T) {
	const token = "good-token/of+a-caller-0123456789"
	f := newFixture(t, echo)
	for name, message := range map[string]string{
		"a tool": `"method":"tools/call","params":{"name":"TOKEN","arguments":{}}`, "a method": `"method":"TOKEN","params":{}`,
		"a prompt": `"method":"prompts/get","params":{"name":"TOKEN"}`, "a URI": `"method":"resources/read","params":{"uri":"x://TOKEN"}`,
		"a URI of ours": `"method":"resources/read","params":{"uri":"pdpp://thing/bad/TOKEN"}`, "params": `"method":"tools/call","params":["TOKEN"]`,
		"params of no method": `"method":"ping","params":"TOKEN"`,
		"_meta":               `"method":"tools/call","params":{"name":"echo","arguments":{},"_meta":"TOKEN"}`,
		"a long method":       `"method":"` + strings.Repeat("a", 270) + `TOKEN"`, "a longer method": `"method":"` + strings.Repeat("a", 1490) + `TOKEN"`,
		"a long tool": `"method":"tools/call","params":{"name":"` + strings.Repeat("a", 1480) + `TOKEN"}`,
		"a version":   `"method":"initialize","params":{"protocolVersion":["TOKEN"],"capabilities":{},"clientInfo":{"name":"a","version":"1"}}`,
		"a reference": `"method":"completion/complete","params":{"ref":{"type":"TOKEN"}}`,
	} {
		for form, sent := range map[string]string{"as it is": token, "encoded": "good-token%2Fof%2Ba-caller-0123456789", "escaped": `good-token\/of\u002ba-caller-0123456789`} {
			for _, version := range []string{"2025-06-18", "2026-07-28"} {
				headers := map[string]string{"Authorization": "Bearer " + token, "Mcp-Protocol-Version": version}
				got := f.post(t, `{"jsonrpc":"2.0","id":"the id",`+strings.ReplaceAll(message, "TOKEN", sent)+`}`, headers)
				var answer struct {
					ID    any             `json:"id"`
					Error json.RawMessage `json:"error"`
				}
				if err := json.Unmarshal([]byte(got.body), &answer); err != nil || answer.Error == nil || version == "2025-06-18" && answer.ID != "the id" {
					t.Errorf("%s %s in %s: %d %s", name, form, version, got.status, got.body)
				}
				if strings.Contains(got.body, "good-tok") {
					t.Errorf("%s %s in %s is quoted: %s", name, form, version, got.body)
				}
			}
		}
	}
	if f.calls.Load() != 0 {
		t.Errorf("%d calls reached the pipeline", f.calls.Load())
	}
}
