// Package contentline reads the content lines of calendars and contacts: a name, parameters and a value.
package contentline

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime/quotedprintable"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// A Reader reads content lines, which may be folded: a line that begins with a space or a tab continues the line before it.
type Reader struct {
	Number int // line number, from 1, of the start of the content line that was read last
	lines  *item.Lines
}

// NewReader reads the content lines of a file.
func NewReader(input *bufio.Reader) *Reader { return &Reader{lines: item.NewLines(input)} }

// Back unreads the property that was read last, without its parameters.
func (r *Reader) Back(p Property) { r.lines.Back([]byte(p.Name + ":" + p.Value + "\r\n")) }

// quotedPrintable matches the beginning of a line whose value is in quoted-printable, as phones write it.
var quotedPrintable = item.Expression(`(?i)^[^:]*;(?:ENCODING=)?"?QUOTED-PRINTABLE"?[;:]`)

// next returns a content line as it is in the file, [item.UnusableError] for one that was too long, or io.EOF. In quoted-printable, a "="
// at the end continues the line with all of the next one.
func (r *Reader) next() (string, error) {
	first, err := r.lines.Next()
	r.Number = r.lines.Number
	text := bytes.Clone(bytes.TrimRight(first, "\r\n"))
	for err == nil {
		next := r.lines.Peek()
		isSoft := bytes.HasSuffix(text, []byte("=")) && quotedPrintable().Match(text) && !bytes.HasPrefix(next, []byte("END:"))
		isFolded := len(next) > 0 && (next[0] == ' ' || next[0] == '\t')
		if len(next) == 0 || !isSoft && !isFolded || len(text)+len(next) > item.MaxLine {
			return string(text), nil
		}
		_, err = r.lines.Next() // consume the peeked line
		if isSoft {
			text = text[:len(text)-1]
		} else {
			next = next[1:]
		}
		text = append(text, bytes.TrimRight(next, "\r\n")...)
	}
	if errors.Is(err, item.ErrTooLong) {
		err = item.Unusable(r.lines.Number, "%s", err)
	}
	return "", err
}

// A Property is a content line of a calendar or of contacts (RFC 5545 3.1, RFC 6350 3.3, vCard 2.1). The library golang-ical is not used:
// it rejects the parameters without a value that phones write, and decodes escapes before it splits a list.
type Property struct {
	Name, Value string            // Name is in upper case, without its group; Value is decoded, except for its escapes
	Params      map[string]string // by names in upper case; "" for one without a value
}

// Property returns the next line that is not empty, [item.UnusableError] for one without a name and a value, or io.EOF.
func (r *Reader) Property() (p Property, err error) {
	raw := ""
	for strings.TrimSpace(raw) == "" {
		if raw, err = r.next(); err != nil {
			return Property{}, err
		}
	}
	line := utf8text.Mend(raw)
	head := item.SplitOutsideQuotes(line, ':')[0]
	if len(head) == len(line) { // a quotation mark is not closed
		head, _, _ = strings.Cut(line, ":")
	}
	if len(head) == len(line) {
		return Property{}, item.Unusable(r.Number, "not a property: %s", utf8text.OneLine(line))
	}
	params := item.SplitOutsideQuotes(head, ';')
	name := strings.ToUpper(strings.TrimSpace(params[0]))
	p = Property{Name: name[strings.LastIndexByte(name, '.')+1:], Value: line[len(head)+1:]}
	for _, one := range params[1:] {
		name, value, _ := strings.Cut(one, "=")
		if p.Params == nil {
			p.Params = map[string]string{}
		}
		name, value = strings.ToUpper(name), escapes.Replace(strings.Trim(value, `"`))
		p.Params[name] = strings.TrimPrefix(p.Params[name]+","+value, ",") // TYPE may be there several times
	}
	if value, ok := strings.CutPrefix(raw, head+":"); ok && p.Params != nil {
		p.Value = p.decoded(value, quotedPrintable().MatchString(line))
	}
	return p, nil
}

// decoded returns the value of a property of phones, from quoted-printable and from the charset that its parameters name. A value that is
// UTF-8 already is not of another charset.
func (p Property) decoded(value string, isQuoted bool) string {
	if !isQuoted && utf8.ValidString(value) {
		return value
	}
	if plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(value))); isQuoted && err == nil {
		value = strings.ReplaceAll(string(plain), "\r\n", "\n")
	}
	if from, name := charset.Lookup(p.Params["CHARSET"]); from != nil && name != "utf-8" {
		value, _ = from.NewDecoder().String(value) // it replaces invalid bytes
	}
	return utf8text.Mend(value)
}

// Is reports whether the property is a mark (BEGIN or END) of a kind of component.
func (p Property) Is(mark, kind string) bool {
	return p.Name == mark && strings.EqualFold(strings.TrimSpace(p.Value), kind)
}

var escapes = strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\:`, ":", `\\`, `\`)

// Text returns the value with its escapes decoded.
func (p Property) Text() string { return strings.TrimSpace(escapes.Replace(p.Value)) }

// List splits the value at each separator that is not escaped, and returns the texts.
func (p Property) List(separator string) (texts []string) {
	const escaped = "\x00"
	for one := range strings.SplitSeq(strings.ReplaceAll(p.Value, `\`+separator, escaped), separator) {
		texts = append(texts, Property{Value: strings.ReplaceAll(one, escaped, separator)}.Text())
	}
	return texts
}
