package integration

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The tool list says whether a search that finds nothing is repaired.
func TestStdioSwitchesTheRepairOfASearchOff(t *testing.T) {
	for flag, repairs := range map[string]bool{"--search-relax": true, "--search-relax=false": false, "--no-search-relax": false} {
		list, err := overStdio(t, "--demo", flag).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "search" })
		if got := strings.Contains(list.Tools[at].Description, "those with some are listed"); got != repairs {
			t.Errorf("%s: %s", flag, list.Tools[at].Description)
		}
	}
}
