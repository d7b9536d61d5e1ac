package item

import (
	"bytes"
	_ "embed" // secretWords
	"regexp"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// A secretKind says which values of a name are secrets: a PIN has digits, and the tokens in a table may be words of a language. There is
// one for each group of secretNames except the first.
type secretKind byte

const (
	anyValue    secretKind = 1
	mixedWord   secretKind = 3
	shortNumber secretKind = 4
	cardNumber  secretKind = 6
	manyWords   secretKind = 7
)

// secretValues match the values of each kind: any; a word that is not a number; one with letters and digits; four to eight digits; three or
// four digits; the digits of a card, not only the last ones; at least twelve words, because gardens have seeds too; a cookie with its
// value.
var secretValues = [...]func() *regexp.Regexp{0: Expression(`^\b\B`), 1: Expression(``), 2: Expression(`^\d*[^\s\d{[\\][^\s{[\\]*$`),
	3: Expression(`^(?:[^\s{[\\]*\pL[^\s{[\\]*\d|[^\s{[\\]*\d[^\s{[\\]*\pL)[^\s{[\\]*$`),
	4: Expression(`^\d{4,8}$`), 5: Expression(`^\d{3,4}$`), 6: Expression(`^[\d -]{13,23}$`),
	7: Expression(`^(?:[a-zà-ÿ]{3,8} ){11,23}[a-zà-ÿ]{3,8}$`), 8: Expression(`^[\w.-]+=[^\s;]{6,}`)}

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

// secretKindOf returns the kind that the last words of a name indicate: 0 for password_changed_at.
func secretKindOf(name string) secretKind {
	if !maybeSecret().MatchString(name) {
		return 0
	}
	words := noWord().ReplaceAllString(strings.ToLower(wordStart().ReplaceAllString(norm.NFC.String(name), "${1}_$2")), "_")
	found := secretNames().FindStringSubmatch(words)
	for index, group := range found {
		if index > 0 && group != "" {
			return max(anyValue, secretKind(index-1))
		}
	}
	return 0
}

// holds reports whether a JSON value may be a secret of the kind. A boolean only says whether there is one.
func (k secretKind) holds(value []byte) bool {
	return k > 0 && len(value) > 0 && value[0] != 'n' && value[0] != 't' && value[0] != 'f' && string(value) != `""` &&
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
	case k == 0 || sourceCode().Match(value):
		return false
	case k != anyValue:
		return k.fits(value)
	}
	return manyWords.fits(value) || !noPassword().Match(value) && (!plainWord().Match(value) || !isAlone && !neverWord().Match(label))
}
