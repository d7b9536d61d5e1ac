package render

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/question"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A resource server reports on the words of a query in meta.recall and in each hit. Without a report, nothing is shown of that.

// A SearchQuery is the call that a page of hits answers.
type SearchQuery struct {
	Q             string
	Limit         int
	Shown         int             // most hits to show, if the page is read again with its original limit; 0 for all
	Position      paging.Position // where the answer starts
	ConnectionID  string
	Rest          object   // the other arguments as they were sent (streams, filter, mode)
	Parts         []string // streams that are searched too, because their records are parts of the records of the named streams
	RecordBase    string   // public base URL of the resource server, for citations; no trailing slash
	Coverage      Coverage // of an answer without hits
	Now           time.Time
	ParentRecords string // call that lists the records of that time of which the hits are parts, as only those have a time; "" for none
	Unfiltered    bool   // the resource server refuses filters for this grant
	Proposals
	Empty  []EmptyField // why no record matches the filter, so that no word was looked for; nil if some do
	Repair *Repair      // what was done because no record has all words; nil if that was not needed
}

// Proposals are the other calls that a search may mean.
type Proposals struct {
	Question *Question // the query as a question, without the time that it names; nil if it has not been read

	Meant   string   // what the query means if not words, such as conditions or an id, with the call; "" for nothing
	Newest  string   // for a query for the newest or oldest of a stream or a sender: the call, and what it finds; "" for none
	OfTime  object   // arguments of a search restricted to the time that the query names; nil for none
	OfOther object   // the same for another occurrence of that time, if both may be meant; nil for none
	Hints   []string // what words of the query may mean beyond a search for them, each with the call
	Metric  string   // of the aggregate that a hint calls; "" for none
}

// A Question is a query phrased as one would ask a person.
type Question = question.Question

// NewQuestion is [question.New].
func NewQuestion(query string, words func() []string) *Question { return question.New(query, words) }

func (q SearchQuery) call(cursor string) *write.Object {
	return new(write.Object).Text("q", q.Q).Rest(q.Rest).Text("connection_id", q.ConnectionID).
		Number("limit", cmp.Or(q.Shown, q.Limit)).Text("cursor", cursor)
}

func (q SearchQuery) lexical() bool { return cmp.Or(q.Rest.Text("mode"), "lexical") == "lexical" }

func (q SearchQuery) nextPage(cursor, otherwise string) string {
	return paging.NextPage("search", q.call(cursor), cursor, write.LongestHandle, otherwise)
}

// otherwise lists what to change or leave out after a search that found nothing.
func (q SearchQuery) otherwise() string {
	tries := write.NotEmpty("other words",
		write.When(strings.Contains(strings.TrimSpace(q.Q), " "), "fewer of them"),
		write.When(strings.Contains(q.Q, `"`), "no quotes"),
		write.When(q.Rest.Has("since") || q.Rest.Has("until"), "another time"),
		write.When(q.Rest.Has("streams") || q.Rest.Has("filter") || q.ConnectionID != "", "no streams, filter and connection_id"))
	return oneOf(tries)
}

// oneOf returns "a", "a or b" or "a, b or c".
func oneOf(ways []string) string {
	last := len(ways) - 1
	return strings.Join(ways[:last], ", ") + write.When(last > 0, " or ") + ways[last]
}

// where says where a search looks, " in messages of cin_a since 2026-01-01"; "" for everywhere.
func (q SearchQuery) where() string {
	return write.Lead(" in ", strings.Join(append(write.Words(q.Rest, "streams"), write.Each(q.Parts, write.ShownName)...), ", ")) +
		write.When(q.ConnectionID != "", " of "+clean.Name(write.Label(q.ConnectionID))) + write.When(q.Rest.Has("filter"), " within filter") +
		write.Lead(" since ", write.Label(q.Rest.Text("since"))) + write.Lead(" until ", write.Label(q.Rest.Text("until")))
}

const (
	leastHits  = 10 // of a full page, if no limit is sent
	parentsSay = "The records that say when, with these as parts of them: "
)

func searchTail(l answer.List, q SearchQuery) string {
	switch cursor := l.Envelope.Text("next_cursor"); {
	case cursor != "":
		return q.nextPage(cursor, paging.AtStructured("search"))
	case q.Repair != nil && q.Repair.More:
		return "Others have some of the words, too: a search for one of them alone pages through all that have it."
	case len(l.Envelope.Array("goes_on")) > 0:
		return goesOn(l.Envelope.Array("goes_on"))
	case l.Envelope.Flag("has_more"):
		some := q.ParentRecords == "" || len(q.Parts) > 0 // some streams that are searched have times: they can be read further
		isFull := q.Limit < rs.MaxLimit && len(l.Items) >= cmp.Or(q.Limit, leastHits)
		ways := write.NotEmpty(write.When(some && isFull, "raise limit"),
			write.When(some && (q.Rest.Has("since") || q.Rest.Has("until")), "shorten the time"), "narrow q")
		return "More hits exist, but this search has no cursor: " + oneOf(ways) + "." + write.Lead(" "+parentsSay, q.ParentRecords)
	}
	return ""
}

// searchLead says which words occur nowhere, and which similarly spelled words do; "" if all occur. It comes before any hit that
// might be taken for an answer. A resource server that reports nothing about words may match whole words only.
func searchLead(l answer.List, q SearchQuery) string {
	recall := l.Recall
	missing := write.Words(recall, "missing_words")
	if len(q.Empty) > 0 {
		return "No record matches filter, so no word was looked for."
	}
	if len(missing) == 0 {
		isUnexplained := len(l.Items) == 0 && q.Q != "" && q.Position.First() && q.lexical() && !recall.Has("partial_count")
		return write.When(isUnexplained,
			"Nothing found. This resource server does not say how it matches words: perhaps whole ones only, and all of them.")
	}
	as, verb := "As a word, ", " occurs"
	if len(missing) > 1 {
		as, verb = "As words, ", " occur"
	}
	lines := []string{as + write.QuoteEach(missing) + verb + " nowhere in the fields that search reads" + q.where() + "."}
	instead := func(name, says string) {
		for _, raw := range recall.Array(name) {
			one := rs.AsObject(raw)
			if as := write.Words(one, "as"); len(as) > 0 {
				word := clean.Preview(one.Text("word"), write.WordChars)
				lines = append(lines, fmt.Sprintf("%s %s: %s.", says, clean.Quote(word), write.QuoteEach(as)))
				if name == "containing_words" && strings.HasPrefix(as[0], strings.ToLower(word)) {
					lines = append(lines, fmt.Sprintf("To find all that begin with it, send %s.", clean.Quote(word+"*")))
				}
			}
		}
	}
	instead("nearest_words", "Nearest to")
	instead("containing_words", "Words that contain")
	switch {
	case len(l.Items) == 0:
		lines = append(lines, "No word is translated.")
	case someCount(l) > 0:
		lines = append(lines, "Hits have only other words"+write.When(nearestCount(l) > 0, " or near ones")+".")
	default:
		lines = append(lines, "Hits have none of the words themselves. No word is translated.")
	}
	return strings.Join(lines, " ")
}

// leftOut says which words of a query are not looked for as words. first reports whether the first hit has all words and the time.
func (q SearchQuery) leftOut(recall object, first bool) []string {
	if !recall.Has("left_out_words") && !recall.Has("time_words") && !recall.Has("inexact_words") {
		return nil
	}
	bare := func(name string) string {
		words := write.Each(write.Words(recall, name), clean.Bare)
		more := len(recall.Array(name)) - len(words)
		return strings.Join(words, ", ") + write.When(more > 0, fmt.Sprintf(" and %d more", more))
	}
	var inexact []string
	for _, raw := range recall.Array("inexact_words") {
		one := rs.AsObject(raw)
		inexact = append(inexact, clean.Quote(clean.Preview(one.Text("word"), write.WordChars))+
			" is nowhere as it is written; what was taken for forms of it: "+write.QuoteEach(write.Words(one, "as"))+".")
	}
	time := clean.Bare(clean.Preview(recall.Text("preferred_time"), write.WordChars))
	zone := write.When(q.Now.Format("02") != q.Now.UTC().Format("02"), " in UTC") // the resource server does not know the zone of the call
	ranks := write.When(first, "; what is of it or names it ranks first")
	return append(inexact, write.NotEmpty(write.Lead("common words, not looked for: ", bare("left_out_words")), write.When(recall.Has("time_words"),
		"read as a time"+zone+ranks+": "+strings.ReplaceAll(bare("time_words"), ", ", " ")+" = "+time))...)
}

// someCount returns how many records have only some of the words, as counted by the resource server.
func someCount(l answer.List) int { return recallCount(l, "partial_count") }

// nearestCount returns how many records have none of the words, but similar ones in place of misspelt words.
func nearestCount(l answer.List) int { return recallCount(l, "nearest_count") }

func recallCount(l answer.List, name string) int {
	n, _ := l.Recall.Number(name)
	return max(n, 0)
}

// goesOn lists the calls that continue in a few streams, and the names of the other streams that continue.
func goesOn(calls []string) string {
	const most = 3
	var lines, others []string
	for _, raw := range calls {
		call := rs.AsObject(raw)
		args := call.Object("arguments")
		stream := args.Text("stream") + strings.Join(write.Words(args, "streams"), "")
		line := write.Offer("more of "+clean.Bare(stream)+": ", call.Text("tool")+" "+args.JSON(), write.LongestHandle)
		if line == "" || len(lines) == most {
			others = append(others, clean.Bare(stream))
		} else {
			lines = append(lines, line)
		}
	}
	if len(others) > 0 {
		lines = append(lines, "More of "+strings.Join(others, ", ")+": name one of them as streams, or a shorter time.")
	}
	return strings.Join(lines, "\n")
}
