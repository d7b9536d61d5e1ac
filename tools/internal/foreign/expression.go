// Package foreign reads arguments in the notation of other languages and APIs, above all filters, JSON or text, and plans what one call can
// ask. Its functions are pure.
package foreign

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A filter in any notation is read once, into an expression. The plan of the expression is what one call can ask of it. A new notation of
// JSON goes into json.go, a new notation of text into text.go, and a new word for an operator into operators.go.

// An expression is a filter as a list of alternatives. In an alternative all conditions must hold. An expression without alternatives was
// not understood.
type expression [][]condition

// A condition compares a field with a value, which is JSON. Its operator is that of a range, "" for equality, or one of those below.
type condition struct {
	field, operator, value string
	denied                 bool
}

// Operators that the filters of this program lack.
const (
	oneOf  = "in"    // the value is an array
	within = "~text" // a part of a text, in one of many ways; no filter has this name
	absent = "is_null"

	between  = "between" // read as two bounds
	datePart = "part"    // read as a range
)

// Limits of what is read: a filter has at most 50 conditions, and people nest them only a few levels deep.
const (
	maxConditions = 50
	maxNesting    = 16
)

// everything is the expression of a filter without conditions.
var everything = expression{{}}

func (e expression) and(other expression) (all expression) {
	if len(e)*len(other) > maxConditions {
		return nil
	}
	for _, one := range e {
		for _, two := range other {
			all = append(all, slices.Concat(one, two))
		}
	}
	return all
}

func (e expression) or(other expression) expression {
	if e == nil || other == nil || len(e)+len(other) > maxConditions {
		return nil
	}
	return slices.Concat(e, other)
}

func (e expression) not() expression {
	if e == nil {
		return nil
	}
	all := everything
	for _, conditions := range e {
		var either expression
		for _, c := range conditions {
			c.denied = !c.denied
			either = append(either, []condition{c})
		}
		all = all.and(either)
	}
	return all
}

// apart makes each condition of the only alternative one of its own.
func (e expression) apart() (any expression) {
	if len(e) != 1 {
		return nil
	}
	for _, c := range e[0] {
		any = append(any, []condition{c})
	}
	return any
}

// affirmed returns the opposite condition in place of a denied one, if there is one.
func (c condition) affirmed() condition {
	switch opposite, ok := rs.Opposite(c.operator); {
	case c.denied && c.operator == "" && rs.Kind(c.value) == "boolean":
		c.value, c.denied = map[string]string{"true": "false", "false": "true"}[c.value], false
	case c.denied && ok:
		c.operator, c.denied = opposite, false
	}
	return c
}

// turned swaps the two bounds of a range that was written in the wrong order.
func (e expression) turned() expression {
	if len(e) != 1 {
		return e
	}
	conditions := slices.Clone(e[0])
	lower := slices.IndexFunc(conditions, func(c condition) bool { return rs.IsLowerBound(c.operator) })
	upper := slices.IndexFunc(conditions, func(c condition) bool { return rs.IsUpperBound(c.operator) })
	if lower >= 0 && upper >= 0 && written.Reversed(conditions[lower].value, conditions[upper].value) {
		conditions[lower].value, conditions[upper].value = conditions[upper].value, conditions[lower].value
	}
	return expression{conditions}
}

// A Plan is what one call can ask of an expression: its first alternative.
type Plan struct {
	Filter   rs.Object
	Excluded *rs.Member // a condition that groups show: the value that a field must not have, NoneOf or AnyOf
	Others   []string   // further fields with such values
	Sought   *rs.Member // a text to look for within a field
	Calls    int        // the number of calls for all alternatives
	Overlaps bool       // a record may be in several of the alternatives: they are about different fields
	Never    string     // the field with conditions that no value fulfils
}

// Values of [Plan.Excluded] for conditions on no particular value: the field must have none, or it must have any.
const (
	NoneOf = "null"
	AnyOf  = "any"
)

// IsAbsent reports whether a condition is on a missing value, or on any value.
func IsAbsent(of rs.Member) bool { return of.Value == NoneOf || of.Value == AnyOf }

// plan returns what one call can ask of an expression; false if a condition would be lost, or if no value fulfils them all.
func (e expression) plan() (p Plan, ok bool) {
	if len(e) == 0 {
		return Plan{}, false
	}
	p.Calls, p.Overlaps = len(e), len(e) > 1 && !slices.ContainsFunc(e[0], e.compares)
	inexpressible := 0
	for _, c := range e[0] {
		ok := true
		switch c = c.affirmed(); {
		case c.operator == absent:
			value := NoneOf
			if c.denied {
				value = AnyOf
			}
			p.Excluded, inexpressible = &rs.Member{Name: c.field, Value: value}, inexpressible+1
		case c.denied && p.Excluded != nil && !IsAbsent(*p.Excluded) && c.field == p.Excluded.Name: // the same groups show it
		case c.denied && p.Excluded != nil && !IsAbsent(*p.Excluded):
			p.Others = append(p.Others, c.field)
		case c.denied:
			p.Excluded, inexpressible = &rs.Member{Name: c.field, Value: c.value}, inexpressible+1
		case c.operator == within:
			p.Sought, inexpressible = &rs.Member{Name: c.field, Value: c.value}, inexpressible+1
		case c.operator == oneOf:
			values, _ := rs.AsArray(c.value)
			p.Calls *= len(values)
			p.Filter, ok = Compared(p.Filter, c.field, "", values[0])
		default:
			p.Filter, ok = Compared(p.Filter, c.field, c.operator, c.value)
		}
		if !ok {
			if p.Filter.Object(c.field) == nil && c.operator == "" || c.operator == oneOf {
				p.Never = c.field // it would need two values
			}
			return p, false
		}
	}
	for _, m := range p.Filter {
		if _, _, reversed := written.ReversedRange(rs.AsObject(m.Value)); reversed {
			p.Never = m.Name
			return p, false
		}
	}
	return p, inexpressible <= 1 && (p.Others == nil || p.Calls == 1)
}

// compares reports whether each alternative has a condition on the field of c.
func (e expression) compares(c condition) bool {
	isOther := func(other condition) bool { return other.field == c.field }
	return !slices.ContainsFunc(e, func(all []condition) bool { return !slices.ContainsFunc(all, isOther) })
}

// Compared adds a condition to a filter; false if the field has another one that cannot be combined with it.
func Compared(filter rs.Object, field, operator, value string) (rs.Object, bool) {
	bounds := filter.Object(field)
	switch {
	case operator == "" && filter.Includes(field):
		return filter, filter.Get(field) == value
	case operator == "":
		return filter.With(field, value), true
	case filter.Includes(field) && bounds == nil || bounds.Includes(operator) && bounds.Get(operator) != value:
		return filter, false
	}
	return filter.With(field, bounds.With(operator, value).JSON()), true
}

// Canonical returns a filter by field: a value, or an object of operators. A filter whose meaning is uncertain stays unchanged.
func Canonical(raw string) string {
	e := (&filterReader{certain: true, left: maxConditions}).read(raw, 0)
	if len(e) != 1 || len(e[0]) == 0 {
		return raw
	}
	var filter rs.Object
	for _, c := range e[0] {
		var ok bool
		if filter, ok = Compared(filter, c.field, c.operator, c.value); !ok {
			return raw
		}
	}
	return filter.JSON()
}

// Read returns the plan of a refused filter, in which the stream may precede fields; false if a condition would be lost, or if no value
// fulfils them all.
func Read(filter, stream string) (Plan, bool) {
	if IsEmpty(filter) {
		return everything.plan()
	}
	return (&filterReader{left: maxConditions, stream: stream}).read(filter, 0).plan()
}

// ReadKnown is like [Read] if the names of the fields are known: it also reads operators in other names. folded are the names that it read
// that way. own is set if the stream has fields that are named like parts of a condition in other APIs.
func ReadKnown(filter rs.Object, known []string, own bool) (p Plan, folded []string, ok bool) {
	r := &filterReader{known: known, own: own, left: maxConditions}
	p, ok = r.read(filter.JSON(), 0).plan()
	return p, r.folded, ok
}

// IsText reports whether a text is a filter.
func IsText(s string) bool { return (&filterReader{left: maxConditions}).text(s) != nil }

// IsEmpty reports whether a filter has no condition.
func IsEmpty(raw string) bool {
	s, isText := written.Text(raw)
	return raw == "null" || isText && strings.TrimSpace(s) == "" || strings.Trim(raw, "{[]} \t\r\n") == ""
}

// InForm returns a condition in the form that a filter takes, after a resource server refused it with a message; "" if it stays unchanged.
func InForm(m rs.Member, message string) string {
	isNumber := strings.Contains(message, "number")
	if sent := rs.AsObject(m.Value); sent != nil {
		bounds := rs.AsObject(written.InOneOrder(m.Value))
		mended := bounds
		for _, r := range bounds {
			operator, value := written.Bound(r.Name, cmp.Or(written.Reordered(r.Value), r.Value))
			if _, isLast := written.LastOfMonth(r.Value); isLast && operator == "lt" { // the last day is before the one that does not exist
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
		if slices.Equal(mended, sent) || slices.ContainsFunc(mended, isEitherDay) { // it would be refused again
			return ""
		}
		return mended.JSON()
	}
	p, ok := Read(rs.Object{m}.JSON(), "")
	numbers, usual := written.Numbers(m.Value), written.Reordered(m.Value)
	switch {
	case ok && p.Calls == 1 && p.Filter.Object(m.Name) != nil: // "> 5"
		m.Value = p.Filter.Get(m.Name)
		return cmp.Or(InForm(m, message), m.Value)
	case numbers != nil && isNumber:
		return rs.Object{{Name: "gte", Value: numbers[0]}, {Name: "lte", Value: numbers[1]}}.JSON()
	case strings.Contains(message, "boolean") && written.Truth(m.Value) != "":
		return written.Truth(m.Value)
	}
	return cmp.Or(written.InField(m.Name, m.Value, isNumber), written.Range(cmp.Or(usual, m.Value)), usual, written.Value(m.Value))
}

// textOf reads a value of a field that is a condition, such as ">= 5 and < 9", "5+" or "since 2026-03-01"; nil for any other.
func (r *filterReader) textOf(field, s string) expression {
	s = signs.Replace(s)
	t, words := &filterText{reader: r, rest: s, field: field}, &filterText{reader: r, rest: s}
	word := words.operator()
	value := strings.TrimLeft(words.rest, ":. ")
	if least, ok := strings.CutSuffix(s, "+"); ok {
		word, value = "gte", least
	}
	named := strings.HasPrefix(words.rest, ":") && BoundOf(word) != "" || strings.HasPrefix(words.rest, ".") && restOperators[word]
	_, isAmount := written.WithoutCurrency(rs.EncodeJSON(value))
	if named || BoundOf(word) != "" && (written.IsTime(rs.EncodeJSON(value)) || written.IsNumber(value) || isAmount) {
		return r.operated(field, word, literal(value), 0)
	}
	if !t.is(boundSign) || !strings.ContainsAny(t.rest, "0123456789") {
		return nil
	}
	return t.whole()
}

// isEitherDay reports whether a date may be two days, such as 03/06/2026.
func isEitherDay(m rs.Member) bool { return len(written.DaysOf(strings.Trim(m.Value, `"`))) > 1 }

// Operands returns the values that a filter compares with, each under the name of its field.
func Operands(filter rs.Object) (values rs.Object) {
	for _, m := range filter {
		values = append(values, m)
		for _, bound := range rs.AsObject(m.Value) {
			values = append(values, rs.Member{Name: m.Name, Value: bound.Value})
		}
	}
	return values
}
