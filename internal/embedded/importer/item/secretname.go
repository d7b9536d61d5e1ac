package item

import (
	"bytes"
	"regexp"
	"strings"

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

// secretNames matches the end of the name of a secret, in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and Russian:
// one group for each kind, after one for the names that German and other languages join to longer words.
var secretNames = Expression(`(?:(passwords?|passwort|kennwort|wachtwoord)|(?:^|_)(?:` +
	`(pass_words?|passwo(?:e|)rter|passwörter|kennwörter|wachtwoorden|passphrase|passwd|pwd|` +
	`passcode|secrets?|contrase[ñn]as?|mots?_?de_?passe|senhas?|palavras?_passe|парол[ьи]|parola_d_accesso|` +
	`(?:user|login|db|smtp|ftp|mail|wifi|wlan|ssh|root|admin)_pass|` +
	// keys
	`(?:private|secret(?:_access)?|api|encryption|recovery|(?:pre_?)?shared|wifi|wpa2?)_?keys?|` +
	`(?:privater?|geheimer?|api|wlan|netzwerk)_?schlüssel|clés?_(?:privée|secrète|api)s?|claves?_(?:privada|secreta|api)s?|` +
	`chiav[ei]_(?:privat[ae]|segret[ae]|api)|chaves?_(?:privada|secreta|api|de_api)s?|(?:privé|geheime|api)_?sleutels?|` +
	`klucz_(?:prywatny|tajny|api)|(?:prywatny|tajny)_klucz|(?:закрытый|приватный|секретный|api)_ключ|ключ_api|` +
	// phrases, codes and answers that replace a password
	`(?:seed|recovery|mnemonic|backup|secret)_?(?:phrase|words)|wiederherstellungs(?:phrase|wörter)|` +
	`phrase_(?:de_récupération|secrète|seed)|frase_(?:de_recupera(?:ci[óo]n|ção)|di_recupero|semilla|semente|segreta|seed)|` +
	`herstel(?:zin|codes?)|fraza_(?:odzyskiwania|seed)|(?:мнемоническая|сид|seed)_фраза|фраза_восстановления|` +
	`(?:recovery|backup|emergency|scratch|wiederherstellungs|notfall)_?codes?|codes?_de_(?:récupération|secours)|` +
	`c[óo]digos?_de_(?:recupera(?:ci[óo]n|ção)|respaldo|backup)|codic[ei]_di_(?:recupero|backup)|` +
	`kody?_(?:zapasow[ey]|odzyskiwania)|резервны[йе]_коды?|коды?_восстановления|(?:security|secret)_?answers?|` +
	`sicherheitsantwort|réponse_(?:de_sécurité|secrète)|respuesta_(?:de_seguridad|secreta)|risposta_(?:di_sicurezza|segreta)|` +
	`resposta_(?:de_segurança|secreta)|beveiligingsantwoord|odpowiedź_(?:zabezpieczająca|bezpieczeństwa)|` +
	`(?:контрольный|секретный)_ответ)|` +
	`(pw|psk|has[łl][oa])|` +
	`(token|(?:access|refresh|auth|api)_tokens|jeton_d_accès|токен|t?otp(?:_seed)?|2fa|clave|parola(?:_chiave)?)|` +
	`((?:pin|пин)(?:_?(?:code|код|kod|number|nummer))?|puk[12]?|tan|пук|(?:kod|code|código|codice)_pin|geheimzahl)|` +
	`(cvv2?|cvc2?|card_security_code|kartenprüfnummer|cryptogramme)|` +
	`(card_?(?:number|no|num)|(?:kredit|bank)?kartennummer|kaartnummer|numer_karty|номер_карты|` +
	`n[uú]m[eé]ro_(?:de_|da_|di_|do_)?(?:la_)?(?:carte|tarjeta|carta|cartão))|` +
	`(seed|mnemonic)|(cookies?)))_?$`)

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
