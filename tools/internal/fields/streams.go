package fields

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// streamWords are what the records of a stream are also called.
var streamWords = written.ByWord(map[string]string{
	"messages": "email emails mail mails chat chats nachricht nachrichten",
	"events":   "appointment appointments meeting meetings calendar agenda termin termine kalender",
	"orders":   "purchase purchases bestellung bestellungen", "attachments": "file files datei dateien",
	"threads": "conversation conversations", "notes": "memo memos notiz notizen", "tasks": "todo todos aufgabe aufgaben",
	"contacts": "people persons kontakt kontakte", "photos": "pictures images fotos bilder",
})

// usualStreams are those that have the records which people mean, such as messages.
var usualStreams = written.Set(slices.Collect(maps.Values(streamWords))...)

// besideRecords are last words in the names of streams that only add to the records which people mean, such as channels to messages.
var besideRecords = written.Set("account around attachment channel conversation handle index info item label link list media member " +
	"metadata participant profile reaction rest setting thread user userdata")

// mailWords are those of these that mean mail, and others for it.
var mailWords = written.Set("email emails mail mails gmail inbox")

// StreamOf is the usual name of the stream whose records are called by a word; "" where none is known.
func StreamOf(word string) string { return streamWords[word] }

// Calls reports whether a word is what the records of a stream are called.
func Calls(word, stream string) bool {
	word = strings.ToLower(word)
	return slices.Contains([]string{word, word + "s", strings.TrimSuffix(word, "y") + "ies", StreamOf(word)}, stream)
}

// MayCall reports whether a word may be the name of a stream, which is in the plural: the schema is not read to know of any other.
func MayCall(word string) bool {
	const least = 4 // letters, of such as bills
	word = strings.ToLower(word)
	return len(word) >= least && strings.HasSuffix(word, "s") || StreamOf(word) != ""
}

// KindIn is the word by which the connections of records are called that a stream was named by: mail of emails.
func KindIn(stream string) string {
	return strings.TrimLeft(strings.TrimSuffix(strings.TrimPrefix(written.Snake(stream), "e"), "s"), "_")
}

// How a stream is found by a name, the likeliest first.
const (
	same      = iota // in other case, with other signs or in another order of its words
	misspelt         // in a letter or two
	ofKind           // its fields or its name say that it has the records of that kind
	hasWords         // its name has all words of the name, or the name all of its
	likeWords        // its name has another word of that kind, or a misspelt one
	resembles        // in a part of a word, or in some of several
	nowhere
)

// A found stream is how near it is to a name: of several that are found in the same way, first the one with most of the words, then by
// rank and where its name has the word.
type found struct {
	stream             string
	how, words         int
	rank, place, score int
}

// A kind of records is what a name says that a stream has.
type kind struct {
	usual  string // the usual name of such a stream; "" where none is known
	word   string // the last of the name, which says it
	alone  bool   // the name has no other
	isMail bool
}

func kindOf(name string) kind {
	snake := written.Snake(name)
	last := snake[strings.LastIndexByte(snake, '_')+1:]
	k := kind{cmp.Or(streamWords[snake], streamWords[last]), last, snake == last, mailWords[last]}
	if k.isMail {
		k.usual = "messages"
	}
	return k
}

// NearStreams are those of some streams that a name may mean, the likeliest first. all is the schema of all streams, whose fields tell
// which have the records that people mean; nil where it is not known.
func NearStreams(name string, streams []string, all *rs.Schema) (near []string) {
	var ranked []found
	kind, sought, read := kindOf(name), written.WordsOf(name), byName(all)
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

// find says how a name finds a stream.
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

// byKind is a stream as it is found by the kind of records that a name says: by its usual name, as mail by its fields or its name, or by
// another word of that kind. shape is how far its fields are those of mail, which is not known of any stream where they are unknown.
func (f found) byKind(k kind, sought, words written.Words, shape int, unknown bool) found {
	named := words.Has(KindIn(k.word))
	switch {
	case k.usual == f.stream:
		f.how = ofKind
	case k.isMail && (shape > 0 || words.Has("mail") || words.Has("email") || unknown && words.Has("inbox")):
		f.how, f.words = ofKind, shape
		if _, own := words.In(sought); own > 0 && !k.alone { // that name has all of its
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

// Ranked are some streams, those that have the records which people mean first.
func Ranked(streams []string, all *rs.Schema) []string {
	read, ranks := byName(all), map[string]int{}
	for _, stream := range streams {
		ranks[stream] = rankOf(written.WordsOf(stream), read(stream))
	}
	slices.SortStableFunc(streams, func(a, b string) int { return ranks[a] - ranks[b] })
	return streams
}

// byName reads streams out of the schema of all without a walk over the others; one that is not known has no fields.
func byName(all *rs.Schema) func(stream string) Stream {
	rows := map[string]rs.Schema{}
	if all != nil {
		for _, row := range all.Streams {
			rows[row.Name] = rs.Schema{Streams: append(rows[row.Name].Streams, row)}
		}
	}
	return func(stream string) Stream {
		own := rows[stream]
		return Read(stream, &own)
	}
}

// rankOf puts a stream behind those that have the records which people mean: these are called so, and say when they are.
func rankOf(words written.Words, own Stream) int {
	const usual, other, beside, timeless = 0, 1, 2, 4
	rank := other
	isRecords := func(word string) bool {
		meant := cmp.Or(streamWords[word], word+"s")
		return usualStreams[meant] && !besideRecords[strings.TrimSuffix(meant, "s")]
	}
	if besideRecords[words.Last()] {
		rank = beside
	} else if words.Any(isRecords) {
		rank = usual
	}
	if len(own.Fields) > 0 && !slices.ContainsFunc(own.Fields, isEventTime) {
		rank += timeless
	}
	return rank
}

// mailShape says how far the fields of a stream are those of mail: a subject, and who sent it by name or, more so, by address.
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

var subjects = written.Set("subject betreff objet asunto oggetto onderwerp assunto")

// An InStream is a field of a stream, by their names.
type InStream struct{ Stream, Field string }

// Numbers are the fields that have numbers and can be filtered by, of some streams or of all where none is named, those of money first.
func Numbers(document *rs.Schema, streams []string) (all []InStream) {
	for i := range document.Streams {
		row := &document.Streams[i]
		if len(streams) > 0 && !slices.Contains(streams, row.Name) {
			continue
		}
		for _, f := range row.Fields() {
			field, at := InStream{row.Name, f.Name}, len(all)
			isNumber := strings.Contains(f.Type, "number") || strings.Contains(f.Type, "integer")
			if !isNumber || !f.Granted || !f.Exact || slices.Contains(all, field) {
				continue
			}
			if written.IsMoneyName(f.Name) {
				at = 0
			}
			all = slices.Insert(all, at, field)
		}
	}
	return all
}
