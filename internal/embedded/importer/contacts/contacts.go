// Package contacts reads the people of vCard files (RFC 6350, and 2.1 as phones write it).
package contacts

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"mime/quotedprintable"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// A reader reads cards.
type reader struct{ lines *item.Folded }

// NewReader reads the cards of a file.
func NewReader(input *bufio.Reader) item.Records {
	r := &reader{lines: item.NewFolded(input)}
	return item.Read(r.enter, r.next)
}

// A property is a line of a card.
type property struct {
	name, value string
	quoted      bool // printable
}

// property reads the next line that is not empty.
func (r *reader) property() (property, error) {
	for {
		text, err := r.lines.Next()
		if err != nil {
			return property{}, err
		}
		text = utf8text.Mend(text)
		quoted := false
		colon := strings.IndexFunc(text, func(one rune) bool {
			quoted = quoted != (one == '"')
			return one == ':' && !quoted
		})
		if colon < 0 {
			if colon = strings.IndexByte(text, ':'); colon < 0 {
				continue
			}
		}
		head, value := text[:colon], text[colon+1:]
		name, settings, _ := strings.Cut(strings.ToUpper(head), ";")
		if _, after, grouped := strings.Cut(name, "."); grouped {
			name = after
		}
		p := property{name: strings.TrimSpace(name), value: value, quoted: strings.Contains(settings, "QUOTED-PRINTABLE")}
		for p.quoted && strings.HasSuffix(p.value, "=") {
			more, err := r.lines.Next()
			if err != nil || len(p.value)+len(more) > item.MaxLine {
				break
			}
			p.value = p.value[:len(p.value)-1] + more
		}
		return p, nil //nolint:nilerr // the next read meets the error again
	}
}

// escapes are of a text value.
var escapes = strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\:`, ":", `\\`, `\`)

func (p property) text() string {
	value := p.value
	if p.quoted {
		if plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(value))); err == nil {
			value = strings.ReplaceAll(utf8text.Mend(string(plain)), "\r\n", "\n")
		}
	}
	return strings.TrimSpace(escapes.Replace(value))
}

// parts joins what a name, an address or an organization is made of.
func (p property) parts(order ...int) string {
	fields := strings.Split(strings.ReplaceAll(p.value, `\;`, "\x00"), ";")
	if order == nil {
		for index := range fields {
			order = append(order, index)
		}
	}
	var parts []string
	for _, index := range order {
		if index < len(fields) {
			part := property{value: strings.ReplaceAll(fields[index], "\x00", ";"), quoted: p.quoted}.text()
			if part != "" {
				parts = append(parts, part)
			}
		}
	}
	if len(order) == len(fields) && len(order) > 0 && order[0] == 0 {
		return strings.Join(parts, ", ")
	}
	return strings.Join(parts, " ")
}

func (p property) begins() bool {
	return p.name == "BEGIN" && strings.EqualFold(strings.TrimSpace(p.value), "VCARD")
}

// enter goes to the first card.
func (r *reader) enter() error {
	p, err := r.property()
	if err == nil && !p.begins() {
		return item.UnusableError{Reason: "not contacts: it does not begin with BEGIN:VCARD"}
	}
	r.lines.Back("BEGIN:VCARD")
	return err
}

// next returns the next card.
func (r *reader) next() (item.Item, error) {
	for {
		if p, err := r.property(); err != nil {
			return item.Item{}, err
		} else if p.begins() {
			return r.card()
		}
	}
}

// fields are what becomes of the properties of a card, of those that it has once and of those that are lists.
var (
	fields = [...]struct{ name, of string }{
		{"id", "UID"}, {"name", "FN"}, {"nickname", "NICKNAME"}, {"organization", "ORG"}, {"job_title", "TITLE"}, {"birthday", "BDAY"},
		{"anniversary", "ANNIVERSARY"}, {"note", "NOTE"},
	}
	lists = [...]struct{ name, of string }{
		{"emails", "EMAIL"}, {"phones", "TEL"}, {"addresses", "ADR"}, {"urls", "URL"}, {"categories", "CATEGORIES"},
	}
)

// card reads up to the end of a card.
func (r *reader) card() (item.Item, error) {
	one := item.Item{Line: r.lines.Number}
	said := map[string][]string{}
	for {
		p, err := r.property()
		if errors.Is(err, io.EOF) || p.name == "BEGIN" {
			if p.name == "BEGIN" {
				r.lines.Back("BEGIN:" + p.value)
			}
			return item.Item{}, item.Unusable(one.Line, "a card that does not end")
		}
		if _, ok := errors.AsType[item.UnusableError](err); ok {
			continue // a picture
		}
		if err != nil {
			return item.Item{}, err
		}
		var text string
		switch p.name {
		case "END":
			finish(&one, said)
			return one, nil
		case "N":
			text = p.parts(3, 1, 2, 0, 4)
		case "ORG", "ADR":
			text = p.parts()
		case "CATEGORIES":
			for name := range strings.SplitSeq(strings.ReplaceAll(p.value, `\,`, "\x00"), ",") {
				said[p.name] = append(said[p.name], property{value: strings.ReplaceAll(name, "\x00", ","), quoted: p.quoted}.text())
			}
			continue
		case "EMAIL", "TEL", "URL":
			text = strings.TrimPrefix(p.text(), "tel:")
		default:
			text = p.text()
		}
		said[p.name] = append(said[p.name], text)
	}
}

// yearDay is a day of a year, or of every year, as the versions of vCard write it, with a time or without.
var yearDay = item.Expression(`^(\d{4}|-)-?(\d\d)-?(\d\d)(?:T.*)?$`)

// putDay writes a day of a person as dates are written, or as "--03-14" where its year is not said, with its month and its day as numbers,
// by which it is found in any year. What is no such day stays as it is.
func putDay(one *item.Item, name, text string) {
	if part := yearDay().FindStringSubmatch(text); part != nil {
		if part[1] == "1604" { // that Apple writes for none; it has a 29 February
			part[1] = "-"
		}
		when, err := time.Parse(time.DateOnly, strings.Replace(part[1], "-", "1604", 1)+"-"+part[2]+"-"+part[3])
		if err == nil {
			one.Put(name, part[1]+"-"+part[2]+"-"+part[3])
			one.Put(name+"_month", int(when.Month()))
			one.Put(name+"_day", when.Day())
			return
		}
	}
	one.Put(name, text)
}

func finish(one *item.Item, said map[string][]string) {
	once := func(name string) string { return cmp.Or(said[name]...) } // what it says first
	for _, field := range fields {
		text := once(field.of)
		switch field.of {
		case "BDAY", "ANNIVERSARY":
			putDay(one, field.name, text)
			continue
		case "FN":
			text = cmp.Or(text, once("N"), once("ORG"))
		}
		one.Put(field.name, text)
	}
	for _, field := range lists {
		one.Put(field.name, said[field.of])
	}
}
