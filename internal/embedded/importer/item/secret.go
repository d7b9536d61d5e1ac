package item

import (
	"bytes"
	"cmp"
	_ "embed" // secretWords
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Secrets removes from the records of a file what no assistant should have: the values of fields at any depth, and of lines in texts, that
// are named like passwords and keys, and everything in texts that has the form of a key.
type Secrets struct {
	named map[string]secretKind // by the names seen
	noted bool                  // a record of the file has the note
}

var (
	wordStart = Expression(`(\p{Ll}|\d)(\p{Lu})`)
	noWord    = Expression(`[^\pL\d]+`)
	// keyForms are the forms of keys, and of links from which one-time codes are made. Only texts with one of the marks are matched. Each
	// form has a separate expression, so that the start of one is not followed to the end of a text for each key of another form.
	keyForms = [...]struct {
		form           func() *regexp.Regexp
		marks          []string
		instead, label string
	}{
		// a private key up to its end mark, or as far as it goes: text may follow a start mark that it only mentions
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

// Words returns the words of a name in lower case: "order no" for orderNo and Order_No.
func Words(name string) string {
	return noWord().ReplaceAllString(strings.ToLower(wordStart().ReplaceAllString(norm.NFC.String(name), "$1 $2")), " ")
}

// kindOf returns the kind of secret that a name indicates.
func (s *Secrets) kindOf(name []byte) secretKind {
	name = name[max(len(name)-maxName, 0):] // its last words say it
	kind, known := s.named[string(name)]
	if s.named == nil || len(s.named) > MaxFields { // a map that was written as records has ever new names
		s.named = map[string]secretKind{}
	}
	if !known {
		kind = secretKindOf(string(name))
		s.named[string(name)] = kind
	}
	return kind
}

// TakeOut removes the secrets from a record. The first record of a file that has one gets a note.
func (s *Secrets) TakeOut(one *Item) {
	first := ""
	for index := range one.Fields {
		field := &one.Fields[index]
		found := ""
		kind := s.kindOf([]byte(field.Name))
		isPostal := kind == shortNumber && len(bytes.Trim(field.Value, `"`)) == 6 && one.has(postal())
		if kind.holds(field.Value) && !isPostal || one.isCookie(field) {
			found, field.Value = field.Name, []byte("null")
		} else if field.Value[0] == '{' || field.Value[0] == '[' {
			field.Value, found = s.redact(field.Value)
		}
		value, line := s.inLines(field.Value)
		if field.Value, found = value, cmp.Or(found, line); found != "" {
			one.Text, found = nil, fmt.Sprintf("the value of %q", found)
		}
		for _, key := range keyForms {
			isMarked := func(mark string) bool { return bytes.Contains(field.Value, []byte(mark)) }
			if len(field.Value) > len(`"AKIA"`) && slices.ContainsFunc(key.marks, isMarked) && key.form().Match(field.Value) {
				field.Value, one.Text = key.form().ReplaceAll(field.Value, []byte(key.instead)), nil
				found = cmp.Or(found, key.label)
			}
		}
		first = cmp.Or(first, found)
	}
	if first == "" || s.noted {
		return
	}
	if s.noted = true; one.Note != "" {
		one.Note += "; "
	}
	one.Note += first + " is left out, as is all else of the file that is named or written like a secret: no assistant should have one"
}

// The names of fields of an address, in which a PIN is a postal code, and of fields of a cookie.
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

// redact returns an object or array without its secrets, and the name of the first. Most values have none, so it looks for names before it
// parses JSON: a name is between quotation marks before a colon, unless the second mark is escaped and thus part of a text.
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
		if kind == noSecret {
			continue
		}
		decoder := jsontext.NewDecoder(bytes.NewReader(value[at+1:]), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		content, err := decoder.ReadValue()
		if err != nil || !kind.holds(content) {
			continue
		}
		first = cmp.Or(first, string(name))
		end := at + 1 + int(decoder.InputOffset())
		without = append(append(without, value[from:end-len(content)]...), "null"...)
		from, at = end, end-1
	}
}

// withRest appends the rest of a value to its redacted start. Without a start it returns the rest, and copies nothing.
func withRest(start, rest []byte) []byte {
	if start == nil {
		return rest
	}
	return append(start, rest...)
}

// The longest name before a colon and the longest secret after it, in bytes.
const maxLabel, maxSecret = 40, 256

// inLines replaces the secrets in lines of texts such as "PIN: 4711", and returns the name of the first.
func (s *Secrets) inLines(value []byte) (without []byte, first string) {
	from, isAlone := 0, !bytes.Contains(value, []byte(`\n`))
	for at := 0; ; at++ {
		next := bytes.IndexAny(value[at:], ":=")
		if next < 0 {
			return withRest(without, value[from:]), first
		}
		if at += next; at < 2 || isDigit(value[at-1]) && isDigit(value[at-2]) { // a time of day
			continue
		}
		label, content, begin := lineAt(value, at, from)
		// cheap checks first: most lines are sentences and links
		for bytes.Count(label, []byte(" ")) > 2 { // keep the last three words of a sentence
			_, label, _ = bytes.Cut(label, []byte(" "))
		}
		isWord := bytes.IndexByte(content, ' ') < 0 && len(content) >= 3 && bytes.IndexByte([]byte("/<[({$"), content[0]) < 0
		if !isWord && bytes.Count(content, []byte(" ")) < 11 && !cardNumber.fits(content) || bytes.ContainsAny(label, `/?&{}()<>\`) ||
			!s.kindOf(label).isSecret(label, content, isAlone) {
			continue
		}
		first = cmp.Or(first, string(label))
		without = append(append(without, value[from:begin]...), "[secret]"...)
		from, at = begin+len(content), begin+len(content)-1
	}
}

// lineAt returns what is before a mark, but not before from, what is after it, and the offset of the latter.
func lineAt(value []byte, at, from int) (label, content []byte, begin int) {
	start, end, least := at, at+1, max(from, at-maxLabel)
	for start > least && value[start-1] != '"' && !isBreak(value, start-2) {
		start--
	}
	for end < len(value) && end-at < maxSecret && value[end] != '"' && !isBreak(value, end) {
		if end++; value[end-1] == '\\' {
			end++
		}
	}
	end = min(end, len(value))
	content = bytes.TrimLeft(bytes.TrimPrefix(value[at+1:end], []byte(`\t`)), " *_`")
	begin = end - len(content)
	for _, mark := range [...]string{", ", "; "} {
		content, _, _ = bytes.Cut(content, []byte(mark))
	}
	return bytes.Trim(value[start:at], " #>*_`-"), bytes.TrimRight(content, " *_`"), begin
}

func isDigit(one byte) bool { return one >= '0' && one <= '9' }

// isBreak reports the escape of a line end in JSON.
func isBreak(value []byte, at int) bool {
	return at >= 0 && at+1 < len(value) && value[at] == '\\' && (value[at+1] == 'n' || value[at+1] == 'r')
}

// A secretKind says which values of a name are secrets: a PIN has digits, and the tokens in a table may be words of a language. There is
// one for each group of secretNames except the first.
type secretKind byte

const (
	noSecret     secretKind = iota
	anyValue                // also a number
	otherWord               // a word that is not a number
	mixedWord               // one with letters and digits
	shortNumber             // four to eight digits
	securityCode            // three or four digits
	cardNumber              // the digits of a card, not only the last ones
	manyWords               // at least twelve, because gardens have seeds too
	cookie                  // with its value
)

var secretValues = [...]func() *regexp.Regexp{
	noSecret:     Expression(`^\b\B`),
	anyValue:     Expression(``),
	otherWord:    Expression(`^\d*[^\s\d{[\\][^\s{[\\]*$`),
	mixedWord:    Expression(`^(?:[^\s{[\\]*\pL[^\s{[\\]*\d|[^\s{[\\]*\d[^\s{[\\]*\pL)[^\s{[\\]*$`),
	shortNumber:  Expression(`^\d{4,8}$`),
	securityCode: Expression(`^\d{3,4}$`),
	cardNumber:   Expression(`^[\d -]{13,23}$`),
	manyWords:    Expression(`^(?:[a-zà-ÿ]{3,8} ){11,23}[a-zà-ÿ]{3,8}$`),
	cookie:       Expression(`^[\w.-]+=[^\s;]{6,}`),
}

// secretWords are expressions for the names of secrets, in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and
// Russian: a paragraph for each kind, after one for the names that German and other languages join to longer words.
//
//go:embed secretnames.txt
var secretWords string

// secretNames matches the end of the name of a secret, with one group for each paragraph of secretWords.
var secretNames = sync.OnceValue(func() *regexp.Regexp {
	groups := strings.NewReplacer("\n\n", ")|(", "\n", "|").Replace(strings.TrimSpace(secretWords))
	first, others, _ := strings.Cut(groups, "|(")
	return regexp.MustCompile("(?:(" + first + "|(?:^|_)(?:(" + others + ")))_?$")
})

// maybeSecret matches a part of every such name. It is faster than secretNames.
var maybeSecret = Expression(`(?i)pass|wo+rt|wört|wo.?rter|woord|pwd|pw|psk|secret|contrase|senha|парол|parola|key|ssel|cl.*api|clé|cle|` +
	`clave|chiav|chave|sleutel|klucz|ключ|phrase|words|frase|herstel|fraza|фраза|code|c.?.?digo|codic|kod|код|answer|respuesta|` +
	`risposta|resposta|r.?.?ponse|odpow|ответ|has[łl]|token|токен|jeton|otp|2fa|pin|puk|tan|пин|пук|geheim|cvv|cvc|nummer|crypto|card|` +
	`carte|carta|tarjeta|cart.o|numer|karty|карты|seed|mnemon|cookie`)

// secretKindOf returns the kind that the last words of a name indicate: noSecret for password_changed_at.
func secretKindOf(name string) secretKind {
	if !maybeSecret().MatchString(name) {
		return noSecret
	}
	words := strings.ReplaceAll(Words(name), " ", "_")
	found := secretNames().FindStringSubmatch(words)
	for index, group := range found {
		if index > 0 && group != "" {
			return max(anyValue, secretKind(index-1))
		}
	}
	return noSecret
}

// holds reports whether a JSON value may be a secret of the kind. A boolean only says whether there is one.
func (k secretKind) holds(value []byte) bool {
	return k != noSecret && len(value) > 0 && value[0] != 'n' && value[0] != 't' && value[0] != 'f' && string(value) != `""` &&
		k.fits(bytes.Trim(value, `"`))
}

func (k secretKind) fits(text []byte) bool {
	return secretValues[k]().Match(text) && (k != mixedWord || len(text) >= 6)
}

var (
	noPassword = Expression(`^(?:.{0,3}$|[<\[({$%]|[*.xX•_-]+$)|[ \t]|://|\?$|` +
		`^(?i:true|false|null|none|undefined|string|text|varchar|required|optional|password)[.,;]?$`)
	plainWord = Expression(`^\p{Lu}?\p{Ll}+[.,;!]?$`)
	// sourceCode matches a call of a function, or an element or a field of something.
	sourceCode = Expression(`^[A-Za-z_][\w.]*(?:\((?:\\?["'].*)?\)|\[\\?["'].*\]|\.(?:password|secret|token))[;:]?$`)
	// neverWord ends a name whose value, unlike a password, is never a plain word.
	neverWord = Expression(`(?i)(?:secrets?|api.?keys?)$`)
)

// isSecret reports whether the value after a label in a text is a secret: one word, but not a link or a placeholder such as (hidden) or
// ••••. A plain word in a text of one line may be part of a title: "Password: forgotten".
func (k secretKind) isSecret(label, value []byte, isAlone bool) bool {
	switch {
	case k == noSecret || sourceCode().Match(value):
		return false
	case k != anyValue:
		return k.fits(value)
	}
	return manyWords.fits(value) || !noPassword().Match(value) && (!plainWord().Match(value) || !isAlone && !neverWord().Match(label))
}
