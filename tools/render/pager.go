package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// A pager divides a list among answers. One shows the first items that fit, from the first that none has shown: each channel for itself,
// with how to go on behind them (D18, D23).
type pager struct {
	noun  string // what an item is
	total int    // how many items the list has, or the page of it that was read
	from  int    // the first that no answer has shown
}

// left is how many items are to be shown.
func (p *pager) left() int { return p.total - p.from }

// span are the numbers of the items to one of them, "1-40".
func (p *pager) span(to int) string { return fmt.Sprintf("%d-%d", p.from+1, to) }

// part is the part of a list within this one, which begins at one of its items, that is on a page that ends at another.
func (p *pager) part(at, size, to int) (first, last int) {
	return max(p.from-at, 0), min(to-at, size)
}

// A cursorPager goes on at a [Position].
type cursorPager struct {
	pager
	at     Position // of the page
	limit  int      // with which the page was read
	key    func(i int) string
	before int    // items of the list before these, where one cursor stands for the whole list
	moved  string // what is not exact because the list has changed
	extra  excess // what the resource server sent beyond what was asked for
	cursor bool   // the resource server says where the next page is
}

// begin finds the first item to show.
func (p cursorPager) begin() cursorPager {
	p.from, p.moved = p.at.start(p.total, p.key)
	return p
}

// next is the cursor that goes on behind the first shown of the items that are left.
func (p *cursorPager) next(shown int) string {
	return p.at.After(p.before+p.from+shown, p.limit, p.key(p.from+shown-1)).String()
}

// warning says what is not as it was asked for: an answer shows the first of the items that are left.
func (p *cursorPager) warning(shown int) string {
	whole := shown == p.left()
	notes := []string{p.extra.note(p.noun, p.cursor && whole), p.moved}
	if !whole {
		notes = append(notes, fmt.Sprintf("These are %ss %s of the %d of this page; next_cursor goes on behind them.", p.noun, p.span(p.from+shown), p.total))
	}
	return sentences(notes)
}

// An excess counts the items that a resource server sent beyond what was asked for. They are left out (S0-6a, S0-6b).
type excess struct {
	limit   int // of the call
	over    int // items beyond it
	most    int // items that one page would have to hold for none to be over
	foreign int // items, and records expanded in them, of another connection than the one that the call names
}

// note says what was left out and how to get it, or "" when nothing was. A cursor of the resource server goes on behind the items
// beyond the limit.
func (e excess) note(noun string, cursor bool) string {
	var notes []string
	if e.foreign > 0 {
		notes = append(notes, fmt.Sprintf("The resource server sent %s of other connections than connection_id; left out.", plural(e.foreign, noun)))
	}
	if e.over > 0 {
		s := fmt.Sprintf("The resource server sent more than limit %d; %s left out.", e.limit, plural(e.over, noun))
		if cursor {
			s += " next_cursor skips them."
		}
		if e.most <= maxLimit {
			s += fmt.Sprintf(" Repeat this call with limit %d to see them.", e.most)
		} else {
			s += " Narrow this call to see them."
		}
		notes = append(notes, s)
	}
	return strings.Join(notes, " ")
}

// maxLimit is the largest limit that the tools take.
const maxLimit = 100

// sentences joins those that are not empty.
func sentences(list []string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), " ")
}

// nextPage is a line with the call that goes on at a cursor, where it has at most so many characters and can be copied, else what to
// do.
func nextPage(tool string, call *arguments, cursor string, most int, otherwise string) string {
	if line := call.call(tool); copyable(line, most) {
		return "next page: " + line
	}
	if line := cursorLine("cursor", cursor); len(line) < most {
		return "next page: the same " + tool + " with " + line
	}
	return otherwise
}

// atStructured is how a page goes on whose cursor no line holds.
func atStructured(tool string) string {
	return "next page: the same " + tool + " with cursor = structuredContent.data.next_cursor"
}

// cursorLine prints a cursor alone on its line, or says where a cursor stands that no line could hold or that could be taken for
// more than a cursor.
func cursorLine(key, value string) string {
	line := key + "=" + value
	if clean.LongerThan(line, lineChars) || clean.Line(value) != value || strings.ContainsAny(value, " \"{}") {
		return key + " is in structuredContent.data." + key
	}
	return line
}

// An offsetPager goes on at an offset.
type offsetPager struct {
	pager
	tool string
	at   func(offset int) *arguments // of the call that reads on
}

// newOffsetPager begins at an offset; one past the end is an error, but not where there is nothing.
func newOffsetPager(noun string, total, offset int, tool string, at func(offset int) *arguments) (offsetPager, error) {
	if total > 0 && offset >= total {
		return offsetPager{}, rs.Invalid("offset", fmt.Sprintf("offset %d is past the end of the %s.", offset, plural(total, noun)),
			fmt.Sprintf("Send an offset from 0 to %d, or leave it out.", total-1))
	}
	return offsetPager{pager{noun, total, min(offset, total)}, tool, at}, nil
}

// fullest is the longest page that fits.
func (p *offsetPager) fullest(page func(to int) string, fits func(page string) bool) (text string, to int) {
	text, n := fullest(p.left(), func(n int) string { return page(p.from + n) }, fits)
	return text, p.from + n
}

// shown is "fields 1-40 of 800", or "" where these are all.
func (p *offsetPager) shown(to int) string {
	if p.from == 0 && to == p.total {
		return ""
	}
	return fmt.Sprintf("%ss %s of %d", p.noun, p.span(to), p.total)
}

// longestNext is how long the call that reads on may be; of a longer one only the offset is said.
const longestNext = 1500

// lines say in text which part is shown, and how to read on; both are "" where that is all.
func (p *offsetPager) lines(to int) (shown, next string) {
	if to < p.total {
		next = `Next: the same call with "offset":` + strconv.Itoa(to)
		if call := p.at(to).call(p.tool); copyable(call, longestNext) {
			next = "Next: " + call
		}
	}
	if shown = p.shown(to); shown != "" {
		shown = strings.TrimSpace("Shown: " + shown + ". " + next)
	}
	return shown, next
}

// begin says the same in structured output.
func (p *offsetPager) begin(out *arguments, to int) *arguments {
	shown := p.shown(to)
	if to < p.total {
		next := p.at(to).json()
		if len(next) >= longestNext {
			shown += "; for more make the same call with this offset"
			next = new(arguments).number("offset", to).json()
		}
		out.put("next", next)
	}
	return out.optional("shown", shown)
}
