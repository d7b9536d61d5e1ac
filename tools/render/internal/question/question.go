// Package question recognizes what a search query asks for if it is phrased as one would ask a person.
package question

import (
	"slices"
	"strings"
	"unicode"
)

// A Question is a query phrased as one would ask a person: for the newest of something, for a number, for what somebody sent.
type Question struct {
	lower string          // its words in lower case, a space around each
	words []string        // those that say what it is about; nil until they are needed
	read  func() []string // reads words
}

// New returns the question that a query asks. The function words returns those of its words that say what it is about; nil means all.
func New(query string, words func() []string) *Question {
	q := &Question{lower: spaced(query), read: words}
	if words == nil {
		q.words = strings.Fields(q.lower)
	}
	return q
}

func wordList(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// spaced returns the words of a text in lower case with a space around each, so that a search for a word does not find a part of another.
func spaced(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	return " " + strings.Join(words, " ") + " "
}

// Has reports whether a text contains a word or a phrase, as whole words and in any case.
func Has(text, phrase string) bool { return strings.Contains(spaced(text), spaced(phrase)) }

func (q *Question) hasOne(phrases []string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(q.lower, " "+phrase+" ") })
}

// Words returns the words that say what the question is about.
func (q *Question) Words() []string {
	if q.words == nil {
		q.words = q.read()
	}
	return q.words
}

// Words of questions that no ranking by words answers, in the languages whose common words are known.
//
//nolint:misspell // they are not all English
var (
	numberPhrases = []string{
		"how many", "how often", "the number of", "total number of", "wieviel", "wieviele", "wie viel", "wie viele", "wie vielen", "wie vieler",
		"wie vieles", "wie oft", "combien d", "combien de", "combien des", "combien du", "cuántos", "cuántas", "cuantos", "cuantas",
		"quanti", "quante", "hoeveel", "quantos", "quantas", "average number of", "durchschnittliche anzahl", "nombre moyen de",
		"nombre moyen d",
		"nombre total de", "nombre total d", "número medio de", "número total de", "numero medio di", "numero totale di", "número médio de",
		"gemiddeld aantal", "totaal aantal",
	}
	sumPhrases = []string{
		"how much", "sum of", "spent", "spend", "spending", "ausgegeben", "dépensé", "dépensée", "dépensés", "dépensées", "gasté",
		"gastado", "gastei", "cuánto", "cuánta", "quanto", "speso", "uitgegeven", "total of", "total amount", "total value", "total cost",
		"total price",
		"total size", "summe", "gesamtsumme", "gesamtbetrag", "gesamtwert", "somme de", "montant total", "suma de", "importe total",
		"somma di",
		"totale di", "totale degli", "importo totale", "soma de", "valor total", "totaal van",
	}
	mentions = wordList(`mention mentions mentioned mentioning contain contains contained containing about over erwähnen enthalten über mentionne
		mentionnent contient contiennent menciona mencionan contiene contienen sobre`)
	newest = wordList(`last latest newest recent recently neueste neuester neuesten neuestes neuestem letzte letzter letzten letztes letztem
		jüngste jüngster jüngsten jüngstes zuletzt dernier derniers dernière dernières récent récents récente récentes último
		últimos última últimas ultimo ultimi ultimos ultima ultime ultimas reciente recientes laatste laatsten nieuwste`)
	oldest = wordList(`first earliest oldest erste erster ersten erstes älteste ältester ältesten ältestes früheste frühester frühesten frühestes
		zuerst premier premiers première premières ancien anciens ancienne anciennes primer primera primero primeros primeras
		antiguo antigua antiguos antiguas primo prima primeiro primeira primeiros primeiras eerste oudste`)

	// spans are words next to which last and the like name a time, as in last week and l'an dernier, or something else, as in first aid.
	spans = wordList(`day days night nights week weeks weekend weekends month months quarter quarters year years decade century summer winter
		spring autumn fall christmas easter tag tage tagen nacht woche wochen wochenende monat monate monaten monats quartal jahr
		jahre jahren jahres sommer frühling herbst jour jours nuit semaine semaines mois an ans année années été hiver printemps
		automne día días noche semana semanas mes meses año años verano invierno primavera otoño mon monday tue tuesday wed
		wednesday thu thursday fri friday sat saturday sun sunday january february march april may june july august september
		october november december montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi
		samedi dimanche lunes martes miércoles jueves viernes sábado domingo name aid floor class`)

	// beforeSender are words before the name of a sender, afterSender verbs after it. beforeRecipient are words before another name. sent
	// are words which say that something was sent, or when.
	beforeSender = strings.Fields("from by pay paid at did has von vom bei hat mir uns d de del par por chez da dal dalla do na no en " +
		"van bij em door heeft mij envoyé envoyés écrit écrits envió enviado escribió escrito mandó mandado inviato inviati scritto " +
		"scritti mandato enviou escreveu mandou")
	afterSender = strings.Fields("wrote sent posted said has a m hat schrieb schickte ha envió escribió mandó enviou escreveu mandou " +
		"heeft schreef stuurde")
	beforeRecipient = wordList("to an à a al alla para aan about über sobre")

	sent = wordList(`mail mails message messages letter letters post posts word words hear heard nachricht nachrichten courriel courriels correo
		correos mensaje mensajes time from by has von vom hat de del par por`)
)

// AsksNumber reports whether it asks how many there are.
func (q *Question) AsksNumber() bool {
	starts := func(phrase string) bool { return strings.HasPrefix(q.lower, " "+phrase+" ") } // elsewhere it may be a phone number of somebody
	return q.hasOne(numberPhrases) ||
		slices.ContainsFunc(strings.Split("number of,anzahl,nombre de,nombre d,número de,numero di,aantal", ","), starts)
}

// AsksSum reports whether it asks for a total amount.
func (q *Question) AsksSum() bool { return q.hasOne(sumPhrases) }

// Mentioned returns the words that the requested records must contain: those of Words that follow a word such as mention.
func (q *Question) Mentioned() []string {
	words := strings.Fields(q.lower)
	at := slices.IndexFunc(words, func(word string) bool { return mentions[word] })
	if at <= 0 {
		return nil
	}
	behind := strings.Join(words[at+1:], " ")
	return slices.DeleteFunc(slices.Clone(q.Words()), func(word string) bool { return !Has(behind, word) })
}

// AsksByTime reports whether it asks for the newest or the oldest of something. Words such as last and first do not count next to a span of
// time or a number. A question for both counts as one for the newest.
func (q *Question) AsksByTime() (isNewest, isOldest bool) {
	words := strings.Fields(q.lower)
	span := func(i int) bool {
		return i >= 0 && i < len(words) && (spans[words[i]] || strings.Trim(words[i], "0123456789") == "")
	}
	for i, word := range words {
		if !span(i-1) && !span(i+1) {
			isNewest, isOldest = isNewest || newest[word], isOldest || oldest[word]
		}
	}
	return isNewest, isOldest && !isNewest
}

// TimeWord returns the first of its words that asks for the newest or the oldest, in lower case; "" for none.
func (q *Question) TimeWord() string {
	words := strings.Fields(q.lower)
	if at := slices.IndexFunc(words, func(word string) bool { return newest[word] || oldest[word] }); at >= 0 {
		return words[at]
	}
	return ""
}

// TopicWords returns the words that say more about a record than that somebody sent it, and when.
func (q *Question) TopicWords() []string {
	return slices.DeleteFunc(slices.Clone(q.Words()), func(word string) bool {
		lower := strings.ToLower(word)
		return newest[lower] || oldest[lower] || sent[lower]
	})
}

// AsksOf reports whether it asks for what somebody sent, by a whole name or by the first word of it: after a word such as from, or before a
// verb, as in the mail that Ann wrote.
func (q *Question) AsksOf(name string) bool {
	first, _, _ := strings.Cut(name, " ")
	return slices.ContainsFunc([]string{name, first}, func(name string) bool {
		before, after, named := strings.Cut(q.lower, spaced(name))
		last := before[strings.LastIndexByte(before, ' ')+1:]
		next, _, _ := strings.Cut(after, " ")
		return named && len(name) > 2 &&
			(slices.Contains(beforeSender, last) || slices.Contains(afterSender, next) && !beforeRecipient[last])
	})
}

// Names returns the one of some values that it names as the sender: by the whole value, or else by its first word alone. It returns "" if
// the first words of none or of several fit. words are those that say more than that something was sent.
func (q *Question) Names(values, words []string) string {
	var byFirst []string
	for _, value := range values {
		first, _, _ := strings.Cut(value, " ")
		isOther := func(word string) bool { return !Has(value, word) && Has(q.lower, first+" "+word) } // another with that first name
		switch {
		case !q.AsksOf(value):
		case Has(q.lower, value):
			return value
		case !slices.ContainsFunc(words, isOther):
			byFirst = append(byFirst, value)
		}
	}
	if len(byFirst) != 1 {
		return ""
	}
	return byFirst[0]
}
