package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/hit"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A Repair describes what was done because no record has all words of a search. The hits of the page are those of other searches.
type Repair struct {
	Words       []RepairWord // that were searched for one by one
	NotSearched []string     // words that were not searched for alone
	Separate    bool         // the words were not searched for together
	Hits        []RepairHit  // of the page
	Near        bool         // a hybrid search was made; its hits may have none of the words
	Ended       string       // code of the error that ended the repair early; may be empty
	All         bool         // some hits have all of the words that were searched for
	Total       int          // hits on all pages
	More        bool         // other records have some of the words, and are on no page
	Reads       int          // calls to the resource server
}

// A RepairHit is a hit of a repaired search.
type RepairHit struct {
	Key   string   // distinguishes it from the other hits, for [Position.After]
	Words []string // that it has; none if it is only near in meaning
}

// A RepairWord is a word and how many records have it.
type RepairWord struct {
	Word      string
	Count     int
	AtLeast   bool
	InsteadOf string // the earlier word that no record has and of which this is another form; "" for a word of the query
}

const (
	repairWordChars = 40 // of a word that is quoted
	maxRepairWords  = 12 // that an answer names
)

// says returns the sentences that open the answer: what was not found, what the hits are, and how many records have each word.
func (r *Repair) says() []string {
	var asked, counts []string
	some := false
	for _, w := range r.Words {
		count := strconv.Itoa(w.Count) + write.When(w.AtLeast, " or more")
		if w.Count == 0 && w.AtLeast {
			count = "none found"
		}
		counts = append(counts, repairWord(w.Word)+" "+count)
		some = some || w.Count > 0
		if w.InsteadOf == "" {
			asked = append(asked, repairWord(w.Word))
		}
	}
	asked = append(asked, write.Each(r.NotSearched, repairWord)...)
	words := strings.Join(write.First(asked, maxRepairWords, "%d others"), ", ") + "."
	lead := "No record has all of" + write.When(r.Separate, " the query, with its common words. It is about") + ": " + words
	if r.Total == 0 && r.Ended == "" && len(r.NotSearched) == 0 {
		lead = "No record was found for any of: " + words + " The resource server may match whole words only."
	}
	switch {
	case r.All:
		lead = "No record has all of the query, with its common words. These have some or all of: " + words
	case some:
		lead += " These have some."
	case r.Near && r.Total > 0:
		lead += " These are nearest, not matching."
	}
	each := write.Lead("records with each word: ", strings.Join(counts, ", "))
	if len(r.NotSearched) > 0 {
		unasked := write.First(write.Each(r.NotSearched, repairWord), maxRepairWords, "%d others")
		each += write.When(each != "", "; not asked for alone: "+strings.Join(unasked, ", "))
	}
	return write.NotEmpty(lead, write.When(each != "", fmt.Sprintf("%s (%s of the resource server)", each, write.Plural(r.Reads, "read"))),
		write.When(r.Ended != "", "A search for some of the words failed ("+clean.Name(write.Label(r.Ended))+"): there may be more."))
}

func repairWord(word string) string { return clean.Bare(clean.Preview(word, repairWordChars)) }

// total says how many hits all pages have.
func (r *Repair) total() string {
	most := 0
	for _, w := range r.Words {
		most = max(most, w.Count)
	}
	switch {
	case most > r.Total:
		return fmt.Sprintf("the first %d of at least %d hits", r.Total, most)
	case r.More:
		return fmt.Sprintf("%s, perhaps not all,", write.Plural(r.Total, "hit"))
	}
	return write.Plural(r.Total, "hit")
}

// label adds to a hit the words that its text shows, or by which another hit of the same record was found, and sets Has accordingly.
func (r *Repair) label(h *hit.Hit, all []hit.Hit) {
	asked := slices.Clone(r.NotSearched)
	for _, w := range r.Words {
		asked = append(asked, w.Word)
	}
	for _, word := range asked {
		found := func(other hit.Hit) bool { return h.IsSameRecord(&other) && slices.Contains(other.Words, word) }
		if !slices.Contains(h.Words, word) && (h.Shows(word) || slices.ContainsFunc(all, found)) {
			h.Words = append(h.Words, word)
		}
	}
	h.Has = cmp.Or(write.Lead("has ", strings.Join(write.Each(h.Words, repairWord), ", ")), "nearest, not matching")
}

func (r *Repair) json() string {
	o := new(write.Object).Plain("says", r.says()[0]).Open("words", '[')
	for _, w := range r.Words {
		o.Open("", '{').Plain("word", clean.Preview(w.Word, repairWordChars)).Put("count", write.JSON(w.Count)).Flag("at_least", w.AtLeast)
		o.Optional("instead_of", clean.Preview(w.InsteadOf, repairWordChars)).Close('}')
	}
	o.Close(']').Put("reads", write.JSON(r.Reads)).Number("not_asked", len(r.NotSearched))
	return o.Optional("ended_by", write.Label(r.Ended)).Put("hits", write.JSON(r.Total)).Flag("more_exist", r.More).JSON()
}
