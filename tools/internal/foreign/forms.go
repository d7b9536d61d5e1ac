package foreign

import (
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Notations of other query languages.
var (
	// metricOfField matches a metric with its field, such as "sum(total)" and sum_total.
	metricOfField = written.Expression(`^\s*(?:(\w+)\s*(?:\(\s*(?:(?i:distinct)\s+)?([\w.]+|\*)\s*\)|:\s*([\w.]+))(?:\s+(?i:as)\s+\w+)?|` +
		`((?i)sum|total|avg|average|mean|min|minimum|max|maximum|count_distinct)[_ ](?:of[_ ])?([\w.]+))\s*$`)
	// PartOfTime matches a time that SQL truncates to its hour, day and so on.
	PartOfTime = written.Expression(`(?i)^(?:date_?trunc\(\s*['"]?)?(hour|day|week|month|quarter|year)(?:['"]?\s*,|\()\s*([\w.]+)\s*\)$`)
	// OfValues matches the name of a number that can be worked out from values, such as the median.
	OfValues = written.Expression(`^(?:approx_)?(?:median|percentiles?|quantile|quartile|p\d\d|` +
		`std|stdev|stddev|standard_deviation|variance|var)(?:_|$)`)
	// SQLText matches an SQL statement.
	SQLText = written.Expression(`(?is)^\s*(?:select|with)\s.*\bfrom\b`)
	// andNot matches an excluded word.
	andNot = written.Expression(`(?:\s+AND\s+NOT\s+|\s+!)(\w[\w'-]*)`)
	// Lucene matches a Lucene condition.
	Lucene = written.Expression(`^[a-z]\w*:\S`)
	// Every matches the word before the name of a unit of time, as in "per month".
	Every = written.Expression(`^(?:per|by|each|every|calendar)_`)
	// WholeNumber matches a whole number of up to 10 digits.
	WholeNumber = written.Expression(`^[+-]?[0-9]{1,10}$`)
	// Address matches a complete mail address.
	Address = written.Expression(`^[^@\s]+@[^@\s]+\.[^@\s]+$`)
)

// NamesTool reports whether an argument names the tool next to its arguments, as in {"name":"search","arguments":{…}}.
func NamesTool(m rs.Member, tool string) bool {
	named, _ := written.Text(m.Value)
	return named == tool && toolNames[written.Snake(m.Name)]
}

var toolNames = written.Set("name tool tool_name function method")

// OperatorWords maps names of arguments in other searches to the operator with the same meaning in a query.
var OperatorWords = written.ByWord(map[string]string{
	"from": "from sender author by sender_name from_name written_by sent_by", "to": "to recipient recipients sent_to", "cc": "cc",
	"subject": "subject title",
})
