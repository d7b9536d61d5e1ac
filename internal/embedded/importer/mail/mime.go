package mail

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// No library reads the parts: enmime v2.3.0 takes 2.4 s for a message of 1 KB that is nested 20 deep, and rejects a message for one part
// with a malformed type; go-message rejects a message for one bad line in its header.

// Limits of the nesting and the number of parts in a message, far above those of personal mail.
const (
	maxPartDepth = 16
	maxParts     = 500
)

type textPart struct {
	text   string
	isHTML bool
}

func attachment(name, kind string, content []byte) item.Item {
	var one item.Item
	one.Put("filename", name)
	one.Put("content_type", kind)
	one.Put("size_bytes", len(content))
	if len(content) <= item.MaxBlob {
		reference, blob := item.NewBlob(kind, bytes.Clone(content)) // it may be part of a buffer that is used again
		one.Put("blob_ref", reference)
		one.Blob = blob
	}
	return one
}

// walk collects the text parts and the files of a body (RFC 2045, 2046).
func (m *message) walk(header textproto.MIMEHeader, body []byte, depth int) {
	kind, params := mediaType(header.Get("Content-Type"))
	if !plainType().MatchString(kind) {
		kind = "text/plain" // also if it is only "text"
	}
	if strings.HasPrefix(kind, "multipart/") && params["boundary"] != "" && depth < maxPartDepth {
		m.walkParts(kind, params["boundary"], body, depth)
		return
	}
	if strings.HasPrefix(kind, "multipart/") {
		m.defect("parts that cannot be told apart")
		kind = "text/plain"
	}
	content := m.decodeTransfer(header.Get("Content-Transfer-Encoding"), body)
	disposition, given := mediaType(header.Get("Content-Disposition"))
	name := decodeWords(cmp.Or(given["filename"], params["name"]))
	if disposition != "attachment" && name == "" && (kind == "text/plain" || kind == "text/html") {
		m.parts = append(m.parts, textPart{m.decodeText(params["charset"], content), kind == "text/html"})
		return
	}
	file := attachment(cmp.Or(name, unnamed[kind], "unnamed"), kind, content)
	if kind == "message/rfc822" && depth < maxPartDepth {
		if inner, err := parse(content, depth+1); err == nil {
			from := strings.Join(inner.addresses("From"), ", ")
			file.Put("text", strings.TrimSpace(inner.words("Subject")+"\n"+from+"\n\n"+inner.text()))
		}
	}
	m.files = append(m.files, file)
}

// walkParts reads the parts between the boundaries. Of alternatives it keeps plain text, and HTML only if there is none.
func (m *message) walkParts(kind, boundary string, body []byte, depth int) {
	first := len(m.parts)
	parts, isWhole := split(body, boundary)
	switch {
	case len(parts) == 0 && len(bytes.TrimSpace(body)) > 0:
		m.defect("parts that cannot be told apart")
		m.parts = append(m.parts, textPart{m.decodeText("", body), false})
		return
	case !isWhole && len(parts) > 0:
		m.defect("the last part is cut off")
	}
	for _, part := range parts {
		if len(m.parts)+len(m.files) >= maxParts {
			m.defect(fmt.Sprintf("more than %d parts", maxParts))
			break
		}
		header, content := m.headed(part)
		m.walk(header, content, depth+1)
	}
	if kind == "multipart/alternative" {
		m.preferPlain(first)
	}
}

// split returns the parts between the lines of a boundary, at most one more than are read. It is not that of mime/multipart, which gives
// up at a line that is not part of a header, and at a line end that is unlike the first. isWhole is false if the last part has no end.
func split(body []byte, boundary string) (parts [][]byte, isWhole bool) {
	begin, at, open := -1, 0, []byte("--"+strings.TrimRight(boundary, " \t"))
	for line := range bytes.Lines(body) {
		mark, isMark := bytes.CutPrefix(bytes.TrimRight(line, " \t\r\n"), open)
		isEnd := isMark && string(mark) == "--"
		if isEnd || isMark && len(mark) == 0 {
			if begin >= 0 {
				parts = append(parts, bytes.TrimSuffix(bytes.TrimSuffix(body[begin:at], []byte("\n")), []byte("\r")))
			}
			if begin = at + len(line); isEnd || len(parts) > maxParts {
				return parts, true
			}
		}
		at += len(line)
	}
	if begin >= 0 && begin < len(body) {
		parts = append(parts, body[begin:])
	}
	return parts, false
}

// headed splits a part into its header and its content. A part may have no header.
func (m *message) headed(part []byte) (textproto.MIMEHeader, []byte) {
	head, content := cutHeader(part)
	if len(head) > 0 && !headerLine().Match(head) {
		return nil, part
	}
	one, err := mail.ReadMessage(bytes.NewReader(m.repair(head)))
	if err != nil {
		return nil, content
	}
	return textproto.MIMEHeader(one.Header), content
}

func (m *message) preferPlain(first int) {
	isOther := func(part textPart) bool { return part.isHTML || strings.TrimSpace(part.text) == "" }
	plain := slices.DeleteFunc(slices.Clone(m.parts[first:]), isOther)
	if len(plain) > 0 {
		m.parts = append(m.parts[:first], plain...)
	}
}

func (m *message) text() string {
	var texts []string
	for _, part := range m.parts {
		text := part.text
		if part.isHTML {
			text = htmltext.Text(text)
		}
		text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), " \t\r\n")
		if strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}

var looseParameter = item.Expression(`(?i)(?:^|[;\s])(boundary|charset|name|filename)\s*=\s*(?:"([^"]*)"|([^;\s]+))`)

// mediaType parses a header such as Content-Type, even if it is malformed: its value in lower case, and its parameters.
func mediaType(text string) (value string, params map[string]string) {
	text = utf8text.Mend(text)
	value, params, err := mime.ParseMediaType(text)
	if err == nil || text == "" {
		return value, params
	}
	value, _, _ = strings.Cut(text, ";")
	params = map[string]string{}
	for _, match := range looseParameter().FindAllStringSubmatch(text, -1) {
		if name := strings.ToLower(match[1]); params[name] == "" {
			params[name] = match[2] + match[3]
		}
	}
	return strings.ToLower(strings.TrimSpace(value)), params
}

var plainType = item.Expression(`^[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+$`)

// unnamed has file names for attachments without one, by their types.
var unnamed = map[string]string{"message/rfc822": "message.eml", "text/calendar": "invitation.ics", "text/html": "page.html",
	"text/plain": "text.txt"}

// decodeTransfer decodes the transfer encoding, as far as it is valid.
func (m *message) decodeTransfer(encoding string, body []byte) []byte {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		content, complete := decodeBase64(body)
		if !complete {
			m.defect("broken base64")
		}
		return content
	case "quoted-printable":
		content, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(body)))
		if err != nil {
			m.defect("broken quoted-printable")
			return body
		}
		return content
	}
	return body
}

// decodeBase64 decodes what is valid, and reports whether that was all.
func decodeBase64(body []byte) (content []byte, complete bool) {
	body, padding, _ := bytes.Cut(body, []byte("="))
	complete = len(bytes.Trim(padding, "= \t\r\n")) == 0
	letters := bytes.Map(func(one rune) rune {
		switch {
		case one == '\n', one == '\r', one == ' ', one == '\t':
			return -1
		case one >= 'A' && one <= 'Z', one >= 'a' && one <= 'z', one >= '0' && one <= '9', one == '+', one == '/':
			return one
		}
		complete = false
		return -1
	}, body)
	content = make([]byte, base64.RawStdEncoding.DecodedLen(len(letters)))
	count, err := base64.RawStdEncoding.Decode(content, letters)
	return content[:count], complete && err == nil
}

// decodeText converts a text to UTF-8. label is the declared charset: without one, or with ASCII or an unknown one, utf8text.Mend finds the
// charset.
func (m *message) decodeText(label string, content []byte) string {
	label = strings.ToLower(strings.Trim(label, ` "'`))
	switch label {
	case "utf-8", "utf8":
		if !utf8.Valid(content) {
			m.defect("text that is not UTF-8 as it claims")
		}
		return strings.ToValidUTF8(string(content), "\ufffd")
	case "", "us-ascii", "ascii", "unknown-8bit", "x-unknown", "default":
		return utf8text.Mend(string(content))
	}
	reader, err := charset.NewReaderLabel(label, bytes.NewReader(content))
	if err != nil {
		m.defect("unknown charset " + utf8text.OneLine(label))
		return utf8text.Mend(string(content))
	}
	decoded, _ := io.ReadAll(reader) // it replaces invalid bytes
	return strings.ToValidUTF8(string(decoded), "\ufffd")
}

type message struct {
	header  mail.Header
	parts   []textPart
	files   []item.Item
	defects []string
}

func (m *message) defect(text string) {
	if !slices.Contains(m.defects, text) {
		m.defects = append(m.defects, text)
	}
}

func decodeWords(text string) string {
	text = utf8text.Mend(text)
	decoder := mime.WordDecoder{CharsetReader: wordReader}
	if decoded, err := decoder.DecodeHeader(text); err == nil {
		text = decoded
	}
	return strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd"))
}

// wordReader decodes an encoded word. One in an unknown charset leaves the other words of its header as they would be without it.
func wordReader(label string, word io.Reader) (io.Reader, error) {
	if decoded, err := charset.NewReaderLabel(label, word); err == nil {
		return decoded, nil
	}
	text, err := io.ReadAll(word)
	return strings.NewReader(utf8text.Mend(string(text))), err
}
