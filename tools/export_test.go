package tools

import "time"

// What the tests of this folder use.
var (
	Aggregate       = func() *Tool { return aggregateTool(newSchemaCache(time.Now)) }
	Fetch           = fetchTool
	QueryRecords    = queryRecordsTool
	ReadRecordField = readRecordFieldTool
	PlainSearch     = plainSearchTool
	Search          = searchTool
)
