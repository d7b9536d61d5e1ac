package store

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A Source is one stream of one connection as far as a read may see it. Every query starts from its conditions.
type Source struct {
	*Table
	Connection   model.Connection
	Fields       []model.Field // that may be seen, in the stream's order
	Since, Until time.Time     // bounds of the consent time; zero: none
	Filter       Where         // what the read asks for beside that
}

// Granted finds a field that may be seen.
func (s Source) Granted(name string) (model.Field, bool) {
	return model.Find(s.Fields, func(f model.Field) bool { return f.Name == name })
}

// Narrow returns the source with one more condition.
func (s Source) Narrow(w Where) Source {
	s.Filter = s.Filter.with(w)
	return s
}

// conditions are what every query on the source must meet.
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

// A Where is a conjunction of SQL conditions with its arguments. The zero value is met by everything.
type Where struct {
	clauses []string
	args    []any
}

func where(clause string, args ...any) Where { return Where{[]string{clause}, args} }

// with returns the conjunction of both, leaving both as they are.
func (w Where) with(other Where) Where {
	return Where{clauses: slices.Concat(w.clauses, other.clauses), args: slices.Concat(w.args, other.args)}
}

func (w Where) String() string { return "(" + strings.Join(w.clauses, ") AND (") + ")" }

// comparisons are the operators of a range filter and what they are in SQL.
var comparisons = [...]struct{ name, sql string }{{"gte", ">="}, {"gt", ">"}, {"lte", "<="}, {"lt", "<"}}

// Operators are the names of the comparisons of a range filter.
func Operators() []string {
	names := make([]string, len(comparisons))
	for i, one := range comparisons {
		names[i] = one.name
	}
	return names
}

// Filter returns the condition that a column is equal to a value, or contains it if it is a list: ok is false if the text is no value
// of the column's kind. With one of [Operators] it compares.
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
			w = where(c.name+" "+one.sql+" ?", value)
			if instant, isInstant := value.(int64); isInstant && c.Kind == KindInstant && !c.local {
				w = c.withDays(w, operator, instant, local.UnixMicro())
			}
			return w, true
		}
	}
	if c.Kind == KindList {
		return where("EXISTS (SELECT 1 FROM json_each("+c.name+") WHERE CAST(value AS TEXT) = ?)", value), true
	}
	return where(c.name+" = ?", value), true
}

// withDays is a comparison with an instant in which a day without a time is compared with what the clock of the zone that the instant is
// written in shows then: a day begins where its zone is. It was stored as its first instant in UTC, so only the day that begins between
// these two is compared otherwise than the instants are.
func (c Column) withDays(w Where, operator string, instant, local int64) Where {
	day := time.UnixMicro(max(instant, local)).UTC().Truncate(24 * time.Hour).UnixMicro()
	holds := func(of int64) bool { // of the day
		order := cmp.Compare(day, of)
		return order == 0 && strings.HasSuffix(operator, "e") || order < 0 && operator[0] == 'l' || order > 0 && operator[0] == 'g'
	}
	switch wanted := holds(local); {
	case holds(instant) == wanted:
		return w
	case wanted: // within a range, for which there is an index
		within := c.name + map[byte]string{'g': " >= ", 'l': " <= "}[operator[0]] + strconv.FormatInt(day, 10)
		return where(within+" AND ("+w.clauses[0]+" OR "+c.name+" = ? AND "+isDay+")", w.args[0], day, c.field)
	}
	return where(w.clauses[0]+" AND NOT ("+c.name+" = ? AND "+isDay+")", w.args[0], day, c.field)
}

// isDay is SQL that tells whether the value of a field is a day without a time.
const isDay = "EXISTS (SELECT 1 FROM json_each(CAST(data AS TEXT)) WHERE key = ? AND length(value) = 10)"

// What a match in a field weighs, by what the field is.
const (
	bodyWeight  = 1
	titleWeight = 2
	actorWeight = 2
)

// searched lays out for package search the fields that may be seen, but not which records.
func (s Source) searched(number int) search.Source {
	source := search.Source{Number: number, Complete: true, Talk: s.conversation.Is}
	isBody := func(f model.Field) bool { return f.Role != "actor" && f.Role != "primary-title" }
	for i, field := range s.Lexical {
		if _, ok := s.Granted(field.Name); !ok {
			source.Complete = false
			continue
		}
		weight := float32(bodyWeight)
		switch {
		case field.Role == "actor":
			weight = actorWeight
		case field.Role == "primary-title" && slices.ContainsFunc(s.Lexical, isBody): // a title that is all of the text is a body
			weight = titleWeight
		}
		source.Fields = append(source.Fields, search.Field{Column: i, Weight: weight})
	}
	return source
}
