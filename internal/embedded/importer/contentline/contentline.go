// Package contentline reads the content lines of calendars and contacts: a name, parameters and a value.
package contentline

import (
	"bufio"
	"bytes"
	"errors"
	"strings"

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

// Next returns a content line, [item.UnusableError] for one that was too long, or io.EOF.
func (r *Reader) Next() (string, error) {
	first, err := r.lines.Next()
	r.Number = r.lines.Number
	text := bytes.Clone(bytes.TrimRight(first, "\r\n"))
	for err == nil {
		next := r.lines.Peek()
		if len(next) == 0 || next[0] != ' ' && next[0] != '\t' || len(text)+len(next) > item.MaxLine {
			return utf8text.Mend(string(text)), nil
		}
		_, err = r.lines.Next() // consume the peeked line
		text = append(text, bytes.TrimRight(next[1:], "\r\n")...)
	}
	if errors.Is(err, item.ErrTooLong) {
		err = item.Unusable(r.lines.Number, "%s", err)
	}
	return "", err
}

// A Property is a content line of a calendar or of contacts (RFC 5545 3.1, RFC 6350 3.3, vCard 2.1). The library golang-ical is not used:
// it rejects the parameters without a value that phones write, and decodes escapes before it splits a list.
type Property struct {
	Name, Value string            // Name is in upper case, without its group; Value has its escapes
	Params      map[string]string // by names in upper case; "" for one without a value
}

// Property returns the next line that is not empty, [item.UnusableError] for one without a name and a value, or io.EOF.
func (r *Reader) Property() (p Property, err error) {
	line := ""
	for strings.TrimSpace(line) == "" {
		if line, err = r.Next(); err != nil {
			return Property{}, err
		}
	}
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
		p.Params[strings.ToUpper(name)] = escapes.Replace(strings.Trim(value, `"`))
	}
	return p, nil
}

// Is reports whether the property is a mark (BEGIN or END) of a kind of component.
func (p Property) Is(mark, kind string) bool {
	return p.Name == mark && strings.EqualFold(strings.TrimSpace(p.Value), kind)
}

// escapes decodes the escapes of a text.
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
