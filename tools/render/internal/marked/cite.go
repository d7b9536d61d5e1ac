package marked

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A Cite is the checkable part of a quote: `pdpp-mcp verify` finds the text by its range of code points, and compares its SHA-256.
type Cite struct {
	Quote      string // the record's own words; empty if none are shown
	Start, End int    // code points of the field; End is 0 if the range is unknown
}

// citedDigits is how many hexadecimal digits of the digest a citation has.
const citedDigits = 16

// AppendDigest appends the start of the SHA-256 of a quote, in hexadecimal digits.
func AppendDigest(b []byte, quote string) []byte {
	start := len(b)
	b = append(b, Quotable(quote)...) // the digest overwrites it: no other copy is needed
	sum := sha256.Sum256(b[start:])
	return hex.AppendEncode(b[:start], sum[:citedDigits/2])
}

// Cited returns the start of the SHA-256 of a quote, in hexadecimal digits.
func Cited(quote string) string { return string(AppendDigest(nil, quote)) }

// A Place is where in its field an excerpt is, as far as the resource server proves it.
type Place struct {
	start, end int    // of the whole excerpt, in code points; end is 0 if unknown
	source     []rune // the text as received, if it has as many code points as the range
	first      int    // the offset of source[0] in the field
	at         []int  // the index in source of each rune of the excerpt
}

// Start returns the offset of the excerpt in code points; 0 if unknown.
func (p Place) Start() int { return p.start }

// ReadPlace reads the range of an excerpt from the excerpt or from its read. It accepts a range with as many code points as the excerpt. It
// also accepts one with more, because a server may collapse spaces, unless the excerpt had to be cleaned. It rejects a range in UTF-16
// units, of which not even the start is certain.
func ReadPlace(e, read rs.Object, p Text) Place {
	for _, o := range []rs.Object{e, read} {
		start, ok := o.Number("start_chars")
		end, also := o.Number("end_chars")
		if !ok || !also || start < 0 || end <= start {
			continue
		}
		received := Strip(e.Text("preview_text", "text"))
		if Quotable(received) != Quotable(p.Plain) {
			return Place{} // cleaning took a mark for something else, such as a part of an escape sequence
		}
		source, claimed := []rune(received), end-start
		first, count := start, len(source) // the offset of source[0], and how many runes the range must have
		if start > 0 && source[0] == '…' { // taken for the server's own, as at the end: if it is not, only the whole range is certain
			first, count = first-1, count-1
		}
		if source[len(source)-1] == '…' {
			count--
		}
		switch units := count + Surrogates(string(source)); {
		case count == claimed:
			return Place{start: start, end: end, source: source, first: first, at: align([]rune(p.Plain), source)}
		case count < claimed && (units == count || units != claimed) && clean.Lines(received) == received:
			return Place{start: start, end: end}
		}
	}
	return Place{}
}

// align returns the index in source of each rune of a cleaned text. Cleaning removes characters, and replaces white space by one space. It
// returns nil if cleaning source cannot result in cleaned.
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

// Cite returns the citation of the part of a text that is shown.
func (p Place) Cite(text string, shown Range) Cite {
	from, to := quotableRange(text[shown.From:shown.To])
	from, to = shown.From+from, shown.From+to
	if from == to {
		return Cite{}
	}
	c := Cite{Quote: text[from:to]}
	switch {
	case p.at != nil:
		first := utf8.RuneCountInString(text[:from])
		last := first + utf8.RuneCountInString(text[from:to]) - 1
		// The range may be wrong if characters that were removed equal others that stayed.
		if start, end := p.at[first], p.at[last]+1; Quotable(string(p.source[start:end])) == Quotable(c.Quote) {
			c.Start, c.End = p.first+start, p.first+end
		}
	case p.end > 0:
		if wholeFrom, wholeTo := quotableRange(text); from == wholeFrom && to == wholeTo {
			c.Start, c.End = p.start, p.end
		}
	}
	return c
}

// Surrogates returns how many more UTF-16 units than code points s has.
func Surrogates(s string) int {
	n := 0
	for _, c := range s {
		n += utf16.RuneLen(c) - 1
	}
	return n
}

// Quotable returns the form of a text in which an excerpt is hashed: one line, without marks and without the ellipses at its ends, because
// those are not the record's own words. A text quoted from an excerpt and the part of the field that it quotes are equal in this form.
func Quotable(text string) string {
	line := clean.Line(text)
	if without := Strip(line); without != line {
		line = clean.Line(without)
	}
	from, to := quotableRange(line)
	return line[from:to]
}

// quotableRange returns the range of a line without the spaces and ellipses at its ends.
func quotableRange(line string) (from, to int) {
	to = len(line)
	for {
		part := line[from:to]
		cut := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(part, write.Ellipsis), "..."), " ")
		from += len(part) - len(cut)
		rest := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(cut, write.Ellipsis), "..."), " ")
		to -= len(cut) - len(rest)
		if len(rest) == len(part) {
			return from, to
		}
	}
}

// Digest returns the SHA-256 of a text as citations write it: 64 lower-case hexadecimal digits.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
