package localserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
)

func TestLoadingIsReportedOnceASecondAndTheFirstSkips(t *testing.T) {
	clock := time.Date(2026, time.May, 4, 10, 0, 0, 0, time.UTC)
	var output strings.Builder
	report := loadReport{report: Config{Progress: &output, Now: func() time.Time { return clock }}.newReport()}
	report.found(1000)
	clock = clock.Add(progressEvery)
	report.found(2000)
	report.load(5000)
	clock = clock.Add(2 * progressEvery)
	report.load(7000)
	report.load(7001)
	report.skip(importer.Skip{File: "a/b.csv", Reason: "no row"})
	report.skip(importer.Skip{File: "b.html", Reason: "the same as the .json file beside it"})
	report.keep(importer.Skip{File: "c.csv", Line: 2, Reason: "short"})
	report.end()
	lines := strings.Split(strings.TrimSpace(output.String()), "\n")
	want := []string{
		"pdpp-mcp: found 2000 records so far",
		"pdpp-mcp: loaded 7000 records so far",
		"pdpp-mcp: skipped a/b.csv: no row",
		"pdpp-mcp: not in full c.csv:2: short",
		"pdpp-mcp: loaded 7001 records in 3s, skipped 1, and 1 that were read elsewhere",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	output.Reset()
	for file := range 2 * maxNamed {
		report.skip(importer.Skip{File: fmt.Sprint(file), Reason: "of an unknown kind"})
	}
	if got := output.String(); strings.Count(got, "\n") != maxNamed-1 || !strings.HasSuffix(got, "is only counted: doctor lists it\n") {
		t.Errorf("%d lines: %q", strings.Count(got, "\n"), got)
	}
}
