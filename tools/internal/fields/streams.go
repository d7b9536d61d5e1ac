package fields

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// streamWords maps other words for records to the usual name of their stream.
var streamWords = lexicon.Meanings("stream")

// usualStreams has the names of streams with the records that people usually mean, such as messages.
var usualStreams = written.Set(slices.Collect(maps.Values(streamWords))...)

// supplementary has last words in the names of streams that only supplement such records, as channels supplement messages.
var supplementary = lexicon.Of("supplementary-stream")

// mailWords has words for mail.
var mailWords = lexicon.Of("mail")

// StreamOf returns the usual name of the stream whose records a word means; "" if none is known.
func StreamOf(word string) string { return streamWords[word] }

// Calls reports whether a word means the records of a stream.
func Calls(word, stream string) bool {
	word = strings.ToLower(word)
	kind := StreamOf(word)
	return slices.Contains([]string{word, word + "s", strings.TrimSuffix(word, "y") + "ies", kind}, stream) ||
		kind != "" && kind == StreamOf(strings.ToLower(stream)) && // Termine are in Kalender
			(kind != "messages" || mailWords[word] && mailWords[strings.ToLower(stream)]) // mail is not in chat
}

// IsMail reports whether a word means mail.
func IsMail(word string) bool { return mailWords[strings.ToLower(word)] }

// MailOf returns the first stream whose fields are those of mail, if one of some words means mail; else "".
func MailOf(words []string, all *rs.Schema) string {
	if all == nil || !slices.ContainsFunc(words, IsMail) {
		return ""
	}
	read := byName(all)
	at := slices.IndexFunc(all.Streams, func(row rs.SchemaStream) bool { return mailShape(read(row.Name)) > 0 })
	if at < 0 {
		return ""
	}
	return all.Streams[at].Name
}

// MayCall reports whether a word may be the name of a stream, which is a plural. The schema is not read for any other word.
func MayCall(word string) bool {
	const least = 4 // letters, as in bills
	word = strings.ToLower(word)
	return len(word) >= least && strings.HasSuffix(word, "s") || StreamOf(word) != ""
}

// KindIn returns the word in names of connections and streams for the kind of records that a stream name means: mail for emails.
func KindIn(stream string) string {
	kind := strings.TrimSuffix(written.Snake(stream), "s")
	if kind == "email" || kind == "e_mail" {
		return "mail"
	}
	return kind
}

// How a stream matches a name, the likeliest first.
const (
	same      = iota // except for case, separators or the order of the words
	misspelt         // except for a letter or two
	ofKind           // its fields or its name show records of the kind that the name means
	hasWords         // its name has all words of the name, or the reverse
	likeWords        // its name has another word for that kind, or a misspelt word
	resembles        // in a part of a word, or in some of several words
	nowhere
)

// A found is a stream and how well it matches a name. Streams that match in the same way are ordered by the number of words, then by rank
// and by where the name of the stream has the word.
type found struct {
	stream             string
	how, words         int
	rank, place, score int
}

// A kind is what the name of a stream says about its records.
type kind struct {
	usual  string // the usual name of such a stream; "" where none is known
	word   string // the last word of the name, which says the kind
	alone  bool   // the name has no other word
	isMail bool
}

func streamKind(name string) kind {
	snake := written.Snake(name)
	last := snake[strings.LastIndexByte(snake, '_')+1:]
	k := kind{cmp.Or(streamWords[snake], streamWords[last]), last, snake == last, mailWords[last]}
	if k.isMail {
		k.usual = "messages"
	}
	return k
}

// NearStreams returns those of some streams that a name may mean, the likeliest first. all is the schema of all streams, whose fields show
// which have the records that people usually mean; nil if unknown.
func NearStreams(name string, streams []string, all *rs.Schema) (near []string) {
	var ranked []found
	kind, sought, read := streamKind(name), written.WordsOf(name), byName(all)
	for _, stream := range streams {
		words, own := written.WordsOf(stream), read(stream)
		f := find(name, stream, sought, words)
		if f.how > misspelt && kind.usual != "" {
			f = f.byKind(kind, sought, words, mailShape(own), all == nil)
		}
		if f.how < nowhere {
			f.rank = rankOf(words, own)
			ranked = append(ranked, f)
		}
	}
	slices.SortStableFunc(ranked, func(a, b found) int {
		return cmp.Or(a.how-b.how, b.words-a.words, a.rank-b.rank, a.place-b.place, a.score-b.score)
	})
	for i, f := range ranked {
		beside := kind.isMail || f.rank > 0 || !kind.alone
		if i >= 3 && f.how == resembles || ranked[0].how < f.how && (f.how == resembles || f.how == likeWords && beside) {
			break
		}
		near = append(near, f.stream)
	}
	return near
}

// find returns how well a stream matches a name.
func find(name, stream string, sought, words written.Words) found {
	f := found{stream: stream, how: nowhere}
	score, alike := written.Alike(name, stream)
	d := written.Distance(written.Snake(name), written.Snake(stream))
	place, shared := sought.In(words)
	_, own := words.In(sought)
	switch {
	case alike && score <= 1 || written.Letters(name) == written.Letters(stream) && written.Letters(name) != "":
		f.how, f.score = same, score
	case alike && (d == 1 && len(name) > 3 || d == 2 && len(name) > 7):
		f.how, f.score = misspelt, d
	case shared > 0:
		f.how, f.words, f.place = hasWords, shared, place
	case own > 0:
		f.how, f.words = hasWords, own
	case sought.Misspell(words):
		f.how = likeWords
	case alike:
		f.how, f.score = resembles, score
	}
	return f
}

// byKind returns how well a stream matches the kind of records that a name means: by its usual name, as mail by its fields or its name, or
// by another word for that kind. shape is that of [mailShape]; unknown reports that the fields of the streams are unknown.
func (f found) byKind(k kind, sought, words written.Words, shape int, unknown bool) found {
	named := words.Has(KindIn(k.word))
	switch {
	case k.usual == f.stream:
		f.how = ofKind
	case k.isMail && (shape > 0 || words.Has("mail") || words.Has("email") || unknown && words.Has("inbox")):
		f.how, f.words = ofKind, shape
		if _, own := words.In(sought); own > 0 && !k.alone { // the name has all words of the stream
			f.words += 8
		}
		if named {
			f.words += 2
		}
	case f.how > likeWords && (named || words.Has(strings.TrimSuffix(k.usual, "s"))):
		f.how, f.words = likeWords, 1
	}
	return f
}

// Ranked sorts streams in place and returns them: those with the records that people usually mean come first.
func Ranked(streams []string, all *rs.Schema) []string {
	read, ranks := byName(all), map[string]int{}
	for _, stream := range streams {
		ranks[stream] = rankOf(written.WordsOf(stream), read(stream))
	}
	slices.SortStableFunc(streams, func(a, b string) int { return ranks[a] - ranks[b] })
	return streams
}

// byName returns a function that reads a stream from the schema of all without iterating over the others, each stream once; an unknown
// stream has no fields.
func byName(all *rs.Schema) func(stream string) Stream {
	rows, read := RowsByName(all), map[string]Stream{}
	return func(name string) Stream {
		stream, ok := read[name]
		if !ok {
			stream = Read(name, &rs.Schema{Streams: rows[name]})
			read[name] = stream
		}
		return stream
	}
}

// RowsByName returns the rows of each stream of a schema; nil has none.
func RowsByName(all *rs.Schema) map[string][]rs.SchemaStream {
	rows := map[string][]rs.SchemaStream{}
	if all != nil {
		for _, row := range all.Streams {
			rows[row.Name] = append(rows[row.Name], row)
		}
	}
	return rows
}

// rankOf returns the rank of a stream, lower first: streams with the records that people usually mean have such a name, and a time.
func rankOf(words written.Words, own Stream) int {
	const usual, other, beside, timeless = 0, 1, 2, 4
	rank := other
	isRecords := func(word string) bool {
		meant := cmp.Or(streamWords[word], word+"s")
		return usualStreams[meant] && !supplementary[strings.TrimSuffix(meant, "s")]
	}
	if supplementary[words.Last()] {
		rank = beside
	} else if words.Any(isRecords) {
		rank = usual
	}
	if len(own.Fields) > 0 && !slices.ContainsFunc(own.Fields, isEventTime) {
		rank += timeless
	}
	return rank
}

// mailShape returns how similar the fields of a stream are to those of mail, from 0 to 4: it needs a subject and a sender, and more so the
// address of the sender.
func mailShape(own Stream) int {
	has := func(is Use) bool { return slices.ContainsFunc(own.Fields, is) }
	switch subject := has(func(f rs.SchemaField) bool { return subjects[written.Snake(f.Name)] }); {
	case subject && has(IsSenderAddress):
		return 4
	case subject && has(func(f rs.SchemaField) bool { return f.Role == "actor" }):
		return 2
	}
	return 0
}

// IsMail reports whether the fields of a stream are those of mail.
func (s Stream) IsMail() bool { return mailShape(s) > 0 }

var subjects = lexicon.Of("subject")

// OnlyNumber returns the one field of a stream with a number that can be compared; "" for none or several.
func (s Stream) OnlyNumber() string {
	return only(s.namesOf(func(f rs.SchemaField) bool { return f.Granted && isNumberField(f) && f.HasBounds() }))
}

// Measured returns the one number of a stream that a superlative compares: for money an amount, for a length a duration, or the only
// number; for any measure the only number or the only amount. Records can be sorted by it. It is "" if none or several may be meant.
func Measured(document *rs.Schema, stream string, by written.Measure) string {
	all := Numbers(document, []string{stream}, rs.SchemaField.HasBounds)
	fit := slices.DeleteFunc(slices.Clone(all), func(f InStream) bool {
		if by == written.Length {
			return !durations().MatchString(written.Snake(f.Field))
		}
		return !written.IsMoneyName(f.Field) || written.IsLevel(f.Field)
	})
	switch {
	case by == written.OtherMeasure:
	case len(fit) == 1:
		return fit[0].Field
	case len(all) == 1 && by != written.Money:
		return all[0].Field
	}
	return ""
}

var durations = written.Expression(lexicon.Pattern("duration"))

// Sides returns the number of a stream that has what was paid and the one that has what was received, as a bank's statement may have a
// column for each, such as debit and credit. Both are "" for any other stream.
func Sides(document *rs.Schema, stream string) (paid, received string) {
	var out, in []string
	for _, f := range Numbers(document, []string{stream}, rs.SchemaField.HasBounds) {
		name := " " + strings.ReplaceAll(written.Snake(f.Field), "_", " ") + " "
		switch isOut, isIn := paidOut().MatchString(name), paidIn().MatchString(name); {
		case isOut && !isIn:
			out = append(out, f.Field)
		case isIn && !isOut:
			in = append(in, f.Field)
		}
	}
	if paid, received = only(out), only(in); paid == "" || received == "" {
		return "", ""
	}
	return paid, received
}

var (
	paidOut = written.Expression(" " + lexicon.Pattern("column-paid") + " ")
	paidIn  = written.Expression(" " + lexicon.Pattern("column-received") + " ")
)

// An InStream has the names of a field and its stream.
type InStream struct{ Stream, Field string }

// Numbers returns the fields that have numbers and are for a use, in some streams or in all if none is named, those of money first.
func Numbers(document *rs.Schema, streams []string, u Use) []InStream {
	var money, others []InStream
	seen := map[InStream]bool{}
	for i := range document.Streams {
		row := &document.Streams[i]
		if len(streams) > 0 && !slices.Contains(streams, row.Name) {
			continue
		}
		for _, f := range row.Fields() {
			field := InStream{row.Name, f.Name}
			isNumber := strings.Contains(f.Type, "number") || strings.Contains(f.Type, "integer")
			if !isNumber || !f.Granted || !u(f) || seen[field] {
				continue
			}
			if seen[field] = true; written.IsMoneyName(f.Name) {
				money = append(money, field)
			} else {
				others = append(others, field)
			}
		}
	}
	slices.Reverse(money) // the last is usually the total
	return append(money, others...)
}
