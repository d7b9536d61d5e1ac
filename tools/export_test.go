package tools

import "time"

// What the tests of this folder use.
var (
	Aggregate       = func() *Tool { return aggregateTool(newSchemaCache(time.Now)) }
	Fetch           = func(base string) *Tool { return fetchTool(base, newSchemaCache(time.Now)) }
	QueryRecords    = func() *Tool { return queryRecordsTool(newSchemaCache(time.Now)) }
	ReadRecordField = readRecordFieldTool
	Schema          = schemaTool
)

// Search is search as it is served, PlainSearch as it is without repair.
func Search(base string) *Tool { return searchTool(base, newSchemaCache(time.Now), true) }

func PlainSearch(base string) *Tool { return searchTool(base, newSchemaCache(time.Now), false) }
