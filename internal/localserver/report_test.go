package localserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
)

func TestLoadingIsReportedOnceASecondAndTheFirstSkipsOfAFile(t *testing.T) {
	clock := time.Date(2026, time.May, 4, 10, 0, 0, 0, time.UTC)
	var said strings.Builder
	report := loadReport{report: Config{Progress: &said, Now: func() time.Time { return clock }}.newReport()}
	report.found(1000)
	clock = clock.Add(progressEvery)
	report.found(2000)
	report.load(5000)
	clock = clock.Add(2 * progressEvery)
	report.load(7000)
	report.load(7001)
	for line := range 40 {
		report.skip(importer.Skip{File: "a/b.csv", Line: line, Reason: "no row"})
	}
	report.skip(importer.Skip{File: "b.html", Reason: "the same as the .json file beside it"})
	report.keep(importer.Skip{File: "c.csv", Line: 2, Reason: "short"})
	report.keep(importer.Skip{File: "c.csv", Line: 3, Reason: "short"})
	report.end()
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	want := []string{
		"pdpp-mcp: found 2000 records so far",
		"pdpp-mcp: loaded 7000 records so far",
		"pdpp-mcp: skipped a/b.csv: no row",
		"pdpp-mcp: skipped a/b.csv:1: no row",
	}
	if diff := cmp.Diff(want, lines[:4]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	last := []string{"pdpp-mcp: not in full c.csv:2: short", "pdpp-mcp: loaded 7001 records in 3s, skipped 40, and 1 that were read elsewhere"}
	if diff := cmp.Diff(last, lines[len(lines)-2:]); diff != "" || len(lines) != 2+maxNamedOfFile+1+2 {
		t.Errorf("%d lines (-want +got)\n%s", len(lines), diff)
	}
	if line := lines[2+maxNamedOfFile]; line != "pdpp-mcp: skipped more of a/b.csv, which is only counted: doctor lists it" {
		t.Error(line)
	}
	for file := range 2 * maxNamed {
		report.skip(importer.Skip{File: fmt.Sprint(file), Reason: "of an unknown kind"})
		report.keep(importer.Skip{File: fmt.Sprint(file), Line: 1, Reason: "short"})
	}
	said.Reset()
	report.skip(importer.Skip{File: "last.csv", Reason: "of an unknown kind"})
	if report.lines != maxNamed+1 || said.Len() > 0 {
		t.Errorf("%d lines, and then %q", report.lines, said.String())
	}
}
