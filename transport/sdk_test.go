package transport_test

import (
	"strings"
	"testing"
)

// A client with a good token must not be able to fill the operator's log at error level.
func TestAClientsFaultsAreNoErrorsInTheLog(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}`
	for method, params := range map[string]string{
		"ping": "", "logging/setLevel": `"level":"info",`, "resources/subscribe": `"uri":"pdpp://fixed",`, "resources/unsubscribe": `"uri":"pdpp://fixed",`,
		"initialize": `"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"t","version":"0"},`,
	} {
		t.Run(method, func(t *testing.T) {
			f := newFixture(t, echo)
			got := f.post(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+meta+`}}`, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method})
			if !strings.Contains(got.body, "-32601") {
				t.Fatalf("%d %s", got.status, got.body)
			}
			f.Close()
			for line := range strings.Lines(f.log.String()) {
				if !strings.Contains(line, `"level":"info"`) || !strings.Contains(line, `"message":"request"`) {
					t.Errorf("the log says %s", line)
				}
			}
		})
	}
}
