// Package hit reads one search result: what it is, and which of its texts are proven to match. It writes a result as lines of text and in
// structured output.
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

// A Hit is one search result.
type Hit struct {
	item.Item
	Who      string      // sender, author or organiser, as sent by the resource server
	Snippet  marked.Text // empty if there is none
	Excerpts []Excerpt   // proven matches, best first
	isTitle  bool        // the match that is shown is the title
	untitled string      // describes the hit if it has no title other than its match
	what     string      // the result of What(true), if computed

	Key     string   // distinguishes it from the other hits of its page
	Has     string   // which words it has, or that it is of another time; empty unless hits may lack words
	Words   []string // the query's words that it has; empty unless hits may lack words
	Nearest []string // the words that it has in place of misspelled ones
	Foreign bool     // it names another connection than the call
	Meaning bool     // it was found by meaning only, and may lack the words

	Own  rs.Object // as received
	Read bool      // its texts were read
}

// Read reads what a hit is, but not its texts. n is its index in the list, for hits that have no id at all; connection is that of the call.
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
		has, nearest := write.Lead("has only ", write.QuoteEach(h.Words)), write.Lead("nearest: ", write.QuoteEach(h.Nearest))
		if h.Has = strings.Join(write.NotEmpty(has, nearest), "; "); o.Flag("not_of_time") {
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

// ReadTexts reads the texts of a hit: its title and its matches. It also selects the match to show.
func (h *Hit) ReadTexts(connection string) {
	o, data := h.Own, h.Own.Object("data")
	h.Read, h.Who = true, o.Text("actor")
	h.Authored, h.TimeField = item.Time(o, data)
	if o.Flag("not_of_time") && h.Authored != "" && item.LastChange(h.TimeField) == "" {
		h.Has = "not of that time"
	}
	h.Title = item.Title(o, data, func(title string) bool { // an id is no title unless it has several words, as a file name
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

// When returns the time of a hit, after the name of its field if that is the time of the last change.
func (h *Hit) When() string {
	return strings.TrimSpace(item.LastChange(h.TimeField) + " " + clean.ShownText(write.Minute(h.Authored)))
}

// Heading returns the title for people, which differs from every text of the hit.
func (h *Hit) Heading() string {
	switch {
	case h.isTitle:
		return h.Item.Heading() + " (" + h.untitled + ")"
	case h.Title == "":
		return h.untitled
	}
	return h.Item.Heading()
}

// identify sets the hit's id. A self-contained id of the resource server stays unchanged (S2-12); a record's parts or URI become a
// self-contained id (S3-R19, S1-5b); any other id stays as it is (S2-9).
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
	case own == "" || !isRef && !opaque || clean.Line(own) != own || strings.ContainsAny(own, ` "{}|`):
		h.ID = fmt.Sprintf("result:%d", n+1) // an id that cannot be sent back is useless, and one with spaces could be a line of ours
	default:
		h.ID = own
	}
}

// adopt copies the parts of an id and forms the self-contained id from them. It reports whether that succeeded.
func (h *Hit) adopt(ref rs.Ref) bool {
	if ref == (rs.Ref{}) {
		return false
	}
	h.Connection = cmp.Or(ref.ConnectionID, h.Connection)
	h.Stream, h.RecordID = ref.Stream, ref.RecordID
	return h.SetHandle()
}

// distinguish keeps the title from repeating the text below it (S0-6a). It drops a title that a server made from the start of the text. It
// keeps a title whose field matched, and Heading adds what distinguishes it.
func (h *Hit) distinguish() {
	if len(h.Excerpts) == 0 {
		switch title := h.Title; {
		case !item.Repeats(title, h.Snippet.Plain):
		case clean.LongerThan(title, write.TitleChars) || len(marked.Quotable(h.Snippet.Plain)) > len(marked.Quotable(title)):
			h.Title = ""
		default:
			h.Snippet = marked.Text{} // the title has the same text
		}
		return
	}
	for _, x := range h.Excerpts {
		word := len([]rune(x.Text.Plain)) < min(len([]rune(h.Title)), 40) // a word of a longer title, such as a tag
		if !word && item.Repeats(h.Title, x.Text.Plain) && !slices.Contains(item.TitleNames, x.Field[strings.LastIndexByte(x.Field, '.')+1:]) {
			h.Title = ""
			return
		}
	}
}

// choose sorts the matches, of which the first is shown: texts come before titles, labels and names, then matches of more words come
// first, then the order of the resource server counts (ANSWERS 3).
func (h *Hit) choose() {
	for i := range h.Excerpts {
		x := &h.Excerpts[i]
		x.rank = h.rank(x)
	}
	slices.SortStableFunc(h.Excerpts, func(a, b Excerpt) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.matches(), a.matches()))
	})
	h.Excerpts = h.Excerpts[:min(len(h.Excerpts), maxMatches)]
	h.isTitle = len(h.Excerpts) > 0 && h.Excerpts[0].rank == titleRank
}

// Ranks of the matches of a hit, best first.
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

// snippetText returns what a hit shows of its text, in any shape of a hit.
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

// MatchesDeep reports whether the match that is shown is deep in a long text, such as a diary, so that the hit's date need not be that of
// the match.
func (h *Hit) MatchesDeep() bool {
	const deep = 2000 // characters
	return len(h.Excerpts) > 0 && h.Best().Place.Start() > deep
}

// Best returns the match that is shown. The hit must have one.
func (h *Hit) Best() *Excerpt { return &h.Excerpts[0] }
