package item

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Secrets are what no assistant should have: what fields hold that are named like passwords and keys, at any depth, and private keys in
// texts.
type Secrets struct {
	named map[string]bool // whether names that were seen are those of secrets
	noted bool            // a record of the file says that it is without one
}

var (
	wordStart  = Expression(`(\p{Ll}|\d)(\p{Lu})`)
	noWord     = Expression(`[^\pL\d]+`)
	secretWord = Expression(`(?:^|_)(?:pass_?words?|passwo(?:rt|erter)|passwörter|kennwort|passphrase|passwd|pwd|secrets?|` +
		`contrase(?:ñ|n_?)as?|mots?_?de_?passe|private_?keys?)_?$`)
	maybeSecret = Expression(`(?i)pass|kennwort|pwd|secret|contrase|private`)
	// privateKey is a private key to its end, or as far as it goes: a text that names one goes on behind its name.
	privateKey = Expression(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:(?:\\[nrt]|[A-Za-z0-9+/=\s:,.()>-])*?` +
		`-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|(?:\\[nrt]|[A-Za-z0-9+/=])*)`)
)

// isNamed reports a name whose last words are those of a secret: not password_changed_at.
func (s *Secrets) isNamed(name string) bool {
	is, known := s.named[name]
	if known {
		return is
	}
	is = maybeSecret().MatchString(name) &&
		secretWord().MatchString(noWord().ReplaceAllString(strings.ToLower(wordStart().ReplaceAllString(name, "${1}_$2")), "_"))
	if s.named == nil || len(s.named) > MaxFields { // a map that was written as records has no end of names
		s.named = map[string]bool{}
	}
	s.named[name] = is
	return is
}

// isHidden reports a value that may be a secret: not whether there is one.
func isHidden(value []byte) bool {
	return len(value) > 0 && value[0] != 'n' && value[0] != 't' && value[0] != 'f' && string(value) != `""`
}

// TakeOut takes the secrets out of a record. The first record of a file that has one gets a note.
func (s *Secrets) TakeOut(one *Item) {
	first := ""
	for index := range one.Fields {
		field := &one.Fields[index]
		said := ""
		switch {
		case s.isNamed(field.Name) && isHidden(field.Value):
			said, field.Value = field.Name, []byte("null")
		case len(field.Value) > 0 && (field.Value[0] == '{' || field.Value[0] == '['):
			field.Value, said = s.redact(field.Value)
		}
		if said != "" {
			one.Text, said = nil, fmt.Sprintf("the value of %q", said)
		}
		if bytes.Contains(field.Value, keyMark) && privateKey().Match(field.Value) {
			field.Value, one.Text, said = privateKey().ReplaceAll(field.Value, []byte("[private key]")), nil, "a private key"
		}
		first = cmp.Or(first, said)
	}
	if first == "" || s.noted {
		return
	}
	if s.noted = true; one.Note != "" {
		one.Note += "; "
	}
	one.Note += first + " is left out, and so is any other secret of the file: no assistant should have one"
}

// keyMark is in what begins a private key.
var keyMark = []byte("PRIVATE KEY")

// redact is an object or array without the secrets in it, and the name of the first of them. Most have none, which shows without parsing
// them: what stands in quotation marks before a colon is a name, unless the second mark is one of a text.
func (s *Secrets) redact(value []byte) (without []byte, first string) {
	from := 0
	for at := 0; ; at++ {
		next := bytes.IndexByte(value[at:], ':')
		if next < 0 && first == "" {
			return value, ""
		} else if next < 0 {
			return append(without, value[from:]...), first
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
		is, known := s.named[string(name)]
		if !is && (known || !s.isNamed(string(name))) {
			continue
		}
		decoder := jsontext.NewDecoder(bytes.NewReader(value[at+1:]), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		held, err := decoder.ReadValue()
		if err != nil || !isHidden(held) {
			continue
		}
		first = cmp.Or(first, string(name))
		end := at + 1 + int(decoder.InputOffset())
		without = append(append(without, value[from:end-len(held)]...), "null"...)
		from, at = end, end-1
	}
}
