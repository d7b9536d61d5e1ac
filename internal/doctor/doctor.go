// Package doctor diagnoses why a person gets no answer: it checks the configuration, the credential, the provider, the clients on this
// machine and the program itself, and names one next step for each problem. It reads the schema but no records, and never shows a token.
package doctor

import (
	"context"
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

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
	if e.Sample != nil && e.Sample.Unread > 0 {
		e.warn("files", "see the lines \"not read\"", "Nothing was read of %d of your files.", e.Sample.Unread)
	}
	e.clients()
	e.check(ctx, func() { e.program(ctx) })
	report := Report{Findings: e.findings, ExitCode: exitCode(e.findings)}
	if e.Sample != nil {
		report.NotRead = e.Sample.NotRead
	}
	return report
}

func (e *examination) configuration() {
	switch owner := credentials.OwnerVariable(e.Environment); {
	case owner != "":
		e.fail("configuration", exit.Owner, "unset "+owner,
			"%s is set: an owner credential must not reach an assistant, and every command refuses to start.", owner)
	case e.Sample != nil:
		e.ok("configuration", "This reads %s, which needs no grant.", e.Sample.Name)
	case e.ProviderURL == "" && e.URL != "":
		e.ok("configuration", "The hosted server is %s.", e.URL)
	case e.ProviderURL == "":
		e.warn("configuration", "pdpp-mcp connect <provider-url> --source KEY, then pdpp-mcp doctor --provider-url <provider-url>",
			"No provider is named, so only the program itself is checked.")
	default:
		e.ok("configuration", "The provider is %s.", e.ProviderURL)
	}
}
