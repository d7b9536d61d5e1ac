package render

import (
	"encoding/json"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A hitStyle is how much of each hit structured output shows.
type hitStyle struct {
	cited     bool // with what checks a quote
	followUps int  // hits in the ladder
	short     bool // instead of a long address of its own a hit has ours
	bare      bool // id, title and such an address alone
}

// A draft is the structured output of a search with gaps where excerpts and snippets go. How long these may be is found by
// trying: then they alone are written again.
type draft struct {
	style    hitStyle
	notice   string // what is said before the results, if anything
	json     []byte
	passages []draftPassage
	filling  []byte // what goes into the gaps
	chars    int    // of the passages in filling
	filled   int    // how many passages are in it
	size     int    // of the whole with these
}

// A draftPassage is an excerpt or a snippet of a hit. It goes into one gap or into two.
type draftPassage struct {
	excerpt          *excerpt
	snippet          passage   // where there is no excerpt
	result, followUp int       // where in json the gaps are, in results and in the ladder; 0 for none
	text             textRange // of filling
	quote            string    // whose digest it has, if any
	digest           textRange // where in filling that goes
}

// write writes everything but the passages.
func (d *draft) write(hits []hit, style hitStyle, data object, q SearchQuery) {
	d.style, d.passages, d.chars = style, d.passages[:0], -1
	if d.json == nil {
		d.json, d.passages = make([]byte, 0, 1024+960*min(len(hits), 50)), slices.Grow(d.passages, len(hits))
		d.filling = slices.Grow(d.filling, 320*min(len(hits), 40))
	}
	a := &arguments{append(d.json[:0], '{')}
	a.some("notice", d.notice).open("results", '[')
	for i := range hits {
		a.open("", '{')
		d.result(a, &hits[i], q)
		a.shut('}')
	}
	a.shut(']').open("content_ladder", '{').open("records", '[')
	if !style.bare {
		followUps := d.passages
		for i := range hits[:min(style.followUps, len(hits))] {
			followUps = ladderFollowUp(a, &hits[i], followUps)
		}
	}
	a.shut(']').shut('}').key("data")
	d.json = append(data.AppendJSON(a.b), '}')
}

// result is a hit in structuredContent.results.
func (d *draft) result(a *arguments, h *hit, q SearchQuery) {
	const longURL = 300
	switch {
	case d.style.bare:
		a.plain("id", h.id).plain("title", clip(h.heading, 40)).plain("url", recordURL(new(texts), q.RecordBase, h.ref))
		a.some("connection_id", h.separate())
		return
	case d.style.short && len(h.url) > longURL:
		a.plain("id", h.id).plain("title", h.heading).plain("url", recordURL(new(texts), q.RecordBase, h.ref))
	default:
		a.plain("id", h.id).plain("title", h.heading).plain("url", h.url)
	}
	a.some("connection_id", h.conn).some("connector_key", preview(h.connector, titleChars)).some("stream", h.stream).some("record_id", h.recordID)
	a.some("display_name", preview(h.label, titleChars)).some("authored_at", h.authored).some("emitted_at", h.emitted)
	if h.has != "" && len(h.words) > 0 {
		a.key("words")
		a.b = append(a.b, encode(h.words)...)
	}
	if len(h.nearest) > 0 {
		a.list("nearest_words", h.nearest)
	}
	if len(h.excerpts) == 0 {
		d.passages = append(d.passages, draftPassage{snippet: h.snippet, result: len(a.b)})
		return
	}
	a.open("evidence", '{').plain("field", h.excerpts[0].field).key("text")
	for n := range h.excerpts {
		d.passages = append(d.passages, draftPassage{excerpt: &h.excerpts[n]})
	}
	d.passages[len(d.passages)-len(h.excerpts)].result = len(a.b)
	a.shut('}')
}

// fill writes the passages, of so many characters each, and reports whether the whole has at most max bytes then. It stops
// where it has more, and goes on from there when the same is tried with more bytes.
func (d *draft) fill(cut *cutter, chars, max int) bool {
	if chars != d.chars {
		d.chars, d.filled, d.filling, d.size = chars, 0, d.filling[:0], len(d.json)
	}
	for ; d.filled < len(d.passages) && d.size <= max; d.filled++ {
		p := &d.passages[d.filled]
		p.text.from = len(d.filling)
		a := &arguments{d.filling}
		if p.excerpt != nil {
			cite := p.excerpt.cut(cut, chars)
			a.b = cut.append(a.b, appendEscapedJSON)
			if d.style.cited {
				p.quote, p.digest = cite.quote, cite.add(a)
			}
		} else if _, ok := cut.around(p.snippet, chars); ok {
			a.b = cut.append(append(a.b, `,"snippet":`...), appendEscapedJSON)
		}
		d.filling = a.b
		p.text.to = len(d.filling)
		for _, gap := range [...]int{p.result, p.followUp} {
			if gap > 0 {
				d.size += p.text.to - p.text.from
			}
		}
	}
	return d.size <= max
}

// whole is the structured output with the passages, and their digests, in their gaps.
func (d *draft) whole() json.RawMessage {
	digest := make([]byte, 0, 1024)
	for i := range d.passages {
		if p := &d.passages[i]; p.quote != "" {
			digest = appendDigest(digest[:0], Quotable(p.quote))
			copy(d.filling[p.digest.from:p.digest.to], digest)
		}
	}
	whole := slices.Grow(d.json, d.size-len(d.json))[:d.size]
	end, from := d.size, len(d.json) // what is not yet in its place ends at from, and its place at end
	put := func(gap int, text textRange) {
		if gap > 0 {
			end -= copy(whole[end-(from-gap):end], whole[gap:from])
			end -= copy(whole[end-(text.to-text.from):end], d.filling[text.from:text.to])
			from = gap
		}
	}
	for i := range slices.Backward(d.passages) {
		put(d.passages[i].followUp, d.passages[i].text)
	}
	for i := range slices.Backward(d.passages) {
		put(d.passages[i].result, d.passages[i].text)
	}
	return whole
}

// appendEscapedJSON appends a text as the inside of a JSON string.
func appendEscapedJSON(b []byte, text string) []byte {
	from := len(b)
	b = rs.AppendText(b, text)
	return b[:from+copy(b[from:], b[from+1:len(b)-1])]
}
