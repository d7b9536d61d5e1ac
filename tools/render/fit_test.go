package render

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// FuzzFit: whatever is cut to whatever size stays JSON, within it, and what fits is not touched.
func FuzzFit(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":"ééééé🚀"}],"c":"x"}`), 20)
	f.Add([]byte(`"`+strings.Repeat("a", 300)+`"`), 120)
	f.Add([]byte(strings.Repeat("[", 500)+strings.Repeat("]", 500)), 30)
	f.Add([]byte(`"\u0000\u0000\ud83d\ude00<>&"`), 9)
	f.Fuzz(func(t *testing.T, raw []byte, max int) {
		compact, err := rs.Compact(`{"v":` + string(raw) + "}")
		if err != nil || max < 4 || max > 5000 {
			return
		}
		got := fitted(compact, max)
		if len(got) > max || !json.Valid([]byte(got)) || !utf8.ValidString(got) {
			t.Errorf("fitted(%s, %d) = %s", compact, max, got)
		}
		if len(compact) <= max && got != compact {
			t.Errorf("%s fits %d bytes, and became %s", compact, max, got)
		}
	})
}
