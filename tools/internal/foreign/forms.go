package foreign

import (
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Forms of other languages that a text may have.
var (
	// MetricOfField is a metric with its field, such as "sum(total)" and sum_total.
	MetricOfField = written.Expression(`^\s*(?:(\w+)\s*(?:\(\s*(?:(?i:distinct)\s+)?([\w.]+|\*)\s*\)|:\s*([\w.]+))(?:\s+(?i:as)\s+\w+)?|` +
		`((?i)sum|total|avg|average|mean|min|minimum|max|maximum|count_distinct)[_ ](?:of[_ ])?([\w.]+))\s*$`)
	// PartOfTime is a time of SQL that is cut to its hour, day and so on.
	PartOfTime = written.Expression(`(?i)^(?:date_?trunc\(\s*['"]?)?(hour|day|week|month|quarter|year)(?:['"]?\s*,|\()\s*([\w.]+)\s*\)$`)
	// OfValues names a number that can be worked out from values.
	OfValues = written.Expression(`^(?:approx_)?(?:median|percentiles?|quantile|quartile|p\d\d|` +
		`std|stdev|stddev|standard_deviation|variance|var)(?:_|$)`)
	// SQLText is a statement of SQL.
	SQLText = written.Expression(`(?is)^\s*(?:select|with)\s.*\bfrom\b`)
	// AndNot is a word that is left out.
	AndNot = written.Expression(`(?:\s+AND\s+NOT\s+|\s+!)(\w[\w'-]*)`)
	// Lucene is a condition of Lucene.
	Lucene = written.Expression(`^[a-z]\w*:\S`)
	// Every stands before the name of a unit of time, as in "per month".
	Every = written.Expression(`^(?:per|by|each|every|calendar)_`)
	// WholeNumber is a whole number.
	WholeNumber = written.Expression(`^[+-]?[0-9]{1,10}$`)
	// Address is a whole address of mail.
	Address = written.Expression(`^[^@\s]+@[^@\s]+\.[^@\s]+$`)
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
