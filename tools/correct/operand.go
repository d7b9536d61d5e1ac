package correct

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// inForm is a condition in the form that a filter takes, where a resource server refused it with a message; "" for one that stays as it is.
func inForm(m rs.Member, message string) string {
	isNumber := strings.Contains(message, "number")
	if bounds := rs.AsObject(m.Value); bounds != nil {
		mended := bounds
		for _, r := range bounds {
			operator, value := written.Bound(r.Name, cmp.Or(written.Reordered(r.Value), r.Value))
			if _, isLast := written.LastOfMonth(r.Value); isLast && operator == "lt" { // which the last day is before
				operator = "lte"
			}
			value = cmp.Or(written.InField(m.Name, r.Value, isNumber), value, written.Reordered(r.Value))
			if value != "" && operator != r.Name {
				mended = mended.Without(r.Name)
			}
			if value != "" {
				mended = mended.With(operator, value)
			}
		}
		if slices.Equal(mended, bounds) || slices.ContainsFunc(mended, isEitherDay) { // it would be refused again
			return ""
		}
		return mended.JSON()
	}
	p, ok := foreign.Read(rs.Object{m}.JSON(), "")
	numbers, usual := written.Numbers(m.Value), written.Reordered(m.Value)
	flag := map[string]string{"0": "false", "1": "true"}[m.Value]
	switch {
	case ok && p.Calls == 1 && p.Filter.Object(m.Name) != nil: // "> 5"
		m.Value = p.Filter.Get(m.Name)
		return cmp.Or(inForm(m, message), m.Value)
	case numbers != nil && isNumber:
		return rs.Object{{Name: "gte", Value: numbers[0]}, {Name: "lte", Value: numbers[1]}}.JSON()
	case flag != "" && strings.Contains(message, "boolean"):
		return flag
	}
	return cmp.Or(written.InField(m.Name, m.Value, isNumber), written.Range(cmp.Or(usual, m.Value)), usual, written.Value(m.Value))
}

// isEitherDay reports whether a date may be two days, such as 03/06/2026.
func isEitherDay(m rs.Member) bool { return len(written.DaysOf(strings.Trim(m.Value, `"`))) > 1 }

// operands are the values that a filter compares with, each under the name of its field.
func operands(filter rs.Object) (values rs.Object) {
	for _, m := range filter {
		values = append(values, m)
		for _, bound := range rs.AsObject(m.Value) {
			values = append(values, rs.Member{Name: m.Name, Value: bound.Value})
		}
	}
	return values
}

// CurrencyLeftOut says that a filter compares with an amount that has a currency; "" where it does not.
func CurrencyLeftOut(args rs.Object) string {
	hasCurrency := func(m rs.Member) bool { _, ok := written.WithoutCurrency(m.Value); return ok }
	if slices.ContainsFunc(operands(args.Object("filter")), hasCurrency) {
		return "An amount is a number: the call below leaves out its currency, which is a field of its own if the records have several."
	}
	return ""
}

var otherDate = written.Expression(`^"(?:[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2})"$`)

// MistakesDate reports whether a filter has a date of which it is not certain which one is meant, or words where a time is looked for.
func MistakesDate(args rs.Object) bool {
	return slices.ContainsFunc(operands(args.Object("filter")), func(m rs.Member) bool {
		return otherDate().MatchString(m.Value) && !written.IsTime(m.Value) || written.IsTimeName(m.Name) && written.IsWord(m.Value)
	})
}

// NoSuchDay says of a date in a call that there is no such day; "" where there is none of that kind.
func NoSuchDay(args rs.Object) string {
	for _, m := range append(operands(args.Object("filter")), members(args, sinceUntil...)...) {
		if last, ok := written.LastOfMonth(m.Value); ok {
			return "There is no day " + quote.JSON(m.Value) + ": that month ends with " + last + ", which the call below has."
		} else if day := written.Reordered(m.Value); written.IsTime(day) {
			return "There is no day " + quote.JSON(m.Value) + ": the call below has its day and month the other way round."
		}
	}
	return ""
}
