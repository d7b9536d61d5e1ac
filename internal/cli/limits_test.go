package cli

import (
	"testing"

	"github.com/alecthomas/kong"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// What serve limits when nothing is said is what a Go program gets that says nothing.
func TestTheFlagsDefaultsAreTheDefaultLimits(t *testing.T) {
	var flags limitFlags
	parser, err := kong.New(&flags)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if got := flags.limits(); got != web.DefaultLimits() {
		t.Errorf("got %+v, want %+v", got, web.DefaultLimits())
	}
}
