// Package mail reads messages as people see them, from mbox files and files of one message. It accepts malformed messages.
package mail

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"mime"
	"net/mail"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// readMessage returns the record of a message (RFC 5322). from is the line above it in an mbox file. It fails only for a message without a
// header, or one that is marked as deleted. It keeps what it cannot decode unchanged, and lists that in the field defects.
func readMessage(raw, from []byte) (item.Item, error) {
	m, err := parse(raw, 0)
	if err != nil {
		return item.Item{}, err
	}
	one := item.Item{ID: m.id(raw), Attached: m.files}
	subject, text := m.words("Subject"), m.text()
	fromName, fromEmail := m.sender()
	one.Put("subject", subject)
	one.Put("from_name", fromName)
	one.Put("from_email", fromEmail)
	one.Put("to", m.addresses("To"))
	one.Put("cc", m.addresses("Cc"))
	one.Put("bcc", m.addresses("Bcc"))
	one.Put("sent_at", m.sentAt(from))
	// the id of the first message of the thread
	one.Put("thread_id", cmp.Or(m.gmailThread(), firstID(m.header.Get("References")), firstID(m.header.Get("In-Reply-To")), one.ID))
	one.Put("in_reply_to", firstID(m.header.Get("In-Reply-To")))
	one.Put("list_id", m.words("List-Id"))
	one.Put("labels", splitLabels(m.words("X-Gmail-Labels")))
	if !m.putFlags(&one) {
		return item.Item{}, errors.New(item.Deleted)
	}
	one.Put("body_text", text)
	one.Put("has_attachments", len(m.files) > 0)
	one.Put("size_bytes", len(raw))
	one.Put("defects", m.defects)
	digest := sha256.Sum256([]byte(subject + "\x00" + m.header.Get("Date") + "\x00" + m.words("From") + "\x00" + text))
	one.Content = string(digest[:])
	return one, nil
}

// parse reads a message; depth is the number of messages and parts around it.
func parse(raw []byte, depth int) (*message, error) {
	head, body := cutHeader(raw)
	m := &message{}
	header, err := mail.ReadMessage(bytes.NewReader(m.repair(head)))
	if err != nil || len(header.Header) == 0 {
		return nil, errors.New("a message without a header")
	}
	m.header = header.Header
	m.walk(textproto.MIMEHeader(m.header), body, depth)
	return m, nil
}

// putFlags adds whether the message was read and flagged, from the headers of Thunderbird, or of Mutt and others. False: it is deleted.
func (m *message) putFlags(one *item.Item) (exists bool) {
	status, marks := m.header.Get("Status"), m.header.Get("X-Status")
	if bits, err := strconv.ParseUint(strings.TrimSpace(m.header.Get("X-Mozilla-Status")), 16, 32); err == nil {
		one.Put("is_seen", bits&1 != 0)
		one.Put("is_flagged", bits&4 != 0)
		return bits&8 == 0
	}
	if status+marks != "" && strings.Trim(status, "RO") == "" && strings.Trim(marks, "ADFT") == "" {
		one.Put("is_seen", strings.Contains(status, "R"))
		one.Put("is_flagged", strings.Contains(marks, "F"))
	}
	return true
}

// cutHeader splits a message or a part at the empty line below its header.
func cutHeader(raw []byte) (head, body []byte) {
	at := 0
	for line := range bytes.Lines(raw) {
		if bytes.HasSuffix(line, []byte("\n")) && len(bytes.TrimRight(line, "\r\n")) == 0 {
			return raw[:at], raw[at+len(line):]
		}
		at += len(line)
	}
	return raw, nil
}

// repair removes lines that are not part of a header, because net/mail would reject the message.
func (m *message) repair(head []byte) []byte {
	var good []byte
	continued := false
	for line := range bytes.Lines(head) {
		switch {
		case line[0] == ' ' || line[0] == '\t':
			if !continued {
				continue
			}
		case headerLine().Match(line) && line[0] != '>':
			continued = true
		default:
			if !quotedFrom().Match(line) && !bytes.HasPrefix(line, []byte("From ")) {
				m.defect("a line in the header is invalid")
			}
			continued = false
			continue
		}
		good = append(good, bytes.TrimRight(line, "\r\n")...)
		good = append(good, "\r\n"...)
	}
	return append(good, "\r\n"...)
}

// words returns a header as text, with encoded words decoded (RFC 2047).
func (m *message) words(name string) string {
	return decodeWords(m.header.Get(name))
}

// list parses a header with addresses. A header that cannot be parsed becomes one address.
func (m *message) list(name string) []*mail.Address {
	text := utf8text.Mend(strings.Join(m.header[textproto.CanonicalMIMEHeaderKey(name)], ", "))
	if strings.TrimSpace(text) == "" {
		return nil
	}
	parser := mail.AddressParser{WordDecoder: &mime.WordDecoder{CharsetReader: wordReader}}
	if found, err := parser.ParseList(text); err == nil {
		for _, one := range found {
			one.Name = decodeWords(one.Name) // many programs put encoded words in quotation marks
		}
		return found
	}
	plain := decodeWords(text)
	if open, end := strings.LastIndexByte(plain, '<'), strings.LastIndexByte(plain, '>'); open >= 0 && end > open &&
		!strings.Contains(plain, ",") {
		return []*mail.Address{{Name: strings.Trim(plain[:open], ` "`), Address: plain[open+1 : end]}}
	}
	return []*mail.Address{{Name: plain}}
}

func (m *message) addresses(name string) []string {
	var texts []string
	for _, one := range m.list(name) {
		switch {
		case one.Address == "":
			texts = append(texts, one.Name)
		case one.Name == "":
			texts = append(texts, one.Address)
		default:
			texts = append(texts, one.Name+" <"+one.Address+">")
		}
	}
	return texts
}

func (m *message) sender() (name, address string) {
	for _, one := range slices.Concat(m.list("From"), m.list("Sender")) {
		return cmp.Or(one.Name, one.Address), strings.ToLower(one.Address)
	}
	return "", ""
}

// sentAt returns the date from the sender, with its zone. If that is not usable, it is the date from the first server that received the
// message, or from the line above it in an mbox file, or "".
func (m *message) sentAt(from []byte) string {
	text := m.header.Get("Date")
	if when := sentDate(text); when != "" {
		return when
	}
	defect := "no date"
	if text != "" {
		defect = "a date that cannot be read: " + utf8text.OneLine(text)
	}
	when := m.deliveredAt(from)
	if when != "" {
		defect += "; sent_at is when it was delivered"
	}
	m.defect(defect)
	return when
}

var zoneName = item.Expression(`:\d\d +([A-Z]{3,4})[ )]*$`)

// sentDate parses a date, also in forms that mail should not have. A date without a zone stays without one. A date in an unknown zone is
// invalid, although net/mail reads it as UTC.
func sentDate(text string) string {
	text = strings.TrimSpace(text)
	name := zoneName().FindStringSubmatch(text)
	when, err := mail.ParseDate(text)
	if err == nil && when.Year() >= 1970 && when.Year() <= 9999 && (name == nil || name[1] == "GMT" || name[1] == "UTC") {
		return when.Format(time.RFC3339)
	}
	plain := table.Moment(text)
	if !item.IsTimestamp(plain) || plain < "1970" {
		return ""
	}
	return plain
}

func (m *message) deliveredAt(from []byte) string {
	hops := m.header["Received"] // the last one is from the first server
	for at := len(hops) - 1; at >= 0; at-- {
		if when := sentDate(hops[at][strings.LastIndexByte(hops[at], ';')+1:]); when != "" {
			return when
		}
	}
	parts := fromLine().FindSubmatch(from)
	if parts == nil {
		return ""
	}
	when := sentDate(string(parts[1]))
	if len(when) == len("2006-01-02T15:04:05") { // in UTC if it names no zone (RFC 4155)
		when += "Z"
	}
	return when
}

// id returns the Message-ID, or a digest of a message without one.
func (m *message) id(raw []byte) string {
	if id := firstID(m.header.Get("Message-Id")); id != "" {
		return id
	}
	digest := sha256.Sum256(raw)
	return "sha256-" + hex.EncodeToString(digest[:16])
}

// firstID returns the first message id in a header, without its brackets.
func firstID(text string) string {
	text = strings.TrimSpace(utf8text.Mend(text))
	if _, after, found := strings.Cut(text, "<"); found {
		if id, _, closed := strings.Cut(after, ">"); closed {
			return strings.TrimSpace(id)
		}
	}
	first, _, _ := strings.Cut(text, " ")
	return strings.Trim(first, "<>,;")
}

// GmailThread begins the thread id of a message from Gmail. The first message of such a thread may be any with the same number.
const GmailThread = "a thread of Gmail: "

// gmailThread returns the thread id of a message in a Gmail export, or "". Gmail also assigns threads to messages without references, and
// starts a new thread for a new subject.
func (m *message) gmailThread() string {
	number := strings.TrimSpace(m.header.Get("X-Gm-Thrid")) //nolint:misspell // as Gmail calls it
	if number == "" || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return GmailThread + number
}

func splitLabels(text string) (labels []string) {
	for _, label := range item.SplitOutsideQuotes(text, ',') {
		if label = strings.Trim(strings.TrimSpace(label), `"`); label != "" {
			labels = append(labels, label)
		}
	}
	return labels
}

var (
	// fromLine matches the line above each message of an mbox file: an address and an asctime date, perhaps with a zone (RFC 4155).
	fromLine = item.Expression(`^From \S.* ((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|` +
		`Dec) +\d{1,2} \d{1,2}:\d{2}(?::\d{2})? .*\d{4}\b.*)`)
	// headerLine matches the first line of a header field, which a few mailboxes quote with ">".
	headerLine = item.Expression(`^>?[!-9;-~]+[ \t]*:`)
	// quotedFrom matches a line of a message that is quoted because it looked like a fromLine.
	quotedFrom = item.Expression(`^>+From `)
)
