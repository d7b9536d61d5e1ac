package relax

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// The words by which one asks whether somebody has time, without accents: what is planned answers that, whether or not it has these words.
//
//nolint:misspell // they are not all English
var (
	free = written.Set(`free busy available frei beschaftigt verfugbar belegt libre libres occupe occupee occupes disponible disponibles dispo
		ocupado ocupada ocupados libero libera liberi occupato occupata disponibile impegnato impegnata vrij bezet beschikbaar livre livres disponivel`)
	spare = written.Set(`time slot slots zeit temps creneau tiempo hueco tempo tijd availability`)
	haves = written.Set(`have has got any habe haben hast hat ai as avons avez tengo tenemos tienes tiene ho abbiamo hai heb hebben heeft hebt tenho temos tem`)
)

// AsksFree reports whether a question is whether somebody is free or busy, or has time. A free ticket is something else, as is the time of
// something.
func AsksFree(query string) bool {
	terms, _ := split(query)
	folded := func(i int) string {
		if i < 0 || i >= len(terms) {
			return ""
		}
		return written.Folded(terms[i].text)
	}
	topic := Topic(query)
	tells := func(i int) bool { // it says what is free
		return folded(i) != "" && slices.Contains(topic, terms[i].text) && !free[folded(i)] && !spare[folded(i)] && !haves[folded(i)]
	}
	has := slices.ContainsFunc(terms, func(t term) bool { return haves[written.Folded(t.text)] })
	for i := range terms {
		isNamed := i > 0 && terms[i-1].text != strings.ToLower(terms[i-1].text) // is Ida free
		switch word := folded(i); {
		case tells(i+1) || tells(i-1) && !isNamed:
		case free[word], spare[word] && has && !beforeOccasions[folded(i-1)]:
			return true
		}
	}
	return false
}
