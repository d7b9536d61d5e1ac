// Package written reads names, times and zones as people and models write them: pure functions, which know nothing of tools or calls.
package written

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Nearest returns at most most of the names that a name may be a mistake for, the likeliest first.
func Nearest(name string, known []string, most int) []string {
	type candidate struct {
		name  string
		score int
	}
	var near []candidate
	for _, k := range known {
		if score, ok := Alike(name, k); ok && !slices.ContainsFunc(near, func(c candidate) bool { return c.name == k }) {
			near = append(near, candidate{k, score})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.score - b.score })
	var found []string
	for _, c := range near[:min(len(near), most)] {
		found = append(found, c.name)
	}
	return found
}

// Alike says how far a name is from a known one, 0 for the same but for case and separators; false where they are not alike.
func Alike(name, known string) (score int, alike bool) {
	a, b := Snake(name), Snake(known)
	if a == "" || b == "" {
		return 0, false
	}
	ta, tb := tokens(a), tokens(b)
	shared := 0
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

// tokens are the words of a name in the singular.
func tokens(name string) []string {
	words := strings.Split(name, "_")
	for i, w := range words {
		switch {
		case strings.HasSuffix(w, "ies") && len(w) > 4:
			words[i] = strings.TrimSuffix(w, "ies") + "y"
		case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && len(w) > 3:
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	return words
}

// Distance is how many letters must be added, removed, changed or swapped with the next to make one name of another.
func Distance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// Snake is a name in lower case with '_' between its words: "orderItems", "Order items" and "order-items" are "order_items".
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

// Unquoted is a text without the white space, quotation marks and brackets that a model copied along.
func Unquoted(s string) string {
	const pairs = "\"\"''``<>"
	for s = strings.TrimSpace(s); len(s) > 1; s = strings.TrimSpace(s[1 : len(s)-1]) {
		at := strings.IndexByte(pairs, s[0])
		if at < 0 || at%2 != 0 || s[len(s)-1] != pairs[at+1] {
			break
		}
	}
	return s
}

// Names splits a list of names in one text: with commas, or as JSON; nil where something in it is no name.
func Names(s string) []string {
	if list, ok := rs.AsArray(s); ok {
		var values []string
		for _, item := range list {
			value, ok := Text(item)
			if !ok {
				return nil
			}
			values = append(values, value)
		}
		return values
	}
	values := strings.Split(s, ",")
	for i := range values {
		values[i] = Unquoted(values[i])
	}
	return slices.DeleteFunc(values, func(v string) bool { return v == "" })
}

// Set has the words of some lists.
func Set(lists ...string) map[string]bool {
	all := map[string]bool{}
	for _, words := range lists {
		for word := range strings.FieldsSeq(words) {
			all[word] = true
		}
	}
	return all
}

// ByWord has what each word of some lists stands for.
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
	plainNumber = Expression(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
)

// IsTimeName reports whether a name is like those of times.
func IsTimeName(name string) bool { return timeName().MatchString(name) }

// IsNumber reports whether a text is a number as JSON has it.
func IsNumber(s string) bool { return plainNumber().MatchString(s) }

// IsWord reports whether a value is a text and neither a time nor a number.
func IsWord(raw string) bool {
	s, ok := Text(raw)
	return ok && !strings.ContainsAny(s, "0123456789") && !IsDate(raw)
}
