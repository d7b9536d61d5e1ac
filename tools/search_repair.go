package tools

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/period"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A searcher answers the calls of search.
type searcher struct {
	relaxed  bool            // a search that finds nothing is repaired
	looksUp  bool            // hits without title, author and time get those of their records
	noHybrid *known.Refusals // grants for which it has no hybrid search
}

// search makes the read that the arguments ask for. If that finds nothing, it makes the reads of a repair; package relax has the rules.
func (s searcher) search(ctx context.Context, call Call) (Answer, error) {
	args := call.Args.(searchArgs)
	from := args.position.Start()
	if args.position.Cursor == render.RepairedList {
		from, args.position = args.position, from // the resource server does not know it
	}
	response, err := call.RS.Do(ctx, args.Request(call.Scope))
	if err != nil {
		return Answer{}, err
	}
	list, _ := response.List()
	empty := read.IsEmpty(response)
	if recall := list.Envelope.Object("meta").Object("recall"); recall.Has("missing_words") || recall.Has("partial_count") {
		empty = false // this resource server already looked for some of the words
	}
	if empty && s.relaxed && args.repairable() {
		if r := s.repairing(ctx, call, args, response); r.left > 0 {
			return r.repair(ctx, from)
		}
	}
	if from.Shown > 0 {
		return Answer{}, changedSearch()
	}
	return Answer{Response: response}, nil
}

// repairable reports whether a search that found nothing may be repaired: it must be for words, from the start, and not limited to ids. The
// parts of a likely id mean nothing by themselves.
func (s searchArgs) repairable() bool {
	return s.position.Cursor == "" && (s.mode == "" || s.mode == "lexical") && !relax.Phrase(s.q) && len(relax.All(s.q)) > 0 &&
		(written.LikelyID(s.q) != strings.TrimSpace(s.q) || len(relax.Words(s.q)) < 2) && !s.filter.Has("id") && !s.filter.Has("record_id")
}

// repairing returns a repair that has not made any read yet. nothing is the answer to the search for all words. After a search of a period
// that took many reads, the searches for single words look through the hits of any time.
func (s searcher) repairing(ctx context.Context, call Call, args searchArgs, nothing *rs.Response) *repairing {
	r := &repairing{searcher: s, call: call, args: args, answers: []*rs.Response{nothing}, each: max(1, nothing.Reads)}
	r.Reads, r.left = r.each, relax.ReadsLeft(r.each, r.each)
	if within, is := call.RS.(*period.Reader); is && r.left < 2 && len(args.filter) == 0 {
		r.call.RS, r.each = within.OfAnyTime(), 1
		if auth.PrincipalFrom(ctx).Package != nil { // a package asks each member
			r.each = within.Connections()
		}
		r.left = relax.ReadsLeft(r.Reads, r.each)
	}
	return r
}

// repair searches for the words one by one, and returns the page of hits that begins at from.
func (r *repairing) repair(ctx context.Context, from render.Position) (Answer, error) {
	ctx, cancel := read.WithinDeadline(ctx)
	defer cancel()
	r.read(ctx)
	list, err := r.page(from) // the reads count even if there is no such page
	return Answer{Response: list, Repair: &r.Repair, spent: r.left < 2}, err
}

// A repairing is a repair in progress.
type repairing struct {
	render.Repair
	left     int // searches that may follow
	each     int // reads that one search takes
	searcher searcher
	call     Call
	args     searchArgs
	answers  []*rs.Response // the first one is of the search for all words
	found    []relax.Read   // one for each word
	nearest  []relax.Hit    // of the hybrid search
}

// read searches for all words together, by hybrid search, and for each word, and then for other forms of the words that no record has.
func (r *repairing) read(ctx context.Context) {
	grant := auth.PrincipalFrom(ctx).GrantKey()
	words := relax.Words(r.args.q)
	if len(words) == 1 && relax.Same(words[0], r.args.q) {
		r.Words, r.found, words = []render.RepairWord{{Word: words[0]}}, []relax.Read{{Word: words[0]}}, nil // it has just been read
	}
	var searches []searchArgs
	all, together := relax.Together(r.args.q), 0 // together is the number of reads for all
	if all != "" && r.left > 1 {                 // the last read is for a word
		together = 1
	}
	_, refused := r.searcher.noHybrid.Get(grant)
	hybrid := r.left-together > min(len(words), 2) && !refused
	if hybrid {
		near := r.args
		near.mode, near.limit = "hybrid", relax.Hits
		searches = append(searches, near)
	}
	chosen := relax.Choose(words, min(relax.MaxWords, r.left-len(searches)-together))
	r.NotSearched = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(chosen, word) })
	chosen = append([]string{all}[:together], chosen...)
	for _, word := range chosen {
		searches = append(searches, r.forWord(word))
	}
	answers := r.ask(ctx, searches)
	if hybrid {
		if err := answers[0].err; err == nil {
			r.Near, r.nearest = true, relax.ReadList("", answers[0].response).Hits
		} else if status := rs.AsError(err).Status; status == 400 || status == 404 { // the resource server has no hybrid search
			r.searcher.noHybrid.Put(grant, true)
		}
		answers = answers[1:]
	}
	var having []relax.Hit // hits with all words
	r.Separate = all != ""
	for i, word := range chosen {
		switch answer := answers[i]; {
		case answer.err != nil && i >= together:
			r.NotSearched = append(r.NotSearched, word)
		case answer.err == nil && i < together:
			having, r.Separate = relax.ReadList(word, answer.response).Hits, false
		case answer.err == nil:
			read := relax.ReadList(word, answer.response)
			r.found = append(r.found, read)
			r.Words = append(r.Words, render.RepairWord{Word: word, Count: read.Count, AtLeast: read.AtLeast})
		}
	}
	r.found = relax.WithAll(r.found, words, having)
	r.readForms(ctx)
}

// readForms searches for another form of each word that no record has, while reads remain.
func (r *repairing) readForms(ctx context.Context) {
	var at []int
	for _, shorter := range []bool{true, false} { // mail for mails before unreads for unread, as reads may run out
		for i, read := range r.found {
			form := relax.OtherForm(read.Word)
			if len(read.Hits) == 0 && form != "" && len(form) < len(read.Word) == shorter && len(at) < r.left && r.Ended == "" {
				at = append(at, i)
			}
		}
	}
	slices.Sort(at)
	var searches []searchArgs
	for _, i := range at {
		searches = append(searches, r.forWord(relax.OtherForm(r.found[i].Word)))
	}
	for i, a := range slices.Backward(r.ask(ctx, searches)) { // from the end: an insertion moves only words already handled
		if a.err != nil {
			continue
		}
		word := r.found[at[i]].Word
		read := relax.ReadList(relax.OtherForm(word), a.response)
		r.Words = slices.Insert(r.Words, at[i]+1, render.RepairWord{Word: read.Word, Count: read.Count, AtLeast: read.AtLeast, InsteadOf: word})
		if len(read.Hits) > 0 {
			r.found[at[i]] = read
		}
	}
}

// forWord returns the search for one word, in the same scope and without the words that the query excludes.
func (r *repairing) forWord(word string) searchArgs {
	args := r.args
	args.q, args.limit = strings.Join(append([]string{word}, relax.Excluded(r.args.q)...), " "), relax.Hits
	return args
}

// An outcome is how one read ended.
type outcome struct {
	response *rs.Response // a list; nil if there is an error
	err      error
}

// ask makes reads, a few at a time, until one fails. A hybrid search may fail without ending the others.
func (r *repairing) ask(ctx context.Context, searches []searchArgs) []outcome {
	answers := make([]outcome, len(searches))
	notSent := &rs.Error{Code: "deadline_exceeded"}
	for i := range answers {
		answers[i].err = notSent
	}
	err := read.Parallel(ctx, len(searches), func(ctx context.Context, i int) error {
		request := searches[i].Request(r.call.Scope)
		request.OneRound = true
		response, err := r.call.RS.Do(ctx, request)
		if err == nil {
			if _, ok := response.List(); !ok {
				response, err = nil, &rs.Error{Code: "invalid_response"}
			}
		}
		answers[i] = outcome{response, err}
		if err != nil && searches[i].mode == "hybrid" && hybridAlone(err) {
			return nil
		}
		return err
	})
	if err != nil {
		r.Ended = string(rs.AsError(err).Code)
	}
	for _, a := range answers {
		if errors.Is(a.err, notSent) {
			continue
		}
		r.left--
		if a.err != nil {
			r.Reads += r.each // the resource server may have made them
			continue
		}
		r.Reads += max(1, a.response.Reads)
		r.answers = append(r.answers, a.response)
	}
	return answers
}

// page returns the page of the merged hits that begins at a cursor, as a list answer.
func (r *repairing) page(from render.Position) (*rs.Response, error) {
	merged := relax.Merge(r.found, r.nearest)
	if r.Total = len(merged); r.Total == 0 {
		return r.answers[0], nil
	}
	r.More = slices.ContainsFunc(r.found, func(read relax.Read) bool { return read.Count >= relax.Hits })
	r.All = len(merged[0].Words) == len(relax.Words(r.args.q))
	shown := 0
	if from.Shown > 0 {
		if shown = 1 + slices.IndexFunc(merged, func(hit relax.Found) bool { return from.Follows(hit.Key) }); shown == 0 {
			return nil, changedSearch()
		}
	}
	limit := cmp.Or(r.args.limit, period.DefaultHits)
	page := merged[shown:min(len(merged), shown+limit)]
	items := make([]string, len(page))
	for i, found := range page {
		items[i] = found.Value
		r.Hits = append(r.Hits, render.RepairHit{Key: found.Key, Words: found.Words})
	}
	worst := relax.LacksMost(r.answers)
	envelope := rs.AsObject(worst.Body)
	if list, ok := worst.List(); ok {
		envelope = list.Envelope
	}
	if list, _ := r.answers[0].List(); list.Envelope.Has("read_as") { // which times were asked for
		envelope = envelope.With("read_as", list.Envelope.Get("read_as"))
	}
	meta := envelope.Object("meta").Without("count", "count_accuracy", "recall")
	if sources := meta.Object("sources"); sources != nil { // the rest would be that of one word's search
		meta = meta.With("sources", sources.Without("rest_cursor").JSON())
	}
	body := envelope.Without("next_cursor", "has_more", "links", "data").With("has_more", strconv.FormatBool(shown+len(page) < len(merged))).
		With("data", rs.JoinArray(items)).With("meta", meta.JSON())
	if last := shown + len(page); last < len(merged) {
		next := from.Repaired().After(last, r.args.limit, merged[last-1].Key)
		body = body.With("next_cursor", rs.EncodeJSON(next.String()))
	}
	return worst.WithBody(body.JSON()), nil
}

// changedSearch returns the error for the next page of a repaired search that no longer finds the same.
func changedSearch() *rs.Error {
	return render.InvalidCursor("What this search finds has changed since its last page, or other words were searched for.",
		"Search again without cursor.")
}

// hybridAlone reports whether the failure of a hybrid search says nothing about other reads: the resource server answered, and
// neither refused the token nor asked for fewer reads.
func hybridAlone(err error) bool {
	status := rs.AsError(err).Status
	return status != 0 && status != 401 && status != 429 && status != 503
}
