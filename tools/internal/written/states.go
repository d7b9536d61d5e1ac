package written

import "strings"

// states maps words in other languages for states of records and for the fields that have them, without their endings, to the English word.
var states = ByWord(map[string]string{
	"cancelled": "canceled storniert annulliert abgesagt annulé cancelad anulad annullat geannuleerd",
	"delivered": "geliefert zugestellt livré entregad entregue consegnat geleverd bezorgd",
	"shipped":   "versandt versendet verschickt expédié enviad spedit verzonden",
	"returned": "retourniert zurückgeschickt zurückgesendet zurückgegeben retourné renvoyé devuelt restituit devolvid teruggestuurd " +
		"geretourneerd",
	"refunded": "erstattet zurückerstattet remboursé reembolsad rimborsat terugbetaald", "paid": "bezahlt payé pagad pagat betaald",
	"open": "offen ouvert abiert apert abert", "closed": "geschlossen fermé cerrad chius fechad gesloten",
	"confirmed": "bestätigt confirmé confirmad confermat bevestigd", "pending": "ausstehend pendient pendent",
	"status": "statut estado stato", "location": "ort lieu lugar luogo locatie",
})

// StateWord returns the English word for a word that says in which state a record is or names the field with it, such as cancelled for
// storniert; any other word in lower case.
func StateWord(word string) string {
	const least, ending = 5, 2 // bytes of what has an ending, and of that
	word = strings.ToLower(word)
	for end := len(word); end == len(word) || end >= max(least, len(word)-ending); end-- {
		if state := states[word[:end]]; state != "" {
			return state
		}
	}
	return word
}
