package tools

import (
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// What the tests of this folder use.
var (
	Aggregate       = func() *Tool { return alone(aggregateTool()) }
	Fetch           = func(base string) *Tool { return alone(fetchTool(base)) }
	QueryRecords    = func() *Tool { return alone(queryRecordsTool()) }
	ReadRecordField = readRecordFieldTool
	Schema          = func() *Tool { return alone(schemaTool()) }
)

// Search is search as it is served, PlainSearch as it is without repair.
func Search(base string) *Tool { return alone(searchTool(base, true)) }

func PlainSearch(base string) *Tool { return alone(searchTool(base, false)) }

// alone is a tool with schemas of its own.
func alone(tool *Tool) *Tool {
	tool.schemas = known.NewSchemas(time.Now)
	return tool
}
