package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// A Repair is what was done for a search whose words no record has all of. The hits of the page are those of other searches.
type Repair struct {
	Words    []RepairWord // that were asked for one by one
	NotAsked []string
	Hits     []RepairHit // of the page
	Near     bool        // hits that have none of the words come from a hybrid search
	Ended    string      // code of the error that ended the repair early; may be empty
	Total    int         // hits on all pages
	Reads    int
}

// A RepairHit is what is known of a hit.
type RepairHit struct {
	Key   string   // what tells it from the others, as [Position.After] takes it
	Words []string // that it has; none: it is only near
}

// A RepairWord is a word and how many records have it.
type RepairWord struct {
	Word    string
	Count   int
	AtLeast bool
	// Form is what was asked for instead of a word that no record has; may be empty.
	Form        string
	FormCount   int
	FormAtLeast bool
}

const (
	repairWordChars = 40 // of a word that is said again
	maxRepairWords  = 12
)

// says are the sentences that lead the answer: what has not been found, what the hits are, and which word is how frequent.
func (r *Repair) says() []string {
	var asked, counts []string
	some := false
	for _, w := range r.Words {
		asked = append(asked, repairWord(w.Word))
		counts = append(counts, repairCount(w.Word, w.Count, w.AtLeast))
		if w.Form != "" {
			counts = append(counts, repairCount(w.Form, w.FormCount, w.FormAtLeast))
		}
		some = some || w.Count > 0 || w.FormCount > 0
	}
	for _, word := range r.NotAsked {
		asked = append(asked, repairWord(word))
	}
	if len(asked) > maxRepairWords {
		asked = append(asked[:maxRepairWords], fmt.Sprintf("%d others", len(asked)-maxRepairWords))
	}
	lead := "No record has all of: " + strings.Join(asked, ", ") + "."
	if r.Total == 0 && r.Ended == "" && len(r.NotAsked) == 0 {
		lead = "No record has any of: " + strings.Join(asked, ", ") + "."
	}
	switch {
	case some:
		lead += " These have some."
	case r.Near && r.Total > 0:
		lead += " These are nearest, not matching."
	}
	lines := []string{lead}
	if len(counts) > 0 {
		line := "records with each word: " + strings.Join(counts, ", ")
		if len(r.NotAsked) > 0 {
			line += fmt.Sprintf("; %d not asked for", len(r.NotAsked))
		}
		lines = append(lines, fmt.Sprintf("%s (%s of the resource server)", line, plural(r.Reads, "read")))
	}
	if r.Ended != "" {
		lines = append(lines, "A search for some of the words failed ("+clean.Name(clean.Preview(r.Ended, labelChars))+"): there may be more.")
	}
	return lines
}

func repairWord(word string) string { return clean.Bare(clean.Preview(word, repairWordChars)) }

func repairCount(word string, count int, atLeast bool) string {
	text := repairWord(word) + " " + strconv.Itoa(count)
	if atLeast {
		text += " or more"
	}
	return text
}

// has says which of the words a hit has.
func (h RepairHit) has() string {
	if len(h.Words) == 0 {
		return "nearest, not matching"
	}
	named := make([]string, len(h.Words))
	for i, word := range h.Words {
		named[i] = repairWord(word)
	}
	return "has " + strings.Join(named, ", ")
}

// envelope is the repair in structured output.
func (r *Repair) envelope() object {
	type word struct {
		Word    string `json:"word"`
		Count   int    `json:"count"`
		AtLeast bool   `json:"at_least,omitempty"`
		For     string `json:"instead_of,omitempty"`
	}
	words := []word{}
	for _, w := range r.Words {
		words = append(words, word{Word: clean.Preview(w.Word, repairWordChars), Count: w.Count, AtLeast: w.AtLeast})
		if w.Form != "" {
			words = append(words, word{clean.Preview(w.Form, repairWordChars), w.FormCount, w.FormAtLeast, clean.Preview(w.Word, repairWordChars)})
		}
	}
	o := object{pair("says", encode(r.says()[0])), pair("words", encode(words)), pair("reads", encode(r.Reads))}
	if len(r.NotAsked) > 0 {
		o = append(o, pair("not_asked", encode(len(r.NotAsked))))
	}
	if r.Ended != "" {
		o = append(o, pair("ended_by", encode(clean.Preview(r.Ended, labelChars))))
	}
	return append(o, pair("hits", encode(r.Total)))
}
