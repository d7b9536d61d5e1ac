package foreign

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// FlagOf is the field that says what a flag of messages by another name does, such as is_seen for unread, with the value that is meant;
// "" for none. has reports which fields a stream has.
func FlagOf(name, value string, has func(field string) bool) (field, meant string) {
	plain, denied := strings.CutPrefix(strings.TrimPrefix(written.Snake(name), "is_"), "not_")
	known := Flags["is:"+plain]
	at := slices.IndexFunc(known.Fields, has)
	if at < 0 || has(name) || value != "true" && value != "false" {
		return "", ""
	}
	return known.Fields[at], strconv.FormatBool((value == known.Value) != denied)
}
