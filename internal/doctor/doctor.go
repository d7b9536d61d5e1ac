// Package doctor diagnoses why a person gets no answer: it checks the configuration, the credential, the provider, the clients on this
// machine and the program itself, and names one next step for each problem. It reads the schema but no records, and never shows a token.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// Options select what is checked.
type Options struct {
	Root        string
	ProviderURL string // empty: none
	GrantID     string
	Only        []string // names of stored grants; empty: all of the provider
	URL         string   // of a hosted server's /mcp, where hosts sign in; empty: none
	Local       *Local   // with --demo and --data, replaces the provider

	Program     string   // absolute path of this program
	Environment []string // searched for owner credentials; the program starts in it without PDPP_ variables
	Place       clients.Place
	UserAgent   string
	Now         func() time.Time
}

// A Local is an embedded resource server, of the sample year or of own files, that replaces a provider.
type Local struct {
	URL     string
	Token   rs.Token
	Name    string   // of its data: "the sample year"
	Flags   []string // of the stdio command, to serve the same data
	NotRead []string // file, line and reason of each part that could not be read
	Unread  int      // files of which nothing was read
}

// Run runs all checks and shows the report. Its error is an *exit.Error with the report's exit code if a check failed, or a
// *transport.StoppedError if ctx ends first.
func Run(ctx context.Context, o Options, show func(Report) error) error {
	report := Examine(ctx, o)
	if err := show(report); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return &transport.StoppedError{Message: fmt.Sprintf("stopped: %v, before everything was checked", context.Cause(ctx))}
	}
	if report.ExitCode != 0 {
		return &exit.Error{Code: report.ExitCode, Message: "something does not work; what to do next is shown above."}
	}
	return nil
}

// Examine runs every check until ctx ends. It skips a check that depends on a failed one.
func Examine(ctx context.Context, o Options) Report {
	e := &examination{Options: o, once: rsclient.NewOnce(patience)}
	e.configuration()
	stored := e.credentials()
	provider, reached := e.provider(), false
	if provider != "" {
		e.check(ctx, func() { reached = e.reach(ctx, provider) })
	}
	for _, credential := range stored {
		if reached {
			e.check(ctx, func() { e.well = e.token(ctx, credential) || e.well })
		}
	}
	if e.URL != "" {
		e.check(ctx, func() { e.signIn(ctx) })
	}
	if e.Local != nil && e.Local.Unread > 0 {
		e.warn("files", "see the lines \"not read\"", "Nothing was read of %d of your files.", e.Local.Unread)
	}
	e.clients()
	e.check(ctx, func() { e.program(ctx) })
	report := Report{Findings: e.findings, ExitCode: exitCode(e.findings)}
	if e.Local != nil {
		report.NotRead = e.Local.NotRead
	}
	return report
}

func (e *examination) configuration() {
	switch owner := credentials.OwnerVariable(e.Environment); {
	case owner != "":
		e.fail("configuration", exit.Owner, "unset "+owner,
			"%s is set: an owner credential must not reach an assistant, and every command refuses to start.", owner)
	case e.Local != nil:
		e.ok("configuration", "This reads %s, which needs no grant.", e.Local.Name)
	case e.ProviderURL == "" && e.URL != "":
		e.ok("configuration", "The hosted server is %s.", e.URL)
	case e.ProviderURL == "":
		e.warn("configuration", "pdpp-mcp connect <provider-url> --source KEY, then pdpp-mcp doctor --provider-url <provider-url>",
			"No provider is named, so only the program itself is checked.")
	default:
		e.ok("configuration", "The provider is %s.", e.ProviderURL)
	}
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
	message, command, _ := strings.Cut(err.Error(), credentials.RunCommand)
	e.fail(check, cmp.Or(exit.CodeOf(err), exit.NotReady), cmp.Or(command, next), "%s", message)
}

func (e *examination) found(finding Finding, format string, arguments ...any) {
	finding.Message = fmt.Sprintf(format, arguments...)
	e.findings = append(e.findings, finding)
}

// sentence returns an error's text as one line that ends in a full stop.
func sentence(err error) string { return strings.TrimSuffix(rs.ErrorText(err.Error()), ".") + "." }
