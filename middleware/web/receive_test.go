package web_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// A body that has not come takes no slot of a call, so it does not hold up other calls of its grant. Of larger bodies, only those for which
// there are slots are received at a time.
func TestABodyThatHasNotComeHoldsUpNoCall(t *testing.T) {
	const slot = 8 << 10
	for name, row := range map[string]struct {
		stalled []int // bytes that have come of each earlier body
		length  int64 // that these announce; -1: none
		next    int   // bytes of the next call's body
		status  int
	}{
		"bodies of which one byte has come":              {slices.Repeat([]int{1}, 100), 100, 100, 200},
		"bodies of which nothing has come":               {slices.Repeat([]int{0}, 100), -1, 100, 200},
		"large bodies of which little has come":          {slices.Repeat([]int{slot - 1}, 100), 128 << 10, 128 << 10, 200},
		"large bodies, and a small call":                 {slices.Repeat([]int{slot + 1}, 100), 128 << 10, 100, 200},
		"large bodies for all slots, and one more":       {[]int{slot + 1, slot + 1}, 2 * slot, slot, 429},
		"large bodies for most slots, and a last":        {[]int{slot + 1}, 3 * slot, slot, 200},
		"large bodies for most slots, and one too large": {[]int{slot + 1}, 3 * slot, slot + 1, 429},
		"a large body of unknown length":                 {[]int{slot + 1}, -1, slot, 429},
		"a large body of the only call":                  {nil, 0, 128 << 10, 200},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handler := web.Limit(web.NewLimiter(web.Limits{CallsPerGrant: 4, Calls: 4}, time.Now))(
					http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
						if body, err := io.ReadAll(r.Body); err != nil || string(body) != strings.Repeat("x", row.next) {
							t.Errorf("the call gets %d bytes of %d, %v", len(body), row.next, err)
						}
					}))
				for _, come := range row.stalled {
					rest, stop := io.Pipe()
					defer func() { _ = stop.CloseWithError(io.ErrUnexpectedEOF) }()
					go limited(handler, func(r *http.Request) {
						bearerOf("t", "g")(r)
						r.Body, r.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader(strings.Repeat("x", come)), rest)), row.length
					})
				}
				synctest.Wait()
				w := limited(handler, func(r *http.Request) {
					bearerOf("t", "g")(r)
					r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat("x", row.next))), int64(row.next)
				})
				if w.Code != row.status {
					t.Errorf("the next call is answered %d %s, want %d", w.Code, w.Body, row.status)
				}
			})
		})
	}
}
