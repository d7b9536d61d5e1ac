package written

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// inEnglish maps words for times in German, French, Spanish, Italian, Portuguese and Dutch, and short ones, to the English word. They have
// no accents.
//
//nolint:misspell // they are not all English
var inEnglish = ByWord(map[string]string{
	"january":  "jan januar janner janvier enero gennaio janeiro januari",
	"february": "feb februar feber fevrier febrero febbraio fevereiro februari", "march": "mar mrz marz maerz mars marzo marco maart",
	"april": "apr avril abril aprile", "may": "mai mayo maggio maio mei", "june": "jun juni juin junio giugno junho",
	"july": "jul juli juillet julio luglio julho", "august": "aug aout agosto augustus",
	"september": "sep sept septembre septiembre settembre setembro", "october": "oct okt oktober octobre octubre ottobre outubro",
	"november": "nov novembre noviembre novembro", "december": "dec dez dezember decembre diciembre dicembre dezembro",

	"monday": "mon montag lundi lunes lunedi maandag", "tuesday": "tue tues dienstag mardi martes martedi dinsdag terca",
	"wednesday": "wed mittwoch mercredi miercoles mercoledi woensdag", "thursday": "thu thur thurs donnerstag jeudi jueves giovedi donderdag",
	"friday": "fri freitag vendredi viernes venerdi vrijdag sexta", "saturday": "sat samstag sonnabend samedi sabado sabato zaterdag",
	"sunday": "sun sonntag dimanche domingo domenica zondag",

	"today":                "now heute aujourd'hui hoy oggi vandaag hoje tonight stasera vanavond vanmiddag stamattina",
	"yesterday":            "gestern hier ayer ieri gisteren ontem",
	"day before yesterday": "vorgestern anteayer antier eergisteren", "tomorrow": "morgen demain manana domani amanha",
	"day after tomorrow": "ubermorgen uebermorgen overmorgen dopodomani",

	"last": "previous past letzte letzten letzter letztes letztem vorige vorigen vergangene vergangenen vergangenes dernier derniere " +
		"passe passee ultimo ultima pasado pasada scorso scorsa passato passata passado passada afgelopen laatste",
	"this": "current diese diesen dieser dieses diesem ce cet cette este esta questo questa neste nesta deze dit",
	"next": "coming nachste nachsten nachster nachstes kommende kommenden prochain prochaine proximo proxima prossimo prossima volgende komende",
	"ago":  "geleden fa atras",

	"spring": "fruhling fruhjahr printemps primavera voorjaar", "summer": "sommer ete verano verao zomer",
	"autumn": "fall herbst automne otono autunno outono herfst", "winter": "hiver invierno inverno",
	"easter": "ostern paques pascua pasqua pascoa pasen", "christmas": "xmas weihnachten noel navidad natale natal kerst",

	"weekend": "wochenende",
	"day":     "days tag tage tagen jour jours dia dias giorno giorni dag dagen",
	"week":    "weeks kw woche wochen semaine semaines semana semanas settimana settimane weken",
	"month":   "months monat monats monate monaten mois mes meses mese mesi maand maanden",
	"quarter": "quarters quartal trimestre kwartaal", "half": "halfte moitie mitad metade helft",
	"year": "years jahr jahres jahre jahren an ans annee annees ano anos anno anni jaar jaren",

	"1": "one eine einem einer un une uno una een", "2": "two zwei deux dos due twee dois couple", "3": "three drei trois tres tre drie",
	"4": "four vier quatre cuatro quattro quatro", "5": "five fünf funf cinq cinco cinque vijf", "6": "six sechs seis sei zes",
	"7": "seven sieben siete sette zeven sete", "10": "ten zehn dix diez dieci tien", "12": "twelve zwölf zwolf douze doce dodici twaalf doze",

	"early":  "beginning start anfang debut principios comienzos inizio begin inicio comeco",
	"mid":    "middle mitte mi mediados meta medio meados midden",
	"late":   "end ende fin finales fine eind einde fim",
	"first":  "erste ersten erster erstes premier premiere primer primera primero prima primo eerste primeira primeiro",
	"second": "zweite zweiten zweites deuxieme seconde segunda segundo seconda secondo tweede",
	"third":  "dritte dritten drittes troisieme tercera tercer tercero terza terzo derde terceira terceiro",
	"fourth": "vierte vierten viertes quatrieme cuarta cuarto quarta quarto vierde",
})

// besideTimes are words without a meaning next to the words of a time.
var besideTimes = Set("the of in on at for from during since im am den dem der die das des vom von seit vor de du le la les en au depuis il y a l d " +
	"el los las del qu'en hace ha desde di dello della nel nella lo het een sinds o os as do da no na em")

// introduceTimes are words after which the name of a month is a time; introduceTimesElsewhere are those for names that are not English.
var (
	introduceTimes          = Set("on in during from of since last this next before until till through after between")
	introduceTimesElsewhere = Set("im am seit ab vom vorigen letzten en depuis desde de di a em sinds van")
)

// alsoEnglish are words for times in other languages that mean something else before an English word.
var alsoEnglish = Set("due fine fin meta debut dos hier")

// ofTimes returns the English words for times.
var ofTimes = sync.OnceValue(func() map[string]bool {
	words := Set("before")
	for _, word := range inEnglish {
		words[word] = true
	}
	return words
})

// Folded returns a text in lower case without accents and with plain signs, to compare texts that differ in these alone.
func Folded(s string) string { return plainSigns.Replace(withoutAccents.Replace(strings.ToLower(s))) }

// plainSigns replaces spaces, quotation marks and dashes by the plain ones that look alike, and removes combining accents.
var plainSigns = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2007", " ", "\u2002", " ",
	"\u2003", " ", "\u3000", " ", "‘", "'", "‛", "'", "ʼ", "'", "′", "'", "´", "'", "`", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "″", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-", "\u200b", "", "\u200e", "", "\u200f", "", "\ufeff", "",
	"\u0300", "", "\u0301", "", "\u0302", "", "\u0303", "", "\u0308", "", "\u0327", "", "…", "...")

var withoutAccents = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ä", "a", "ã", "a", "é", "e", "è", "e", "ê", "e", "í", "i", "ì", "i",
	"ë", "e", "î", "i", "ï", "i", "ö", "o", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ú", "u", "ù", "u", "û", "u", "ü", "u", "ç", "c", "ñ", "n", "’", "'")

// pointed is a day and a month by their numbers, as in 15.11.
var pointed = Expression(`^([0-9]{1,2})\.([0-9]{1,2})\.$`)

var ordinal = Expression(`^([0-9]{1,2})(?:st|nd|rd|th|er|e|º|ª|\.)$`)

// english returns the English word for a word of a time in lower case, or that word.
func english(word string) string {
	if len(word) > utf8.RuneCountInString(word) { // Replace allocates for any word
		word = withoutAccents.Replace(word)
	}
	return cmp.Or(inEnglish[word], word)
}

// bareWord returns a word of a query in lower case without signs around it; "" if i is out of range.
func bareWord(fields []string, i int) string {
	if i < 0 || i >= len(fields) {
		return ""
	}
	return bare(fields[i])
}

func bare(word string) string { return strings.Trim(strings.ToLower(word), ".,;?!()¿¡") }

// AnyWord reports whether a word of a query is one of some. It allocates nothing for a query in lower case.
func AnyWord(query string, is func(word string) bool) bool {
	for word := range strings.FieldsSeq(query) {
		if is(bare(word)) {
			return true
		}
	}
	return false
}

// timeWords returns the words of a time in English, without those that have no meaning.
func timeWords(s string) (words []string) {
	for field := range strings.FieldsSeq(strings.ToLower(s)) {
		field = strings.Trim(withoutAccents.Replace(field), ",;?!()")
		if of, ok := strings.CutSuffix(field, "'s"); ok && !slices.Contains(monthList, of) { // May's may be a person's
			field = of
		}
		if found := pointed().FindStringSubmatch(field); found != nil {
			if n, _ := strconv.Atoi(found[2]); n > 0 && n <= len(monthList) {
				words = append(words, found[1], monthList[n-1])
				continue
			}
		}
		if found := ordinal().FindStringSubmatch(field); found != nil {
			field = found[1]
		}
		if part, rest, ok := strings.Cut(field, "-"); ok && strings.Trim(part+rest, "abcdefghijklmnopqrstuvwxyz") == "" && part != "" {
			words = append(words, timeWords(part+" "+rest)...) // mid-March
			continue
		}
		if _, rest, ok := strings.Cut(field, "'"); ok && len(field) > len(rest)+1 && inEnglish[field] == "" { // l'an
			field = rest
		}
		if field = english(strings.TrimSuffix(field, ".")); field != "" && !besideTimes[field] {
			words = append(words, field)
		}
	}
	return words
}
