package doctor_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/doctor"
)

// Files of which nothing was read are among what can be improved, and the last line counts them, after the reasons.
func TestFilesOfWhichNothingWasReadAreToImprove(t *testing.T) {
	report := doctor.Examine(t.Context(), doctor.Options{
		Now:   func() time.Time { return now },
		Place: clients.Place{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }},
		Local: &doctor.Local{Name: "your files", Unread: 7,
			NotRead: []string{"a.ris: of no known kind", "x.csv:3: the row has 3 cells"}},
	})
	found := false
	for _, one := range report.Findings {
		found = found || one.Check == "files" && one.Status == doctor.Warn && one.Message == "Nothing was read of 7 of your files."
	}
	var shown bytes.Buffer
	if err := report.Print(&shown); err != nil || !found {
		t.Errorf("%+v %v", report.Findings, err)
	}
	lines := strings.Split(strings.TrimSpace(shown.String()), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, " to improve, ") || strings.Contains(last, " 0 to improve") {
		t.Errorf("the last line is %q", last)
	}
}
