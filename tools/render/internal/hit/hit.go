// Package hit reads one search result: what it is, and which texts of it are proven to match; and writes it as a line of text.
package hit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// MaxEvidenceRows bounds the proven matches of a hit.
const MaxEvidenceRows = 3

// A Hit is one search result.
type Hit struct {
	item.Item
	Who      string      // sender, author or organiser, as the resource server says
	Snippet  marked.Text // empty when there is none
	Excerpts []Excerpt   // proven matches, best first
	isTitle  bool        // the match that is shown is the title
	untitled string      // what it is, where it has no other title
	what     string      // what text says of it, where that is known already

	Key     string   // what tells it from the others of its page
	Has     string   // which words of a repaired search it has, as text says it; empty for any other
	Words   []string // the same
	Nearest []string // what it has in the place of misspelled words
	Foreign bool     // it says that it is of another connection than the one that was asked for
	Meaning bool     // it was found by its meaning alone: it need not have the words

	Own  rs.Object // as received
	Read bool      // with its texts
}

// Read reads what a hit is. n is its place in the list, for hits that have no id at all; connection is the one that was asked for.
func Read(o rs.Object, n int, connection string) Hit {
	h := Hit{Own: o, Item: item.Item{
		Stream:     o.Text("stream", "stream_name"),
		RecordID:   o.Text("record_key", "record_id"),
		Connection: rs.ConnectionID(o),
		Connector:  rs.ConnectorKey(o),
		Label:      o.Text("display_name", "connection_display_name"),
		Emitted:    clean.Preview(o.Text("emitted_at"), 40),
	}}
	h.Connection = cmp.Or(h.Connection, rs.ConnectionID(o.Object("read")), connection)
	h.Foreign = item.OtherConnection(o, connection)
	if match := o.Text("match"); match == "some" || match == "nearest" {
		h.Words, h.Nearest = write.Words(o, "matched_words"), write.Words(o, "nearest_words")
		if h.Has = h.hasOnly(); o.Flag("not_of_time") {
			h.Has = "not known to be of that time"
		}
	}
	switch o.Text("retrieval_mode") {
	case "semantic":
		h.Meaning = true
	case "hybrid":
		sources := o.Array("retrieval_sources")
		h.Meaning = len(sources) > 0 && !slices.Contains(sources, `"lexical"`)
	}
	h.identify(o.Text("result_id", "id"), o.Text("record_uri", "uri"), n)
	return h
}

// ReadTexts reads what a hit says: its title, its matches, and which of them is shown.
func (h *Hit) ReadTexts(connection string) {
	o, data := h.Own, h.Own.Object("data")
	h.Read, h.Who = true, o.Text("actor")
	h.Authored, h.TimeField = item.Time(o, data)
	if o.Flag("not_of_time") && h.Authored != "" && item.LastChange(h.TimeField) == "" {
		h.Has = "not of that time"
	}
	h.Title = item.Title(o, data, func(title string) bool { // an id is none, but for one of several words, as notes are called by their files
		return strings.Contains(title, " ") || title != h.RecordID && title != h.ID && title != o.Text("id")
	})
	if h.Excerpts = proven(o, &h.Item, connection); len(h.Excerpts) == 0 {
		h.Snippet = marked.Read(clean.Line(snippetText(o)))
	}
	h.distinguish()
	h.choose()
	if h.Title == "" || h.isTitle {
		h.untitled = h.Untitled()
	}
}

// When is when a hit is, with the field that says so where that is its last change.
func (h *Hit) When() string {
	return strings.TrimSpace(item.LastChange(h.TimeField) + " " + clean.ShownText(write.Minute(h.Authored)))
}

// Heading is the title for people, distinct from every text of the hit.
func (h *Hit) Heading() string {
	switch {
	case h.isTitle:
		return h.Item.Heading() + " (" + h.untitled + ")"
	case h.Title == "":
		return h.untitled
	}
	return h.Item.Heading()
}

// identify finds the hit's id. The resource server's own self-contained id passes untouched (S2-12); a record's parts or
// URI become a self-contained id (S3-R19, S1-5b); anything else stays what it is (S2-9).
func (h *Hit) identify(own, uri string, n int) {
	ref, isRef := item.ParseRef(own)
	record, _ := item.ParseRef(uri)
	opaque := strings.Contains(own, "://") || strings.HasPrefix(own, "result:")
	switch {
	case isRef && strings.Contains(own, "/") && h.adopt(ref):
	case h.SetHandle():
	case h.adopt(record):
	case isRef && !opaque && (h.Stream == "" || h.Stream == ref.Stream) && h.adopt(ref):
	case h.RecordID == "" && h.Stream != "" && !opaque && h.adopt(rs.Ref{Stream: h.Stream, RecordID: own}):
	case own == "" || !isRef && !opaque || clean.Line(own) != own:
		h.ID = fmt.Sprintf("result:%d", n+1) // what cannot be sent is no id
	default:
		h.ID = own
	}
}

// adopt takes over an id's parts and forms the self-contained id from them. It reports whether there is one.
func (h *Hit) adopt(ref rs.Ref) bool {
	if ref == (rs.Ref{}) {
		return false
	}
	h.Connection = cmp.Or(ref.ConnectionID, h.Connection)
	h.Stream, h.RecordID = ref.Stream, ref.RecordID
	return h.SetHandle()
}

// distinguish keeps the title from saying the same as the text below it (S0-6a). What a server made of the start of the
// text is no title. A title field that matched is one, and heading adds what distinguishes it.
func (h *Hit) distinguish() {
	if len(h.Excerpts) == 0 {
		switch title := h.Title; {
		case !item.Repeats(title, h.Snippet.Plain):
		case clean.LongerThan(title, write.TitleChars) || len(marked.Quotable(h.Snippet.Plain)) > len(marked.Quotable(title)):
			h.Title = ""
		default:
			h.Snippet = marked.Text{} // the title says it already
		}
		return
	}
	for _, x := range h.Excerpts {
		word := len([]rune(x.Text.Plain)) < min(len([]rune(h.Title)), 40) // of a title that says more, such as a tag
		if !word && item.Repeats(h.Title, x.Text.Plain) && !slices.Contains(item.TitleNames, x.Field[strings.LastIndexByte(x.Field, '.')+1:]) {
			h.Title = ""
			return
		}
	}
}

// choose puts the best matches first, of which one is shown: texts before what the hit is called and before names, and those with more of
// the words before others, in the order of the resource server (ANSWERS 3).
func (h *Hit) choose() {
	for i := range h.Excerpts {
		x := &h.Excerpts[i]
		x.rank = h.rank(x)
	}
	slices.SortStableFunc(h.Excerpts, func(a, b Excerpt) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.matches(), a.matches()))
	})
	h.Excerpts = h.Excerpts[:min(len(h.Excerpts), MaxEvidenceRows)]
	h.isTitle = len(h.Excerpts) > 0 && h.Excerpts[0].rank == titleRank
}

// Ranks of the matches of a hit.
const (
	textRank = iota
	titleRank
	labelRank
	whoRank
)

func (h *Hit) rank(x *Excerpt) int {
	switch {
	case item.Repeats(h.Title, x.Text.Plain):
		return titleRank
	case x.Text.Plain == h.Who:
		return whoRank
	case x.isLabel():
		return labelRank
	}
	return textRank
}

// snippetText is what a hit shows of its text, in any of its shapes.
func snippetText(o rs.Object) string {
	if s := o.Object("snippet"); s != nil {
		return s.Text("text")
	}
	if s := o.Text("snippet"); s != "" {
		return s
	}
	for _, raw := range o.Array("evidence_excerpts") {
		if s := rs.AsObject(raw).Text("preview_text", "text"); s != "" {
			return s
		}
	}
	return o.Text("preview", "text")
}

func (h *Hit) hasOnly() string {
	has, nearest := write.Lead("has only ", write.QuoteEach(h.Words)), write.Lead("nearest: ", write.QuoteEach(h.Nearest))
	return strings.Join(write.NotEmpty(has, nearest), "; ")
}

// MatchesDeep reports whether the match that is shown stands deep in a long text, such as a diary, of which the hit's date need not be the
// match's.
func (h *Hit) MatchesDeep() bool {
	const deep = 2000 // characters
	return len(h.Excerpts) > 0 && h.Best().Place.Start() > deep
}

// Best is the match that is shown, of a hit that has one.
func (h *Hit) Best() *Excerpt { return &h.Excerpts[0] }
