package written

import (
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
)

// Text is the text of a JSON string; false for any other value.
func Text(raw string) (string, bool) {
	if rs.Kind(raw) != "string" {
		return "", false
	}
	return rs.AsText(raw)
}

// Object reads one JSON object. A name given twice is an error, because parsers disagree on which one counts.
func Object(raw string) (rs.Object, error) {
	object, err := rs.ReadObject(raw)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, m := range object {
		if seen[m.Name] {
			return nil, fmt.Errorf("%s is given twice", quote.Exact(m.Name))
		}
		seen[m.Name] = true
	}
	return object, nil
}
