package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/pdp-connect/pdpp-mcp/internal/browse"
	"github.com/pdp-connect/pdpp-mcp/internal/cli/config"
	"github.com/pdp-connect/pdpp-mcp/internal/cli/tour"
	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/internal/localserver"
	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

type demoCommand struct {
	dataFlags
	Listen         string
	Embed          embedding.Options
	TokenLife      time.Duration
	NewToken, JSON bool
}

func newDemo(app App) *cobra.Command {
	var o demoCommand
	c := &cobra.Command{
		Use: "demo", Args: takes(0, 0), Example: "pdpp-mcp demo",
		Short: "Serve a sample person's year, or your own files, and show a tour.",
		RunE:  func(c *cobra.Command, _ []string) error { return o.run(c.Context(), app) },
	}
	flags := c.Flags()
	flags.StringVar(&o.Listen, "listen", "127.0.0.1:7710", "Address of /mcp, as `HOST:PORT`")
	o.declare(flags, "Serve your own files instead of the sample year: ", "in this `FILE`, so that the next start is instant")
	flags.StringVar(&o.Embed.URL, "embed", "",
		"Search by meaning too, with vectors from the embeddings endpoint at this `URL` in the shape of OpenAI's, "+
			"such as http://127.0.0.1:11434 of Ollama")
	flags.StringVar(&o.Embed.Model, "embed-model", "", "`NAME` of the model of the embeddings endpoint, such as nomic-embed-text")
	flags.Var((*commas)(&o.Embed.Allow), "embed-allow",
		"Send texts to an endpoint on this `HOST`, which need not be this machine; can be repeated")
	flags.DurationVar(&o.TokenLife, "token-life", 10*time.Minute, "Life of an access token that a client got by signing in")
	flags.BoolVar(&o.NewToken, "new-token", false, "Change the tokens, which --db keeps for the next start")
	flags.BoolVar(&o.JSON, "json", false, "Print one line of JSON with URLs and tokens instead of the tour")
	check(flags, nonEmpty, "data")
	config.Environment(flags, "PDPP_MCP_", "listen", "data", "db", "embed", "embed-model", "embed-allow", "token-life")
	return c
}

// embedClient returns a client of the embeddings endpoint, or nil if none is named.
func embedClient(o embedding.Options) (*embedding.Client, error) {
	switch {
	case o.URL == "" && o.Model == "" && len(o.Allow) == 0:
		return nil, nil
	case o.URL == "":
		return nil, exit.UsageError("--embed-model and --embed-allow need --embed URL.")
	}
	client, err := embedding.New(o)
	if err != nil {
		return nil, exit.UsageError("--embed, --embed-model: " + err.Error() + ".")
	}
	return client, nil
}

// run serves the embedded resource server and /mcp in front of it, and prints a short tour or, with --json, one line of JSON.
func (c demoCommand) run(ctx context.Context, app App) error {
	log := app.log(zerolog.WarnLevel)
	embed, err := embedClient(c.Embed)
	if err != nil {
		return err
	}
	if c.TokenLife < time.Second {
		return exit.UsageError(fmt.Sprintf("--token-life %s: it must be at least 1s.", c.TokenLife))
	}
	source, err := localserver.Start(ctx, localserver.Config{
		Listen: portAfter(c.Listen), Data: c.Data, DB: c.DB, Embed: embed, Progress: app.Err, Now: time.Now, Log: log, TokenLife: c.TokenLife,
		KeepTokens: true, NewTokens: c.NewToken,
	})
	if err != nil {
		return err
	}
	defer source.Close()
	own := &tour.Tools{Token: source.Tokens.Client}
	hosted := c.hosted(source)
	hosted.Log = log
	hosted.Page = browse.New(browse.Options{Ask: own.Ask, IsOwner: source.IsOwner, Connect: connectPage(c.Data != ""), Now: time.Now})
	server, err := app.Host(ctx, hosted, nil)
	if err != nil {
		return err
	}
	own.URL = server.URL()
	if c.JSON {
		if err := json.NewEncoder(app.Out).Encode(addresses(source, server.URL())); err != nil {
			return err
		}
		return server.Serve(ctx, service.Manager{}, nil)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, service.Manager{}, nil) }()
	words := "dentist" // occurs in the sample year
	if c.Data != "" {
		words = ""
	}
	if err := tour.Print(ctx, app.Out, own, words); err != nil {
		return fmt.Errorf("the tour failed: %w", err)
	}
	fmt.Fprintf(app.Out, pasteable, server.URL(), source.Tokens.Client, strings.TrimSuffix(server.URL(), web.EndpointPath)+web.PagePath,
		source.OwnerSecret, source.URL, oneConnection(source.Connectors()))
	if c.Data == "" {
		fmt.Fprint(app.Out, pasteableSample)
	}
	return <-done
}

// hosted returns the configuration of /mcp in front of a resource server. It has no rate limits, because the only caller is the person who
// started it.
func (c demoCommand) hosted(source *localserver.Server) HostedConfig {
	limits := web.DefaultLimits()
	limits.TokenRate, limits.AddressRate = 0, 0
	return HostedConfig{
		ServeFlags: ServeFlags{
			Listen: c.Listen, RSURL: source.URL, PackagesURL: source.URL + "/packages", Retries: 2,
			Breaker: true, SearchRelax: true, HitContext: true,
			DrainTime: service.DefaultDrainTime, Limits: limits,
		},
		Name: "pdpp-demo", PageForms: true,
		Introspection: &auth.IntrospectorOptions{
			LookupOptions: auth.LookupOptions{
				Endpoint: source.URL + "/introspect", ClientID: localserver.ClientID, ClientSecret: rs.NewToken(source.ClientSecret),
			},
			Issuer: source.URL, Audiences: []string{source.URL, source.URL + web.EndpointPath},
		},
	}
}

// portAfter returns the address of a demo's resource server: the port after that of /mcp, so that stored grants still find it after a
// restart. It returns "", any port, if listen names no such port.
func portAfter(listen string) string {
	_, port, _ := net.SplitHostPort(listen)
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || n == 65535 {
		return ""
	}
	return fmt.Sprintf("127.0.0.1:%d", n+1)
}

// connectPage returns the page about connecting clients to the demo. Clients can start the sample themselves, unless this program will not
// stay in place: go run deletes what it built.
func connectPage(ownData bool) *page.Page {
	server := clients.Server{Name: "pdpp-demo", TokenEnv: "PDPP_TOKEN"} // #nosec G101 -- a variable's name
	if self, notes, err := ownPath(); !ownData && err == nil && len(notes) == 0 {
		server = clients.Server{Name: "pdpp-demo", Command: self, Arguments: []string{"stdio", "--demo"}}
	}
	return page.New(page.Options{LinkToData: true, Server: server})
}

// addresses returns the URLs and tokens of a demo, as demo --json prints them; see [authority.DemoTokens].
func addresses(source *localserver.Server, mcpURL string) map[string]string {
	return map[string]string{
		"mcp_url": mcpURL, "rs_url": source.URL, "as_url": source.URL, "packages_url": source.URL + "/packages",
		"introspection_url": source.URL + "/introspect", "introspection_client_id": localserver.ClientID,
		"introspection_client_secret": source.ClientSecret,
		"client_token":                source.Tokens.Client, "narrow_token": source.Tokens.Narrow, "package_token": source.Tokens.Package,
		"owner_token": source.Tokens.Owner, "expired_token": source.Tokens.Expired, "revoked_token": source.Tokens.Revoked,
		"owner_secret": source.OwnerSecret, // approves what clients ask for
	}
}

const pasteable = `
Serving until you stop it (Ctrl-C). In a browser, %[3]s shows the data; it opens with the owner's secret, %[4]s

Connect a client, for example:

  claude mcp add --transport http pdpp-demo %[1]s --header "Authorization: Bearer %[2]s"

or without --header, and approve in the browser with the same secret

or on this machine, approved in the same way:

  pdpp-mcp connect %[5]s --source %[6]s
`

// oneConnection returns the key of a source with one connection, which can be requested without naming connections; "KEY" if there is none.
func oneConnection(connectors []model.Connector) string {
	at := slices.IndexFunc(connectors, func(c model.Connector) bool { return len(c.Connections) == 1 })
	if at < 0 {
		return "KEY"
	}
	return connectors[at].Key
}

const pasteableSample = `
or without a port, once pdpp-mcp is on your PATH:

  claude mcp add pdpp-demo -- pdpp-mcp stdio --demo
`
