package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
)

// allWords answers searches like a resource server that requires every word in a text. hybrid is the status of a hybrid search.
func allWords(texts map[string]string, hybrid int) *middlewaretest.RS {
	var ids []string
	for id := range texts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if strings.HasSuffix(r.Path, "/hybrid") && hybrid != 200 {
			return nil, &rs.Error{Code: "search_mode_unavailable", Status: hybrid, Message: "No."}
		}
		var hits []string
		for _, id := range ids {
			has := true
			for word := range strings.FieldsSeq(strings.ToLower(strings.ReplaceAll(r.Query.Get("q"), `"`, ""))) {
				has = has && slices.Contains(strings.Fields(texts[id]), word)
			}
			if has || strings.HasSuffix(r.Path, "/hybrid") {
				hits = append(hits, fmt.Sprintf(`{"stream":"s","record_key":%q,"connection_id":"c","emitted_at":"2026-01-01T00:00:00Z"}`, id))
			}
		}
		count := len(hits)
		return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","has_more":false,"data":[%s],"meta":{"count":%d}}`,
			strings.Join(hits[:min(count, 25)], ","), count)), nil
	}}
}

// BenchmarkRepair repairs a question over a resource server that takes 20 ms for each read and does not support hybrid search, which is
// tried first.
func BenchmarkRepair(b *testing.B) {
	answers := allWords(year, 404)
	slow := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		time.Sleep(20 * time.Millisecond)
		return answers.Answer(r)
	}}
	tool := tools.Search("https://rs.example")
	raw := json.RawMessage(`{"q":"when did the dentist near the harbour move my appointments of next month"}`)
	args, err := tool.Parse(raw)
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	reads := 0
	for b.Loop() {
		begun := time.Now()
		reply, err := tools.Forward(b.Context(), tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(string(raw)), RS: slow, Args: args})
		if err != nil || reply.Repair == nil {
			b.Fatal(err, reply.Repair)
		}
		took, reads = append(took, time.Since(begun)), reply.Repair.Reads
	}
	slices.Sort(took)
	b.ReportMetric(float64(reads), "reads")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// structuredSearch is the part of the structured output that tests check.
type structuredSearch struct {
	Results []struct {
		ID    string
		Words []string
	}
	Data struct {
		NextCursor string `json:"next_cursor"`
		Repair     *struct {
			Says  string
			Words []struct {
				Word  string
				Count int
			}
			Reads int
			Ended string `json:"ended_by"`
		}
	}
}

func searchWith(t *testing.T, tool *tools.Tool, server *middlewaretest.RS, arguments string) (structuredSearch, string) {
	t.Helper()
	result := use(t, tool, server, json.RawMessage(arguments))
	var s structuredSearch
	if err := json.Unmarshal([]byte(result.Structured), &s); err != nil {
		t.Fatal(err)
	}
	return s, result.Text
}

var year = map[string]string{
	"1": "dentist appointment thursday", "2": "dentist bill", "3": "appointment garage", "4": "garage bill", "5": "nothing",
}

func TestASearchWithoutHitsIsRepaired(t *testing.T) {
	server := allWords(year, 404)
	tool := tools.Search("https://rs.example")
	searchWith(t, tool, server, `{"q":"when is my dentist appointment moved -thursday"}`)
	for _, r := range searches(server)[1:] {
		if !strings.HasSuffix(r.Path, "/hybrid") && !strings.HasSuffix(r.Query.Get("q"), " -thursday") {
			t.Errorf("the excluded word is left out of %q", r.Query.Get("q"))
		}
	}

	if _, text := searchWith(t, tool, allWords(year, 404), `{"q":"when was the dentist bill"}`); !strings.HasPrefix(text,
		"No record has all of the query, with its common words. These have some or all of: dentist, bill.\n") {
		t.Errorf("a record has all words but the common ones:\n%s", text)
	}
	server = allWords(year, 404)
	got, text := searchWith(t, tool, server, `{"q":"when is my dentist appointment moved"}`)
	if len(got.Results) != 3 || got.Results[0].ID != "c/s:1" || !slices.Equal(got.Results[0].Words, []string{"appointment", "dentist"}) {
		t.Errorf("found %+v", got.Results)
	}
	for _, says := range []string{"No record has all of: appointment, dentist, moved. These have some.", "moved 0", "dentist 2", "has appointment, dentist"} {
		if !strings.Contains(text, says) {
			t.Errorf("the text does not say %q:\n%s", says, text)
		}
	}
	if got.Data.Repair == nil || !strings.HasPrefix(got.Data.Repair.Says, "No record has all of") || len(got.Data.Repair.Words) < 3 {
		t.Errorf("structured says %+v", got.Data.Repair)
	}
	if hybrid := countHybrid(server); hybrid != 0 { // the first call was refused
		t.Errorf("hybrid search was tried again %d times", hybrid)
	}
}

// A record with all words of a question may not be among the first hits of any single word, so the words are also searched together.
func TestTheWordsOfAQuestionAreAlsoSearchedTogether(t *testing.T) {
	many := map[string]string{"z": "lisbon ida birthday"}
	for i := range 60 {
		many[fmt.Sprint("a", i)], many[fmt.Sprint("b", i)] = "ida", "birthday"
	}
	for query, words := range map[string]string{
		"when is the birthday of ida": "birthday, ida", "what about ida's birthday?": "birthday, ida",
		"what did they say in lisbon when ida had a birthday": "birthday, lisbon, ida",
	} {
		got, text := searchWith(t, tools.Search("https://rs.example"), allWords(many, 404), rs.Object{rs.NewMember("q", query)}.JSON())
		if len(got.Results) == 0 || got.Results[0].ID != "c/s:z" || len(got.Results[0].Words) != strings.Count(words, ",")+1 {
			t.Errorf("%s: found %+v", query, got.Results)
		}
		if !strings.HasPrefix(text, "No record has all of the query, with its common words. These have some or all of: "+words+".\n") {
			t.Errorf("%s:\n%s", query, text)
		}
		if !strings.Contains(text, "of at least 61 hits") {
			t.Errorf("all of some words are counted:\n%s", text)
		}
	}
	server := allWords(many, 404)
	_, text := searchWith(t, tools.Search("https://rs.example"), server, `{"q":"birthday zebra"}`)
	if n := len(searches(server)); n != 5 || !strings.HasPrefix(text, "No record has all of: birthday, zebra. These have some.\n") { // one hybrid search, two words together and alone, another form
		t.Errorf("%d reads:\n%s", n, text)
	}
}

func countHybrid(server *middlewaretest.RS) (n int) {
	for _, r := range server.Requests() {
		if strings.HasSuffix(r.Path, "/hybrid") {
			n++
		}
	}
	return n
}

// searches returns the requests without those that read freshness, grant limits or the schema when nothing is found.
func searches(server *middlewaretest.RS) []rs.Request {
	return slices.DeleteFunc(server.Requests(), func(r rs.Request) bool {
		return strings.HasPrefix(r.Path, "/v1/streams") || r.Path == "/v1/schema"
	})
}

func TestExactSearchesAreNotRepaired(t *testing.T) {
	for _, arguments := range []string{
		`{"q":"\"no such phrase\""}`, `{"q":"dentist moved","mode":"semantic"}`, `{"q":"dentist moved","cursor":"abc"}`,
		`{"q":"dentist moved","streams":["s"],"filter":{"id":"7"}}`, `{"q":"dentist bill"}`,
	} {
		server := allWords(year, 404)
		if got, _ := searchWith(t, tools.Search(""), server, arguments); got.Data.Repair != nil || len(searches(server)) != 1 {
			t.Errorf("%s is repaired with %d reads", arguments, len(searches(server)))
		}
	}
	ranks := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) {
		return middlewaretest.JSON(`{"object":"list","has_more":false,"data":[],"meta":{"count":0,"recall":{"complete":true,"missing_words":["lawyer"]}}}`), nil
	}}
	if got, text := searchWith(t, tools.Search(""), ranks, `{"q":"did I ever talk to a lawyer"}`); got.Data.Repair != nil || len(searches(ranks)) != 1 ||
		!strings.HasPrefix(text, `As a word, "lawyer" occurs nowhere in the fields that search reads.`) {
		t.Errorf("a resource server that accepts any word needs one search, and got %d:\n%s", len(searches(ranks)), text)
	}
	server := allWords(year, 404)
	if got, _ := searchWith(t, tools.PlainSearch(""), server, `{"q":"dentist moved"}`); got.Data.Repair != nil || len(searches(server)) != 1 {
		t.Error("a search is repaired although that is turned off")
	}
}

func TestNearHitsAreMarked(t *testing.T) {
	got, text := searchWith(t, tools.Search(""), allWords(year, 200), `{"q":"dentist appointment moved"}`)
	if len(got.Results) != 5 || len(got.Results[4].Words) != 0 || !strings.Contains(text, "nearest, not matching") {
		t.Errorf("%+v\n%s", got.Results, text)
	}
}

func TestAFailedReadEndsOnlyTheRepair(t *testing.T) {
	server := allWords(year, 404)
	answer := server.Answer
	server.Answer = func(r rs.Request) (*rs.Response, error) {
		if r.Query.Get("q") == "moved" {
			return nil, &rs.Error{Code: "rate_limited", Status: 429, Message: "Slow down."}
		}
		return answer(r)
	}
	got, text := searchWith(t, tools.Search(""), server, `{"q":"dentist appointment moved"}`)
	if got.Data.Repair == nil || got.Data.Repair.Ended != "rate_limited" || !strings.Contains(text, "A search for some of the words failed (rate_limited)") {
		t.Errorf("%+v\n%s", got.Data.Repair, text)
	}
}

// FuzzRepair checks the properties of a repaired search: it is bounded, shows only hits that a read returned, each once, is repeatable,
// and its pages are the complete list on either channel.
func FuzzRepair(f *testing.F) {
	f.Add("when is my dentist appointment moved", byte(2), byte(0))
	f.Add("a b c d e f g h alpha beta gamma delta epsilon zeta", byte(1), byte(3))
	f.Add("alpha alphas beta -gamma", byte(0), byte(200))
	f.Fuzz(func(t *testing.T, query string, limit, seed byte) {
		texts := map[string]string{}
		words := append(relax.Words(query), "other")
		for i := range 40 {
			texts[fmt.Sprint(i)] = strings.ToLower(words[(i+int(seed))%len(words)] + " " + words[(i*7)%len(words)])
		}
		arguments := map[string]any{"q": query}
		if limit > 0 {
			arguments["limit"] = int(limit%100) + 1
		}
		tool := tools.Search("")
		if _, err := tool.Parse(json.RawMessage(rs.EncodeJSON(arguments))); err != nil {
			t.Skip()
		}
		hybrid := []int{200, 400, 404, 500}[seed%4]
		walk := func() (ids []string) {
			delete(arguments, "cursor")
			for range 80 {
				server := allWords(texts, hybrid)
				server.Answer = locked(server.Answer)
				got, _ := searchWith(t, tool, server, rs.EncodeJSON(arguments))
				if reads := len(server.Requests()); reads > relax.MaxReads || got.Data.Repair != nil && got.Data.Repair.Reads > relax.MaxReads {
					t.Fatalf("%d reads", reads)
				}
				for _, hit := range got.Results {
					id := strings.TrimPrefix(hit.ID, "c/s:")
					if _, known := texts[id]; !known || slices.Contains(ids, id) {
						t.Fatalf("%s is not a record, or occurs twice: %q", hit.ID, ids)
					}
					ids = append(ids, id)
				}
				if got.Data.NextCursor == "" {
					return ids
				}
				arguments["cursor"] = got.Data.NextCursor
			}
			t.Fatal("the pages do not end")
			return nil
		}
		if first, again := walk(), walk(); !slices.Equal(first, again) {
			t.Fatalf("%q, then %q", first, again)
		}
	})
}

// locked answers one read at a time.
func locked(answer func(rs.Request) (*rs.Response, error)) func(rs.Request) (*rs.Response, error) {
	var mu sync.Mutex
	return func(r rs.Request) (*rs.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		return answer(r)
	}
}

// If few reads are left, the singular of a word is searched for before the plural of another.
func TestAShorterFormIsSearchedFirst(t *testing.T) {
	server := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) { return middlewaretest.JSON(`{"data":[]}`), nil }}
	searchWith(t, tools.Search("https://rs.example"), server, `{"q":"unread mails zebra lorry pigeon"}`)
	var asked []string
	for _, r := range server.Requests() {
		asked = append(asked, r.Query.Get("q"))
	}
	if !slices.Contains(asked, "mail") || slices.Contains(asked, "unreads") {
		t.Errorf("searches for %q", asked)
	}
}
