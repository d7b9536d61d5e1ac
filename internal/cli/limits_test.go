package cli

import (
	"testing"

	"github.com/alecthomas/kong"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// What serve limits when nothing is said is what a Go program gets that says nothing.
func TestTheFlagsDefaultsAreTheDoors(t *testing.T) {
	var flags limitFlags
	parser, err := kong.New(&flags)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if got := flags.limits(); got != middleware.DefaultLimits() {
		t.Errorf("got %+v, want %+v", got, middleware.DefaultLimits())
	}
}
