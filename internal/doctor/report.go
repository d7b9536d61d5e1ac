package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
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

// Options select what is checked.
type Options struct {
	Root        string
	ProviderURL string // empty: none
	GrantID     string
	Only        []string // names of stored grants; empty: all of the provider
	URL         string   // of a hosted server's /mcp, where hosts sign in; empty: none
	Sample      *Sample  // with --demo and --data, replaces the provider

	Program     string   // absolute path of this program
	Environment []string // searched for owner credentials; the program starts in it without PDPP_ variables
	Place       clients.Place
	UserAgent   string
	Now         func() time.Time
}

// A Sample is an embedded resource server that replaces a provider.
type Sample struct {
	URL     string
	Token   rs.Token
	Name    string   // of its data: "the sample year"
	Flags   []string // of the stdio command, to serve the same data
	NotRead []string // file, line and reason of each part that could not be read
	Unread  int      // files of which nothing was read
}

// patience is how long a provider may take to answer one request.
const patience = 10 * time.Second

type examination struct {
	Options
	once     *rsclient.Once
	findings []Finding
	well     bool // the provider accepted a credential
}

// check runs a check unless ctx has ended. If ctx ends during the check, its findings are dropped: they would blame what was checked.
func (e *examination) check(ctx context.Context, run func()) {
	before := len(e.findings)
	if ctx.Err() == nil {
		run()
	}
	if ctx.Err() != nil {
		e.findings = e.findings[:before]
	}
}

func (e *examination) ok(check, format string, arguments ...any) {
	e.found(Finding{Check: check, Status: OK}, format, arguments...)
}

func (e *examination) warn(check, next, format string, arguments ...any) {
	e.found(Finding{Check: check, Status: Warn, Next: next}, format, arguments...)
}

func (e *examination) fail(check string, code int, next, format string, arguments ...any) {
	e.found(Finding{Check: check, Status: Fail, Next: next, code: code}, format, arguments...)
}

// failed reports an error with its exit code and, if it names one, the command that fixes it.
func (e *examination) failed(check string, err error, next string) {
	message, command, _ := strings.Cut(err.Error(), credentials.Mend)
	e.fail(check, cmp.Or(exit.CodeOf(err), exit.NotReady), cmp.Or(command, next), "%s", message)
}

func (e *examination) found(finding Finding, format string, arguments ...any) {
	finding.Message = fmt.Sprintf(format, arguments...)
	e.findings = append(e.findings, finding)
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

// sentence returns an error's text as one line that ends in a full stop.
func sentence(err error) string { return strings.TrimSuffix(rs.ErrorText(err.Error()), ".") + "." }
