package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/terminal"
	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/connect"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

type connectCommand struct {
	connect.Request
	Name string
	cacheFlags
}

func newConnect(app App) *cobra.Command {
	var o connectCommand
	c := &cobra.Command{
		Use: "connect <url>", Args: takes(1, 1), Example: "pdpp-mcp connect https://rs.example --source gmail",
		Short: "Get a grant to read data of a server, and store it on this machine.",
		Long: `Get a grant to read data of a server, and store it on this machine. <url> is
the resource server, such as https://rs.example.`,
		RunE: func(c *cobra.Command, words []string) error { return o.run(c.Context(), app, words[0]) },
	}
	flags := c.Flags()
	flags.StringVar(&o.Source, "source", "", "What to read: the `KEY` of a source, such as gmail, or the URI of its declaration")
	flags.Var((*commas)(&o.Connections), "connection",
		"Connection (`ID`) to read; required if the source has several. Repeat it for more")
	flags.Var((*commas)(&o.Streams), "stream", "Stream (`NAME`) to read; all if absent. Repeat it for more")
	flags.Var((*commas)(&o.Fields), "field",
		"Field (`STREAM.FIELD`) to read, such as messages.subject; all of the stream if absent. Repeat it for more")
	flags.StringVar(&o.Since, "since", "", "Read nothing older than this `DATE`, such as 2026-01-31")
	flags.BoolVar(&o.Once, "once", false, "Get access for 24 hours instead of until it is revoked")
	flags.StringVar(&o.Way, "way", "auto",
		"How (`WAY`) the owner approves: auto, agent (a link for any browser), browser (of this machine), "+
			"device (a link, by RFC 8628) or code (to be copied)")
	flags.StringVar(&o.Name, "name", "", "`NAME` under which the grant is stored; if absent, default, or the source's key if the server has a grant already")
	check(flags, nonEmpty, "source", "connection", "stream", "field", "since", "name")
	choice(flags, "way", "auto", "agent", "browser", "device", "code")
	o.declare(flags)
	return c
}

// run asks the owner for a grant, stores it, prints what was granted, and makes a first call with it.
func (c connectCommand) run(ctx context.Context, app App, url string) error {
	if c.Source == "" {
		return exit.UsageError("--source is needed: a server has no public list of its sources. Its owner sees the keys, such as gmail, where they are signed in; " +
			"the reference lists them at /_ref/connections of its authorization server.")
	}
	root, err := c.root()
	if err != nil {
		return err
	}
	if _, err := credentials.Path(root, cmp.Or(c.Name, credentials.DefaultName), ""); err != nil { // before the owner is asked
		return err
	}
	if err := credentials.Check(ctx, root, c.Name); errors.Is(err, context.Canceled) {
		return err
	} else if err != nil {
		return &exit.Error{Code: exit.CannotWrite, Message: "the owner was not asked, because a credential could not be stored: " + err.Error() + "."}
	}
	c.ProviderURL = url
	if !signal.Ignored(syscall.SIGHUP) { // closing the terminal stops it like Ctrl-C, so that no grant remains without its token
		hupCtx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
		defer stop()
		ctx = hupCtx
	}
	out := app.visible()
	document, err := connect.Connect(ctx, c.Request, connect.Options{
		UserAgent: app.userAgent(), Now: time.Now, Wait: sleep, Open: openBrowser,
		Known: func(issuer string) credentials.Client { return knownClient(root, issuer) },
		Draw:  func(link, following string) { terminal.DrawQR(app.Out, link, following) },
		Ask:   func(ctx context.Context) (string, error) { return readLine(ctx, app) },
		Say:   func(format string, arguments ...any) { fmt.Fprintf(out, format+"\n", arguments...) },
	})
	if err != nil {
		return err
	}
	name, replaced, err := credentials.Store(ctx, root, c.Name, document)
	if err != nil {
		return connect.GiveBack(ctx, app.userAgent(), document, &exit.Error{Code: exit.CannotWrite, Message: "The credential cannot be stored: " + err.Error() + "."})
	}
	fmt.Fprintf(out, "\nConnected. %s, %s.\n", describeGrant(document.Grant), describeExpiry(document))
	if c.Name != "" && c.Name != name {
		fmt.Fprintf(out, "The name %s is taken by a grant of another server: this one is stored as %s.\n", c.Name, name)
	}
	if replaced != nil {
		revokeReplaced(ctx, app, *replaced)
	}
	flags := providerFlags{ProviderURL: document.ProviderURL, cacheFlags: c.cacheFlags, Only: []string{name}}
	if err := flags.printSchema(ctx, app); err != nil {
		return err
	}
	flags.printNextSteps(app)
	return nil
}

// revokeReplaced revokes a grant that a new one has replaced, and prints whether that succeeded.
func revokeReplaced(ctx context.Context, app App, replaced credentials.Document) {
	if err := connect.Revoke(ctx, app.userAgent(), replaced); err != nil {
		app.warn("the grant %s that this one replaces was not revoked (%v): revoke it where the owner manages grants.", replaced.Credential.GrantID, err)
		return
	}
	fmt.Fprintf(app.visible(), "The grant that it replaces was revoked: %s.\n", describeGrant(replaced.Grant))
}

// printSchema makes the first call with a new grant, and prints its answer.
func (c providerFlags) printSchema(ctx context.Context, app App) error {
	fmt.Fprint(app.visible(), "\n› schema {}\n")
	return c.withServer(ctx, app, func(ctx context.Context, server *transport.Server, _ string) error {
		result, err := callTool(ctx, server, "schema", nil)
		if err != nil {
			return err
		}
		return printText(app.visible(), result)
	})
}

// printNextSteps prints the setup command of each client on this machine for the provider. Without a home folder it prints nothing.
func (c providerFlags) printNextSteps(app App) {
	place, program, _, err := thisMachine(app.Getenv)
	if err != nil {
		return
	}
	fmt.Fprint(app.visible(), "\nTo use it in a client:\n\n")
	found := foundClients(place)
	if len(found) == 0 {
		found = clients.All()[:1]
	}
	for _, client := range found {
		words := append([]string{program, "setup", client.Name}, clients.Flags("--provider-url", c.ProviderURL, "--cache-root", c.CacheRoot)...)
		fmt.Fprintf(app.visible(), "  %s\n", clients.CommandLine(place.OS, words))
	}
}

// knownClient returns a client registration from any stored credential of an authorization server, or the zero Client.
func knownClient(root, issuer string) credentials.Client {
	all, _ := credentials.Stored(root)
	for _, c := range all {
		if c.Document.AuthorizationServer == issuer && len(c.Document.Client.RedirectURIs) > 0 {
			return c.Document.Client
		}
	}
	return credentials.Client{}
}

func sleep(ctx context.Context, d time.Duration) error {
	over, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-over.Done()
	return ctx.Err()
}

// readLine returns the next line of the input, or the error of ctx if that ends first. The read itself then goes on until the process ends.
func readLine(ctx context.Context, app App) (string, error) {
	entered := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(app.In).ReadString('\n') // accept a last line without line break
		entered <- strings.TrimSpace(line)
	}()
	select {
	case line := <-entered:
		if line == "" {
			return "", exit.UsageError("no code was entered. Run the command again.")
		}
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// browserCommands has the command that opens the default browser, by operating system. Others use xdg-open.
var browserCommands = map[string]string{"darwin": "open", "windows": "rundll32 url.dll,FileProtocolHandler"}

func openBrowser(address string) error {
	words := append(strings.Fields(cmp.Or(browserCommands[runtime.GOOS], "xdg-open")), address)
	command := exec.CommandContext(context.Background(), words[0], words[1:]...) // #nosec G204 -- an address of our own; the browser outlives us
	if err := command.Start(); err != nil {
		return err
	}
	go func() { _ = command.Wait() }()
	return nil
}
