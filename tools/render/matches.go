package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// readMatches reads how many matches the field has, and where the first of them begin.
func (s *excerptSpan) readMatches(matches object) {
	s.matches, _ = matches.Number("count")
	for _, raw := range matches.Array("starts") {
		if n, err := strconv.Atoi(raw); err == nil {
			s.starts = append(s.starts, n)
		}
	}
}

// nextMatch is the call that reads the first match behind the window; nil where there is none, or its place is not known.
func (s excerptSpan) nextMatch(q WindowQuery) *write.Object {
	const around = 200 // characters before it, and after its beginning
	at := slices.IndexFunc(s.starts, func(start int) bool { return start >= s.end })
	if at < 0 {
		return nil
	}
	a := new(write.Object).Text("id", q.Ref.String()).Text("field", q.Field)
	return a.Put("offset_chars", strconv.Itoa(max(s.starts[at]-around, s.end))).Number("limit_chars", 2*around+utf8.RuneCountInString(q.Q))
}

// said is where the other matches of a field are: " (1 of 3; others at 120, 300)".
func (s excerptSpan) said() string {
	if s.matches < 2 {
		return ""
	}
	var others []string
	for _, start := range s.starts {
		if start != s.matchStart {
			others = append(others, strconv.Itoa(start))
		}
	}
	said := fmt.Sprintf(" (1 of %d; others at %s", s.matches, strings.Join(others, ", "))
	if s.matches > len(s.starts) {
		said += ", …"
	}
	return said + ")"
}
