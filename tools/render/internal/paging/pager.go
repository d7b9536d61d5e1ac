// Package paging divides a list among answers: which items an answer shows, separately on each channel, and the cursor or offset that
// continues after them (D18, D23).
package paging

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A Pager divides a list among answers. An answer shows as many items as fit, beginning with the first that no earlier answer has shown.
// Each channel does so separately, and says how to continue (D18, D23).
type Pager struct {
	Noun  string // what an item is called
	Total int    // how many items the list has, or the page of it that was read
	From  int    // index of the first item that no answer has shown
}

// Span returns the numbers of the items on a page that ends before index to, such as "1-40".
func (p *Pager) Span(to int) string { return fmt.Sprintf("%d-%d", p.From+1, to) }

// Part returns which items of a part of the list are on a page that ends before index to. The part has size items from index at on; first
// and last are relative to at.
func (p *Pager) Part(at, size, to int) (first, last int) {
	return max(p.From-at, 0), min(to-at, size)
}

// A ByCursor is a Pager that continues at a [Position].
type ByCursor struct {
	Pager
	At        Position           // where the answer begins
	Limit     int                // with which the page was read
	Key       func(i int) string // distinguishes the i-th item from the others
	Before    int                // items of the list before these, if one cursor is for the whole list
	Moved     string             // what may be inexact because the list has changed
	Extra     Excess             // what the resource server sent beyond what was requested
	Continues bool               // the resource server sent a cursor of the next page
}

// Begin finds the first item to show, and sets From and Moved.
func (p ByCursor) Begin() ByCursor {
	p.From, p.Moved = p.At.start(p.Total, p.Key)
	return p
}

// Next returns the cursor that continues after the first shown of the remaining items.
func (p *ByCursor) Next(shown int) string {
	return p.At.After(p.Before+p.From+shown, p.Limit, p.Key(p.From+shown-1)).String()
}

// Warning says how an answer with the first shown of the remaining items differs from what was requested.
func (p *ByCursor) Warning(shown int) string {
	part, whole := "", shown == p.Total-p.From
	if !whole {
		part = fmt.Sprintf("These are %ss %s of the %d of this page; next_cursor goes on behind them.", p.Noun, p.Span(p.From+shown), p.Total)
	}
	return Sentences(p.Extra.Note(p.Noun, p.Continues && whole), p.Moved, part)
}

// An Excess counts the items that a resource server sent beyond what was requested. They are left out (S0-6a, S0-6b).
type Excess struct {
	Limit   int // of the call
	Over    int // items beyond it
	Most    int // the limit with which no item would be over
	Foreign int // items, and records expanded in them, of another connection than the call names
}

// Note says what was left out and how to get it; "" if nothing was. cursor reports whether the answer has a cursor of the resource server,
// which skips the items beyond the limit.
func (e Excess) Note(noun string, cursor bool) string {
	if e.Foreign+e.Over == 0 {
		return ""
	}
	foreign := fmt.Sprintf("The resource server sent %s of other connections than connection_id; left out.", write.Plural(e.Foreign, noun))
	over := fmt.Sprintf("The resource server sent more than limit %d; %s left out.", e.Limit, write.Plural(e.Over, noun)) +
		write.When(cursor, " next_cursor skips them.") + write.When(e.Most > rs.MaxLimit, " Narrow this call to see them.") +
		write.When(e.Most <= rs.MaxLimit, fmt.Sprintf(" Repeat this call with limit %d to see them.", e.Most))
	return Sentences(write.When(e.Foreign > 0, foreign), write.When(e.Over > 0, over))
}

// Sentences joins the texts that are not empty.
func Sentences(list ...string) string { return strings.Join(write.NotEmpty(list...), " ") }

// NextPage returns a line with the call that continues at a cursor. If that has more than most characters or cannot be copied, the line has
// only the cursor; if that is too long as well, it is otherwise.
func NextPage(tool string, call *write.Object, cursor string, most int, otherwise string) string {
	if line := write.Offer("next page: ", call.Call(tool), most); line != "" {
		return line
	}
	if line := CursorLine("cursor", cursor); len(line) < most {
		return "next page: the same " + tool + " with " + line
	}
	return otherwise
}

// AtStructured returns how to continue a page whose cursor fits into no line.
func AtStructured(tool string) string {
	return "next page: the same " + tool + " with cursor = structuredContent.data.next_cursor"
}

// CursorLine returns a cursor alone on its line. If a cursor fits into no line or could be taken for more than a cursor, it returns where
// in structured output the cursor is.
func CursorLine(key, value string) string {
	line := key + "=" + value
	if clean.LongerThan(line, write.LineChars) || clean.Line(value) != value || strings.ContainsAny(value, " \"{}") {
		return key + " is in structuredContent.data." + key
	}
	return line
}

// A ByOffset is a Pager that continues at an offset.
type ByOffset struct {
	Pager
	tool string
	at   func(offset int) *write.Object // arguments of the call that continues
}

// NewByOffset returns a ByOffset that begins at an offset. An offset past the end is "invalid_arguments", unless the list is empty.
func NewByOffset(noun string, total, offset int, tool string, at func(offset int) *write.Object) (ByOffset, error) {
	if total > 0 && offset >= total {
		return ByOffset{}, rs.Invalid("offset", fmt.Sprintf("offset %d is past the end of the %s.", offset, write.Plural(total, noun)),
			fmt.Sprintf("Send an offset from 0 to %d, or leave it out.", total-1))
	}
	return ByOffset{Pager{noun, total, min(offset, total)}, tool, at}, nil
}

// Fullest returns the longest page that fits, and the index after its last item.
func (p *ByOffset) Fullest(page func(to int) string, fits func(page string) bool) (text string, to int) {
	text, n := write.Fullest(p.Total-p.From, func(n int) string { return page(p.From + n) }, fits)
	return text, p.From + n
}

// shown returns "fields 1-40 of 800", or "" if the page has all items.
func (p *ByOffset) shown(to int) string {
	if p.From == 0 && to >= p.Total {
		return ""
	}
	return fmt.Sprintf("%ss %s of %d", p.Noun, p.Span(to), p.Total)
}

// longestNext bounds the call that continues; of a longer one, only the offset is shown.
const longestNext = 1500

// Lines returns, for text, which part is shown and how to continue, and the latter alone. Both are "" if the page has all items.
func (p *ByOffset) Lines(to int) (shown, next string) {
	if shown = p.shown(to); to < p.Total {
		otherwise := `Next: the same call with "offset":` + strconv.Itoa(to)
		next = cmp.Or(write.Offer("Next: ", p.at(to).Call(p.tool), longestNext), otherwise)
	}
	return write.When(shown != "", strings.TrimSpace("Shown: "+shown+". "+next)), next
}

// Begin adds to structured output which part is shown and how to continue.
func (p *ByOffset) Begin(out *write.Object, to int) *write.Object {
	shown := p.shown(to)
	if to < p.Total {
		if next := p.at(to).JSON(); len(next) < longestNext {
			out.Put("next", write.ToolCall(p.tool, next))
		} else {
			shown += "; for more make the same call with next_offset as offset"
			out.Number("next_offset", to)
		}
	}
	return out.Optional("shown", shown)
}
