package item

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Secrets are what no assistant should have: what fields hold that are named like passwords and keys, at any depth, and private keys in
// texts.
type Secrets struct{ named map[string]bool } // of the names that were seen

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

// TakeOut takes the secrets out of a record, and says what the first of them is; "" for none.
func (s *Secrets) TakeOut(one *Item) (first string) {
	for index := range one.Fields {
		field := &one.Fields[index]
		said := ""
		switch {
		case s.isNamed(field.Name) && isHidden(field.Value):
			said, field.Value = field.Name, []byte("null")
		case len(field.Value) > 0 && (field.Value[0] == '{' || field.Value[0] == '[') && s.mayBeIn(field.Value):
			field.Value, said = s.within(field.Value)
		}
		if said != "" {
			one.Text, said = nil, fmt.Sprintf("the value of %q", said)
		}
		if bytes.Contains(field.Value, keyMark) && privateKey().Match(field.Value) {
			field.Value, one.Text, said = privateKey().ReplaceAll(field.Value, []byte("[private key]")), nil, "a private key"
		}
		if first == "" {
			first = said
		}
	}
	return first
}

// keyMark is in what begins a private key.
var keyMark = []byte("PRIVATE KEY")

// mayBeIn reports, without reading it as JSON, whether an object or array has a name of a secret: most have none.
func (s *Secrets) mayBeIn(value []byte) bool {
	for at := 0; ; at++ {
		next := bytes.IndexByte(value[at:], ':')
		if next < 0 {
			return false
		}
		at += next
		name, ok := bytes.CutSuffix(bytes.TrimRight(value[:at], " \t\r\n"), []byte(`"`))
		if !ok {
			continue
		}
		name = name[bytes.LastIndexByte(name, '"')+1:]
		if is, known := s.named[string(name)]; is || !known && s.isNamed(string(name)) {
			return true
		}
	}
}

// within is an object or array without the secrets in it, and the name of the first of them.
func (s *Secrets) within(value []byte) (without []byte, first string) {
	decoder := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	from := 0
	for {
		token, err := decoder.ReadToken()
		if err != nil { // its end
			return append(without, value[from:]...), first
		}
		if kind, length := decoder.StackIndex(decoder.StackDepth()); kind != '{' || length%2 == 0 || !s.isNamed(token.String()) {
			continue
		}
		name := token.String()
		held, err := decoder.ReadValue()
		if err != nil || !isHidden(held) {
			continue
		}
		if first == "" {
			first = name
		}
		end := int(decoder.InputOffset())
		without = append(append(without, value[from:end-len(held)]...), "null"...)
		from = end
	}
}
