// Package written reads names, times and time zones as people and models write them. Its functions are pure and know nothing of tools.
package written

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
)

// Expression returns a regular expression that is compiled on first use, so that the start of the program does not wait for it.
// It is not inlined, because each call site would get a copy of its code.
//
//go:noinline
func Expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Text returns the text of a JSON string; false for any other value.
func Text(raw string) (string, bool) {
	if rs.Kind(raw) != "string" {
		return "", false
	}
	return rs.AsText(raw)
}

// Object parses one JSON object. A duplicate name is an error, because parsers disagree on which one counts.
func Object(raw string) (rs.Object, error) {
	object, err := rs.ReadObject(raw)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, m := range object {
		if seen[m.Name] {
			return nil, fmt.Errorf("%s is given twice", quote.Exact(m.Name))
		}
		seen[m.Name] = true
	}
	return object, nil
}

// Snake returns a name in lower case with '_' between its words: "orderItems", "Order items" and "order-items" are "order_items".
func Snake(name string) string {
	var b strings.Builder
	previous := '_'
	for _, c := range strings.TrimSpace(name) {
		sent := c
		switch {
		case c == '-' || c == ' ' || c == '.':
			c, sent = '_', '_'
		case unicode.IsUpper(c):
			if unicode.IsLower(previous) || unicode.IsDigit(previous) {
				b.WriteByte('_')
			}
			c = unicode.ToLower(c)
		}
		if c != '_' || previous != '_' {
			b.WriteRune(c)
		}
		previous = sent
	}
	return strings.Trim(b.String(), "_")
}

// Unquoted returns a text without the white space, quotation marks and angle brackets around it.
func Unquoted(s string) string {
	const pairs = "\"\"''``<>[]"
	for s = strings.TrimSpace(s); len(s) > 1; s = strings.TrimSpace(s[1 : len(s)-1]) {
		at := strings.IndexByte(pairs, s[0])
		if at < 0 || at%2 != 0 || s[len(s)-1] != pairs[at+1] {
			break
		}
	}
	return s
}

// Cursor returns a cursor without what it was copied with: quotation marks, the end of a sentence, or the rest of a URL.
func Cursor(s string) string {
	if s = Unquoted(s); strings.IndexAny(s, ".,;") == len(s)-1 { // a cursor may end with one of several
		s = Unquoted(strings.TrimRight(s, ".,;"))
	}
	if u, err := url.Parse(s); err == nil && u.Query().Has("cursor") {
		return u.Query().Get("cursor")
	}
	return s
}

var betweenValues = Expression(`(?i)\s*[,;|/]+\s*|\s+(?:or|oder|ou|o)\s+`)

// Alternatives returns the values in a text such as "shipped or returned" and "[shipped, returned]".
func Alternatives(s string) []string {
	values := betweenValues().Split(strings.Trim(s, "()[]{} "), -1)
	for i, value := range values {
		values[i] = Unquoted(value)
	}
	return values
}

// Names returns the names in a text that lists them, with commas or as JSON; nil if an item of the JSON is not a string.
func Names(s string) (names []string) {
	list, isList := rs.AsArray(s)
	for _, item := range list {
		name, ok := Text(item)
		if !ok {
			return nil
		}
		names = append(names, name)
	}
	if isList {
		return names
	}
	for name := range strings.SplitSeq(s, ",") {
		if name = Unquoted(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Set returns the words of some lists.
func Set(lists ...string) map[string]bool {
	all := map[string]bool{}
	for _, words := range lists {
		for word := range strings.FieldsSeq(words) {
			all[word] = true
		}
	}
	return all
}

// ByWord maps each word of some lists to the key of its list.
func ByWord(lists map[string]string) map[string]string {
	all := map[string]string{}
	for meant, words := range lists {
		for word := range strings.FieldsSeq(words) {
			all[word] = meant
		}
	}
	return all
}

var (
	timeName    = Expression(`_at$|_on$|date|time`)
	notTimeName = Expression(`candidate|mandate|(?:val|consol|liqu)idat|sentiment|centimet|multimedia`) // contain those letters by chance
	plainNumber = Expression(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
)

// IsTimeName reports whether a name looks like that of a field with a time.
func IsTimeName(name string) bool {
	return timeName().MatchString(notTimeName().ReplaceAllString(Snake(name), ""))
}

// IsNumber reports whether a text is a JSON number without an exponent.
func IsNumber(s string) bool { return plainNumber().MatchString(s) }

// LongestName is the most bytes of a name that is compared with others. A longer one is refused for its length, and resembles none.
const LongestName = 256

// NearestOne returns the first name that [Nearest] returns; "" for none.
func NearestOne(name string, known []string) string { return append(Nearest(name, known, 1), "")[0] }

// Nearest returns at most most of the names that a name may be a mistake for, the likeliest first.
func Nearest(name string, known []string, most int) (near []string) {
	scores, first, alike := map[string]int{}, tokens(Snake(name))[0], alikeTo(name)
	for _, k := range known {
		if _, seen := scores[k]; seen {
			continue
		}
		if score, ok := alike(k); ok {
			near, scores[k] = append(near, k), 2*score
			if !strings.HasPrefix(Snake(k), first) {
				scores[k]++ // of equally near names, those with the same first word come first
			}
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return scores[a] - scores[b] })
	return near[:min(len(near), most)]
}

// Alike returns how far a name is from a known one, 0 if they differ only in case, accents and separators; false if they are not alike.
func Alike(name, known string) (score int, alike bool) { return alikeTo(name)(known) }

// alikeTo returns Alike of one name for any number of known ones. The name is from a caller, so it may be long.
func alikeTo(name string) func(known string) (score int, alike bool) {
	if len(name) > LongestName {
		return func(string) (int, bool) { return 0, false }
	}
	a := withoutAccents.Replace(Snake(name))
	ta := tokens(a)
	return func(known string) (int, bool) { return likeness(a, withoutAccents.Replace(Snake(known)), ta) }
}

// likeness is Alike for two names in Snake form without accents. ta are the tokens of a.
func likeness(a, b string, ta []string) (score int, alike bool) {
	if a == "" || b == "" {
		return 0, false
	}
	tb, shared := tokens(b), 0
	for _, token := range ta {
		if slices.Contains(tb, token) {
			shared++
		}
	}
	d := Distance(a, b)
	switch {
	case a == b:
		return 0, true
	case shared == len(ta) && shared == len(tb):
		return 1, true // another order, or singular and plural
	case shared == min(len(ta), len(tb)):
		return 2 + len(ta) + len(tb) - 2*shared, true
	case d <= max(1, min(len(a), len(b))/3), d == 2 && len(a) > 4 && a[0] == b[0]:
		return 2 + d, true
	case shared > 0 && shared*2 >= min(len(ta), len(tb)):
		return 6 + len(ta) + len(tb) - 2*shared, true
	case len(a) > 3 && strings.Contains(b, a), len(b) > 3 && strings.Contains(a, b):
		return 8, true
	}
	return 0, false
}

// OtherOrder returns the name of a person with its last word first and a comma after it, or the reverse; "" for a text that is not a name
// of two words or more.
func OtherOrder(name string) string {
	last, first, turned := strings.Cut(strings.TrimSpace(name), ",")
	if at := strings.LastIndexByte(last, ' '); !turned && at > 0 && !strings.ContainsAny(name, "0123456789@") {
		return last[at+1:] + ", " + strings.TrimSpace(last[:at])
	}
	if first = strings.TrimSpace(first); first == "" || strings.Contains(first, ",") {
		return ""
	}
	return first + " " + last
}

// tokens returns the words of a name in the singular, at least one. It also splits addresses, and names of persons at a comma.
func tokens(name string) []string {
	words := strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune("_@,", c) })
	if len(words) == 0 {
		return []string{name}
	}
	for i, w := range words {
		words[i] = singular(w)
	}
	return words
}

// singular joins parts into one word and returns its singular.
func singular(parts ...string) string {
	word := strings.Join(parts, "")
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return strings.TrimSuffix(word, "ies") + "y"
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && len(word) > 3:
		return strings.TrimSuffix(word, "s")
	}
	return word
}

// Distance returns how many bytes must be added, removed, changed or swapped with the next to turn one name into another. It is the
// length of the longer name if that has more than 64 bytes.
func Distance(a, b string) int {
	const longest = 64
	if longer := max(len(a), len(b)); longer > longest {
		return longer
	}
	var rows [3][longest + 1]int // the last three rows of distances between beginnings of a and b
	for i := range len(a) + 1 {
		row, last, before := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		for j := range len(b) + 1 {
			if row[j] = i + j; i == 0 || j == 0 {
				continue
			}
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			if row[j] = min(change, last[j]+1, row[j-1]+1); i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}

// fieldForm matches a condition in the notation of other searches, such as merchant:Towpath or total>=100: a name, a colon or a sign, and a
// value, which is quoted or has no space. An address such as https://a.example does not match.
var fieldForm = Expression(`(?:^|\s)([\pL_][\pL\pN_.]*)(?::|\s*:?(>=|<=|==?|>|<)\s*)("[^"]+"|[^\s":/=<>][^\s"]*)`)

// A FieldForm is a condition in a query: the name of a field and a value, with the operator of a filter or, for an exact value, none.
type FieldForm struct {
	Name, Operator, Value string
	Signed                bool // written with a sign rather than a colon
}

var signs = map[string]string{">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}

// FieldForms returns the conditions in a query that are not within a phrase, the query without them, and their names and values.
func FieldForms(q string) (found []FieldForm, rest string, words []string) {
	rest = q
	if !strings.ContainsAny(q, ":=<>") {
		return nil, rest, nil
	}
	for _, at := range fieldForm().FindAllStringSubmatchIndex(q, -1) {
		if strings.Count(q[:at[2]], `"`)%2 == 0 {
			sign, value := q[max(at[4], 0):max(at[5], 0)], strings.Trim(q[at[6]:at[7]], `"`)
			found = append(found, FieldForm{Name: q[at[2]:at[3]], Operator: signs[sign], Value: value, Signed: sign != ""})
			rest = strings.Replace(rest, q[at[2]:at[7]], "", 1)
			words = append(words, q[at[2]:at[3]], value)
		}
	}
	return found, strings.Join(strings.Fields(rest), " "), words
}

var withoutAccents = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ä", "a", "ã", "a", "é", "e", "è", "e", "ê", "e", "í", "i", "ì", "i",
	"ë", "e", "î", "i", "ï", "i", "ö", "o", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ú", "u", "ù", "u", "û", "u", "ü", "u", "ç", "c", "ñ", "n", "’", "'")

// Folded returns a text in lower case without accents and with plain signs, to compare texts that differ in these alone.
func Folded(s string) string { return plainSigns.Replace(withoutAccents.Replace(strings.ToLower(s))) }

// plainSigns replaces spaces, quotation marks and dashes by the plain ones that look alike, and removes combining accents.
var plainSigns = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2007", " ", "\u2002", " ",
	"\u2003", " ", "\u3000", " ", "‘", "'", "‛", "'", "ʼ", "'", "′", "'", "´", "'", "`", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "″", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-", "\u200b", "", "\u200e", "", "\u200f", "", "\ufeff", "",
	"\u0300", "", "\u0301", "", "\u0302", "", "\u0303", "", "\u0308", "", "\u0327", "", "…", "...")
