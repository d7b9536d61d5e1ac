package written

import "strings"

// spanNames maps words for a span of time, after a word such as per, to a granularity, and adverbs those that mean the same alone.
var (
	spanNames = ByWord(map[string]string{
		"day": "day tag jour día dia giorno dag", "week": "week woche semaine semana settimana",
		"month": "month monat mois mes mês mese maand", "quarter": "quarter quartal trimestre kwartaal",
		"year": "year jahr an année año ano anno jaar",
	})
	adverbs = ByWord(map[string]string{
		"day": "daily täglich", "week": "weekly wöchentlich", "month": "monthly monatlich", "quarter": "quarterly",
		"year": "yearly annually jährlich",
	})
	beforeSpans = Set("per by each every pro je jeden jede jedes par chaque por cada al ogni op elke")
)

// Granularity returns the granularity of the numbers that a query asks for by time, such as per month, and its words for that in lower
// case; "" and none if it asks for no such numbers.
func Granularity(query string) (granularity string, words []string) {
	fields := strings.Fields(query)
	for i := range fields {
		before, word := bareWord(fields, i-1), bareWord(fields, i)
		switch {
		case adverbs[word] != "":
			return adverbs[word], []string{word}
		case beforeSpans[before] && spanNames[word] != "":
			return spanNames[word], []string{before, word}
		}
	}
	return "", nil
}
