package tools

import (
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// Internals for the external tests of this package.
var (
	Aggregate       = func() *Tool { return alone(aggregateTool()) }
	Fetch           = func(base string) *Tool { return alone(fetchTool(base)) }
	QueryRecords    = func() *Tool { return alone(queryRecordsTool()) }
	ReadRecordField = readRecordFieldTool
	Schema          = func() *Tool { return alone(schemaTool()) }
)

// Search is the search tool as it is served; PlainSearch is the same without repair.
func Search(base string) *Tool { return alone(searchTool(base, true)) }

func PlainSearch(base string) *Tool { return alone(searchTool(base, false)) }

// alone gives a tool its own schema cache.
func alone(tool *Tool) *Tool {
	tool.schemas = known.NewSchemas(time.Now)
	return tool
}
