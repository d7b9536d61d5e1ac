// Package propose finds the other calls that a search may mean: for a number, for the newest or the largest record, for the records with a
// value that no search reads, or for the time that the query names.
package propose

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Calls returns the other calls that a search may mean, and its answer, without what that says of words that name a time. After a repair,
// it makes only the reads that this has left.
func Calls(ctx context.Context, of Search) (render.Proposals, *rs.Response) {
	s := &search{Search: of}
	if s.Repair != nil {
		s.RS = read.Limited(of.RS, relax.MaxReads-s.Repair.Reads)
		s.Schema = sync.OnceValue(func() known.Stream { return s.Schemas.Of(ctx, s.RS, rs.Scope{ConnectionID: s.Scope.ConnectionID}) })
	}
	s.list, _ = s.Response.List()
	s.readAbsent()
	s.readTime(ctx)
	if s.timed && s.recall().Has("missing_words") {
		s.Response = relax.WithoutTime(s.Response, s.Rest)
	}
	s.Question = render.NewQuestion(s.Rest, func() []string { return relax.Words(s.Rest) })
	p := render.Proposals{Question: s.Question, Meant: s.unreadFields(ctx)}
	hint := ""
	if !s.inHours {
		p.Newest, hint, p.Metric = s.answer(ctx)
	}
	if s.weekly || s.hourly {
		p.Newest = ""
	}
	if hint == "" && !s.several { // that has the time
		if p.OfTime, p.OfOther = s.ofTime(ctx); p.Newest != "" && p.OfOther == nil { // that is of the only such time
			p.OfTime = nil
		}
		hint = cmp.Or(s.byLife(&p), s.fieldNumber(ctx))
	}
	if hint == "" && !s.several && p.Meant == "" && p.Newest == "" && !s.inHours && !s.lacksTime() {
		hint, p.Metric = s.wordsInNames(ctx)
		hint = cmp.Or(hint, s.unreadField(ctx))
	}
	to := s.sentTo(ctx)
	if to != "" { // other calls find what that name sent
		hint, p.Metric = "", ""
	}
	if newest, oldest := s.Question.AsksByTime(); to != "" && (newest || oldest) { // not of what that name sent
		p.Newest, to = to, ""
	}
	all := []string{s.Unread, to, hint, s.unlike, s.unselected(), relax.ExclusionNote(s.Q)}
	p.Hints = slices.DeleteFunc(all, func(hint string) bool { return hint == "" })
	if s.RS = of.RS; !s.Spent { // this has its own limit
		if says, is := s.byID(ctx); is || p.Meant == "" { // a record with this id counts more than conditions
			p.Meant = says
		}
	}
	return p, s.Response
}

// unselected returns which time of the query no call selects: hours, days of the week, or one of two days that numbers may mean.
func (s *search) unselected() string {
	switch {
	case s.inHours:
		return "No filter selects hours of the day: the time of each record shows it."
	case s.weekly:
		return "No search or filter selects days of the week: the date of each record shows it."
	case s.hourly:
		return "No search or filter selects hours of the day: the time of each record shows it."
	case !s.inPeriod() && !s.timed:
		return written.TwoDays(s.Q)
	}
	return s.Mismatch
}
