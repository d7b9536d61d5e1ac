package foreign

import (
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// The bounds of a search are since and until. Others call them otherwise, and bound a time by words such as before and in.

// SinceNames and UntilNames are what others call the bounds of a search, SpanWords words for both in one object, list or text.
const (
	SinceNames = "from start start_date date_from from_date start_time time_min"
	UntilNames = "to end end_date date_to to_date end_time time_max"

	SpanWords = "date_range time_range period range dates between daterange timerange date_filter time_period"
)

var spanNames = written.Set(SpanWords)

// BoundWords are words that bound a time, alone or before a colon in a query, with the bounds of a search that they mean.
var BoundWords = written.ByWord(map[string]string{
	"since":       "since after newer newer_than gte gt " + SinceNames,
	"until":       "until before older older_than lte lt " + UntilNames,
	"since until": "on date day when in week month quarter year " + SpanWords, // of one time
})

// DayJSON is a day as arguments have it.
func DayJSON(day time.Time) string { return rs.EncodeJSON(day.Format(time.DateOnly)) }

// SearchBound is the bound of a search that a word such as before means with a value, as JSON; "" if that names no days, or has no such bound. A
// day that is before: or older: is not in it. now is zero where days by their distance from it are not read.
func SearchBound(word, bound, raw string, now time.Time) string {
	text, _ := rs.AsText(raw)
	first, last, _ := written.Days(text, now)
	switch {
	case word == "before" || word == "older" || word == "lt":
		first = first.AddDate(0, 0, -1)
	case bound == "until" && (!last.IsZero() || strings.Contains(BoundWords[word], " ")):
		first = last
	}
	if first.Year() <= 1 {
		return ""
	}
	return DayJSON(first)
}

// SearchBounds are the bounds of a search that an argument means, none if it is not known which; false if it bounds no time.
func SearchBounds(m rs.Member) (bounds rs.Object, ok bool) {
	name := written.Snake(m.Name)
	means := strings.Fields(BoundWords[name])
	if _, isText := written.Text(m.Value); spanNames[name] && !isText {
		return SearchBoundsIn(m.Value), true
	}
	if days := rs.AsObject(written.Range(m.Value)); len(means) > 1 && days.Has("lte") { // two days
		return rs.Object{{Name: "since", Value: days.Get("gte")}, {Name: "until", Value: days.Get("lte")}}, true
	}
	text, _ := rs.AsText(m.Value)
	_, _, known := written.Days(text, time.Now().UTC())
	for _, bound := range means {
		value, exact := SearchBound(name, bound, m.Value, time.Now().UTC()), written.Value(m.Value)
		switch {
		case value != "":
		case written.IsTime(exact): // one without a zone is one of UTC
			value = exact
		case known: // it has no such bound
			continue
		case len(means) > 1 && !written.IsTime(m.Value):
			return nil, true
		default:
			value = m.Value
		}
		bounds = append(bounds, rs.Member{Name: bound, Value: value})
	}
	return bounds, len(means) > 0
}

// SearchBoundsIn are the bounds of a search in an object or a list of two; none if it is not known which.
func SearchBoundsIn(raw string) (bounds rs.Object) {
	inner := rs.AsObject(raw)
	if list, _ := rs.AsArray(raw); len(list) == 2 {
		inner = rs.Object{{Name: "since", Value: list[0]}, {Name: "until", Value: list[1]}}
	}
	for _, m := range inner {
		found, _ := SearchBounds(m)
		if len(found) != 1 || bounds.Has(found[0].Name) {
			return nil
		}
		bounds = append(bounds, found...)
	}
	return bounds
}

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

// OneQuery is one text of the words of a query; any other value as it is.
func OneQuery(raw string) string {
	list, _ := rs.AsArray(raw)
	if o := rs.AsObject(raw); len(o) == 1 && o.Text("text", "query", "q", "value") != "" {
		return rs.EncodeJSON(o.Text(o[0].Name))
	}
	terms := make([]string, len(list))
	for i, item := range list {
		var ok bool
		if terms[i], ok = written.Text(item); !ok {
			return raw
		}
	}
	if len(list) == 0 {
		return raw
	}
	return rs.EncodeJSON(strings.Join(terms, " "))
}

// Chosen is a list of the names that an object chooses, as {"total":1,"merchant":true} does; any other value as it is.
func Chosen(raw string) string {
	var names []string
	list, _ := rs.AsArray(raw)
	for _, item := range list { // [{"name":"total"}]
		names = append(names, rs.AsObject(item).Text("name", "field", "key", "id", "column"))
	}
	for _, m := range rs.AsObject(raw) {
		if m.Value != "1" && m.Value != "true" && m.Value != "{}" {
			return raw
		}
		names = append(names, m.Name)
	}
	if names == nil || slices.Contains(names, "") {
		return raw
	}
	return rs.EncodeJSON(names)
}

// BoundIn is what a name such as modified_after has beside the operator of a range that is its last or first word; "" for none.
func BoundIn(name string) (rest, operator string) {
	words := strings.Split(written.Snake(name), "_")
	for _, at := range []int{len(words) - 1, 0} {
		if word := words[at]; len(words) > 1 && timeBounds[word] {
			return strings.Join(slices.Delete(words, at, at+1), "_"), BoundOf(word)
		}
	}
	return "", ""
}

// Bounds are the bounds that an operator means, also by its distance from today, and that are not given; none if it has no date.
func (o QueryOperator) Bounds(given rs.Object) rs.Object {
	found, _ := SearchBounds(rs.Member{Name: o.Name, Value: rs.EncodeJSON(o.Value)})
	return slices.DeleteFunc(found, func(m rs.Member) bool { return !written.IsTime(m.Value) || given.Has(m.Name) })
}
