package importer

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// oneConnection returns a manifest with one connection.
func oneConnection() schema.Folder {
	return schema.Folder{Connectors: []schema.Connector{{Connections: []schema.Connection{{ID: "c", Folder: "."}}}}}
}

// The report of a file starts with lost records, before lines that are not records; what another file also has is not reported.
func TestLostRecordsAreReportedFirst(t *testing.T) {
	left := newLeftOut(oneConnection())
	for _, skip := range []Skip{{"a.csv", 1, "above the header"}, {"a.csv", 2, "above the header"}, {"a.csv", 7, "not a row"}, {"a.csv", 8, "the same as at line 4"}, {"b.html", 0, "the same as the .json file beside it"}} {
		left.add(skip, false)
	}
	want := []model.LeftOut{{ConnectionID: "c", File: "a.csv", Pieces: 3, Aside: 2, Line: 7, Reason: "not a row",
		More: []model.Left{{Line: 2, Reason: "above the header"}, {Line: 1, Reason: "above the header"}}}}
	if diff := cmp.Diff(want, left.ofPart("")); diff != "" || left.ofPart("")[0].Lost() != 1 {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Lines around a table concern all of its records, so they are reported second.
func TestLinesAroundATableAreReported(t *testing.T) {
	for text, want := range map[string]model.LeftOut{
		"Day,Sum,a,b,c\n2026-01-01,1,x,y,z\n2026-01-02,2\nTotal,3\nEnd\n": {Pieces: 2, Kept: 1, Aside: 1, Line: 3,
			Reason: "the row has 2 cells, and the header 5; it is kept",
			More:   []model.Left{{Line: 4, Reason: "2 lines around the table are in t_around, totals or balances among them: 1"}}},
		"Day,Sum\n2026-01-01,1\n2026-01-02,2\nEnd of all\n": {Pieces: 1, Aside: 1, Line: 4, Reason: "1 line around the table is in t_around"},
	} {
		corpus, _ := openFolder(t, writeFolder(t, map[string]string{"t.csv": text}))
		want.ConnectionID, want.Stream, want.File = corpus.Connectors[0].Connections[0].ID, "t", "t.csv"
		if diff := cmp.Diff([]model.LeftOut{want}, corpus.Parts[0].LeftOut()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// Dates with two possible readings stay texts, and the reason is reported.
func TestAmbiguousDatesAreReported(t *testing.T) {
	for name, text := range map[string]string{
		"a.csv":  "date,n\n03/04/2026 10:00,1.5\n05/06/2026 11:00,2.5\n",
		"a.json": "[\n{\"date\":\"03/04/2026 10:00\"},{\"date\":\"05/06/2026 11:00\"}]",
	} {
		var kept []Skip
		if _, err := Open(t.Context(), writeFolder(t, map[string]string{name: text}), nil, Watch{Kept: func(skip Skip) { kept = append(kept, skip) }}); err != nil {
			t.Fatal(err)
		}
		want := []Skip{{name, 2, `"date" stays a text: 03/04/2026 10:00 may be 2026-04-03T10:00:00 or 2026-03-04T10:00:00, and nothing else in the file says which`}}
		if diff := cmp.Diff(want, kept); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// A file beyond the limit of the report is counted once, however many of its lines are left out.
func TestFilesBeyondTheBoundAreCountedOnce(t *testing.T) {
	left := newLeftOut(oneConnection())
	for file := range maxLeftOut + 2 {
		for line := range 3 {
			left.add(Skip{File: fmt.Sprint(file, ".csv"), Line: line + 1, Reason: "not a row"}, false)
		}
	}
	if list := left.ofPart(""); !slices.ContainsFunc(list, func(one model.LeftOut) bool { return one.File == "2 more files" }) {
		t.Errorf("got %d, the last %v", len(list), list[len(list)-1])
	}
}
