package render

import (
	"net/url"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// recordURL is the adapter's own address of a record, never empty: the citation of last resort (D20). It is made in the
// into texts.
func recordURL(texts *texts, base string, ref rs.Ref) string {
	base = strings.TrimRight(base, "/")
	if ref.Stream == "" || ref.RecordID == "" {
		return texts.join(base, "/v1/search")
	}
	question, connection := "", ""
	if ref.ConnectionID != "" {
		question, connection = "?connection_id=", queryEscape(ref.ConnectionID)
	}
	address := texts.join(base, "/v1/streams/", url.PathEscape(ref.Stream), "/records/", url.PathEscape(ref.RecordID), question, connection)
	if longerThan(address, maxURLChars) {
		return texts.join(base, "/v1/search")
	}
	return address
}
