package render

import (
	"encoding/json"
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// unavailableLine names a connection that could not be read, and why (S3-3a, D14).
func unavailableLine(c rs.UnavailableConnection) string {
	line := "unavailable: connection_id=" + name(c.ID)
	if c.DisplayName != "" {
		line += " " + quote(preview(c.DisplayName, labelChars))
	}
	return line + " (" + name(preview(string(c.Code), labelChars)) + ": " + quote(preview(c.Message, 120)) + ")"
}

// withUnavailable adds to a text what a document of a package could not include. Nothing is left out silently.
func withUnavailable(text string, document object) string {
	raw := document.Get("unavailable_connections")
	if raw == "" {
		return text
	}
	var list []rs.UnavailableConnection
	if json.Unmarshal([]byte(raw), &list) != nil {
		return text
	}
	for i, c := range list {
		if i == rs.MaxConnectionOptions {
			return text + fmt.Sprintf("\n%d more connections could not be read; see structured output.", len(list)-i)
		}
		text += "\n" + clip(unavailableLine(c), LineChars)
	}
	return text
}
