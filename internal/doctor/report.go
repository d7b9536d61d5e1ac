package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// The statuses of a finding.
const (
	OK   = "ok"
	Warn = "warn" // it works, but should be improved
	Fail = "fail" // it does not work
)

// A Finding is the result of one check.
type Finding struct {
	Check   string `json:"check"`          // a stable name
	Status  string `json:"status"`         // OK, Warn or Fail
	Message string `json:"message"`        // one sentence
	Next    string `json:"next,omitempty"` // what to do or run next; empty: nothing

	code int // the exit code of a failure
}

// A Report is the result of all checks.
type Report struct {
	Findings []Finding `json:"findings"`
	NotRead  []string  `json:"not_read,omitempty"` // of the person's own files
	ExitCode int       `json:"exit_code"`          // of an owner's credential, or else of the first failure; 0: none
}

// exitCode returns the exit code of an owner's credential if one was found, because no command starts with it, or else of
// the first failure.
func exitCode(findings []Finding) (code int) {
	for _, f := range findings {
		if f.Status == Fail && (code == 0 || f.code == exit.Owner) {
			code = f.code
		}
	}
	return code
}

// Print shows a report to a person.
func (r Report) Print(out io.Writer) error {
	var text strings.Builder
	counts := map[string]int{}
	for _, finding := range r.Findings {
		counts[finding.Status]++
		fmt.Fprintf(&text, "%-4s  %-13s %s\n", finding.Status, finding.Check, finding.Message)
		if finding.Next != "" {
			fmt.Fprintf(&text, "%21s%s\n", "next: ", finding.Next)
		}
	}
	text.WriteString("\n")
	for _, one := range r.NotRead {
		fmt.Fprintf(&text, "not read: %s\n", one)
	}
	fmt.Fprintf(&text, "%d ok, %d to improve, %d failed\n", counts[OK], counts[Warn], counts[Fail])
	_, err := io.WriteString(out, text.String())
	return err
}
