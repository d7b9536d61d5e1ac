package importer

import (
	"bufio"
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/calendar"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/contacts"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/database"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// A format is what the files of a way have in common. The numbers are stored in indexes: new formats come last.
type format int

const (
	formatUnknown  format = iota
	formatLines           // one JSON object per line
	formatArray           // JSON objects in an array
	formatTable           // rows
	formatRows            // rows of formats other than CSV
	formatMail            // messages, one or many per file
	formatCalendar        // events
	formatContacts        // vCards
	formatNotes           // a note in Markdown
	formatWorkbook        // sheets, each a stream
	formatDatabase        // tables, each a stream
	formatDocument        // a page of HTML, or a document of a word processor

	formatChat             // an exported chat of WhatsApp
	formatSlack            // a day of a channel of Slack
	formatKeep             // a note of Google Keep, or what Google writes about a photo
	formatActivity         // what a person did on Google pages
	formatX                // a script of an archive of X
	formatMastodon         // an outbox of Mastodon
	formatTelegram         // chats of Telegram
	formatConversation     // of Facebook or Instagram
	formatConversationPage // the same as HTML
	formatHealth           // of Apple
	formatClippings        // of a Kindle
	formatBookmarks        // of browsers
	formatEvernote         // notes
	formatAssistant        // conversations of ChatGPT and Claude
)

// isOfService reports a format of one service or device, whose files have any extension.
func (f format) isOfService() bool { return f >= formatChat }

// A way is how the files of a format are recognized, read and grouped into streams. The ways are tried in their order.
type way struct {
	endings string // extensions of its files, separated by spaces
	// is recognizes a file by its name and first bytes. It is called if the extension is one of the format among; zero: of no format.
	is    func(name string, start []byte) bool
	among format

	read         func(*opened) item.Records
	charset      bool // its text may be in any charset, not only in UTF-8 or UTF-16
	binary       bool // not text, or text that declares its charsets
	pieces       func(io.ReadSeeker) ([]piece, error)
	group        func(name string) string // names the stream of a file; nil or "": each file is one
	series       bool                     // many files of a folder may be one stream
	replies      string                   // field of a message that names the message it answers
	dependsOn    []string                 // files that its records depend on, relative to the folder of the file
	conversation *conversationRecord      // second record of some files; nil: none has one
	attached     attachedStream           // stream of what belongs to its records
}

// A conversationRecord is that of the conversation to which the messages of a folder belong. It is in another stream, and is read from one
// of the files of the messages.
type conversationRecord struct {
	file string // name of that file
	part string // last segment of the name of the stream
	key  string // field of a message with the id of the record
}

// Endings of the names of attached streams.
const (
	attachmentsSuffix = "_attachments"
	linksSuffix       = "_links"
	aroundSuffix      = "_around"
)

// An attachedStream has what belongs to the records of another stream, such as the attachments of messages.
type attachedStream struct {
	suffix string // appended to the name of the other stream
	key    string // field with the id of the record it belongs to; empty: it belongs to none
}

// aroundTable is the stream of the lines above and below a table.
var aroundTable = attachedStream{suffix: aroundSuffix}

var ways = [...]way{
	formatUnknown: {},
	formatLines:   {endings: ".jsonl .ndjson", read: buffered(objects.NewLines), series: true},
	formatArray: {
		endings: ".json .geojson", group: parts, series: true, pieces: arraysOf,
		read: func(in *opened) item.Records { return services.Array(in.text, in.from.Objects) },
	},
	formatTable: {
		endings: ".csv .tsv", charset: true, series: true, attached: aroundTable, pieces: tablesOfText,
		read: func(in *opened) item.Records { return in.table(in.text) },
	},
	formatRows: {
		endings: ".gpx .tcx .kml .ofx .qfx", is: services.IsXMLRows, read: readRows, charset: true, series: true, attached: aroundTable,
	},
	formatMail: {endings: ".mbox .mbx .eml .emlx", is: mail.IsMbox, read: readMail, binary: true, group: looseMessages,
		attached: attachedStream{attachmentsSuffix, "message_id"}},
	formatCalendar: {
		endings: ".ics", is: sign(``, `(?i)\A[\r\n]*BEGIN:VCALENDAR\r*(?:\n|\z)`),
		read:    func(in *opened) item.Records { return calendar.NewReader(in.text, in.of.from.now.Year()) },
		charset: true, series: true,
	},
	formatContacts: {
		endings: ".vcf", is: sign(``, `(?i)\A[\r\n]*BEGIN:VCARD\r*(?:\n|\z)`), read: buffered(contacts.NewReader), charset: true, series: true,
	},
	formatNotes:    {endings: ".md .markdown", read: readNote, charset: true, attached: attachedStream{linksSuffix, "note_id"}},
	formatWorkbook: {endings: ".xlsx", read: readSheet, binary: true, attached: aroundTable},
	formatDatabase: {read: readDatabase, binary: true},
	formatDocument: {
		endings: ".html .htm .docx .odt", read: readDocument,
		group: func(name string) string { return path.Join(path.Dir(name), "documents") },
	},
	formatChat: {is: services.IsWhatsApp, read: text(services.WhatsApp), series: true},
	formatSlack: { // recognized by isSlack
		read:    readSlack,
		group:   func(name string) string { return path.Join(path.Dir(path.Dir(name)), "messages") },
		replies: "in_reply_to", dependsOn: []string{"../users.json"}, // which names people
	},
	formatKeep: {
		is: sign(``, `"userEditedTimestampUsec"|"photoTakenTime"`), among: formatArray,
		group: func(name string) string { return folderOr(path.Dir(name), "notes") },
		read: func(in *opened) item.Records {
			return services.Keep(in.text, strings.TrimSuffix(in.name, path.Ext(in.name)))
		},
	},
	formatActivity: {read: func(in *opened) item.Records { return services.Activity(in.text) }},
	formatX: {
		is:   sign(`(?i)\.js$`, `\A\s*window\.YTD\.[^=]*=`),
		read: text(services.X), replies: "in_reply_to_status_id",
		group: func(name string) string { return scriptEnding().ReplaceAllString(name, "") }, // the first part has no number
	},
	formatMastodon: {
		is:    sign(`^outbox\.json$`, `"orderedItems"|"OrderedCollection"`),
		among: formatArray, read: text(services.Mastodon), replies: "in_reply_to",
	},
	formatTelegram: {
		is: sign(`^result\.json$`, `"personal_information"|"chats"|`+
			`"type":\s*"(?:personal_chat|bot_chat|saved_messages|(?:private|public)_(?:group|supergroup|channel))"`),
		among: formatArray, read: text(services.Telegram), replies: "in_reply_to",
	},
	formatConversation: {
		is: sign(`^message_\d+\.json$`, `"participants"`), among: formatArray, group: conversations,
		conversation: &conversationRecord{ // which is the same in all its files
			file: "message_1.json", part: "conversations", key: "conversation",
		},
		read: func(in *opened) item.Records { return services.Meta(in.text, in.folderName(), in.from.Part != "") },
	},
	formatConversationPage: {
		is: sign(`^message_\d+\.html$`, ``), among: formatDocument, read: readMetaPage, group: conversations,
	},
	formatHealth: {is: sign(`(?i)\.xml$`, `<!DOCTYPE HealthData`), read: text(services.Health), binary: true},
	formatClippings: {
		is:   sign(`(?i)\.txt$`, `\A[^\n]*\n[-–] (?:[^\n]* )?\|(?: |作成日)[^\n]*\n[ \t\r]*\n`),
		read: text(services.Clippings),
	},
	formatBookmarks: {
		is:    sign(``, `(?i)<!DOCTYPE NETSCAPE-Bookmark-file-1>`),
		among: formatDocument, read: text(services.Bookmarks),
	},
	formatEvernote: {is: sign(`(?i)\.enex$`, `<en-export`), read: text(services.Evernote)},
	formatAssistant: {
		is:    sign(`^conversations[\w-]*\.json$`, `"mapping"|"chat_messages"`),
		among: formatArray, read: text(services.Assistant), replies: "in_reply_to",
	},
}

func formatOf(name string) format {
	ending := strings.ToLower(path.Ext(name))
	return format(max(0, slices.IndexFunc(ways[:], func(one way) bool { return slices.Contains(strings.Fields(one.endings), ending) })))
}

// sign returns a function that matches files by their names and first bytes, with regular expressions.
func sign(name, start string) func(string, []byte) bool {
	named, begun := item.Expression(name), item.Expression(start)
	return func(file string, first []byte) bool {
		return named().MatchString(path.Base(file)) && begun().Match(first)
	}
}

// text adapts a reader that needs no file name; buffered adapts one that reads its input only once.
func text(read func(io.ReadSeeker) item.Records) func(*opened) item.Records {
	return func(in *opened) item.Records { return read(in.text) }
}

func buffered(read func(*bufio.Reader) item.Records) func(*opened) item.Records {
	return func(in *opened) item.Records { return read(item.Buffer(in.text)) }
}

func readRows(in *opened) item.Records {
	rows, err := services.Rows(in.text, path.Ext(in.name))
	if err != nil {
		return item.Failed(err)
	}
	return in.table(rows)
}

func readMail(in *opened) item.Records {
	input := item.Buffer(in.text)
	if in.isNamed(".emlx") {
		input = mail.FromApple(input)
	}
	return mail.NewReader(input)
}

func readNote(in *opened) item.Records {
	s := in.of
	if s.notes == nil {
		var names []string
		for _, file := range s.files {
			names = append(names, strings.TrimPrefix(file.name, s.root+"/"))
		}
		s.notes = document.NewNotes(names)
	}
	return document.Note(in.text, strings.TrimPrefix(in.from.name, s.root+"/"), s.notes)
}

func readSheet(in *opened) item.Records {
	open := func() (*document.Workbook, error) { return openWorkbook(in.of.from.fsys, in.from.name) }
	return cached(in, open, func(book *document.Workbook) item.Records {
		rows, err := book.Read(in.from.Part)
		if err != nil {
			return item.Failed(err)
		}
		records := table.NewReader(bufio.NewReaderSize(rows, 1<<16), table.Options{
			Cells: in.of.cells, IDField: &in.of.idField, Sheet: true, Section: in.from.Section,
		})
		return item.Shaped(records, func(one item.Item) (item.Item, error) {
			if rows.Lacks(one.Line) {
				one.Note = strings.TrimPrefix(one.Note+"; "+document.NoResult, "; ")
			}
			return one, nil
		})
	})
}

func readDatabase(in *opened) item.Records {
	return cached(in, func() (*database.File, error) {
		log, _ := openLog(in.of.from.fsys, in.from.name)
		defer func() { _ = log.Close() }() // it was only read
		return database.Open(in.ctx, in.file, log)
	}, func(from *database.File) item.Records { return from.Records(in.ctx, in.from.Part) })
}

func readDocument(in *opened) item.Records {
	switch {
	case in.isNamed(".html", ".htm"):
		return document.HTML(in.text, in.name)
	case in.isNamed(".txt"):
		return document.Plain(in.text, in.name)
	}
	return document.Office(in.file, in.name)
}

func conversations(name string) string { return folderOr(path.Dir(path.Dir(name)), "conversations") }

var (
	// partEnding matches the parts of one export: StreamingHistory_music_1.json, Streaming_History_Audio_2020-2021_3.json, and the months
	// of a year of a Google timeline.
	partEnding   = item.Expression(`^(StreamingHistory(?:_[a-z]+)?|Streaming_History_(?:Audio|Video))_?[\d_-]+\.json$|^\d{4}_[A-Z]+\.json$`)
	scriptEnding = item.Expression(`(?i)(?:-part\d+)?\.js$`)
)

func parts(name string) string {
	folder, base := path.Dir(name), path.Base(name)
	part := partEnding().FindStringSubmatch(base)
	if part == nil {
		return ""
	}
	if part[1] == "" && strings.HasPrefix(base, path.Base(folder)+"_") { // a folder for each year
		folder = path.Dir(folder)
	}
	return path.Join(folder, part[1])
}

func (s *fileStream) read(ctx context.Context, from sourceFile) item.Records {
	return guarded(func(yield func(item.Item, error) bool) {
		file, err := openFile(s.from.fsys, from.name)
		if err != nil {
			yield(item.Item{}, err)
			return
		}
		defer func() { _ = file.Close() }() // it was only read
		in := &opened{ctx: ctx, of: s, from: from, file: file, text: stopping{file, ctx}, name: path.Base(from.name), folder: path.Dir(from.name)}
		way := ways[s.format]
		if !way.binary && !in.isNamed(".docx", ".odt") {
			if in.text, err = utf8text.Decode(in.text, way.charset || in.isNamed(".txt")); err != nil {
				yield(item.Item{}, err)
				return
			}
		}
		way.read(in)(yield)
	})
}
