package correct

import (
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
)

// maxShown bounds the names that a sentence lists.
const maxShown = 12

// CallForEach says that a proposed call is the first of several.
func CallForEach(calls int) string {
	return fmt.Sprintf("This needs a call for each of the %d; the one below is the first.", calls)
}

// severalCalls says that a call asks for the first of several alternatives.
func severalCalls(calls int) string {
	return "A filter has no or, and one value a field. " + CallForEach(calls)
}

// excludedHint says how the records are found that a condition on no value, or on any but one, asks for: by groups, or in the records.
func excludedHint(t Tool, excluded rs.Member, args rs.Object) string {
	field, grouped := quote.Line(excluded.Name), args.Has("group_by") || args.Has("group_by_time")
	has, groups, among := "no value", "the group null is the records without ", "look at "+field+" in the records."
	if excluded.Value == foreign.AnyOf {
		has, groups, among = "any value", "all groups but null are the records with ", "pass over the records without "+field+"."
	}
	switch absent := excluded.Value == foreign.NoneOf || excluded.Value == foreign.AnyOf; {
	case absent && t.Name == "aggregate" && !grouped:
		return "No filter finds what has " + has + "; in the call below, " + groups + field + "."
	case absent:
		return "No filter finds what has " + has + ": leave that condition out and " + among
	case grouped:
		return "No filter excludes a value: leave that condition out, or group by " + field + "."
	}
	return "No filter excludes a value: the call below groups by " + field + ", and the other groups are what is asked for."
}
