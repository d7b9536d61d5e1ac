package known

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Reading a schema takes work in proportion to its size: many connections may have a stream of one name, and a stream many numbers.
func TestReadingASchemaTakesWorkInProportion(t *testing.T) {
	for _, row := range []struct{ streams, numbers int }{{5000, 1}, {1, 50_000}} {
		var fields, streams strings.Builder
		for i := range row.numbers {
			fmt.Fprintf(&fields, `"amount_%d":"t=number,r=gte|lte,a=sum",`, i)
		}
		for i := range row.streams {
			fmt.Fprintf(&streams, `{"name":"messages","connection_id":"c%d","field_capabilities":{%s"at":"t=timestamp,role=event-time"}},`, i, fields.String())
		}
		response := &rs.Response{Body: `{"detail":"compact","streams":[` + strings.TrimSuffix(streams.String(), ",") + `]}`}
		start := time.Now()
		ReadStream(response.Schema(), rs.Scope{})
		if spent := time.Since(start); spent > 10*time.Second {
			t.Errorf("%s for %d streams with %d numbers", spent, row.streams, row.numbers)
		}
	}
}
