package correct

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// CurrencyLeftOut says that a filter compares with an amount that has a currency; "" where it does not.
func CurrencyLeftOut(args rs.Object) string {
	hasCurrency := func(m rs.Member) bool { _, ok := written.WithoutCurrency(m.Value); return ok }
	if slices.ContainsFunc(foreign.Operands(args.Object("filter")), hasCurrency) {
		return "An amount is a number: the call below leaves out its currency, which is a field of its own if the records have several."
	}
	return ""
}

var otherDate = written.Expression(`^"(?:[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2})"$`)

// MistakesDate reports whether a filter has a date of which it is not certain which one is meant, or words where a time is looked for.
func MistakesDate(args rs.Object) bool {
	return slices.ContainsFunc(foreign.Operands(args.Object("filter")), func(m rs.Member) bool {
		return otherDate().MatchString(m.Value) && !written.IsTime(m.Value) || written.IsTimeName(m.Name) && written.IsWord(m.Value)
	})
}

// NoSuchDay says of a date in a call that there is no such day; "" where there is none of that kind.
func NoSuchDay(args rs.Object) string {
	for _, m := range append(foreign.Operands(args.Object("filter")), members(args, sinceUntil...)...) {
		if last, ok := written.LastOfMonth(m.Value); ok {
			return "There is no day " + quote.JSON(m.Value) + ": that month ends with " + last + ", which the call below has."
		} else if day := written.Reordered(m.Value); written.IsTime(day) {
			return "There is no day " + quote.JSON(m.Value) + ": the call below has its day and month the other way round."
		}
	}
	return ""
}
