package fanout

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A tally is the sum of what members report about how much matches and how much of it was ranked. The cursor carries the tally of the
// members that have nothing more to show, so that every page counts all members.
type tally struct {
	Count     int  `json:"n,omitempty"`
	Counted   bool `json:"c,omitempty"` // at least one member counted
	Partial   bool `json:"p,omitempty"` // at least one did not, did not answer, or gave a lower bound
	Estimated bool `json:"e,omitempty"`

	Recall     bool   `json:"r,omitempty"` // at least one member gave a recall
	Incomplete bool   `json:"i,omitempty"` // at least one is not known to be complete, or did not answer
	Cut        bool   `json:"x,omitempty"` // at least one is truncated
	Scope      string `json:"o,omitempty"` // the ranking scope, of an incomplete ranking if there is one
	Ranked     int    `json:"k,omitempty"`
	Window     int    `json:"w,omitempty"` // the largest
	Searched   int    `json:"s,omitempty"`
	Truncated  int    `json:"t,omitempty"`

	Some    int      `json:"m,omitempty"` // records with some words of the query
	Missing []string `json:"q,omitempty"` // words that no member has
	leftOut
	Members int `json:"h,omitempty"` // how many answered
}

// leftOut are the words of a query that were not searched for, according to the first member.
type leftOut struct {
	LeftOut       []string `json:"left_out_words,omitempty"`
	TimeWords     []string `json:"time_words,omitempty"`
	PreferredTime string   `json:"preferred_time,omitempty"`
}

// recallBody is the wire form of how complete the ranking of a search is.
type recallBody struct {
	Complete  bool     `json:"complete"`
	Ranked    int      `json:"ranked_candidate_count"`
	Scope     string   `json:"ranking_scope,omitempty"`
	Cut       bool     `json:"truncated"`
	Searched  int      `json:"sources_searched_count"`
	Window    int      `json:"candidate_window_limit,omitempty"`
	Truncated int      `json:"truncated_source_count,omitempty"`
	Some      int      `json:"partial_count,omitempty"`
	Missing   []string `json:"missing_words,omitempty"`
	leftOut
}

// maxMissing is how many of a member's missing words, left-out words and time words are kept.
const maxMissing = 32

// unanswered returns the tally of a member that did not answer: its hits are missing.
func unanswered() tally { return tally{Partial: true, Incomplete: true} }

// readTally reads meta of a search answer. A count is a number with count_accuracy, or {kind,value}.
func readTally(meta rs.Object) tally {
	t := tally{Members: 1}
	count, counted := meta.Number("count")
	kind := meta.JSONString("count_accuracy")
	if o := meta.Object("count"); o != nil {
		count, counted = o.Number("value")
		kind = o.JSONString("kind")
	}
	t.Partial = !counted || count < 0 || kind == "none" || kind == "lower_bound"
	if counted && count >= 0 && kind != "none" {
		t.Count, t.Counted = count, true
		t.Estimated = kind == "estimated" || kind == "estimate" || kind == "approximate"
	}
	t.Incomplete = true // unless the member reports that it is complete
	var recall recallBody
	if raw := meta.Get("recall"); raw != "" && json.Unmarshal([]byte(raw), &recall) == nil {
		t.Recall, t.Cut, t.Scope = true, recall.Cut, recall.Scope
		t.Incomplete = !recall.Complete
		t.Ranked, t.Window, t.Searched, t.Truncated = max(recall.Ranked, 0), recall.Window, max(recall.Searched, 0), max(recall.Truncated, 0)
		t.Some, t.Missing = max(recall.Some, 0), recall.Missing[:min(len(recall.Missing), maxMissing)]
		t.leftOut = leftOut{recall.LeftOut[:min(len(recall.LeftOut), maxMissing)], recall.TimeWords[:min(len(recall.TimeWords), maxMissing)], recall.PreferredTime}
	}
	return t
}

// plus returns the sum of two tallies. It is complete only if both are.
func (t tally) plus(u tally) tally {
	if t.Scope == "" || u.Scope != "" && u.Incomplete {
		t.Scope = u.Scope // the scope of an incomplete ranking tells more
	}
	t.Count = sum(t.Count, u.Count)
	t.Counted = t.Counted || u.Counted
	t.Partial = t.Partial || u.Partial || t.Count == math.MaxInt
	t.Estimated = t.Estimated || u.Estimated
	t.Recall = t.Recall || u.Recall
	t.Incomplete = t.Incomplete || u.Incomplete
	t.Cut = t.Cut || u.Cut
	t.Ranked = sum(t.Ranked, u.Ranked)
	t.Window = max(t.Window, u.Window) // starts at 0, so a negative one does not count
	t.Searched = sum(t.Searched, u.Searched)
	t.Truncated = sum(t.Truncated, u.Truncated)
	t.Some = sum(t.Some, u.Some)
	switch {
	case t.Members == 0:
		t.Missing, t.leftOut = u.Missing, u.leftOut
	case u.Members > 0:
		t.Missing = slices.DeleteFunc(slices.Clone(t.Missing), func(word string) bool { return !slices.Contains(u.Missing, word) })
	}
	t.Members += u.Members
	return t
}

// sum adds two numbers that are not negative. A sum that is too large is the largest int.
func sum(a, b int) int { return a + min(b, math.MaxInt-a) }

// meta returns the tally as the meta of a search answer.
func (t tally) meta(warnings []string) rs.Object {
	meta := rs.Object{{Name: "count", Value: `{"kind":"none"}`}}
	switch {
	case !t.Counted:
	case t.Estimated:
		meta[0].Value = rs.Object{{Name: "kind", Value: `"estimated"`}, rs.NewMember("value", t.Count)}.JSON()
	default:
		meta[0].Value = rs.EncodeJSON(t.Count)
		meta = append(meta, rs.Member{Name: "count_accuracy", Value: `"exact"`})
		if t.Partial {
			meta[1].Value = `"lower_bound"`
		}
	}
	if t.Recall {
		meta = append(meta, rs.NewMember("recall", recallBody{
			!t.Incomplete, t.Ranked, t.Scope, t.Cut, t.Searched, t.Window, t.Truncated, t.Some, t.Missing, t.leftOut,
		}))
	}
	return append(meta, rs.Member{Name: "warnings", Value: rs.JoinArray(warnings)})
}
