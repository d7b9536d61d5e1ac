package written

//nolint:misspell // they are not all English
var (
	// ages are words for what is before or after a time, without accents. Those of ageLinks are between them; those of comparedLinks only
	// after a word such as plus: messages récents de mai are of May.
	ages = ByWord(map[string]string{
		"before": "older earlier prior alter fruher ancien ancienne anciens anciennes vieux vieille vieilles anterieur anterieure anterieurs " +
			"anterieures antiguo antigua antiguos antiguas viejo vieja viejos viejas anterior anteriores vecchio vecchia vecchi vecchie " +
			"precedente precedenti ouder eerder antigo antiga antigos antigas velho velhos",
		"after": "newer later younger recent neuer junger spater recente recentes recents reciente recientes posterieur posterieurs posterior " +
			"posteriores nuevo nuevos recenti successivo successivi nieuwer later novo novos novas",
	})
	ageLinks      = Set("than to als dan a à au aux al ai")
	comparedLinks = Set("que do di del dello della de da o il la le el los der dem die den")
)

// agedTime returns the bound, before or after, that words such as older than, which end before the word at from, make of a time, and the
// place of the first of them; "" if there are no such words.
func agedTime(fields []string, from int) (bound string, first int) {
	first = from - 1
	for ageLinks[bareWord(fields, first)] || comparedLinks[bareWord(fields, first)] {
		first--
	}
	_, compares := comparatives[bareWord(fields, first-1)]
	compares = compares || bareWord(fields, first-1) == "more"
	if first == from-1 || !compares && !ageLinks[bareWord(fields, first+1)] {
		return "", 0
	}
	if bound = ages[withoutAccents.Replace(bareWord(fields, first))]; compares {
		first--
	}
	return bound, first
}
