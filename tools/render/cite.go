package render

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// A quote can be checked later: an answer says of the text that it shows where it is in its field, as a range of code
// points, and the SHA-256 of the text. `pdpp-mcp verify` reads such a citation.

// A cite is the checkable part of a quote.
type cite struct {
	quote      string // of the record's own words; empty when none are shown
	start, end int    // code points of the field; end is 0 when the range is not known
}

// citedDigits is how many hexadecimal digits of a digest an excerpt is cited with.
const citedDigits = 16

// appendDigest appends the start of the SHA-256 of the quote.
func (c cite) appendDigest(b []byte) []byte {
	start := len(b)
	b = append(b, Quotable(c.quote)...) // where the digest goes: no other copy is needed
	sum := sha256.Sum256(b[start:])
	return hex.AppendEncode(b[:start], sum[:citedDigits/2])
}

// A place is where in its field an excerpt is, as far as the resource server proves it.
type place struct {
	start, end int    // of the whole excerpt, in code points; end is 0 when that is not known
	source     []rune // the text as received, when it holds as many code points as the range
	first      int    // the place of source[0]
	at         []int  // the index in source of each rune of the excerpt
}

// readPlace reads a range from an excerpt or from its read. It is believed when it holds as many code points as the
// excerpt, or more, because a server may have put one space for several, unless some had to be cleaned away; of a range in
// UTF-16 units not even the start is sure.
func readPlace(e, read object, p markedText) place {
	for _, o := range []object{e, read} {
		start, ok := o.Number("start_chars")
		end, also := o.Number("end_chars")
		if !ok || !also || start < 0 || end <= start {
			continue
		}
		received := plain(e.Text("preview_text", "text"))
		if Quotable(received) != Quotable(p.plain) {
			return place{} // a mark stood where cleaning takes it for something else, as in an escape sequence
		}
		source, said := []rune(received), end-start
		first, count := start, len(source) // the place of source[0], and how many runes the range has to hold
		if start > 0 && source[0] == '…' { // taken for the server's, as is the last: if it is not, only the whole is sure
			first, count = first-1, count-1
		}
		if source[len(source)-1] == '…' {
			count--
		}
		switch units := count + surrogates(string(source)); {
		case count == said:
			return place{start: start, end: end, source: source, first: first, at: align([]rune(p.plain), source)}
		case count < said && (units == count || units != said) && clean.Lines(received) == received:
			return place{start: start, end: end}
		}
	}
	return place{}
}

// align finds each rune of a cleaned text in the text that it was cleaned from: cleaning leaves out, and puts one space for
// white space. It returns nil when the one does not come of the other.
func align(cleaned, source []rune) []int {
	places := make([]int, 0, len(cleaned))
	at := 0
	for _, c := range cleaned {
		for at < len(source) && source[at] != c && (c != ' ' || !unicode.IsSpace(source[at])) {
			at++
		}
		if at == len(source) {
			return nil
		}
		places = append(places, at)
		at++
	}
	return places
}

// cite is the citation of the part of a markedText that is shown.
func (p place) cite(text string, shown textRange) cite {
	from, to := quotableRange(text[shown.from:shown.to])
	from, to = shown.from+from, shown.from+to
	if from == to {
		return cite{}
	}
	c := cite{quote: text[from:to]}
	switch {
	case p.at != nil:
		first := utf8.RuneCountInString(text[:from])
		last := first + utf8.RuneCountInString(text[from:to]) - 1
		// The place is not sure if characters that were cleaned away are the same.
		if start, end := p.at[first], p.at[last]+1; Quotable(string(p.source[start:end])) == Quotable(c.quote) {
			c.start, c.end = p.first+start, p.first+end
		}
	case p.end > 0:
		if wholeFrom, wholeTo := quotableRange(text); from == wholeFrom && to == wholeTo {
			c.start, c.end = p.start, p.end
		}
	}
	return c
}

const maxURLChars = 2048

// addressNames are the names under which records keep their public address, the best first.
var addressNames = []string{"url", "html_url", "web_url", "permalink", "source_url", "link"}

// citable reports whether a record's address may be a citation: http or https, no userinfo, at most 2,048 characters,
// nothing that a line could not hold (D20).
func citable(address string) bool {
	if address == "" || clean.LongerThan(address, maxURLChars) || strings.ContainsFunc(address, func(c rune) bool { return !clean.Shows(c) || c <= ' ' || c == '"' || c == '<' || c == '>' }) {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// citation returns the best usable address among the record's, or "".
func citation(data object) string {
	address, _ := firstText(addressNames, nil, data, citable)
	return address
}

// refusedAddress is the best address of a record that has no usable one, or "".
func refusedAddress(data object) string {
	address, _ := firstText(addressNames, nil, data, func(s string) bool { return clean.Preview(s, maxURLChars) != "" })
	return clean.Preview(address, maxURLChars)
}

// recordURL is the adapter's own address of a record, never empty: the citation of last resort (D20).
func recordURL(base string, ref rs.Ref) string {
	base = strings.TrimRight(base, "/")
	if ref.Stream == "" || ref.RecordID == "" {
		return base + "/v1/search"
	}
	query := ""
	if ref.ConnectionID != "" {
		query = "?connection_id="
	}
	address := base + "/v1/streams/" + url.PathEscape(ref.Stream) + "/records/" + url.PathEscape(ref.RecordID) + query + url.QueryEscape(ref.ConnectionID)
	if clean.LongerThan(address, maxURLChars) {
		return base + "/v1/search"
	}
	return address
}

// surrogates is how many UTF-16 units s has more than code points.
func surrogates(s string) int {
	n := 0
	for _, c := range s {
		n += utf16.RuneLen(c) - 1
	}
	return n
}

// The names under which records keep their title, and when their author made them: the better ones come first.
var (
	titleNames = []string{"title", "subject", "name", "full_name", "headline", "filename", "file_name", "summary"}
	timeNames  = []string{
		"authored_at", "sent_at", "published_at", "created_at", "received_at", "starts_at", "ordered_at", "reacted_at", "updated_at", "date", "timestamp",
	}
)

// firstText returns the first string under one of some names that is right, and the name: an earlier name comes first, and of one
// name the own object's before that of its data.
func firstText(names []string, own, data object, right func(string) bool) (text, name string) {
	best := len(names)
	for _, o := range [...]object{own, data} {
		for _, m := range o {
			n := slices.Index(names[:best], m.Name)
			if n < 0 || rs.Kind(m.Value) != "string" {
				continue
			}
			if value, _ := rs.AsText(m.Value); right(value) {
				best, text, name = n, value, m.Name
			}
		}
	}
	return text, name
}

// legible reports whether people can read a line as a title: it says something, and is not only what programs call a
// record by, such as a UUID, a long number or an address of ours. A date is legible.
func legible(line string) bool {
	says := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.So, c) }
	if !strings.ContainsFunc(line, says) || strings.HasPrefix(line, "pdpp://") {
		return false
	}
	const shortest = 12 // of a name that only programs read
	if len(line) < shortest || day(line) != "" || !strings.ContainsAny(line, "0123456789") {
		return true
	}
	return strings.Trim(line, "0123456789abcdefABCDEF-") != ""
}

// repeats reports whether a title and a text say the same, or one is the cut start or a part of the other.
func repeats(title, text string) bool {
	const enough = 40 // runes that are no title by chance
	if title == "" {
		return false
	}
	fold := func(s string) string { return strings.ToLower(Quotable(s)) }
	t, s := fold(title), fold(text)
	switch cut := strings.HasSuffix(title, ellipsis) || strings.HasSuffix(title, "..."); {
	case t == "" || s == "":
		return false
	case strings.HasPrefix(s, t):
		return t == s || cut || clean.LongerThan(t, enough)
	default:
		return strings.HasPrefix(t, s) || clean.LongerThan(s, enough) && strings.Contains(t, s)
	}
}

// titleOf returns the title in a record's data, or "".
func titleOf(data object) string {
	title, _ := firstText(titleNames, nil, data, isTitle)
	return plain(title)
}

func isTitle(s string) bool { return legible(clean.Preview(plain(s), titleChars)) }

// timeOf returns the first timestamp and its field: the author's before a server's, wherever they stand.
func timeOf(own, data object) (time, field string) {
	time, field = firstText(timeNames, own, data, func(s string) bool { return day(s) != "" })
	return clean.Preview(time, 40), field
}

// WhenOf is when a record or hit is, as it says itself: RFC 3339 or a date; "" where it does not. When it was read is another time.
func WhenOf(o rs.Object) string {
	when, _ := timeOf(o, o.Object("data"))
	return when
}
