package fanout_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

// rankedHits is a member with one hit for each letter of matches: all words of the query (a), some (s) or only similar ones (n).
// missing are the words that occur nowhere in it.
func rankedHits(prefix, matches string, missing ...string) memberAnswer {
	match := map[rune]string{'a': "all", 's': "some", 'n': "nearest"}
	var hits []string
	for i, letter := range matches {
		hits = append(hits, fmt.Sprintf(`{"object":"search_result","stream":"messages","record_key":"%s%d","match":%q}`, prefix, i, match[letter]))
	}
	return says(fmt.Sprintf(`{"object":"list","data":[%s],"has_more":false,"meta":{"count":%d,"count_accuracy":"exact","recall":{"complete":true,"ranking_scope":"all_matches",`+
		`"ranked_candidate_count":%d,"partial_count":%d,"missing_words":%s},"warnings":[]}}`, strings.Join(hits, ","), strings.Count(matches, "a"), len(matches),
		strings.Count(matches, "s"), rs.EncodeJSON(missing)))
}

// S3-16a: on each page a hit with all words of the query precedes one with some, whichever member has it. A word is reported as missing
// only if no member has it.
func TestHitsWithAllWordsComeFirst(t *testing.T) {
	server := &packageRS{answers: map[string]memberAnswer{
		"tok_a": rankedHits("a", "ssn", "lawyer", "boiler"), "tok_b": rankedHits("b", "aas", "lawyer"), "tok_c": rankedHits("c", "asn", "lawyer", "Oslo"),
	}}
	for _, limit := range []string{"20", "3", "1"} {
		p := packageOf(server, fanout.PackageOptions{}, aMember("a"), aMember("b"), aMember("c"))
		var keys []string
		for cursor, page := "", 0; page == 0 || cursor != "" && page < 20; page++ {
			response, err := p.Do(t.Context(), searchRequest("limit", limit, "cursor", cursor))
			got := readMerged(t, response, err)
			keys, cursor = append(keys, strings.Fields(got.keys())...), got.NextCursor
			recall := rs.AsObject(string(got.Meta.Recall))
			if n, _ := recall.Number("partial_count"); n != 4 || recall.Get("missing_words") != `["lawyer"]` {
				t.Errorf("limit %s, page %d: %s", limit, page, got.Meta.Recall)
			}
		}
		if got := strings.Join(keys, " "); got != "b0 c0 b1 c1 a0 b2 a1 c2 a2" {
			t.Errorf("limit %s: %s", limit, got)
		}
	}
}
