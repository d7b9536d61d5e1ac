package render

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/hit"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Questions that no ranking by words answers, in the languages whose common words search knows.
var (
	asksNumber = expression(`(?i)(^|[\s¿])(how many|how often|number of|wie ?viele?[rsnm]?|wie oft|combien d(?:e|es|u)|cuánt[oa]s)(\s|\pP|$)`)
	asksSum    = expression(`(?i)(^|[\s¿])(how much|sum of|spen[dt]|ausgegeben|dépensée?s?|gast(é|ado)|cuánt[oa])(\s|\pP|$)`)
	asksOf     = expression(`(?i)\s(?:mention(?:s|ed|ing)?|contain(?:s|ed|ing)?|about|over|erwähnen|enthalten|über|mentionne(?:nt)?|contien(?:t|nent)|mencionan?|contienen?|sobre)\s+(.+)$`)

	newestWords = expression(`^(last|latest|newest|recent|recently|neueste[rsnm]?|letzte[rsnm]?|jüngste[rsnm]?|zuletzt|derni(er|ère)s?|récente?s?|últim[oa]s?|ultim[oa]s?|recientes?)$`)
	oldestWords = expression(`^(first|earliest|oldest|erste[rsnm]?|älteste[rsnm]?|früheste[rsnm]?|zuerst|premi(er|ère)s?|ancien(ne)?s?|primer[oa]?s?|antigu[oa]s?)$`)

	// spans are words beside which last and its like name a time: last week, l'an dernier.
	spans = expression(`(?i)^(days?|nights?|weeks?|weekends?|months?|quarters?|years?|decade|century|summer|winter|spring|autumn|fall|christmas|easter|` +
		`tage?n?|nacht|wochen?(ende)?|monate?n?s?|quartal|jahre?s?n?|sommer|frühling|herbst|jours?|nuit|semaines?|week-end|mois|ans?|année|été|hiver|printemps|automne|` +
		`días?|noche|semanas?|mes(es)?|años?|verano|invierno|primavera|otoño|` +
		`mon(day)?|tue(sday)?|wed(nesday)?|thu(rsday)?|fri(day)?|sat(urday)?|sun(day)?|january|february|march|april|may|june|july|august|september|october|november|december|` +
		`montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|` +
		`name|aid|floor|class|\d+)$`)

	// sentWords say that something was sent.
	sentWords = expression(`(?i)^(e|e?-?mails?|messages?|letters?|posts?|word|words|hear|heard|write|wrote|written|sent|send|received?|got|nachricht(en)?|schrieb|` +
		`geschrieben|geschickt|courriels?|écrit|envoyé|reçu|correos?|mensajes?|escribió|recibido|recent|time|from|by|did|has|von|vom|hat|de|del|par|por|a)$`)
)

// beforeSender are words before the name of a sender.
var beforeSender = []string{"from", "by", "did", "has", "von", "vom", "hat", "de", "del", "par", "por", "a"}

// expression is a regular expression that is compiled at its first use, so that the start of the program does not wait for it.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// AsksByTime reports whether a query asks for the newest or the oldest of something. Words such as last are read so except beside a span of
// time, and first only before what it is the first of.
func AsksByTime(q string) (newest, oldest bool) {
	words := strings.FieldsFunc(strings.ToLower(q), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '-' })
	for i, word := range words {
		switch {
		case i+1 < len(words) && spans().MatchString(words[i+1]), i > 0 && spans().MatchString(words[i-1]):
		case newestWords().MatchString(word):
			newest = true
		case oldestWords().MatchString(word):
			oldest = true
		}
	}
	return newest, oldest && !newest
}

// IsSuperlative reports whether a word asks for the newest or the oldest.
func IsSuperlative(word string) bool {
	word = strings.ToLower(word)
	return newestWords().MatchString(word) || oldestWords().MatchString(word)
}

// findHints finds the calls that answer a query which asks for the newest, the oldest or a number; none for any other, and behind the first page.
func (s *searchPage) findHints() []string {
	var hints []string
	if s.q.Meant != "" && write.Copyable(s.q.Meant, write.LineChars) {
		hints = append(hints, "q is read as words, not as fields. Send: "+s.q.Meant)
	}
	if s.q.Q == "" || !s.q.Position.First() {
		return hints
	}
	switch {
	case asksSum().MatchString(s.q.Q):
		hints = append(hints, "Hits are no sum: "+byAggregate)
	case asksNumber().MatchString(s.q.Q), s.q.Limit == paging.MaxLimit && s.whole():
		hints = append(hints, s.number())
	}
	if newest, oldest := AsksByTime(s.q.Q); newest || oldest {
		hints = append(hints, s.extreme(oldest))
	}
	return hints
}

// whole reports whether the page has all hits.
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
	q := s.q
	var of []string // words that are to be there
	if found := asksOf().FindStringSubmatch(q.Q); found != nil {
		of = slices.DeleteFunc(slices.Clone(q.Words), func(word string) bool { return !strings.Contains(inWords(found[1]), inWords(word)) })
	}
	if t := q.OfTime; t != nil && len(of) > 0 { // its words name a time, which is not looked for among those of the records
		of = slices.DeleteFunc(of, func(word string) bool { return !strings.Contains(inWords(t.Text("q")), inWords(word)) })
		q.Rest = t.Without("q", "connection_id", "limit", "cursor")
	}
	total, err := strconv.Atoi(s.total())
	switch {
	case len(of) == 1:
		q.Q, q.Limit = of[0], paging.MaxLimit
	case len(of) > 1: // without quotes, hits may have some of them
		q.Q, q.Limit = strings.Join(write.Each(of, func(word string) string { return `"` + strings.Trim(word, `"`) + `"` }), " "), paging.MaxLimit
	case err == nil && total <= paging.MaxLimit && counted:
		q.Limit, q.Rest = total, s.q.Rest
	default:
		return noCount
	}
	return noCount + write.Offer(" Records with the words, by stream: ", q.call("").Call("search"), write.LineChars)
}

// inWords are the words of a text, with a space around each, so that a part of a word is not taken for it.
func inWords(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	return " " + strings.Join(words, " ") + " "
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
	if later > 0 {
		which += " until now"
	}
	of := fmt.Sprintf("these %d", alike)
	if alike+later < len(s.hits) {
		of = fmt.Sprintf("the %d with all words", alike)
	}
	says := fmt.Sprintf("The %s of %s: %s, %s.", which, of, best.ID, best.When())
	if best.MatchesDeep() {
		says += " It is a long text: its date need not be that of the match."
	}
	if s.whole() && alike+later == len(s.hits) || !s.q.lexical() {
		return says
	}
	q := s.q
	if len(best.Authored) > len(time.DateOnly) { // a day is asked for whole
		q.Rest = q.Rest.With(bound, write.JSON(at.Add(beyond).UTC().Format(time.RFC3339Nano)))
	} else {
		q.Rest = q.Rest.With(bound, write.JSON(best.Authored))
	}
	if line := q.call("").Call("search"); write.Copyable(line, write.LineChars) {
		return says + " Any " + other + ": " + line
	}
	return says
}

// ofSender is the call for the newest or oldest record of the sender whom a query names, or, where it has other words, for those of the sender
// that have them, and the stream that it reads; "" where it names none, or where the resource server filters nothing.
func (s *searchPage) ofSender(which string) (stream, says string) {
	var sender *hit.Hit
	connection := ""
	for i := range s.hits {
		h := s.hit(i)
		switch {
		case h.WhoField == "" || !namesSender(s.q.Q, h.Who):
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
	if words := strings.Join(WordsBeside(s.q.Words, sender.Who), " "); words != "" {
		call := new(write.Object).Text("q", which+" "+words).Put("streams", write.JSON([]string{sender.Stream}))
		return sender.Stream, write.Offer("Of this sender alone: ", call.Text("connection_id", connection).Put("filter", filter).Call("search"), write.LineChars)
	}
	call := new(write.Object).Text("stream", sender.Stream).Text("connection_id", connection).Put("filter", filter)
	if which == "oldest" {
		call.Text("order", "asc")
	}
	return sender.Stream, write.Offer("The "+which+" from this sender: ", call.Number("limit", 1).Call("query_records"), write.LineChars)
}

// WordsBeside are those of the words of a query that say more of a record than that a sender sent it, and when.
func WordsBeside(words []string, sender string) []string {
	names := inWords(sender)
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return IsSuperlative(word) || sentWords().MatchString(word) || strings.Contains(names, inWords(word))
	})
}

// namesSender reports whether a query asks for what somebody sent, by the name or by the first word of it.
func namesSender(q, name string) bool {
	first, _, _ := strings.Cut(name, " ")
	return slices.ContainsFunc([]string{name, first}, func(name string) bool {
		return len(name) > 2 && slices.ContainsFunc(beforeSender, func(word string) bool {
			return strings.Contains(inWords(q), " "+word+inWords(name))
		})
	})
}
