package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A Source is one stream of one connection, restricted to what a read may see. Every query on it includes its conditions.
type Source struct {
	*Table
	Connection   model.Connection
	Fields       []model.Field // visible ones, in the stream's order
	Since, Until time.Time     // bounds of the consent time; zero: none
	Filter       Where         // further conditions of the read
}

// Granted returns a field if it is visible.
func (s Source) Granted(name string) (model.Field, bool) {
	return model.Find(s.Fields, func(f model.Field) bool { return f.Name == name })
}

// Narrow returns the source with one more condition.
func (s Source) Narrow(w Where) Source {
	s.Filter = s.Filter.with(w)
	return s
}

// conditions returns the conditions that every query on the source must include.
func (s Source) conditions() Where {
	w := where("connection = ?", s.connectionNumber(s.Connection.ID))
	if !s.Since.IsZero() {
		w = w.with(where(s.consentColumn()+" >= ?", s.Since.UnixMicro()))
	}
	if !s.Until.IsZero() {
		w = w.with(where(s.consentColumn()+" < ?", s.Until.UnixMicro()))
	}
	return w.with(s.Filter)
}

// A Where is a conjunction of SQL conditions with its arguments. The zero value restricts nothing.
type Where struct {
	clauses []string
	args    []any
}

func where(clause string, args ...any) Where { return Where{[]string{clause}, args} }

// with returns the conjunction of both, and changes neither.
func (w Where) with(other Where) Where {
	return Where{clauses: slices.Concat(w.clauses, other.clauses), args: slices.Concat(w.args, other.args)}
}

func (w Where) String() string { return "(" + strings.Join(w.clauses, ") AND (") + ")" }

// A comparison is an operator of a range filter, with its SQL for a column. orEqual is the SQL operator of the same bound with the value
// itself; "" if the operator is no bound: then it is one of texts.
type comparison struct{ name, sql, orEqual string }

var comparisons = [...]comparison{{"gte", "%s >= ?", ">="}, {"gt", "%s > ?", ">="}, {"lte", "%s <= ?", "<="}, {"lt", "%s < ?", "<="}}

// Operators returns the operators that a range filter on a field can have.
func Operators(field model.Field) (names []string) {
	kind := KindOf(field)
	for _, one := range comparisons {
		supported := field.Range && kind != KindNone
		if one.orEqual == "" {
			supported = field.Exact && kind == KindText
		}
		if supported {
			names = append(names, one.name)
		}
	}
	return names
}

// Filter returns the condition that a column equals a value or, if it is a list, contains it. With a range operator it compares instead.
// ok is false if the text is not a value of the column's kind.
func (c Column) Filter(operator, text string) (w Where, ok bool) {
	value := c.Kind.parse(text)
	local, isTime := model.ParseLocal(text)
	if c.local && isTime {
		value = local.UnixMicro()
	}
	if value == nil {
		return Where{}, false
	}
	for _, one := range comparisons {
		if one.name == operator {
			w = where(fmt.Sprintf(one.sql, c.name), value)
			if instant, isInstant := value.(int64); isInstant && one.orEqual != "" && c.Kind == KindInstant && !c.local {
				w = c.withDays(w, one, instant, local.UnixMicro())
			}
			return w, true
		}
	}
	if c.Kind == KindList {
		return where("EXISTS (SELECT 1 FROM json_each("+c.name+") WHERE CAST(value AS TEXT) = ?)", value), true
	}
	return where(c.name+" = ?", value), true
}

// withDays corrects a comparison with an instant for dates without a time. Those are compared with the clock reading of the instant in the
// zone that it was written in (local), since a day begins at midnight there. A date is stored as its midnight in UTC, so the result differs
// only for the day that begins between instant and local.
func (c Column) withDays(w Where, bound comparison, instant, local int64) Where {
	day := time.UnixMicro(max(instant, local)).UTC().Truncate(24 * time.Hour).UnixMicro()
	holds := func(of int64) bool { // the comparison, for that day
		order := cmp.Compare(day, of)
		return order == 0 && strings.Contains(bound.sql, bound.orEqual) || order < 0 && bound.orEqual == "<=" || order > 0 && bound.orEqual == ">="
	}
	switch wanted := holds(local); {
	case holds(instant) == wanted:
		return w
	case wanted: // the range condition can use an index
		within := c.name + " " + bound.orEqual + " " + strconv.FormatInt(day, 10)
		return where(within+" AND ("+w.clauses[0]+" OR "+c.name+" = ? AND "+isDay+")", w.args[0], day, c.field)
	}
	return where(w.clauses[0]+" AND NOT ("+c.name+" = ? AND "+isDay+")", w.args[0], day, c.field)
}

// isDay is the SQL condition that the value of a field is a date without a time.
const isDay = "EXISTS (SELECT 1 FROM json_each(CAST(data AS TEXT)) WHERE key = ? AND length(value) = 10)"

// Weights of a match in other fields than a body.
const (
	titleWeight = 2
	actorWeight = 2
)

// searched converts the visible fields for package search, but does not restrict the records.
func (s Source) searched(number int) search.Source {
	source := search.Source{Number: number, Weights: make([]float32, len(s.Lexical)), HasConversations: s.conversation.Is}
	isBody := func(f model.Field) bool { return f.Role != "actor" && f.Role != "primary-title" }
	for i, field := range s.Lexical {
		_, shown := s.Granted(field.Name)
		switch {
		case !shown:
		case field.Role == "actor":
			source.Weights[i] = actorWeight
		case field.Role == "primary-title" && slices.ContainsFunc(s.Lexical, isBody): // a title that is the only text is a body
			source.Weights[i] = titleWeight
		default:
			source.Weights[i] = search.BodyWeight
		}
	}
	return source
}
