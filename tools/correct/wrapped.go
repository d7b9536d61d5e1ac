package correct

import (
	"regexp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// isPeriod reports whether two values are the first and the last day or time of a period.
func isPeriod(values []string) bool {
	return len(values) == 2 && isTime(values[0]) && isTime(values[1]) && !Reversed(values[0], values[1])
}

// isTime reports whether a value is a date or time as a filter takes it.
func isTime(raw string) bool {
	s, _ := written.Text(raw)
	_, err := rs.ReadTime(s)
	return err == nil
}

var twoDates = regexp.MustCompile(`(?i)^\s*([0-9][^\s/]*?)(?:\s*(?:\.{2,3}|/)\s*|\s+(?:to|until|till|through|and|-|–|—)\s+)([0-9][^\s/]*)\s*$`)

// periodOf is the range that a text such as "2026-05-01..2026-05-31" means; "" for anything else.
func periodOf(raw string) string {
	s, _ := written.Text(raw)
	found := twoDates.FindStringSubmatch(s)
	if found == nil || !isPeriod([]string{rs.EncodeJSON(found[1]), rs.EncodeJSON(found[2])}) {
		return ""
	}
	return rs.Object{{Name: "gte", Value: rs.EncodeJSON(found[1])}, {Name: "lte", Value: rs.EncodeJSON(found[2])}}.JSON()
}
