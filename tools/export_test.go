package tools

import (
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// What the tests of this folder use.
var (
	Aggregate       = func() *Tool { return aggregateTool(known.NewSchemas(time.Now)) }
	Fetch           = func(base string) *Tool { return fetchTool(base, known.NewSchemas(time.Now)) }
	QueryRecords    = func() *Tool { return queryRecordsTool(known.NewSchemas(time.Now)) }
	DatedRecords    = func() *Tool { c := known.NewSchemas(time.Now); return readDates(c, queryRecordsTool(c)) }
	ReadRecordField = readRecordFieldTool
	Schema          = func() *Tool { return schemaTool(known.NewSchemas(time.Now)) }
)

// Search is search as it is served, PlainSearch as it is without repair.
func Search(base string) *Tool { return searchTool(base, known.NewSchemas(time.Now), true) }

func PlainSearch(base string) *Tool { return searchTool(base, known.NewSchemas(time.Now), false) }
