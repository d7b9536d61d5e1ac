package tools

// What the tests of this folder use.
var (
	Aggregate       = aggregateTool
	Fetch           = fetchTool
	QueryRecords    = queryRecordsTool
	ReadRecordField = readRecordFieldTool
	PlainSearch     = plainSearchTool
	Search          = searchTool
)
