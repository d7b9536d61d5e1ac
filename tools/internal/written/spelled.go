package written

import (
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

var (
	// Several days of which only the last or the first has its month, and a period of two months.
	monthLast = Expression(shared(`(?i)(^|\s)(?:THE\s+)?(DAY)JOIN(DAY(?:\s+(?:of|de))?\s+` +
		`(MONTH)\b\.?(?:,?\s+(?:(?:of|de)\s+)?([0-9]{4}))?)`))
	monthFirst = Expression(shared(`(?i)(^|\s)((MONTH)\.?\s+(?:THE\s+)?DAY)JOIN(DAY(?:[\s,]|$))`))
	monthSpan  = Expression(shared(`(?i)(^|\s)(MONTH)(?:\s*[-–—]\s*|\s+(?:to|through|bis)\s+)(MONTH(?:\s|$))`))

	// unitsAgo matches what is some units of time ago, as in vor zwei Wochen.
	unitsAgo = Expression(`(?i)(^|\s|d')` + lexicon.Pattern("before-ago") + `\s+((?:` + lexicon.Pattern("number-ago") + `|[0-9]{1,2})\s+` +
		lexicon.Pattern("unit-ago") + `)([\s?!.,]|$)`)

	// dayNumbers has the number of a day of a month for its ordinal word, and englishDays the words that are English.
	dayNumbers   = lexicon.Meanings("day")
	englishDays  = lexicon.ByLanguage("day")[0]
	beforeMonths = lexicon.Of("before-month")

	// Feasts on a fixed day, and what introduces them: alone they may be in a name.
	feasts = lexicon.Meanings("feast")
	feast  = Expression(`(?i)((?:^|\s)(?:` + lexicon.Pattern("before-feast") + `|` + lexicon.Pattern("between") + `(?:\s+\S+){1,3}\s+` +
		lexicon.Pattern("between-and") + `)\s+)(` + lexicon.Pattern("feast") + `)([\s?!.,]|$)`)
)

// shared returns the expression for a pattern of days, and of months by their names in any language.
func shared(pattern string) string {
	names := slices.Clone(monthList)
	for _, word := range slices.Sorted(maps.Keys(inEnglish)) {
		if isMonth(inEnglish[word]) {
			names = append(names, strings.NewReplacer("a", "[aä]", "e", "[eé]", "u", "[uû]").Replace(word))
		}
	}
	the, join := lexicon.Pattern("before-day"), lexicon.Pattern("join-days")
	return strings.NewReplacer("THE", the, "DAY", `[0-9]{1,2}(?:st|nd|rd|th|er|\.)?`, "MONTH", strings.Join(names, "|"),
		"JOIN", `\s*(?:,\s*)?(,|[-–—]|\b`+join+`\b)\s*(?:`+the+`\s+)?`).Replace(pattern)
}

// spelledOut returns a query in which days have their numbers, and each of several days its month.
func spelledOut(query string) string {
	query = withDayNumbers(withFeasts(withFeasts(query))) // the second one follows the first
	if strings.Contains(query, " ") {
		query = unitsAgo().ReplaceAllString(query, "$1$2 ago$3")
	}
	isDated := strings.ContainsAny(query, "0123456789")
	for n := 0; n < 8 && isDated && (monthLast().MatchString(query) || monthFirst().MatchString(query)); n++ {
		query = monthLast().ReplaceAllString(query, "$1$2 $5 $6 $3 $4")
		query = monthFirst().ReplaceAllString(query, "$1$2 $4 $3 $5")
	}
	if strings.ContainsAny(query, " -–—") && monthSpan().MatchString(query) { // few queries match
		query = monthSpan().ReplaceAllString(query, "${1}from $2 to $3")
	}
	return query
}

// withFeasts returns a query in which a feast has its day: on 31 December for on New Year's Eve.
func withFeasts(query string) string {
	if !strings.Contains(query, " ") { // matching allocates
		return query
	}
	return feast().ReplaceAllStringFunc(strings.ReplaceAll(query, "’", "'"), func(found string) string {
		part := feast().FindStringSubmatch(found)
		name := strings.ReplaceAll(strings.ToLower(part[2]), " ", "_")
		return part[1] + strings.ReplaceAll(feasts[name], "-", " ") + part[3]
	})
}

// withDayNumbers returns a query in which a day of a month has its number: the 1 of June for the first of June. An English day needs a word
// between it and its month, since the second March meeting need not be on 2 March.
func withDayNumbers(query string) string {
	namesMonth := func(word string) bool { return isMonth(english(word)) }
	if !AnyWord(query, namesMonth) {
		return query
	}
	fields := strings.Fields(query)
	for i := range fields {
		next, word, before := i+1, bareWord(fields, i), bareWord(fields, i-1)
		ordinal := strings.TrimSuffix(strings.ReplaceAll(withoutAccents.Replace(word), "ß", "ss"), "n") // am ersten
		day, isEnglish := dayNumbers[ordinal], englishDays[ordinal]
		if beforeMonths[bareWord(fields, next)] {
			next++
		}
		isOf := namesMonth(bareWord(fields, next)) && (next > i+1 || !isEnglish) && before != "a" // a third of May
		isAfter := isEnglish && (before == "the" && namesMonth(bareWord(fields, i-2)) || namesMonth(before) && bareWord(fields, i-2) == "on")
		if day != "" && (isOf || isAfter) {
			fields[i] = strings.Replace(strings.ToLower(fields[i]), word, day, 1)
			if before == "de" || before == "den" { // op de eerste juni
				fields[i-1] = ""
			}
		}
	}
	return strings.Join(fields, " ")
}
