package foreign

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// operatorForm is an operator of the search of a mail or chat program, such as from:anna, at the start of a word and not within quotes.
var operatorForm = written.Expression(`(?i)(^|\s)(-?)(from|sender|to|cc|subject|title|has|is|in|` +
	`label|filename|before|older|until|after|newer|since|on|date|newer_than|older_than):("[^"]+"|\([^)]*\)|[^\s"]+)`)

// A QueryOperator is an operator in a query, such as from:anna.
type QueryOperator struct {
	Name, Value string
	Denied      bool // "-from:anna"
}

// QueryOperators returns the operators in a query, and its words without them.
func QueryOperators(q string) (found []QueryOperator, words string) {
	for {
		at := operatorForm().FindStringSubmatchIndex(q)
		if at == nil || strings.Count(q[:at[6]], `"`)%2 != 0 {
			return found, strings.Join(strings.Fields(q), " ")
		}
		value := strings.ReplaceAll(strings.Trim(q[at[8]:at[9]], `"()`), " OR ", " ") // a search finds some of the words where no record has all
		found = append(found, QueryOperator{strings.ToLower(q[at[6]:at[7]]), value, at[5] > at[4]})
		q = q[:at[0]] + " " + q[at[1]:]
	}
}

// Operator returns the first operator in a query, such as "from:", which search does not know; "" if there is none.
func Operator(q string) string {
	if found, _ := QueryOperators(q); len(found) > 0 {
		return found[0].Name + ":"
	}
	return ""
}

// NamesRecipient reports whether an operator says for whom a record is, which no field that search reads says.
func NamesRecipient(operator string) bool {
	name := strings.TrimSuffix(operator, ":")
	return name == "to" || name == "cc"
}

// RecipientHint says what becomes of such an operator.
const RecipientHint = "Search does not know for whom a record is: the call below looks for those words in any field, also in those of the sender."
