package tools

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// toolWords are words in the names that other servers give to what a tool does, those that decide first.
var toolWords = [][2]string{
	{"streams", "schema"}, {"tables", "schema"}, {"sources", "schema"}, {"connections", "schema"}, {"describe", "schema"},
	{"count", "aggregate"}, {"sum", "aggregate"}, {"group", "aggregate"}, {"stats", "aggregate"},
	{"find", "search"}, {"lookup", "search"}, {"grep", "search"},
	{"records", "query_records"}, {"query", "query_records"}, {"list", "query_records"}, {"select", "query_records"}, {"sql", "query_records"},
	{"get", "fetch"}, {"retrieve", "fetch"}, {"open", "fetch"}, {"read", "fetch"},
}

// Nearest is the tool that a name is probably meant for; "" for none.
func Nearest(name string, names []string) string {
	near := append(written.Nearest(name, names, 1), "")[0]
	if near != "" && written.Distance(written.Snake(name), near) <= 2 {
		return near
	}
	words := strings.Split(written.Snake(name), "_")
	for _, known := range toolWords {
		if slices.Contains(words, known[0]) && !slices.Contains(words, near) {
			return known[1]
		}
	}
	return near
}
