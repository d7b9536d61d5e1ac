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
	// chatLine matches the first line of a message: on iPhones "[15.01.26, 02:15:09] Nora: text", else "15/01/2026, 02:15 - Nora: text".
	chatLine = item.Expression(`^\[?(\d{1,4})([./-]) ?(\d{1,2})[./-] ?(\d{1,4})\.?[,،]? (?:(?:at|um|klo|kl\.?|à|às|` +
		`a las) )?(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?: ?(?:([AaPp])\.? ?[Mm]\.?|([صم])))?(?:\] | - )(.*)$`)
	// chatFile matches an attached file: "<attached: 0001-PHOTO.jpg>" or "IMG-1.jpg (file attached)", in some languages.
	chatFile = item.Expression(`^<[^<>:]{3,20}: ([^<>]+\.\w{2,5})>|^(\S[^\n]*\.\w{2,5}) \((?:file attached|Datei angehängt|fichier joint|` +
		`archivo adjunto|file allegato|arquivo anexado|bestand bijgevoegd)\)`)
	// quotedName matches the quoted part of a name: Robert "Bob" Miller.
	quotedName = item.Expression(`"[^"]*"|„[^“”]*[“”]|“[^”]*”|«[^»]*»`)
	// easternHead is chatLine in Chinese or Korean, with AM or PM before the time: "2026/1/15 下午2:15 - Nora: text".
	easternHead = item.Expression(`^(\[?)(\d{4})(?:[./-] ?|년 )(\d{1,2})(?:[./-] ?|월 )(\d{1,2})[.일]?,? (上午|下午|오전|` +
		`오후) ?(\d{1,2}:\d{2}(?::\d{2})?)(?:\] | - |, )(.*)$`)
	// chatMarked matches a line in which the text after the author begins with a direction mark.
	chatMarked = item.Expression(`^[^\]]*\] (?:[^:]|:[^ ])*: [\x{200e}\x{200f}]`)
	// chatMarks removes direction marks, which precede dates and files, and turns special spaces into plain ones.
	chatMarks = strings.NewReplacer("\u200e", "", "\u200f", "", "\u202a", "", "\u202c", "", "\u202f", " ", "\u00a0", " ")
)

// IsWhatsApp reports whether a .txt file begins like an exported chat.
func IsWhatsApp(name string, start []byte) bool {
	return strings.EqualFold(path.Ext(name), ".txt") && chatHead(chatMarks.Replace(string(utf8text.FirstLine(start)))) != nil
}

// chatHead returns the submatches of chatLine in a line that begins a message, else nil.
func chatHead(line string) []string {
	if part := easternHead().FindStringSubmatch(line); part != nil {
		half := "AM"
		if part[5] == "下午" || part[5] == "오후" {
			half = "PM"
		}
		line = part[2] + "/" + part[3] + "/" + part[4] + ", " + part[6] + " " + half + " - " + part[7]
	}
	part := chatLine().FindStringSubmatch(line)
	if part != nil {
		part[8] = cmp.Or(part[8], map[string]string{"ص": "A", "م": "P"}[part[9]])
	}
	return part
}

// A chatMessage has the submatches of chatLine in the first line of a message, and the text of the lines below.
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
				one = chatMessage{head: head, line: lines.Number, marked: chatMarked().Match(text)}
				one.author, one.firstLine = authorOf(head[10])
			} else if one.head != nil {
				one.tooLong = one.tooLong || tooLong || len(one.head[10])+len(one.text)+len(line) > item.MaxLine
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
const shortestNotice = 60

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
	d.american = d.american || match[2] == "/" && (match[8] == "A" || match[8] == "P") && strings.Contains(match[0], match[8]+"M") &&
		match[1][0] != '0'
}

func (d *dateOrder) monthFirst() bool {
	if d.impossible[0] != d.impossible[1] {
		return d.impossible[0]
	}
	return d.american
}

// chatTime parses the date of a message, in the local time of the phone that exported it.
func chatTime(match []string, monthFirst bool) (time.Time, error) {
	year, month, day := match[4], match[3], match[1]
	switch {
	case len(match[1]) == 4:
		year, day = match[1], match[4]
	case monthFirst:
		month, day = day, month
	}
	if len(year) == 2 {
		year = "20" + year
	}
	layout, half := "2006-1-2 15:04:05", ""
	if match[8] != "" {
		layout, half = "2006-1-2 3:04:05 PM", " "+strings.ToUpper(match[8])+"M"
	}
	return time.Parse(layout, year+"-"+month+"-"+day+" "+match[5]+":"+match[6]+":"+cmp.Or(match[7], "00")+half)
}
