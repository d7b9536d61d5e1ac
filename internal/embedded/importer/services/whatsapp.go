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
	// chatLine begins a message: "[15.01.26, 02:15:09] Nora: text" on a phone of Apple, "15/01/2026, 02:15 - Nora: text" on others.
	chatLine = item.Expression(`^\[?(\d{1,4})([./-])(\d{1,2})[./-](\d{2,4}),? (?:(?:at|um|klo|kl\.?|à|às|` +
		`a las) )?(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?: ?([AaPp])\.? ?[Mm]\.?)?(?:\] | - )(.*)$`)
	// chatFile is a file that was sent along: "<attached: 0001-PHOTO.jpg>" or "IMG-1.jpg (file attached)", in some languages.
	chatFile = item.Expression(`^<[^<>:]{3,20}: ([^<>]+\.\w{2,5})>|^(\S[^\n]*\.\w{2,5}) \((?:file attached|Datei angehängt|fichier joint|` +
		`archivo adjunto|file allegato|arquivo anexado|bestand bijgevoegd)\)`)
	// quotedName is what a name has between quotation marks: Robert "Bob" Miller.
	quotedName = item.Expression(`"[^"]*"|„[^“”]*[“”]|“[^”]*”|«[^»]*»`)
	// easternHead begins a message in Chinese or Korean, which name the half of the day first: "2026/1/15 下午2:15 - Nora: text".
	easternHead = item.Expression(`^(\[?)(\d{4})(?:[./-] ?|년 )(\d{1,2})(?:[./-] ?|월 )(\d{1,2})[.일]?,? (上午|下午|오전|` +
		`오후) ?(\d{1,2}:\d{2}(?::\d{2})?)(?:\] | - |, )(.*)$`)
	// chatMarked is a line in which what follows the author begins with a mark.
	chatMarked = item.Expression(`^[^\]]*\] (?:[^:]|:[^ ])*: [\x{200e}\x{200f}]`)
	// chatMarks direct the writing, and stand before dates and files.
	chatMarks = strings.NewReplacer("\u200e", "", "\u200f", "", "\u202a", "", "\u202c", "", "\u202f", " ", "\u00a0", " ")
)

// IsWhatsApp reports that a text begins as an exported chat does.
func IsWhatsApp(name string, start []byte) bool {
	return strings.EqualFold(path.Ext(name), ".txt") && chatHead(chatMarks.Replace(string(utf8text.FirstLine(start)))) != nil
}

// chatHead is what chatLine finds in a line that begins a message: nil if it begins none.
func chatHead(line string) []string {
	if part := easternHead().FindStringSubmatch(line); part != nil {
		half := "AM"
		if part[5] == "下午" || part[5] == "오후" {
			half = "PM"
		}
		line = part[2] + "/" + part[3] + "/" + part[4] + ", " + part[6] + " " + half + " - " + part[7]
	}
	return chatLine().FindStringSubmatch(line)
}

// A chatMessage is what chatLine finds in the line that begins a message, with the text of the lines below.
type chatMessage struct {
	head    []string
	line    int
	author  string // empty for a notice
	said    string // in the first line
	text    []byte // of the others
	marked  bool   // what is said begins with a mark, as what WhatsApp says itself does on a phone of Apple
	tooLong bool
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
				one.author, one.said = authorOf(head[9])
			} else if one.head != nil {
				one.tooLong = one.tooLong || tooLong || len(one.head[9])+len(one.text)+len(line) > item.MaxLine
				if !one.tooLong {
					one.text = append(append(one.text, '\n'), line...)
				}
			}
		}
	}
}

// WhatsApp reads an exported chat, twice: in which order a date has day and month, and which name is that of the group, shows in the file
// as a whole.
func WhatsApp(file io.ReadSeeker) item.Records {
	return func(yield func(item.Item, error) bool) {
		var order dateOrder
		notices := chatNotices{speaks: map[string]bool{}}
		for one, err := range chatMessages(file) {
			if err == nil { // else it shows on the next read
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
	body := m.said + string(m.text)
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

// authorOf is who wrote the first line of a message, and that line. A notice has no author, though it may quote a name with a colon.
func authorOf(message string) (author, said string) {
	author, said, ok := strings.Cut(message, ": ")
	if !ok || len(author) >= 100 || strings.ContainsAny(quotedName().ReplaceAllString(author, ""), "\n\"“„«") {
		return "", message
	}
	return author, said
}

// mayBeNotice reports a message of one line that begins with a mark, and does not name a file.
func (m chatMessage) mayBeNotice() bool {
	return m.marked && len(m.text) == 0 && !nameOfFile().MatchString(m.said)
}

// chatNotices tell what WhatsApp says itself on a phone of Apple, in any language. It gives that to the group, to the only other person, or
// to who did it, and puts a mark before it; so it does before "image omitted" and the like, which people sent.
type chatNotices struct {
	speaks map[string]bool // who wrote something without a mark, or sent a file
	first  int             // the line of that with which a chat begins: that it is encrypted
	from   string          // to whom it is given
	begun  bool            // what follows is written by people
}

// shortestNotice is how long the sentence with which a chat begins is at least, in bytes; what stands for a file is shorter.
const shortestNotice = 60

var nameOfFile = item.Expression(`\.\w{2,5}(?:\W|$)|://`)

func (n *chatNotices) add(m chatMessage) {
	if m.author == "" {
		return
	}
	isNotice := m.mayBeNotice()
	n.speaks[m.author] = n.speaks[m.author] || !isNotice
	if isNotice && !n.begun && len(m.said) >= shortestNotice && !strings.HasPrefix(m.said, plainName(m.author)) {
		n.first, n.from = m.line, m.author
	}
	n.begun = n.begun || !m.marked || n.first > 0
}

// has reports a notice: the first, another of a name under which no message is, or one that names whom it is given to.
func (n *chatNotices) has(m chatMessage) bool {
	return m.author == "" || m.mayBeNotice() &&
		(m.line == n.first || m.author == n.from && !n.speaks[m.author] || names(m.said, plainName(m.author)))
}

// names reports that a line has a name, and not as a part of a word.
func names(line, name string) bool {
	isLatin := func(one rune) bool { return unicode.Is(unicode.Latin, one) }
	before, after, ok := strings.Cut(line, name)
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return ok && !isLatin(last) && !isLatin(next)
}

// plainName is that of a person who is in no address book, without the sign before it.
func plainName(author string) string { return strings.TrimPrefix(author, "~ ") }

// A dateOrder finds out whether the dates of a chat have the month or the day first.
type dateOrder struct {
	impossible [2]bool      // with the day first, with the month first: a date or an order of dates that cannot be
	last       [2]time.Time // of the messages so far, which are in the order of time
	american   bool         // 1/5/26, 3:07 PM, as phones write it that are set to the English of the United States
}

func (d *dateOrder) add(match []string) {
	for order := range d.last {
		when, err := chatTime(match, order == 1)
		// a day earlier is of a phone whose clock was wrong
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

// chatTime reads the date of a message, by the clock of the phone that exported it.
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
