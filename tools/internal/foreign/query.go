package foreign

import (
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// The bounds of a search are since and until. Other APIs have other names for them, and bound a time by words such as before and in.

var spanNames = written.Set(SpanWords)

// BoundWords maps words that bound a time, alone or before a colon in a query, to the bounds of a search that they mean.
var BoundWords = written.ByWord(map[string]string{
	"since":       "since after newer newer_than gte gt " + SinceNames,
	"until":       "until before older older_than lte lt " + UntilNames,
	"since until": "on date day when in week month quarter year " + SpanWords, // both bounds of one time
})

// DayJSON returns a day as JSON, in the form that arguments have.
func DayJSON(day time.Time) string { return rs.EncodeJSON(day.Format(time.DateOnly)) }

// SearchBound returns the bound of a search that a word such as before means with a value, as JSON; "" if the value names no days, or has
// no such bound. before: and older: exclude their day. If now is zero, days that are relative to it are not read.
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

// SearchBounds returns the bounds of a search that an argument means at the time now, none if they are unclear; false if it does not bound a
// time.
func SearchBounds(m rs.Member, now time.Time) (bounds rs.Object, ok bool) {
	m = Lasting(m)
	name := written.Snake(m.Name)
	means := strings.Fields(BoundWords[name])
	if _, isText := written.Text(m.Value); spanNames[name] && !isText {
		return SearchBoundsIn(m.Value, now), true
	}
	if days := rs.AsObject(written.Range(m.Value)); len(means) > 1 && days.Has("lte") { // two days
		return rs.Object{{Name: "since", Value: days.Get("gte")}, {Name: "until", Value: days.Get("lte")}}, true
	}
	text, _ := rs.AsText(m.Value)
	_, _, known := written.Days(text, now)
	for _, bound := range means {
		value, exact := SearchBound(name, bound, m.Value, now), written.Value(m.Value)
		switch {
		case value != "":
		case written.IsTime(exact): // a time without a zone is in UTC
			value = exact
		case known: // it is open on that side
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

var lastUnits = written.Expression(`^(?:last_|past_|previous_|recent_|lookback_)?(?:n_)?((?:day|week|month|quarter|year)s)$`)

// Lasting returns a number of the last days, weeks and so on as the period that it means; any other argument unchanged.
func Lasting(m rs.Member) rs.Member {
	unit := lastUnits().FindStringSubmatch(written.Snake(m.Name))
	if word, _ := rs.AsText(m.Value); Granularities[word] && (m.Name == "recency" || m.Name == "timeframe") {
		return rs.NewMember("date_range", "last 1 "+word)
	}
	if number, _ := rs.AsText(m.Value); unit != nil && WholeNumber().MatchString(number) {
		return rs.NewMember("date_range", "last "+number+" "+unit[1])
	}
	return m
}

// SearchBoundsIn returns the bounds of a search in an object or a list of two; none if they are unclear.
func SearchBoundsIn(raw string, now time.Time) (bounds rs.Object) {
	inner := rs.AsObject(raw)
	if list, _ := rs.AsArray(raw); len(list) == 2 {
		inner = rs.Object{{Name: "since", Value: list[0]}, {Name: "until", Value: list[1]}}
	}
	for _, m := range inner {
		found, _ := SearchBounds(m, now)
		if len(found) != 1 || bounds.Has(found[0].Name) {
			return nil
		}
		bounds = append(bounds, found...)
	}
	return bounds
}

// operatorForm matches an operator in the search of a mail or chat program, such as from:anna, at the start of a word.
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
		forms := operatorForm().FindAllStringSubmatchIndex(q, -1)
		first := slices.IndexFunc(forms, func(at []int) bool { return strings.Count(q[:at[6]], `"`)%2 == 0 }) // others are in a phrase
		if first < 0 {
			return found, strings.Join(strings.Fields(q), " ")
		}
		at := forms[first]
		value := strings.ReplaceAll(strings.Trim(q[at[8]:at[9]], `"()`), " OR ", " ") // search finds some of the words if no record has all
		found = append(found, QueryOperator{strings.ToLower(q[at[6]:at[7]]), value, at[5] > at[4]})
		q = q[:at[0]] + " " + q[at[1]:]
	}
}

// OperatorWords maps names of arguments in other searches to the operator with the same meaning in a query.
var OperatorWords = written.ByWord(map[string]string{
	"from": "from sender author by sender_name from_name written_by sent_by user user_name username from_user",
	"to":   "to recipient recipients sent_to", "cc": "cc", "subject": "subject title",
})

// Operator returns the first operator in a query, such as "from:", which search does not support; "" if there is none.
func Operator(q string) string {
	if found, _ := QueryOperators(q); len(found) > 0 {
		return found[0].Name + ":"
	}
	return ""
}

// NamesRecipient reports whether an operator names the recipient of a record, who is in no field that search reads.
func NamesRecipient(operator string) bool {
	name := strings.TrimSuffix(operator, ":")
	return name == "to" || name == "cc"
}

// RecipientHint is the hint for an operator that names a recipient.
const RecipientHint = "Search does not know for whom a record is: the call below looks for those words in any field, also in those of the sender."

// OneQuery returns a query in a list or an object as one text; any other value unchanged.
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
	separator := " "
	if strings.Contains(strings.Join(terms, ""), `"`) { // words are found one by one anyway, phrases only together
		separator = " OR "
	}
	return rs.EncodeJSON(strings.Join(terms, separator))
}

// TextIn returns the one text to look for in a query of Elasticsearch, such as {"match":{"title":"lease"}}; any other argument unchanged.
func TextIn(argument, raw string) string {
	inner := raw
	for o := rs.AsObject(raw); len(o) > 0; o = rs.AsObject(inner) {
		if inner = o.Get("query"); inner == "" && len(o) == 1 {
			inner = o[0].Value
		}
	}
	if _, isText := written.Text(inner); isText && (argument == "q" || argument == "query") {
		return inner
	}
	return raw
}

// Chosen returns the list of the names that an object chooses, as {"total":1,"merchant":true} does; any other value unchanged.
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

// BoundIn splits a name such as modified_after into the operator of a range that its last or first word means, and the rest; "" for none.
func BoundIn(name string) (rest, operator string) {
	words := strings.Split(written.Snake(name), "_")
	for _, at := range []int{len(words) - 1, 0} {
		if word := words[at]; len(words) > 1 && timeBounds[word] {
			return strings.Join(slices.Delete(words, at, at+1), "_"), BoundOf(word)
		}
	}
	return "", ""
}

// Bounds returns the bounds that an operator means, which may be relative to now, without those in given; none if it has no date.
func (o QueryOperator) Bounds(given rs.Object, now time.Time) rs.Object {
	found, _ := SearchBounds(rs.NewMember(o.Name, o.Value), now)
	return slices.DeleteFunc(found, func(m rs.Member) bool { return !written.IsTime(m.Value) || given.Has(m.Name) })
}

// LongestQuery is the most bytes of a query that is corrected; a longer one is refused. Reading its operators takes quadratic time.
const LongestQuery = 1000

// QueryOf returns the query of a search and the name of its argument; "" for none, or one that is longer than LongestQuery.
func QueryOf(args rs.Object) (q, name string) {
	for _, name = range []string{"q", "query"} {
		if q, ok := written.Text(args.Get(name)); ok && len(q) <= LongestQuery {
			return q, name
		}
	}
	return "", ""
}

var (
	excludedWord   = written.Expression(`(?:\s+AND\s+NOT\s+|\s+!)(\w[\w'-]*)|^NOT\s+(\w*[a-z][\w'-]*)`)
	excludedPhrase = written.Expression(`(^|\s)(?:AND\s+)?NOT\s+"`)
	excludedGroup  = written.Expression(`"[^"]*"|\s*(?:(?:\bAND\s+)?\bNOT\s*|(?:^|\s)[-!])\(([^()]*)\)`)
	groupTerm      = written.Expression(`"[^"]*"|[^\s",|]+`)
)

// withoutGroups writes a sign before each of the words that a query excludes in brackets: NOT (invoice OR receipt) means -invoice -receipt.
func withoutGroups(q string) string {
	if !strings.Contains(q, "(") { // the expression would allocate
		return q
	}
	return excludedGroup().ReplaceAllStringFunc(q, func(found string) string {
		group := excludedGroup().FindStringSubmatch(found)[1]
		if group == "" || strings.Contains(group, " AND ") || strings.ContainsAny(group, "+&") {
			return found // a phrase, or words that are excluded only together
		}
		terms := slices.DeleteFunc(groupTerm().FindAllString(group, -1), func(term string) bool { return strings.EqualFold(term, "or") })
		return " -" + strings.Join(terms, " -")
	})
}

// Dated moves before:, after: and similar operators with a date from the query to the bounds of the search.
func Dated(args rs.Object) rs.Object {
	q, name := QueryOf(args)
	asked := strings.TrimSpace(q)
	q = withoutGroups(q)
	words := excludedPhrase().ReplaceAllString(q, `$1-"`)
	if !strings.Contains(q, `"`) {
		words = strings.TrimSpace(excludedWord().ReplaceAllString(q, " -$1$2"))
	}
	if words = strings.TrimSpace(words); words != asked {
		q, args = words, args.With(name, rs.EncodeJSON(words))
	}
	found, words := QueryOperators(q)
	changed := args
	for _, o := range found {
		if BoundWords[o.Name] == "" || o.Denied {
			return args // the tool refuses it unchanged
		}
		for bound := range strings.FieldsSeq(BoundWords[o.Name]) {
			day := SearchBound(o.Name, bound, rs.EncodeJSON(o.Value), time.Time{})
			if day == "" && strings.HasSuffix(o.Name, "_than") {
				day = rs.EncodeJSON(o.Value) // is refused later, with the day that it means
			}
			if day == "" || changed.Has(bound) {
				return args
			}
			changed = changed.With(bound, day)
		}
	}
	switch {
	case len(found) == 0:
		return args
	case words == "":
		return changed.Without(name)
	}
	return changed.With(name, rs.EncodeJSON(words))
}
