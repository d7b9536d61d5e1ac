package services

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

var (
	// chatLine matches what precedes the author in the first line of a message: on iPhones "[15.01.26, 02:15:09] Nora: text", else
	// "15/01/2026, 02:15 - Nora: text". In Chinese and Korean, AM or PM is before the time, and a comma may be after it.
	chatLine = item.Expression(`^\[?(\d{1,4})(?:([./-]) ?|년 )(\d{1,2})(?:[./-] ?|월 )(\d{1,4})[.일]?[,،]? (?:(?:at|um|klo|kl\.?|à|` +
		`às|a las) |(上午|下午|오전|오후) ?)?(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?: ?(?:([AaPp])\.? ?[Mm]\.?|` +
		`([صم])))?(?:\] | - |(, ))`)
	// chatHalves are the marks of the halves of a day in other languages.
	chatHalves = map[string]string{"上午": "A", "오전": "A", "ص": "A", "下午": "P", "오후": "P", "م": "P"}
	// chatFile matches an attached file: "<attached: 0001-PHOTO.jpg>" or "IMG-1.jpg (file attached)", in some languages.
	chatFile = item.Expression(`^<[^<>:]{3,20}: ([^<>]+\.\w{2,5})>|^(\S[^\n]*\.\w{2,5}) \((?:file attached|Datei angehängt|fichier joint|` +
		`archivo adjunto|file allegato|arquivo anexado|bestand bijgevoegd)\)`)
	// quotedName matches the quoted part of a name: Robert "Bob" Miller.
	quotedName = item.Expression(`"[^"]*"|„[^“”]*[“”]|“[^”]*”|«[^»]*»`)
	// chatMarked matches a line in which the text after the author begins with a direction mark.
	chatMarked = item.Expression(`^[^\]]*\] (?:[^:]|:[^ ])*: [\x{200e}\x{200f}]`)
	// chatMarks removes direction marks, which precede dates and files, and turns special spaces into plain ones.
	chatMarks = strings.NewReplacer("\u200e", "", "\u200f", "", "\u202a", "", "\u202c", "", "\u202f", " ", "\u00a0", " ")
)

// IsWhatsApp reports whether a .txt file begins like an exported chat.
func IsWhatsApp(name string, start []byte) bool {
	return strings.EqualFold(path.Ext(name), ".txt") && chatHead(chatMarks.Replace(string(utf8text.FirstLine(start)))) != nil
}

// The parts of the first line of a message: three of its date, with the mark between them, those of its time, and what follows them.
const dayPart, markPart, monthPart, yearPart, hourPart, minutePart, secondPart, halfPart, restPart = 1, 2, 3, 4, 6, 7, 8, 9, 12

// chatHead returns the submatches of chatLine in a line that begins a message, and the rest of the line; else nil.
func chatHead(line string) []string {
	part := chatLine().FindStringSubmatch(line)
	if part == nil || part[11] != "" && part[5] == "" {
		return nil
	}
	part[halfPart] = cmp.Or(part[halfPart], chatHalves[part[5]+part[10]])
	return append(part, line[len(part[0]):])
}

const maxHead = 400 // bytes of a line before the text of its message: a date, and an author of less than 100 bytes

// A chatMessage has the parts of the first line of a message, and the text of the lines below.
type chatMessage struct {
	head      []string
	line      int
	author    string // empty for a notice
	firstLine string // the text of the first line
	text      []byte // of the other lines
	marked    bool   // the text begins with a direction mark, as notices of WhatsApp do on an iPhone
	tooLong   bool
}

func chatMessages(file io.ReadSeeker) iter.Seq2[chatMessage, error] {
	return func(yield func(chatMessage, error) bool) {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			yield(chatMessage{}, err)
			return
		}
		var one chatMessage
		for lines := item.NewLines(item.Buffer(file)); ; {
			text, err := lines.Next()
			tooLong := errors.Is(err, item.ErrTooLong)
			line := strings.TrimRight(chatMarks.Replace(utf8text.Mend(string(text))), "\r\n")
			head := chatHead(line)
			if ends := err != nil && !tooLong; ends || head != nil {
				if one.head != nil && !yield(one, nil) {
					return
				} else if ends {
					if !errors.Is(err, io.EOF) {
						yield(chatMessage{}, err)
					}
					return
				}
				one = chatMessage{head: head, line: lines.Number, marked: chatMarked().Match(text[:min(len(text), maxHead)])}
				one.author, one.firstLine = authorOf(head[restPart])
			} else if one.head != nil {
				one.tooLong = one.tooLong || tooLong || len(one.head[restPart])+len(one.text)+len(line) > item.MaxLine
				if !one.tooLong {
					one.text = append(append(one.text, '\n'), line...)
				}
			}
		}
	}
}

// WhatsApp reads an exported chat twice, because only the whole file shows whether dates have the day or the month first, and which name is
// that of the group.
func WhatsApp(file io.ReadSeeker) item.Records {
	return func(yield func(item.Item, error) bool) {
		var order dateOrder
		notices := chatNotices{speaks: map[string]bool{}}
		for one, err := range chatMessages(file) {
			if err == nil { // the second pass yields the error
				order.add(one.head)
				notices.add(one)
			}
		}
		for one, err := range chatMessages(file) {
			var made item.Item
			if err == nil {
				made, err = one.item(order.monthFirst(), &notices)
			}
			if !yield(made, err) {
				return
			}
		}
	}
}

func (m chatMessage) item(monthFirst bool, notices *chatNotices) (item.Item, error) {
	one := item.Item{Line: m.line}
	when, err := chatTime(m.head, monthFirst)
	switch {
	case m.tooLong:
		return one, item.Unusable(m.line, "a message that is %s", item.ErrTooLong)
	case err != nil:
		return one, item.Unusable(m.line, "a message whose date cannot be read")
	}
	one.Put("sent_at", when.Format("2006-01-02T15:04:05"))
	body := m.firstLine + string(m.text)
	if notices.has(m) {
		one.Put("notice", true) // of the service: a member joined, a number changed
	} else {
		one.Put("author", strings.TrimSpace(m.author))
	}
	if match := chatFile().FindStringSubmatch(body); match != nil {
		one.Put("attachment", strings.TrimSpace(match[1]+match[2]))
	}
	one.Put("text", body)
	return one, nil
}

// authorOf splits the first line of a message into author and text. A notice has no author, though it may quote a name with a colon.
func authorOf(message string) (author, firstLine string) {
	author, firstLine, ok := strings.Cut(message, ": ")
	if !ok || len(author) >= 100 || strings.ContainsAny(quotedName().ReplaceAllString(author, ""), "\n\"“„«") {
		return "", message
	}
	return author, firstLine
}

// mayBeNotice reports whether a message is a single line that begins with a direction mark and names no file or URL.
func (m chatMessage) mayBeNotice() bool {
	return m.marked && len(m.text) == 0 && !nameOfFile().MatchString(m.firstLine)
}

// chatNotices recognizes the notices that WhatsApp itself writes on an iPhone, in any language. Their author is the group, the only other
// person or the person who did it, and their text begins with a direction mark. So does "image omitted", which a person sent.
type chatNotices struct {
	speaks map[string]bool // authors of a message that cannot be a notice
	first  int             // the line of the opening notice: that the chat is encrypted
	from   string          // the author of the opening notice
	begun  bool            // the opening notice can no longer follow
}

// shortestNotice is the minimum length of the opening notice, in bytes; the placeholder of an omitted file is shorter.
const shortestNotice = 40

var nameOfFile = item.Expression(`\.\w{2,5}(?:\W|$)|://`)

func (n *chatNotices) add(m chatMessage) {
	if m.author == "" {
		return
	}
	isNotice := m.mayBeNotice()
	n.speaks[m.author] = n.speaks[m.author] || !isNotice
	if isNotice && !n.begun && len(m.firstLine) >= shortestNotice && !strings.HasPrefix(m.firstLine, plainName(m.author)) {
		n.first, n.from = m.line, m.author
	}
	n.begun = n.begun || !m.marked || n.first > 0
}

// has reports whether a message is a notice: the first, another of its author if that wrote no messages, or one that names its author.
func (n *chatNotices) has(m chatMessage) bool {
	return m.author == "" || m.mayBeNotice() &&
		(m.line == n.first || m.author == n.from && !n.speaks[m.author] || names(m.firstLine, plainName(m.author)))
}

// names reports whether a line contains a name that is not part of a word.
func names(line, name string) bool {
	isLatin := func(one rune) bool { return unicode.Is(unicode.Latin, one) }
	before, after, ok := strings.Cut(line, name)
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return ok && !isLatin(last) && !isLatin(next)
}

// plainName returns a name without the "~ " before the name of a person who is not in the address book.
func plainName(author string) string { return strings.TrimPrefix(author, "~ ") }

// A dateOrder determines whether the dates of a chat have the month or the day first.
type dateOrder struct {
	impossible [2]bool      // with the day first, with the month first: a date is invalid, or dates are out of order
	last       [2]time.Time // the date of the last message, in each order
	american   bool         // a date such as 1/5/26, 3:07 PM, which phones write that are set to US English
}

func (d *dateOrder) add(match []string) {
	for order := range d.last {
		when, err := chatTime(match, order == 1)
		// up to a day back the clock of a phone may have been wrong
		d.impossible[order] = d.impossible[order] || err != nil || when.Before(d.last[order].Add(-24*time.Hour))
		d.last[order] = when
	}
	half := match[halfPart]
	d.american = d.american || match[markPart] == "/" && half != "" && strings.Contains(match[0], half+"M") && match[dayPart][0] != '0'
}

func (d *dateOrder) monthFirst() bool {
	if d.impossible[0] != d.impossible[1] {
		return d.impossible[0]
	}
	return d.american
}

// chatTime parses the date of a message, in the local time of the phone that exported it.
func chatTime(match []string, monthFirst bool) (time.Time, error) {
	year, month, day := match[yearPart], match[monthPart], match[dayPart]
	switch {
	case len(day) == 4:
		year, day = day, year
	case monthFirst:
		month, day = day, month
	}
	if len(year) == 2 {
		year = "20" + year
	}
	layout, half := "2006-1-2 15:04:05", ""
	if match[halfPart] != "" {
		layout, half = "2006-1-2 3:04:05 PM", " "+strings.ToUpper(match[halfPart])+"M"
	}
	return time.Parse(layout, year+"-"+month+"-"+day+" "+match[hourPart]+":"+match[minutePart]+":"+cmp.Or(match[secondPart], "00")+half)
}
