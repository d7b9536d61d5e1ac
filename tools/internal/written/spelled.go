package written

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

var (
	// Several days of which only the last or the first has its month, and a period of two months.
	monthLast = Expression(shared(`(?i)(^|\s)(?:THE\s+)?(DAY)JOIN(DAY(?:\s+(?:of|de))?\s+` +
		`(MONTH)\b\.?(?:,?\s+(?:(?:of|de)\s+)?([0-9]{4}))?)`))
	monthFirst = Expression(shared(`(?i)(^|\s)((MONTH)\.?\s+(?:THE\s+)?DAY)JOIN(DAY(?:[\s,]|$))`))
	monthSpan  = Expression(shared(`(?i)(^|\s)(MONTH)(?:\s*[-–—]\s*|\s+(?:to|through|bis)\s+)(MONTH(?:\s|$))`))

	// dayNames are the days of a month as ordinal words, from the first: in English, German and Dutch; in other languages only the first.
	dayNames = [][]string{
		strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth " +
			"fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth " +
			"twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"),
		strings.Fields("erste zweite dritte vierte funfte sechste siebte achte neunte zehnte elfte zwolfte dreizehnte vierzehnte " +
			"funfzehnte sechzehnte siebzehnte achtzehnte neunzehnte zwanzigste einundzwanzigste zweiundzwanzigste dreiundzwanzigste " +
			"vierundzwanzigste funfundzwanzigste sechsundzwanzigste siebenundzwanzigste achtundzwanzigste neunundzwanzigste dreissigste " +
			"einunddreissigste"),
		strings.Fields("eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde dertiende veertiende " +
			"vijftiende zestiende zeventiende achttiende negentiende twintigste eenentwintigste tweeentwintigste drieentwintigste " +
			"vierentwintigste vijfentwintigste zesentwintigste zevenentwintigste achtentwintigste negenentwintigste dertigste " +
			"eenendertigste"),
		{"premier"}, {"primero"}, {"primo"}, {"primeiro"},
	}
	beforeMonths = Set("of de di van")
)

// shared returns the expression for a pattern of days, and of months by their names in any language.
func shared(pattern string) string {
	names := slices.Clone(monthList)
	for _, word := range slices.Sorted(maps.Keys(inEnglish)) {
		if slices.Contains(monthList, inEnglish[word]) {
			names = append(names, strings.NewReplacer("a", "[aä]", "e", "[eé]", "u", "[uû]").Replace(word))
		}
	}
	return strings.NewReplacer("THE", "(?:the|den|dem|le|el)", "DAY", `[0-9]{1,2}(?:st|nd|rd|th|er|\.)?`, "MONTH", strings.Join(names, "|"),
		"JOIN", `\s*(?:,\s*)?(,|[-–—]|\b(?:to|until|till|through|bis|au|al|and|or|und|oder|et|ou|y|o)\b)\s*(?:(?:the|den|dem|le|el)\s+)?`).Replace(pattern)
}

// spelledOut returns a query in which days have their numbers, and each of several days its month.
func spelledOut(query string) string {
	query = withDayNumbers(query)
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

// withDayNumbers returns a query in which a day of a month has its number: the 1 of June for the first of June. An English day needs a word
// between it and its month, since the second March meeting need not be on 2 March.
func withDayNumbers(query string) string {
	isMonth := func(word string) bool { return slices.Contains(monthList, english(word)) }
	if !AnyWord(query, isMonth) {
		return query
	}
	fields := strings.Fields(query)
	for i := range fields {
		next, word, before := i+1, bareWord(fields, i), bareWord(fields, i-1)
		day, isEnglish := dayNamed(word)
		if beforeMonths[bareWord(fields, next)] {
			next++
		}
		isOf := isMonth(bareWord(fields, next)) && (next > i+1 || !isEnglish) && before != "a" // a third of May
		isAfter := isEnglish && (before == "the" && isMonth(bareWord(fields, i-2)) || isMonth(before) && bareWord(fields, i-2) == "on")
		if day > 0 && (isOf || isAfter) {
			fields[i] = strings.Replace(strings.ToLower(fields[i]), word, strconv.Itoa(day), 1)
			if before == "de" || before == "den" { // op de eerste juni
				fields[i-1] = ""
			}
		}
	}
	return strings.Join(fields, " ")
}

// dayNamed returns the number of the day that an ordinal word means, 0 for any other word, and whether the word is English.
func dayNamed(word string) (day int, isEnglish bool) {
	word = strings.TrimSuffix(strings.ReplaceAll(withoutAccents.Replace(word), "ß", "ss"), "n") // am ersten
	for i, names := range dayNames {
		if day = 1 + slices.Index(names, word); day > 0 {
			return day, i == 0
		}
	}
	return 0, false
}
