package integration

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of docs/journeys.md")

// A journey is something that a person wants to know, and the calls that find it. Its walk may only use what the client sees; only the
// expected result is read from the resource server.
type journey struct {
	says  string // with the requirements that it covers
	walk  func(c *client)
	token string // "" is the client's
	data  bool   // reads a person's own folder
}

// TestJourneys covers S4-R4, S3-R14, S3-R15, S1-R1 and S1-R2: one channel alone leads a model to every result, and out of every error. It
// counts what a model reads on the way.
func TestJourneys(t *testing.T) {
	folder := runDemo(t, "--data", ownFolder(t))
	all := journeys(t, folder.addresses)
	for _, r := range recoveries {
		all = append(all, journey{says: "recovers: " + r.says, walk: r.walk, token: r.token})
	}
	var mu sync.Mutex
	costs := map[string]map[string]cost{} // by journey and channel
	t.Run("walks", func(t *testing.T) {
		for name, ch := range map[string]channel{"text": contentOnly{}, "structured": structuredOnly{}} {
			for _, j := range all {
				t.Run(name+": "+j.says, func(t *testing.T) {
					t.Parallel()
					d := sample
					if j.data {
						d = folder.addresses
					}
					token := map[string]string{"": d.ClientToken, "narrow": d.NarrowToken, "package": d.PackageToken}[j.token]
					c := newClient(t, d.MCPURL, token, ch)
					j.walk(c)
					mu.Lock()
					defer mu.Unlock()
					if costs[j.says] == nil {
						costs[j.says] = map[string]cost{}
					}
					costs[j.says][name] = cost{c.calls, c.bytes}
					c.answersProposals()
				})
			}
		}
	})
	if t.Failed() {
		return
	}
	compareCosts(t, all, costs)
}

// A cost is the calls and bytes of a journey.
type cost struct{ calls, bytes int }

// The table is between these lines of the page.
const (
	journeysPage  = "../docs/journeys.md"
	journeysBegin = "<!-- journeys: go test ./integration -run TestJourneys -update -->\n"
	journeysEnd   = "<!-- end of journeys -->"
)

// compareCosts prints the table and compares it with the page: the same journeys, and no figure off by more than a fifth.
func compareCosts(t *testing.T, all []journey, costs map[string]map[string]cost) {
	t.Helper()
	var table strings.Builder
	table.WriteString("| journey | text: calls | bytes | structured: calls | bytes |\n|---|---|---|---|---|\n")
	row := func(name string, text, structured cost) {
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d |\n", name, text.calls, text.bytes, structured.calls, structured.bytes)
	}
	var text, structured cost
	for _, j := range all {
		of := costs[j.says]
		if len(of) != 2 {
			return // only some were selected
		}
		row(withoutIDs(j.says), of["text"], of["structured"])
		text.calls, text.bytes = text.calls+of["text"].calls, text.bytes+of["text"].bytes
		structured.calls, structured.bytes = structured.calls+of["structured"].calls, structured.bytes+of["structured"].bytes
	}
	row(fmt.Sprintf("all %d", len(all)), text, structured)
	t.Logf("bytes that a model reads:\n%s", &table)

	raw, err := os.ReadFile(journeysPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(raw), journeysBegin)
	old, after, ended := strings.Cut(rest, journeysEnd)
	if !begun || !ended {
		t.Fatalf("%s has no place for the journeys", journeysPage)
	}
	if *update {
		if err := os.WriteFile(journeysPage, []byte(before+journeysBegin+table.String()+journeysEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, got := tableRows(old), tableRows(table.String())
	if len(want) != len(got) {
		t.Errorf("%s has %d rows, and there are %d; run with -update", journeysPage, len(want), len(got))
	}
	for name, now := range got {
		for i, figure := range now {
			if was := want[name]; len(was) != len(now) || figure*5 > was[i]*6 || figure*5 < was[i]*4 {
				t.Errorf("%s: %q is %v in %s, and now %v; run with -update", "journeys", name, was, journeysPage, now)
				break
			}
		}
	}
}

// withoutIDs returns the description of a journey without requirement ids.
func withoutIDs(says string) string {
	says, _, _ = strings.Cut(says, " (S")
	prefix, rest, ok := strings.Cut(says, ": ")
	if !ok {
		prefix, rest = "", says
	} else {
		prefix += ": "
	}
	words := strings.Fields(rest)
	for len(words) > 0 && (strings.ContainsAny(words[0], "0123456789") || words[0] == "and") {
		words = words[1:]
	}
	return prefix + strings.Join(words, " ")
}

// tableRows returns the figures of a table by the name of the row.
func tableRows(table string) map[string][]int {
	rows := map[string][]int{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		var figures []int
		for _, cell := range cells[1:] {
			if n, err := strconv.Atoi(cell); err == nil {
				figures = append(figures, n)
			}
		}
		if len(figures) > 0 {
			rows[cells[0]] = figures
		}
	}
	return rows
}

// ownFolder returns a person's own data with what the sample year lacks: a stream of many fields, a text with many emoji, a long list.
func ownFolder(t *testing.T) string {
	wide := map[string]any{"id": "w1", "measured_at": "2026-05-01T10:00:00Z"}
	for i := range wideFields {
		wide[fmt.Sprintf("reading_of_the_instrument_%03d", i)] = i
	}
	var stops []string
	for i := range 400 {
		stops = append(stops, fmt.Sprintf("stop %d", i))
	}
	return writeFolder(t, map[string]string{
		"readings.jsonl": lineOf(t, wide),
		"diary.jsonl":    lineOf(t, map[string]any{"id": "d1", "title": "波の日記", "body": emojiNote(), "written_at": "2026-05-01T10:00:00Z"}),
		"walks.jsonl":    lineOf(t, map[string]any{"id": "k1", "title": "Along the coast", "stops": stops, "walked_at": "2026-05-01T10:00:00Z"}),
	})
}

const wideFields = 900

// fieldOf reads a field of a record from the resource server itself. id is one that was printed.
func fieldOf(t *testing.T, d addresses, id, field string) string {
	t.Helper()
	connection, rest, _ := strings.Cut(id, "/")
	stream, record, _ := strings.Cut(rest, ":")
	document := rsGet(t, d, "/v1/streams/"+stream+"/records/"+record+"?connection_id="+connection)
	switch value := document["data"].(map[string]any)[field].(type) {
	case string:
		return value
	case nil:
		t.Fatalf("the record %s has no %s", id, field)
		return ""
	default:
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
}

// same compares long texts and shows where they differ.
func same(t *testing.T, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	w, g := []rune(want), []rune(got)
	at := 0
	for at < len(w) && at < len(g) && w[at] == g[at] {
		at++
	}
	t.Errorf("%d characters instead of %d; they part at %d: want %q, got %q", len(g), len(w), at, w[at:min(at+30, len(w))], g[at:min(at+30, len(g))])
}

// everyOnce fails if an id occurs twice, or if there are not as many as the resource server counts.
func everyOnce(t *testing.T, ids []string, want any) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(ids))
	if n := len(slices.Compact(sorted)); n != len(ids) {
		t.Errorf("%d of %d are repeated", len(ids)-n, len(ids))
	}
	if fmt.Sprint(len(ids)) != fmt.Sprint(want) {
		t.Errorf("there are %d, the resource server counts %v", len(ids), want)
	}
}
