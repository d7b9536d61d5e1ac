package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/hit"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// findHints finds the calls that answer a query which asks for the newest, the oldest or a number; none for any other, and behind the first page.
func (s *searchPage) findHints() []string {
	meant := write.Offer("q is read as words, not as fields. Send: ", s.q.Meant, write.LineChars)
	if s.q.Q == "" || !s.q.Position.First() {
		return write.NotEmpty(meant)
	}
	number, extreme := "", ""
	switch {
	case s.q.Question.AsksSum():
		number = "Hits are no sum: " + byAggregate
	case s.q.Question.AsksNumber(), s.q.Limit == paging.MaxLimit && s.whole():
		number = s.number()
	}
	if newest, oldest := s.q.Question.AsksByTime(); newest || oldest {
		extreme = s.extreme(oldest)
	}
	return write.NotEmpty(meant, number, extreme)
}

func (s *searchPage) whole() bool {
	return s.total() == "" && s.l.count() != "" && !s.l.Envelope.Has("next_cursor") && !s.l.Envelope.Flag("has_more")
}

const (
	byAggregate = "aggregate counts and sums, also within a filter."
	byTime      = "By time, not by words: query_records, or search with since and until."
)

// number says how many records the hits are of where the page has all, else how to count them.
func (s *searchPage) number() string {
	const noCount = "Hits are no count: " + byAggregate
	counted := someCount(s.l) == 0 && s.l.count() != "0" // hits are all that have the words
	switch {
	case len(s.all) == 0:
		return noCount
	case s.whole() && counted:
		return fmt.Sprintf("These are all, of %s: %s.", write.Plural(s.records, "record"), hit.StreamMix(s.all))
	}
	q, n := s.q, 0
	of := q.Question.Mentioned()                // words that are to be there
	if t := q.OfTime; t != nil && len(of) > 0 { // its words name a time, which is not looked for among those of the records
		of = slices.DeleteFunc(of, func(word string) bool { return !has(t.Text("q"), word) })
		q.Rest = t.Without("q", "connection_id", "limit", "cursor")
	}
	if counted {
		n, _ = strconv.Atoi(s.total())
	}
	switch {
	case len(of) == 1:
		q.Q, q.Limit = of[0], paging.MaxLimit
	case len(of) > 1: // without quotes, hits may have some of them
		q.Q, q.Limit = strings.Join(write.Each(of, func(word string) string { return `"` + strings.Trim(word, `"`) + `"` }), " "), paging.MaxLimit
	case n > 0 && n <= paging.MaxLimit:
		q.Limit, q.Rest = n, s.q.Rest
	default:
		return noCount
	}
	return noCount + write.Offer(" Records with the words, by stream: ", q.call("").Call("search"), write.LineChars)
}

// extreme answers a query for the newest or oldest: with the call for those of the sender or stream that it names, or else with the newest or
// oldest of the hits that have all words, and the call that finds any newer or older.
func (s *searchPage) extreme(oldest bool) string {
	which, other, bound, beyond := "newest", "newer", "since", time.Millisecond
	if oldest {
		which, other, bound, beyond = "oldest", "older", "until", -time.Millisecond
	}
	stream, ofSender := s.ofSender(which)
	switch {
	case s.q.Newest.Stream != "" && (ofSender == "" || stream != s.q.Newest.Stream):
		return s.q.Newest.Says
	case ofSender != "":
		return ofSender
	}
	var best *hit.Hit
	var at time.Time
	alike, later := 0, 0
	for i := range s.hits {
		h := s.hit(i)
		t, err := rs.ReadTime(h.Authored)
		if err != nil || h.Has != "" { // one without some of the words is of something else
			continue
		}
		if !oldest && !s.q.Now.IsZero() && t.After(s.q.Now) {
			later++
			continue
		}
		if alike++; best == nil || oldest && t.Before(at) || !oldest && t.After(at) {
			best, at = h, t
		}
	}
	if best == nil {
		return byTime
	}
	which += write.When(later > 0, " until now")
	of := fmt.Sprintf("these %d", alike)
	if alike+later < len(s.hits) {
		of = fmt.Sprintf("the %d with all words", alike)
	}
	says := fmt.Sprintf("The %s of %s: %s, %s.", which, of, best.ID, best.When()) +
		write.When(best.MatchesDeep(), " It is a long text: its date need not be that of the match.")
	if s.whole() && alike+later == len(s.hits) || !s.q.lexical() {
		return says
	}
	until := best.Authored
	if len(until) > len(time.DateOnly) { // a day is asked for whole
		until = at.Add(beyond).UTC().Format(time.RFC3339Nano)
	}
	q := s.q
	q.Rest = q.Rest.With(bound, write.JSON(until))
	return says + write.Offer(" Any "+other+": ", q.call("").Call("search"), write.LineChars)
}

// ofSender is the call for the newest or oldest record of the sender whom a query names, or, where it has other words, for those of the sender
// that have them, and the stream that it reads; "" where it names none, or where the resource server filters nothing.
func (s *searchPage) ofSender(which string) (stream, says string) {
	var sender *hit.Hit
	connection := ""
	for i := range s.hits {
		h := s.hit(i)
		switch {
		case h.WhoField == "" || !s.q.Question.AsksOf(h.Who):
		case sender == nil:
			sender, connection = h, h.Connection
		case sender.Who != h.Who: // two of one first name
			return "", ""
		case connection != h.Connection:
			connection = ""
		}
	}
	if sender == nil || s.q.Unfiltered {
		return "", ""
	}
	filter := rs.Object{write.Pair(sender.WhoField, write.JSON(sender.Who))}.JSON()
	if words := strings.Join(s.q.Question.Beside(sender.Who), " "); words != "" {
		call := new(write.Object).Text("q", which+" "+words).Put("streams", write.JSON([]string{sender.Stream}))
		return sender.Stream, write.Offer("Of this sender alone: ", call.Text("connection_id", connection).Put("filter", filter).Call("search"), write.LineChars)
	}
	call := new(write.Object).Text("stream", sender.Stream).Text("connection_id", connection).Put("filter", filter)
	if which == "oldest" {
		call.Text("order", "asc")
	}
	return sender.Stream, write.Offer("The "+which+" from this sender: ", call.Number("limit", 1).Call("query_records"), write.LineChars)
}

// A Question is a query as one asks a person: for the newest of something, for a number, for what somebody sent. Its words are read when
// they are first needed.
type Question struct {
	lower string // its words in lower case, a space around each
	words []string
	read  func() []string
}

// NewQuestion is the question that a query is. words are those of it that say what it is about; nil if that is not known.
func NewQuestion(query string, words func() []string) *Question {
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

// spaced are the words of a text in lower case with a space around each, so that a part of a word is not taken for it.
func spaced(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	return " " + strings.Join(words, " ") + " "
}

// has reports whether a text has a word or a phrase as such.
func has(text, phrase string) bool { return strings.Contains(spaced(text), spaced(phrase)) }

func (q *Question) hasOne(phrases []string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(q.lower, " "+phrase+" ") })
}

// Words are those that say what it is about.
func (q *Question) Words() []string {
	if q.words == nil {
		q.words = q.read()
	}
	return q.words
}

// Questions that no ranking by words answers, in the languages whose common words are known.
//
//nolint:misspell // they are not all English
var (
	numberPhrases = []string{
		"how many", "how often", "number of", "wieviel", "wieviele", "wie viel", "wie viele", "wie vielen", "wie vieler",
		"wie vieles", "wie oft", "combien de", "combien des", "combien du", "cuántos", "cuántas", "cuantos", "cuantas",
		"quanti", "quante", "hoeveel", "quantos", "quantas",
	}
	sumPhrases = []string{
		"how much", "sum of", "spent", "spend", "ausgegeben", "dépensé", "dépensée", "dépensés", "dépensées", "gasté",
		"gastado", "cuánto", "cuánta", "quanto", "speso", "uitgegeven",
	}
	mentions = wordList(`mention mentions mentioned mentioning contain contains contained containing about over erwähnen enthalten über mentionne
		mentionnent contient contiennent menciona mencionan contiene contienen sobre`)
	newest = wordList(`last latest newest recent recently neueste neuester neuesten neuestes neuestem letzte letzter letzten letztes letztem
		jüngste jüngster jüngsten jüngstes zuletzt dernier derniers dernière dernières récent récents récente récentes último
		últimos última últimas ultimo ultimos ultima ultimas reciente recientes laatste`)
	oldest = wordList(`first earliest oldest erste erster ersten erstes älteste ältester ältesten ältestes früheste frühester frühesten frühestes
		zuerst premier premiers première premières ancien anciens ancienne anciennes primer primera primero primeros primeras
		antiguo antigua antiguos antiguas eerste`)

	// spans are words beside which last and its like name a time, as in last week and l'an dernier, or something else, as in first aid.
	spans = wordList(`day days night nights week weeks weekend weekends month months quarter quarters year years decade century summer winter
		spring autumn fall christmas easter tag tage tagen nacht woche wochen wochenende monat monate monaten monats quartal jahr
		jahre jahren jahres sommer frühling herbst jour jours nuit semaine semaines mois an ans année années été hiver printemps
		automne día días noche semana semanas mes meses año años verano invierno primavera otoño mon monday tue tuesday wed
		wednesday thu thursday fri friday sat saturday sun sunday january february march april may june july august september
		october november december montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi
		samedi dimanche lunes martes miércoles jueves viernes sábado domingo name aid floor class`)

	// beforeSender are words before the name of a sender, and sent says that something was sent, or when.
	beforeSender = strings.Fields("from by did has von vom hat de del par por a")
	sent         = wordList(`e mail mails email emails message messages letter letters post posts word words hear heard write wrote written sent send
		receive received got nachricht nachrichten schrieb geschrieben geschickt courriel courriels écrit envoyé reçu correo
		correos mensaje mensajes escribió recibido time from by did has von vom hat de del par por a`)
)

// AsksNumber and AsksSum report whether it asks how many there are, or how much.
func (q *Question) AsksNumber() bool { return q.hasOne(numberPhrases) }

// AsksSum reports whether it asks how much something is in all.
func (q *Question) AsksSum() bool { return q.hasOne(sumPhrases) }

// Mentioned are those of its words that the records which it asks for are to have: what follows a word such as mention.
func (q *Question) Mentioned() []string {
	words := strings.Fields(q.lower)
	at := slices.IndexFunc(words, func(word string) bool { return mentions[word] })
	if at <= 0 {
		return nil
	}
	behind := strings.Join(words[at+1:], " ")
	return slices.DeleteFunc(slices.Clone(q.Words()), func(word string) bool { return !has(behind, word) })
}

// AsksByTime reports whether it asks for the newest or the oldest of something. Words such as last are read so except beside a span of
// time, and first only before what it is the first of.
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

// Beside are those of its words that say more of a record than that a sender sent it, and when.
func (q *Question) Beside(sender string) []string {
	return slices.DeleteFunc(slices.Clone(q.Words()), func(word string) bool {
		lower := strings.ToLower(word)
		return newest[lower] || oldest[lower] || sent[lower] || has(sender, word)
	})
}

// AsksOf reports whether it asks for what somebody sent, by the name or by the first word of it.
func (q *Question) AsksOf(name string) bool {
	first, _, _ := strings.Cut(name, " ")
	return slices.ContainsFunc([]string{name, first}, func(name string) bool {
		return len(name) > 2 && slices.ContainsFunc(beforeSender, func(word string) bool {
			return strings.Contains(q.lower, " "+word+spaced(name))
		})
	})
}
