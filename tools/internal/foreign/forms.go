package foreign

import (
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Forms of other languages that a text may have: a metric with its field, such as "sum(total)" and sum_total; a time of SQL that is cut to
// its hour, day and so on; numbers that can be worked out from values; a statement of SQL; a word that is left out; a condition of Lucene; a whole address
// of mail; what stands before the name of a unit of time, as in "per month"; a whole number.
var (
	MetricOfField = written.Expression(`^\s*(?:(\w+)\s*(?:\(\s*(?:(?i:distinct)\s+)?([\w.]+|\*)\s*\)|:\s*([\w.]+))(?:\s+(?i:as)\s+\w+)?|` +
		`((?i)sum|total|avg|average|mean|min|minimum|max|maximum|count_distinct)[_ ](?:of[_ ])?([\w.]+))\s*$`)
	PartOfTime = written.Expression(`(?i)^(?:date_?trunc\(\s*['"]?)?(hour|day|week|month|quarter|year)(?:['"]?\s*,|\()\s*([\w.]+)\s*\)$`)
	OfValues   = written.Expression(`^(?:approx_)?(?:median|percentiles?|quantile|quartile|p\d\d|` +
		`std|stdev|stddev|standard_deviation|variance|var)(?:_|$)`)
	SQLText     = written.Expression(`(?is)^\s*(?:select|with)\s.*\bfrom\b`)
	AndNot      = written.Expression(`(?:\s+AND\s+NOT\s+|\s+!)(\w[\w'-]*)`)
	Lucene      = written.Expression(`^[a-z]\w*:\S`)
	Every       = written.Expression(`^(?:per|by|each|every|calendar)_`)
	WholeNumber = written.Expression(`^[+-]?[0-9]{1,10}$`)
	Address     = written.Expression(`^[^@\s]+@[^@\s]+\.[^@\s]+$`)
)

// NamesTool reports whether an argument names the tool beside its arguments, as {"name":"search","arguments":{…}} does.
func NamesTool(m rs.Member, tool string) bool {
	named, _ := written.Text(m.Value)
	return named == tool && toolNames[written.Snake(m.Name)]
}

var toolNames = written.Set("name tool tool_name function method")

// OperatorWords are names of arguments that other searches have, with the operator that says the same in a query.
var OperatorWords = written.ByWord(map[string]string{
	"from": "from sender author by sender_name from_name written_by sent_by", "to": "to recipient recipients sent_to", "cc": "cc",
	"subject": "subject title",
})
