package foreign

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// InForm is a condition in the form that a filter takes, where a resource server refused it with a message; "" for one that stays as it is.
func InForm(m rs.Member, message string) string {
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
	p, ok := Read(rs.Object{m}.JSON(), "")
	numbers, usual := written.Numbers(m.Value), written.Reordered(m.Value)
	flag := map[string]string{"0": "false", "1": "true"}[m.Value]
	switch {
	case ok && p.Calls == 1 && p.Filter.Object(m.Name) != nil: // "> 5"
		m.Value = p.Filter.Get(m.Name)
		return cmp.Or(InForm(m, message), m.Value)
	case numbers != nil && isNumber:
		return rs.Object{{Name: "gte", Value: numbers[0]}, {Name: "lte", Value: numbers[1]}}.JSON()
	case flag != "" && strings.Contains(message, "boolean"):
		return flag
	}
	return cmp.Or(written.InField(m.Name, m.Value, isNumber), written.Range(cmp.Or(usual, m.Value)), usual, written.Value(m.Value))
}

// isEitherDay reports whether a date may be two days, such as 03/06/2026.
func isEitherDay(m rs.Member) bool { return len(written.DaysOf(strings.Trim(m.Value, `"`))) > 1 }

// Operands are the values that a filter compares with, each under the name of its field.
func Operands(filter rs.Object) (values rs.Object) {
	for _, m := range filter {
		values = append(values, m)
		for _, bound := range rs.AsObject(m.Value) {
			values = append(values, rs.Member{Name: m.Name, Value: bound.Value})
		}
	}
	return values
}
