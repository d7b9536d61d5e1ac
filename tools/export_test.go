package tools

import (
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// Internals for the external tests of this package.
var (
	Aggregate       = func() *Tool { return withOwnCache(aggregateTool()) }
	Fetch           = func(base string) *Tool { return withOwnCache(fetchTool(base)) }
	QueryRecords    = func() *Tool { return withOwnCache(queryRecordsTool()) }
	ReadRecordField = readRecordFieldTool
	Schema          = func() *Tool { return withOwnCache(schemaTool()) }
)

// Search is the search tool without the context of hits; PlainSearch is the same without repair.
func Search(base string) *Tool {
	return withOwnCache(searchTool(Options{RecordBase: base, NoHitContext: true}))
}

func PlainSearch(base string) *Tool {
	return withOwnCache(searchTool(Options{RecordBase: base, NoSearchRelax: true, NoHitContext: true}))
}

// withOwnCache gives a tool its own schema cache.
func withOwnCache(tool *Tool) *Tool {
	tool.schemas = known.NewSchemas(time.Now)
	return tool
}
