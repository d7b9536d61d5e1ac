// Package contacts reads the people of vCard files (RFC 6350, and 2.1 as phones write it).
package contacts

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/contentline"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

type reader struct{ lines *contentline.Reader }

// NewReader reads the cards of a file.
func NewReader(input *bufio.Reader) item.Records {
	r := &reader{lines: contentline.NewReader(input)}
	return item.Read(r.enter, r.next)
}

func (r *reader) enter() error {
	p, err := r.lines.Property()
	if item.IsUnusable(err) || err == nil && !p.Is("BEGIN", "VCARD") {
		return item.UnusableError{Reason: "not contacts: it does not begin with BEGIN:VCARD"}
	}
	r.lines.Back(p)
	return err
}

func (r *reader) next() (item.Item, error) {
	for {
		if p, err := r.lines.Property(); err != nil {
			return item.Item{}, err
		} else if p.Is("BEGIN", "VCARD") {
			return r.card()
		}
	}
}

// fields and lists map properties of a card to fields of its record: those with one value, and those with several.
var (
	fields = [...]struct{ name, of string }{
		{"id", "UID"}, {"name", "FN"}, {"nickname", "NICKNAME"}, {"organization", "ORG"}, {"job_title", "TITLE"}, {"role", "ROLE"}, {"birthday", "BDAY"},
		{"anniversary", "ANNIVERSARY"}, {"note", "NOTE"},
	}
	lists = [...]struct{ name, of string }{
		{"emails", "EMAIL"}, {"phones", "TEL"}, {"addresses", "ADR"}, {"urls", "URL"}, {"instant_messages", "IMPP"}, {"categories", "CATEGORIES"},
		{"related", "RELATED"},
	}
)

// kinds are the fields with those values of some lists that are of a TYPE: "emails_home" and "phones_mobile", for example.
var kinds = [...]struct{ suffix, is, of string }{
	{"_home", "HOME", "EMAIL TEL ADR"}, {"_work", "WORK", "EMAIL TEL ADR"}, {"_mobile", "CELL", "TEL"}, {"_fax", "FAX", "TEL"},
}

// isOf reports a property of a TYPE, which version 2.1 writes without its name.
func isOf(p contentline.Property, kind string) bool {
	_, ok := p.Params[kind]
	return ok || slices.Contains(strings.Split(strings.ToUpper(p.Params["TYPE"]), ","), kind)
}

// standard maps properties of programs to those of the standard that mean the same.
var standard = map[string]string{
	"X-SOCIALPROFILE": "URL", "X-ABRELATEDNAMES": "RELATED", "X-ANNIVERSARY": "ANNIVERSARY", "X-AIM": "IMPP", "X-GTALK": "IMPP",
	"X-ICQ": "IMPP", "X-JABBER": "IMPP", "X-MSN": "IMPP", "X-QQ": "IMPP", "X-SKYPE": "IMPP", "X-SKYPE-USERNAME": "IMPP",
}

func (r *reader) card() (item.Item, error) {
	one := item.Item{Line: r.lines.Number}
	values, isPicture := map[string][]string{}, false // the last property was one, which some phones do not fold
	for {
		p, err := r.lines.Property()
		switch {
		case item.IsUnusable(err): // such as a picture that is too long
			if bad, _ := errors.AsType[item.UnusableError](err); one.Note == "" && !isPicture {
				one.Note = fmt.Sprintf("line %d is left out: %s", bad.Line, bad.Reason)
			}
			continue
		case p.Name == "BEGIN": // the next card begins
			r.lines.Back(p)
			err = io.EOF
		}
		if errors.Is(err, io.EOF) {
			err = item.Unusable(one.Line, "a card that does not end")
		}
		if err != nil {
			return item.Item{}, err
		}
		var text string
		isPicture = p.Name == "PHOTO" || p.Name == "LOGO"
		switch p.Name = cmp.Or(standard[p.Name], p.Name); p.Name {
		case "END":
			finish(&one, values)
			return one, nil
		case "N":
			of := append(p.List(";"), "", "", "", "", "")
			text = item.Joined([]string{of[3], of[1], of[2], of[0], of[4]}, " ")
		case "ORG", "ADR":
			text = item.Joined(p.List(";"), ", ")
		case "CATEGORIES":
			values[p.Name] = append(values[p.Name], p.List(",")...)
			continue
		case "EMAIL", "TEL", "URL":
			text = strings.TrimPrefix(strings.TrimPrefix(p.Text(), "tel:"), "mailto:")
		default:
			text = p.Text()
		}
		values[p.Name] = append(values[p.Name], text)
		for _, kind := range kinds {
			if strings.Contains(kind.of, p.Name) && isOf(p, kind.is) {
				values[p.Name+kind.suffix] = append(values[p.Name+kind.suffix], text)
			}
		}
	}
}

// yearDay matches a date in the forms of all versions of vCard, with or without its year, and with or without a time.
var yearDay = item.Expression(`^(\d{4}|-)-?(\d\d)-?(\d\d)(?:T.*)?$`)

// putDay adds a date, or "--03-14" without a year, and its month and its day as numbers, which find it in any year. It adds any other text
// unchanged.
func putDay(one *item.Item, name, text string) {
	if part := yearDay().FindStringSubmatch(text); part != nil {
		if part[1] == "1604" { // Apple's year for no year; it has a 29 February
			part[1] = "-"
		}
		when, err := time.Parse(time.DateOnly, strings.Replace(part[1], "-", "1604", 1)+"-"+part[2]+"-"+part[3])
		if err == nil {
			one.Put(name, part[1]+"-"+part[2]+"-"+part[3])
			one.Put(name+"_month", int(when.Month()))
			one.Put(name+"_day", when.Day())
			if name == "birthday" {
				day := when.Format("2 January") + strings.TrimSuffix(" "+part[1], " -")
				one.Put("birthday_words", day+"; "+monthWords[when.Month()-1]+"; "+birthdayWords)
			}
			return
		}
	}
	one.Put(name, text)
}

// birthdayWords finds a birthday by the word for it in the languages in which people ask: the name of a field is in one.
const birthdayWords = "birthday, born; Geburtstag, geboren; anniversaire, naissance; cumpleaños; compleanno; aniversário; verjaardag"

// monthWords has the names of each month in the other ones of these languages: a birthday is no time at which a record happened.
var monthWords = [...]string{
	"Januar, janvier, enero, gennaio, janeiro, januari", "Februar, février, febrero, febbraio, fevereiro, februari", "März, mars, marzo, março, maart",
	"avril, abril, aprile", "Mai, mayo, maggio, maio, mei", "Juni, juin, junio, giugno, junho", "Juli, juillet, julio, luglio, julho",
	"August, août, agosto, augustus", "septembre, septiembre, settembre, setembro", "Oktober, octobre, octubre, ottobre, outubro",
	"novembre, noviembre, novembro", "Dezember, décembre, diciembre, dicembre, dezembro, december",
}

func finish(one *item.Item, values map[string][]string) {
	first := func(name string) string { return cmp.Or(values[name]...) } // the first value
	for _, field := range fields {
		text := first(field.of)
		switch field.of {
		case "BDAY", "ANNIVERSARY":
			putDay(one, field.name, text)
			continue
		case "FN":
			text = cmp.Or(text, first("N"), first("ORG"))
		case "NOTE", "NICKNAME", "ORG", "TITLE", "ROLE":
			text = item.Joined(values[field.of], "\n")
		}
		one.Put(field.name, text)
	}
	for _, field := range lists {
		put := func(suffix string) { // phones write empty ones
			one.Put(field.name+suffix, slices.DeleteFunc(values[field.of+suffix], func(text string) bool { return text == "" }))
		}
		put("")
		for _, kind := range kinds {
			put(kind.suffix)
		}
	}
}
