package write

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Sharing keeps as many items as fit completely or with at least the minimum each: with one more, the fair share would be below the
// minimum.
func TestSharing(t *testing.T) {
	for name, row := range map[string]struct {
		sizes            []int
		remaining, least int
		want             int
	}{
		"all that fit are kept":                                     {[]int{10, 20, 30}, 60, 64, 3},
		"large items are truncated to leave space for others":       {[]int{900, 10, 900}, 220, 100, 3},
		"an item that would have less than the minimum is not kept": {[]int{900, 10, 900}, 200, 100, 2},
		"even the first item may be too large":                      {[]int{900, 10}, 99, 100, 0},
		"a small item after that is not kept either":                {[]int{100, 101, 1}, 199, 100, 1},
		"without a minimum all are kept":                            {[]int{900, 900}, 10, 0, 2},
		"without remaining bytes nothing is kept":                   {[]int{10}, -5, 64, 0},
		"without items nothing is kept":                             {nil, 10, 64, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := Sharing(row.sizes, row.remaining, row.least)
			if got != row.want {
				t.Errorf("%d of %v are kept, want %d", got, row.sizes, row.want)
			}
			if FairShare(row.sizes[:got], row.remaining) < row.least {
				t.Errorf("the share of %v is less than %d", row.sizes[:got], row.least)
			}
			if got < len(row.sizes) && FairShare(row.sizes[:got+1], row.remaining) >= row.least {
				t.Errorf("%v could be kept too", row.sizes[got])
			}
		})
	}
}

// FuzzFit: a value truncated to any size is valid JSON within that size, and a value that fits is unchanged.
func FuzzFit(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":"ééééé🚀"}],"c":"x"}`), 20)
	f.Add([]byte(`"`+strings.Repeat("a", 300)+`"`), 120)
	f.Add([]byte(`{"`+strings.Repeat("n", 250)+`":"`+strings.Repeat("a", 300)+`","b":"`+strings.Repeat("a", 300)+`"}`), 400)
	f.Add([]byte(`{"`+strings.Repeat("n", 3000)+`":1,"b":2}`), 100)
	f.Add([]byte(strings.Repeat("[", 500)+strings.Repeat("]", 500)), 30)
	f.Add([]byte(`"\u0000\u0000\ud83d\ude00<>&"`), 9)
	f.Fuzz(func(t *testing.T, raw []byte, max int) {
		compact, err := rs.Compact(`{"v":` + string(raw) + "}")
		if err != nil || max < 4 || max > 5000 {
			return
		}
		got := Truncate(compact, max)
		if len(got) > max || !json.Valid([]byte(got)) || !utf8.ValidString(got) {
			t.Errorf("truncateJSON(%s, %d) = %s", compact, max, got)
		}
		if len(compact) <= max && got != compact {
			t.Errorf("%s fits %d bytes, and became %s", compact, max, got)
		}
	})
}
