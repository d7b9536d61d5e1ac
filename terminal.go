package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
	"github.com/pdp-connect/pdpp-mcp/transport/clients"
	"github.com/pdp-connect/pdpp-mcp/transport/doctor"
	"github.com/pdp-connect/pdpp-mcp/transport/terminal"
)

type callCommand struct {
	Tool      string   `arg:"" help:"Name of the tool; pdpp-mcp tools lists them."`
	Arguments []string `arg:"" optional:"" name:"argument" help:"One JSON object, or key=value for each argument; lists are typed with commas."`
	providerFlags
	Structured bool `help:"Print the structured result instead of the text."`
}

type toolsCommand struct {
	Tool string `arg:"" optional:"" help:"Show this tool with its arguments."`
	JSON bool   `name:"json" help:"Print what goes over the wire."`
}

type doctorCommand struct {
	providerFlags
	JSON bool `name:"json" help:"Print the findings as JSON."`
}

type completionCommand struct {
	Shell string `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

// readsNothing reports whether a command may run although an owner's credential is set: doctor tells of it.
func readsNothing(command string) bool {
	return command == "doctor" || command == "completion <shell>"
}

// runCall calls a tool as a model would, and prints what it would see.
func runCall(ctx context.Context, c callCommand, io streams) error {
	log := zerolog.New(io.err).Level(zerolog.WarnLevel).With().Timestamp().Logger()
	return c.open(ctx, log, io, func(providerURL string, token rs.Token) error {
		server, principal, err := localRoom(ctx, providerURL, token, "pdpp", log, observation{})
		if err != nil {
			return err
		}
		session, err := inside(ctx, server, principal)
		if err != nil {
			return err
		}
		defer func() { _ = session.Close() }()
		return typed(terminal.Call(ctx, session, io.out, c.Tool, c.Arguments, c.Structured))
	})
}

// runTools lists the tools. They are the same for everybody, so that no grant is needed.
func runTools(ctx context.Context, c toolsCommand, io streams) error {
	client, err := rs.NewClient(rs.ClientOptions{Base: "https://rs.invalid", UserAgent: userAgent()}) // never asked
	if err != nil {
		return err
	}
	session, err := inside(ctx, newRoom("pdpp", client.Base(), client, 0, zerolog.Nop(), observation{}), rs.Principal{})
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	if c.Tool != "" {
		return typed(terminal.Tool(ctx, session, io.out, c.Tool, c.JSON))
	}
	return terminal.Tools(ctx, session, io.out, c.JSON)
}

// typed gives an error about what was typed its exit code.
func typed(err error) error {
	var wrong *terminal.UsageError
	if errors.As(err, &wrong) {
		return usage(wrong.Message)
	}
	return err
}

// runDoctor looks at everything that stands between a person and an answer.
func runDoctor(ctx context.Context, c doctorCommand, getenv func(string) string, io streams) error {
	if c.Demo && c.ProviderURL != "" {
		return usage("--demo and --provider-url cannot be combined: --demo reads the sample year.")
	}
	place, err := thisPlace(getenv)
	if err != nil {
		return err
	}
	program, _, err := ownPath()
	if err != nil {
		return err
	}
	options := doctor.Options{
		OwnerVariable: transport.OwnerVariable(getenv), Roots: cacheRoots(c.CacheRoot), ProviderURL: c.ProviderURL, GrantID: c.GrantID,
		Program: program, Environment: environmentWithoutOurs(os.Environ()), Place: place, UserAgent: userAgent(), Now: time.Now,
	}
	if cached := transport.CachedProviders(options.Roots); c.ProviderURL == "" && !c.Demo && len(cached) == 1 {
		options.ProviderURL = cached[0]
	}
	if c.Demo {
		sample, err := startEmbedded(ctx, embeddedConfig{log: zerolog.Nop(), progress: io.err})
		if err != nil {
			return err
		}
		defer sample.close()
		options.Sample = &doctor.Sample{URL: sample.url, Token: rs.NewToken(sample.tokens.Client)}
	}
	report := doctor.Examine(ctx, options)
	if c.JSON {
		err = report.PrintJSON(io.out)
	} else {
		err = report.Print(io.out)
	}
	if err == nil && report.ExitCode != 0 {
		return &transport.ExitError{Code: report.ExitCode, Message: "something does not work; what to do next is shown above."}
	}
	return err
}

// environmentWithoutOurs is an environment in which this program is started with nothing but its flags.
func environmentWithoutOurs(environment []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(variable string) bool { return strings.HasPrefix(variable, "PDPP_") })
}

// runCompletion prints a completion script.
func runCompletion(c completionCommand, io streams) error {
	parser, err := newParser(new(commandLine), io, func(int) {})
	if err != nil {
		return err
	}
	var names []string
	for _, tool := range tools.All("") {
		if tool.Listed {
			names = append(names, tool.Name)
		}
	}
	words := map[string][]string{"setup": clients.Names(), "call": names, "tools": names, "completion": terminal.Shells}
	if !terminal.Completion(io.out, parser.Model, words, c.Shell) {
		return usage(fmt.Sprintf("there is no shell %q", c.Shell))
	}
	return nil
}
