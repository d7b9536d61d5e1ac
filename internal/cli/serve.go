package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport/signin"
)

// maxDeadline is the longest --deadline. It must be below the write timeout of the HTTP server.
const maxDeadline = 4 * time.Minute

// A serveFunc does what the command serve does with its settings, which are also the values of the flags.
type serveFunc func(context.Context, *pflag.FlagSet, *ServeFlags) error

func newServe(serve serveFunc) *cobra.Command {
	var o ServeFlags
	c := &cobra.Command{
		Use: "serve --rs-url URL", Args: takes(0, 0), Short: "Serve /mcp in front of a resource server.",
		Example: "pdpp-mcp serve --rs-url https://rs.example --public-url https://mcp.example",
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("rs-url") {
				return usageError(c, "--rs-url is missing")
			}
			return serve(c.Context(), c.Flags(), &o)
		},
	}
	o.declare(c.Flags())
	return c
}

func (app App) serve(ctx context.Context, running *pflag.FlagSet, c *ServeFlags) error {
	manager := serviceManager()
	config, err := serveConfig(*c, app)
	if err != nil {
		return err
	}
	watch, unwatch, err := app.observe(ctx, config.Log)
	if err != nil {
		return err
	}
	defer unwatch(observe.FlushTime)
	if c.AdminListen != "" {
		watch.Metrics = observe.NewMetrics(app.Version, tools.Names())
	}
	config.Watch = watch
	inherited, err := activation.Listeners()
	if err != nil {
		return err
	}
	server, err := app.Host(ctx, config, inherited)
	if err != nil {
		return err
	}
	return server.Serve(ctx, manager, func() (next HostedConfig, kept []string, err error) {
		_, err = app.execute(ctx, func(_ context.Context, flags *pflag.FlagSet, c *ServeFlags) (err error) {
			if _, err = serveConfig(*c, app); err != nil { // check the fixed settings too: a restart with them would fail
				return err
			}
			kept = keepFixed(running, flags)
			next, err = serveConfig(*c, app)
			return err
		})
		next.Watch = watch
		return next, kept, err
	})
}

// fixed lists the flags that only a restart can change. A reload changes all others.
var fixed = []string{
	"listen", "rs-url", "rs-internal-url", "read-timeout", "max-connections", "max-connections-per-address", "admin-listen", "retries",
	"answer-memory", "breaker", "unknown-token-rate", "unknown-token-burst", "max-unknown-tokens",
}

// keepFixed resets the fixed flags in next to their running values, and returns those that differed.
func keepFixed(running, next *pflag.FlagSet) (differ []string) {
	for _, name := range fixed {
		value := running.Lookup(name).Value.String()
		if f := next.Lookup(name); f.Value.String() != value {
			_ = f.Value.Set(value) // cannot fail: the flag accepted this value before
			differ = append(differ, "--"+name)
		}
	}
	return differ
}

// serveConfig validates the settings of serve and reads the files that they name. Its errors are usage errors.
func serveConfig(c ServeFlags, app App) (HostedConfig, error) {
	config := HostedConfig{ServeFlags: c, Name: "pdpp"}
	var err error
	config.Level, err = zerolog.ParseLevel(c.LogLevel)
	config.Log = app.log(zerolog.DebugLevel)
	if c.ShowPage {
		config.Page = page.New(page.Options{Server: clients.Server{Name: "pdpp"}})
	}
	for _, check := range []func() error{c.validate, config.Limits.Check, config.Unknown.Check, config.readNames, config.readSignIn, config.readIntrospection} {
		if err == nil {
			err = check()
		}
	}
	if err != nil {
		return config, exit.UsageError(err.Error())
	}
	return config, nil
}

// readNames validates the public names, allowed hosts and origins, proxies (addresses or CIDR blocks) and authorization servers.
func (c *HostedConfig) readNames() (err error) {
	c.Public = web.Public{Hosts: c.AllowedHosts, Hops: c.TrustedHops}
	if c.PublicURL != "" {
		if c.Public.Origin, err = parseOrigin(c.PublicURL); err != nil {
			return fmt.Errorf("--public-url: %w", err)
		}
	}
	for _, text := range c.AllowedHosts {
		if u, err := url.Parse("//" + text); err != nil || u.Host != text || text == "" || strings.Contains(text, "*") {
			return fmt.Errorf("--allowed-hosts: %q is not a host name, such as mcp.example", rsclient.RedactURL(text))
		}
	}
	for _, text := range c.TrustedProxies {
		prefix, err := netip.ParsePrefix(text)
		if address, addressErr := netip.ParseAddr(text); addressErr == nil {
			prefix, err = address.Prefix(address.BitLen())
		}
		if err != nil {
			return fmt.Errorf("--trusted-proxies: %q is neither an address nor a CIDR block", text)
		}
		c.Public.Proxies = append(c.Public.Proxies, prefix)
	}
	for _, text := range c.AllowedOrigins {
		origin, err := parseOrigin(text)
		if err != nil {
			return fmt.Errorf("--allowed-origins: %w", err)
		}
		c.Origins = append(c.Origins, origin)
	}
	for _, issuer := range c.AuthorizationServers {
		if _, err := parseAddress(issuer); err != nil {
			return fmt.Errorf("--authorization-servers: %w", err)
		}
	}
	return nil
}

// validate returns an error about the first invalid setting.
func (c ServeFlags) validate() error {
	signsIn := c.AuthorizationSource != "" || c.AuthorizationDetails != ""
	for _, rule := range []struct {
		broken bool
		says   string
	}{
		{c.Deadline <= 0 || c.Deadline > maxDeadline || c.ReadTimeout <= 0, fmt.Sprintf(
			"--deadline %s and --read-timeout %s: both must be positive, and a call may take at most %s.", c.Deadline, c.ReadTimeout, maxDeadline)},
		{c.DrainDelay < 0 || c.DrainDelay > maxDeadline || c.DrainTime <= 0 || c.DrainTime > maxDeadline, fmt.Sprintf(
			"--drain-delay %s and --drain-time %s: neither may be negative or longer than %s, and the time not zero.", c.DrainDelay, c.DrainTime, maxDeadline)},
		{c.Retries < 0 || c.Retries > 2, fmt.Sprintf("--retries %d: it must be 0, 1 or 2.", c.Retries)},
		{c.AnswerMemory != 0 && (c.AnswerMemory < 40 || c.AnswerMemory > 1<<20), fmt.Sprintf("--answer-memory %d: it must be 40 to 1048576 MiB.", c.AnswerMemory)},
		{c.MaxConnections < 1, fmt.Sprintf("--max-connections %d: it must be at least 1.", c.MaxConnections)},
		{c.ClientConnections < 0, fmt.Sprintf("--max-connections-per-address %d: it cannot be negative; 0 is no limit.", c.ClientConnections)},
		{c.TrustedHops < 1, fmt.Sprintf("--trusted-hops %d: it must be at least 1.", c.TrustedHops)},
		{c.TrustedHops > 1 && len(c.TrustedProxies) == 0, "--trusted-hops needs --trusted-proxies: no other peer's X-Forwarded-For is read."},
		{c.PackagesURL != "" && c.IntrospectionURL == "", "--packages-url needs --introspection-url: only an authority can say that a token is a package."},
		{c.AuthorizationSource != "" && c.AuthorizationDetails != "", "--authorization-source and --authorization-details: name one of them."},
		{signsIn && c.PublicURL == "", "--authorization-source and --authorization-details need --public-url: it is the issuer that hosts see."},
		{signsIn && len(c.AuthorizationServers) > 1, "--authorization-source and --authorization-details need one of --authorization-servers: hosts sign in at one."},
	} {
		if rule.broken {
			return errors.New(rule.says)
		}
	}
	return nil
}

func (c *HostedConfig) readSignIn() error {
	if path := c.AuthorizationDetails; path != "" {
		data, err := credentials.ReadSettings(path)
		if err != nil {
			return fmt.Errorf("--authorization-details: %w", err)
		}
		if err := signin.CheckDetails(data); err != nil {
			return fmt.Errorf("--authorization-details: %s: %w", path, err)
		}
		var details bytes.Buffer
		_ = json.Compact(&details, data) // it is JSON
		c.Details = details.String()
	}
	return nil
}

// readIntrospection sets Introspection from the settings and the secret file. It stays nil without --introspection-url.
func (c *HostedConfig) readIntrospection() error {
	if c.IntrospectionURL == "" {
		for _, flag := range []struct{ name, value string }{ // refuse these: no token would be checked against them
			{"--issuer", c.Issuer}, {"--audiences", strings.Join(c.Audiences, "")}, {"--introspection-client-id", c.IntrospectionClientID},
			{"--introspection-client-secret", c.IntrospectionClientSecret}, {"--introspection-client-secret-file", c.IntrospectionSecretFile},
		} {
			if flag.value != "" {
				return errors.New(flag.name + " needs --introspection-url: without it, the resource server alone says what a token is.")
			}
		}
		return nil
	}
	secret := c.IntrospectionClientSecret
	if c.IntrospectionSecretFile != "" {
		data, err := credentials.ReadSettings(c.IntrospectionSecretFile)
		if err != nil {
			return fmt.Errorf("--introspection-client-secret-file: %w", err)
		}
		if secret = strings.TrimSpace(string(data)); secret == "" {
			return fmt.Errorf("--introspection-client-secret-file: %s is empty", c.IntrospectionSecretFile)
		}
	}
	if c.IntrospectionClientID == "" || secret == "" {
		return errors.New("--introspection-url needs --introspection-client-id, and a secret in --introspection-client-secret-file or $PDPP_MCP_INTROSPECTION_CLIENT_SECRET")
	}
	audiences := c.Audiences
	if len(audiences) == 0 {
		audiences = []string{strings.TrimRight(c.RSURL, "/"), strings.TrimRight(c.RSURL, "/") + web.EndpointPath}
		if c.Public.Origin != "" { // the resource that this server's metadata announce
			audiences = append(audiences, c.Public.Origin+web.EndpointPath)
		}
	}
	c.Introspection = &auth.IntrospectorOptions{
		LookupOptions: auth.LookupOptions{
			Endpoint: c.IntrospectionURL, ClientID: c.IntrospectionClientID, ClientSecret: rs.NewToken(secret), NoBreaker: !c.Breaker,
		},
		Issuer: c.Issuer, Audiences: audiences,
	}
	return nil
}
