package render

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

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
