package render

import (
	"encoding/json"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// dataResult is the envelope of the tools that return the resource server's body as it is.
func dataResult(text string, body json.RawMessage) Result {
	return Result{Text: text, Structured: object{pair("data", body)}.JSON()}
}

// recordURL is the adapter's own address of a record, never empty: the citation of last resort (D20).
func recordURL(base string, ref rs.Ref) string {
	base = strings.TrimRight(base, "/")
	if ref.Stream == "" || ref.RecordID == "" {
		return base + "/v1/search"
	}
	u := base + rs.Path("streams", ref.Stream, "records", ref.RecordID)
	if ref.ConnectionID != "" {
		u += "?connection_id=" + queryEscape(ref.ConnectionID)
	}
	if longerThan(u, maxURLChars) {
		return base + "/v1/search"
	}
	return u
}
