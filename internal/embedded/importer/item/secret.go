package item

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Secrets are what no assistant should have: what fields hold, and lines of texts say, that is named like passwords and keys, at any depth,
// and what has the form of keys in texts.
type Secrets struct {
	named map[string]secretKind // of the names that were seen
	noted bool                  // a record of the file says that it is without one
}

var (
	wordStart = Expression(`(\p{Ll}|\d)(\p{Lu})`)
	noWord    = Expression(`[^\pL\d]+`)
	// keyForms are how keys are written, and the links from which codes are made; one of marks is in each. Each has an expression of its own,
	// so that no start of one is followed to the end of a text for each key of another form.
	keyForms = [...]struct {
		form          func() *regexp.Regexp
		marks         []string
		instead, said string
	}{
		// a private key to its end, or as far as it goes: a text that names one goes on behind its name
		{Expression(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:(?:-?(?:\\[nrt]|[A-Za-z0-9+/=\s:,.()>]))*?` +
			`-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|(?:\\[nrt]|[A-Za-z0-9+/=])*)`), []string{"PRIVATE KEY"}, "[private key]", "a private key"},
		{Expression(`(otpauth://[^\s"<>]*?secret=)[A-Za-z2-7]+`), []string{"otpauth:"}, "$1[secret]", aKey},
		{Expression(`(otpauth-migration://[^\s"<>]*?data=)[\w%+/=-]+`), []string{"otpauth-"}, "$1[secret]", aKey},
		{Expression(`(\\[nrt]|\b)eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}`), []string{"eyJ"}, "$1[secret]", aKey},
		{Expression(`(\\[nrt]|\b)(?:(?:AKIA|ASIA)[0-9A-Z]{16}\b|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,}|glpat-[\w-]{20,}|` +
			`xox[abprs]-[\w-]{10,}|[sr]k_live_[A-Za-z0-9]{16,}|sk-(?:(?:proj|ant|svcacct)-[\w-]{20,}|[A-Za-z0-9]{40,})|AIza[\w-]{35})`),
			[]string{"AKIA", "ASIA", "AIza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "k_live_", "sk-"},
			"$1[secret]", aKey},
	}
)

const aKey = "a key in a text"

// kindOf is what a name says of what has it.
func (s *Secrets) kindOf(name []byte) secretKind {
	kind, known := s.named[string(name)]
	if s.named == nil || len(s.named) > MaxFields { // a map that was written as records has no end of names
		s.named = map[string]secretKind{}
	}
	if !known {
		kind = secretKindOf(string(name))
		s.named[string(name)] = kind
	}
	return kind
}

// TakeOut takes the secrets out of a record. The first record of a file that has one gets a note.
func (s *Secrets) TakeOut(one *Item) {
	first := ""
	for index := range one.Fields {
		field := &one.Fields[index]
		if len(field.Value) == 0 {
			continue
		}
		said := ""
		kind := s.kindOf([]byte(field.Name))
		isPostal := kind == shortNumber && len(bytes.Trim(field.Value, `"`)) == 6 && one.has(postal())
		if kind.holds(field.Value) && !isPostal || one.isCookie(field) {
			said, field.Value = field.Name, []byte("null")
		} else if field.Value[0] == '{' || field.Value[0] == '[' {
			field.Value, said = s.redact(field.Value)
		}
		value, line := s.inLines(field.Value)
		if field.Value, said = value, cmp.Or(said, line); said != "" {
			one.Text, said = nil, fmt.Sprintf("the value of %q", said)
		}
		for _, key := range keyForms {
			isMarked := func(mark string) bool { return bytes.Contains(field.Value, []byte(mark)) }
			if len(field.Value) > len(`"AKIA"`) && slices.ContainsFunc(key.marks, isMarked) && key.form().Match(field.Value) {
				field.Value, one.Text = key.form().ReplaceAll(field.Value, []byte(key.instead)), nil
				said = cmp.Or(said, key.said)
			}
		}
		first = cmp.Or(first, said)
	}
	if first == "" || s.noted {
		return
	}
	if s.noted = true; one.Note != "" {
		one.Note += "; "
	}
	one.Note += first + " is left out, as is all else of the file that is named or written like a secret: no assistant should have one"
}

// The names of the fields of an address, whose PIN is a postal code, and of a cookie.
var (
	postal     = Expression(`(?i)city|town|village|state|district|address|street|country|post|office|region`)
	cookieHost = Expression(`(?i)^(?:host|domain)`)
	cookieEnd  = Expression(`(?i)^(?:expir|samesite|httponly|issecure)`)
)

func (i *Item) isCookie(field *Field) bool {
	return (field.Name == "value" || field.Name == "Value") && anyValue.holds(field.Value) && i.has(cookieHost()) && i.has(cookieEnd())
}

func (i *Item) has(name *regexp.Regexp) bool {
	return slices.ContainsFunc(i.Fields, func(one Field) bool { return name.MatchString(one.Name) })
}

// redact is an object or array without the secrets in it, and the name of the first of them. Most have none, which shows without reading them
// as JSON: what stands in quotation marks before a colon is a name, unless the second mark is one of a text.
func (s *Secrets) redact(value []byte) (without []byte, first string) {
	from := 0
	for at := 0; ; at++ {
		next := bytes.IndexByte(value[at:], ':')
		if next < 0 {
			return withRest(without, value[from:]), first
		}
		at += next
		name, ok := bytes.CutSuffix(bytes.TrimRight(value[:at], " \t\r\n"), []byte(`"`))
		name = name[bytes.LastIndexByte(name, '"')+1:]
		if !ok || bytes.HasSuffix(name, []byte(`\`)) {
			continue
		}
		if bytes.IndexByte(name, '\\') >= 0 {
			name = []byte(model.Unquote(slices.Concat([]byte(`"`), name, []byte(`"`))))
		}
		kind := s.kindOf(name)
		if kind == 0 {
			continue
		}
		decoder := jsontext.NewDecoder(bytes.NewReader(value[at+1:]), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		held, err := decoder.ReadValue()
		if err != nil || !kind.holds(held) {
			continue
		}
		first = cmp.Or(first, string(name))
		end := at + 1 + int(decoder.InputOffset())
		without = append(append(without, value[from:end-len(held)]...), "null"...)
		from, at = end, end-1
	}
}

// withRest is the start of a value without secrets with the rest of it, which is not copied if it is all.
func withRest(start, rest []byte) []byte {
	if start == nil {
		return rest
	}
	return append(start, rest...)
}

// How long what stands before a colon may be to be a name, and what stands behind it to be a secret, in bytes.
const maxLabel, maxSaid = 40, 256

// inLines takes what lines such as "PIN: 4711" say of secrets out of the texts of a value, and says the name of the first.
func (s *Secrets) inLines(value []byte) (without []byte, first string) {
	from, isAlone := 0, !bytes.Contains(value, []byte(`\n`))
	for at := 0; ; at++ {
		next := bytes.IndexAny(value[at:], ":=")
		if next < 0 {
			return withRest(without, value[from:]), first
		}
		if at += next; at < 2 || isDigit(value[at-1]) && isDigit(value[at-2]) { // a time
			continue
		}
		label, held, begin := lineAt(value, at, from)
		// most show to be none before their name is looked at: sentences and links
		for bytes.Count(label, []byte(" ")) > 2 { // the last words of a sentence
			_, label, _ = bytes.Cut(label, []byte(" "))
		}
		isWord := bytes.IndexByte(held, ' ') < 0 && len(held) >= 3 && bytes.IndexByte([]byte("/<[({$"), held[0]) < 0
		if !isWord && bytes.Count(held, []byte(" ")) < 11 && !cardNumber.fits(held) || bytes.ContainsAny(label, `/?&{}()<>\`) ||
			!s.kindOf(label).isSaid(label, held, isAlone) {
			continue
		}
		first = cmp.Or(first, string(label))
		without = append(append(without, value[from:begin]...), "[secret]"...)
		from, at = begin+len(held), begin+len(held)-1
	}
}

// lineAt is what stands before a mark, from some place on, and behind it, and where that begins.
func lineAt(value []byte, at, from int) (label, held []byte, begin int) {
	start, end, least := at, at+1, max(from, at-maxLabel)
	for start > least && value[start-1] != '"' && !isBreak(value, start-2) {
		start--
	}
	for end < len(value) && end-at < maxSaid && value[end] != '"' && !isBreak(value, end) {
		if end++; value[end-1] == '\\' {
			end++
		}
	}
	end = min(end, len(value))
	held = bytes.TrimLeft(bytes.TrimPrefix(value[at+1:end], []byte(`\t`)), " *_`")
	begin = end - len(held)
	for _, mark := range [...]string{", ", "; "} {
		held, _, _ = bytes.Cut(held, []byte(mark))
	}
	return bytes.Trim(value[start:at], " #>*_`-"), bytes.TrimRight(held, " *_`"), begin
}

func isDigit(one byte) bool { return one >= '0' && one <= '9' }

// isBreak reports the escape of the end of a line in JSON.
func isBreak(value []byte, at int) bool {
	return at >= 0 && at+1 < len(value) && value[at] == '\\' && (value[at+1] == 'n' || value[at+1] == 'r')
}
