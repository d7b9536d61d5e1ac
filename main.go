// Command pdpp-mcp lets an AI assistant read a person's data from a PDPP resource server through the Model Context
// Protocol: hosted at /mcp, or as a local stdio server. Run it with --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// version is set by the release build.
var version = "dev"

// softMemory is the size in bytes beyond which memory is collected more eagerly than GOGC says: a thousand calls at a
// time need some 80 MiB, and are to stay under 200 in all.
const softMemory = 160 << 20

// The environment and the exit code are touched here and nowhere else.
func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // the SDK allocates much per call; this doubles throughput for some megabytes
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)   // a second signal ends the process at once, as signals do
	signal.Ignore(syscall.SIGPIPE) // whoever reads the log may go; that ends no service
	log := newLogWriter(os.Stderr)
	code := run(ctx, os.Args[1:], os.Getenv, streams{os.Stdin, os.Stdout, log})
	log.drain(lastLineWait)
	stop()
	os.Exit(code)
}

// serviceManager is whoever runs this process: anyone who sends SIGHUP, and systemd, which says in the environment that
// it listens. It is asked for by serve alone; elsewhere SIGHUP ends the process, as a closed terminal should.
func serviceManager() manager {
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	watchdog, _ := daemon.SdWatchdogEnabled(false) // an unreadable interval is none
	return manager{
		reload: reload, watchdog: watchdog,
		tell: func(state string) { _, _ = daemon.SdNotify(false, state) }, // nobody to tell is no failure
	}
}

// inheritedListener is the one socket that systemd opened for this process, or nil.
func inheritedListener() (net.Listener, error) {
	listeners, err := activation.Listeners()
	switch {
	case err != nil || len(listeners) == 0:
		return nil, err
	case len(listeners) > 1 || listeners[0] == nil:
		return nil, usage(fmt.Sprintf("%d sockets were passed to this process: exactly one stream socket is served.", len(listeners)))
	}
	return listeners[0], nil
}

// streams are a process's standard streams. For stdio and for demo --json, out is protocol.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// commandLine is what can be typed; kong reads it.
type commandLine struct {
	Version kong.VersionFlag `help:"Print the version and exit."`
	Demo    demoCommand      `cmd:"" help:"Serve a sample person's year, or your own files, and show a tour. Example: pdpp-mcp demo"`
	Serve   serveCommand     `cmd:"" help:"Serve /mcp in front of a resource server. Example: pdpp-mcp serve --rs-url https://rs.example --public-url https://mcp.example"`
	Stdio   stdioCommand     `cmd:"" help:"Serve one local client over standard input and output. Example: pdpp-mcp stdio --provider-url https://rs.example"`
	Verify  verifyCommand    `cmd:"" help:"Say whether a record still says what was quoted from it. Example: pdpp-mcp verify '{\"id\":\"cin_a/messages:m1\",\"field\":\"body\",\"start_chars\":0,\"end_chars\":80,\"sha256\":\"...\"}' --provider-url https://rs.example"`
}

type demoCommand struct {
	Listen string `help:"Address of /mcp; ${default} if absent." default:"127.0.0.1:7710" env:"PDPP_MCP_LISTEN" placeholder:"HOST:PORT"`
	Data   string `help:"Serve your own files instead of the sample year: a folder or a file of JSON lines, JSON, CSV, mbox, mail or iCalendar." type:"path" env:"PDPP_MCP_DATA" placeholder:"PATH"`
	DB     string `name:"db" help:"Keep the index in this file, so that the next start is instant." type:"path" env:"PDPP_MCP_DB" placeholder:"FILE"`
	JSON   bool   `name:"json" help:"Print one line of JSON with URLs and tokens instead of the tour."`
}

type serveCommand struct {
	Config                    configFlag    `help:"JSON file of these settings under their long names; SIGHUP reads it again." type:"path" env:"PDPP_MCP_CONFIG" placeholder:"FILE"`
	Listen                    string        `help:"Address to listen on; ${default} if absent." default:"127.0.0.1:7700" env:"PDPP_MCP_LISTEN" placeholder:"HOST:PORT"`
	RSURL                     string        `name:"rs-url" help:"The resource server's public URL." required:"" env:"PDPP_MCP_RS_URL" placeholder:"URL"`
	RSInternalURL             string        `name:"rs-internal-url" help:"Where this server reads it, if not at the public URL." env:"PDPP_MCP_RS_INTERNAL_URL" placeholder:"URL"`
	PublicURL                 string        `name:"public-url" help:"This server's public origin, without /mcp." env:"PDPP_MCP_PUBLIC_URL" placeholder:"URL"`
	AllowedHosts              []string      `name:"allowed-hosts" help:"Further host names that it answers to." env:"PDPP_MCP_ALLOWED_HOSTS" placeholder:"HOST"`
	AllowedOrigins            []string      `name:"allowed-origins" help:"Browser origins that may call; usually none." env:"PDPP_MCP_ALLOWED_ORIGINS" placeholder:"ORIGIN"`
	TrustedProxies            []string      `name:"trusted-proxies" help:"Addresses whose X-Forwarded-Host, -Proto and -For are believed." env:"PDPP_MCP_TRUSTED_PROXIES" placeholder:"CIDR"`
	AuthorizationServers      []string      `name:"authorization-servers" help:"Issuer URLs for the metadata; the resource server if absent." env:"PDPP_MCP_AUTHORIZATION_SERVERS" placeholder:"URL"`
	IntrospectionURL          string        `name:"introspection-url" help:"RFC 7662 endpoint. Without it the schema says what a token is." env:"PDPP_MCP_INTROSPECTION_URL" placeholder:"URL"`
	IntrospectionClientID     string        `name:"introspection-client-id" help:"HTTP Basic user of introspection." env:"PDPP_MCP_INTROSPECTION_CLIENT_ID" placeholder:"ID"`
	IntrospectionClientSecret string        `name:"introspection-client-secret" help:"HTTP Basic password; prefer the file or the environment." env:"PDPP_MCP_INTROSPECTION_CLIENT_SECRET" placeholder:"SECRET"`
	IntrospectionSecretFile   string        `name:"introspection-client-secret-file" help:"File that holds it." type:"path" env:"PDPP_MCP_INTROSPECTION_CLIENT_SECRET_FILE" placeholder:"FILE"`
	Issuer                    string        `help:"Required iss of a token." env:"PDPP_MCP_ISSUER" placeholder:"URL"`
	Audiences                 []string      `name:"audiences" help:"Accepted aud of a token; the resource server's and this server's URLs if absent." env:"PDPP_MCP_AUDIENCES" placeholder:"URL"`
	PackagesURL               string        `name:"packages-url" help:"Directory of package members; needs --introspection-url. Without it package tokens are refused." env:"PDPP_MCP_PACKAGES_URL" placeholder:"URL"`
	Deadline                  time.Duration `help:"Longest time of one call; ${default} if absent." default:"40s" env:"PDPP_MCP_DEADLINE"`
	ReadTimeout               time.Duration `name:"read-timeout" help:"Longest time of one read of the resource server; ${default} if absent." default:"10s" env:"PDPP_MCP_READ_TIMEOUT"`
	Retries                   int           `help:"How often a failed read is tried again, 0 to 2; ${default} if absent." default:"2" env:"PDPP_MCP_RETRIES"`
	Breaker                   bool          `help:"Leave a resource server or authority that keeps failing alone for 5 seconds; on if absent." negatable:"" default:"true" env:"PDPP_MCP_BREAKER"`
	AdminListen               string        `name:"admin-listen" help:"Address of the metrics, best on loopback; none if absent." env:"PDPP_MCP_ADMIN_LISTEN" placeholder:"HOST:PORT"`
	MaxConnections            int           `name:"max-connections" help:"Most connections open at a time; ${default} if absent. Further ones wait." default:"10000" env:"PDPP_MCP_MAX_CONNECTIONS"`
	limitFlags
	DrainDelay time.Duration `name:"drain-delay" help:"Time from 'not ready' to the end of accepting, for load balancers to notice; ${default} if absent." default:"0s" env:"PDPP_MCP_DRAIN_DELAY"`
	DrainTime  time.Duration `name:"drain-time" help:"Longest time that calls in flight get to finish after that; ${default} if absent." default:"10s" env:"PDPP_MCP_DRAIN_TIME"`
	LogLevel   string        `name:"log-level" help:"debug, info, warn or error; ${default} if absent." enum:"debug,info,warn,error" default:"info" env:"PDPP_MCP_LOG_LEVEL"`
}

// providerFlags say which grant a local command reads through.
type providerFlags struct {
	ProviderURL string `name:"provider-url" help:"The provider that 'pdpp connect' connected." env:"PDPP_PROVIDER_URL" placeholder:"URL"`
	CacheRoot   string `name:"cache-root" help:"Folder of the credential cache; ./.pdpp, then ~/.pdpp if absent." env:"PDPP_CACHE_ROOT" placeholder:"DIR"`
	GrantID     string `name:"grant-id" help:"Require this grant." env:"PDPP_GRANT_ID" placeholder:"ID"`
	Demo        bool   `help:"Read the sample year; needs nothing."`
}

type stdioCommand struct {
	providerFlags
	ServerName string `name:"server-name" help:"Name shown to the client; ${default} if absent." default:"pdpp" env:"PDPP_MCP_SERVER_NAME" placeholder:"NAME"`
}

type verifyCommand struct {
	Citation string `arg:"" help:"JSON with id, field, start_chars, end_chars and sha256, as answers print them; - reads one a line from standard input."`
	providerFlags
	Text string `help:"The text that was quoted; needed when its place is not known." placeholder:"TEXT"`
	JSON bool   `name:"json" help:"Print each verdict as a line of JSON."`
}

// run is the program without its process: it returns the exit code. Whatever ends it abnormally is the last line of
// stderr, because hosts show that line.
func run(ctx context.Context, args []string, getenv func(string) string, io streams) int {
	line, command, exited, err := parse(args, io)
	if exited {
		return 0
	}
	if err != nil {
		return fail(io, usage(err.Error()+". Run pdpp-mcp --help."))
	}
	if name := transport.OwnerVariable(getenv); name != "" {
		return fail(io, &transport.ExitError{Code: transport.ExitOwner, Message: fmt.Sprintf(
			"%s is set: an owner credential must not reach an assistant. Unset it, and connect with a scoped grant: pdpp connect <provider-url>.", name)})
	}
	switch command {
	case "demo":
		err = runDemo(ctx, line.Demo, io)
	case "serve":
		err = runServe(ctx, line.Serve, getenv, io, func() (serveCommand, error) {
			again, _, _, err := parse(args, io)
			return again.Serve, err
		})
	case "stdio":
		err = runStdio(ctx, line.Stdio, getenv, io)
	case "verify <citation>":
		err = runVerify(ctx, line.Verify, io)
	}
	if err != nil {
		return fail(io, err)
	}
	return 0
}

// parse reads the command line, with the environment and the file that it names. It reports whether that was a question,
// as --help is, and has been answered.
func parse(args []string, io streams) (line commandLine, command string, exited bool, err error) {
	parser, err := newParser(&line, io, func(int) { exited = true })
	if err != nil {
		return line, "", false, err
	}
	parsed, err := parser.Parse(args)
	if err != nil || exited {
		return line, "", exited, err
	}
	return line, parsed.Command(), false, nil
}

func newParser(line *commandLine, io streams, exit func(int)) (*kong.Kong, error) {
	return kong.New(line,
		kong.Name("pdpp-mcp"),
		kong.Description("Read a person's data from a PDPP resource server through the Model Context Protocol."),
		kong.Vars{"version": "pdpp-mcp " + version},
		kong.Writers(io.out, io.err),
		kong.Exit(exit), // --help and --version
	)
}

func usage(message string) error {
	return &transport.ExitError{Code: transport.ExitUsage, Message: message}
}

// fail prints why the program ends and returns its exit code: 1 unless the error names one.
func fail(io streams, err error) int {
	fmt.Fprintln(io.err, "pdpp-mcp: "+strings.ReplaceAll(err.Error(), "\n", " "))
	var exit *transport.ExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	return 1
}

// maxDeadline keeps a call within the time that the server takes to write its answer.
const maxDeadline = 4 * time.Minute

// runServe serves until ctx ends. read reads the command line again, with the files that it names.
func runServe(ctx context.Context, c serveCommand, getenv func(string) string, io streams, read func() (serveCommand, error)) error {
	manager := serviceManager()
	config, err := serveConfig(c, io)
	if err != nil {
		return err
	}
	watch, unwatch, err := newObservation(ctx, c.AdminListen, getenv, config.log)
	if err != nil {
		return err
	}
	defer unwatch()
	config.watch = watch
	listener, err := inheritedListener()
	if err != nil {
		return err
	}
	server, err := newHosted(ctx, config, listener)
	if err != nil {
		return err
	}
	return server.serve(ctx, manager, func() (hostedConfig, error) {
		again, err := read()
		if err != nil {
			return hostedConfig{}, err
		}
		return serveConfig(again, io)
	})
}

// serveConfig checks a command line and reads the secret file that it names.
func serveConfig(c serveCommand, io streams) (hostedConfig, error) {
	level, err := zerolog.ParseLevel(c.LogLevel)
	if err != nil {
		return hostedConfig{}, usage(err.Error())
	}
	config := hostedConfig{
		listen: c.Listen, name: "pdpp", deadline: c.Deadline,
		rsURL: c.RSURL, rsReadURL: c.RSInternalURL, readTimeout: c.ReadTimeout, retries: c.Retries, noBreaker: !c.Breaker,
		authorizationServers: c.AuthorizationServers, packagesURL: c.PackagesURL, maxConnections: c.MaxConnections,
		drainDelay: c.DrainDelay, drainTime: c.DrainTime, adminListen: c.AdminListen,
		log: zerolog.New(io.err).Level(level).With().Timestamp().Logger(),
	}
	if c.Deadline <= 0 || c.Deadline > maxDeadline || c.ReadTimeout <= 0 {
		return config, usage(fmt.Sprintf("--deadline %s and --read-timeout %s: both must be positive, and a call may take at most %s.", c.Deadline, c.ReadTimeout, maxDeadline))
	}
	if c.DrainDelay < 0 || c.DrainDelay > maxDeadline || c.DrainTime <= 0 || c.DrainTime > maxDeadline {
		return config, usage(fmt.Sprintf("--drain-delay %s and --drain-time %s: neither may be negative or longer than %s, and the time not zero.", c.DrainDelay, c.DrainTime, maxDeadline))
	}
	if c.Retries < 0 || c.Retries > 2 {
		return config, usage(fmt.Sprintf("--retries %d: 0, 1 or 2.", c.Retries))
	}
	if c.Retries == 0 {
		config.retries = -1 // of the client, 0 is the default
	}
	if c.MaxConnections < 1 {
		return config, usage(fmt.Sprintf("--max-connections %d: at least 1 is needed.", c.MaxConnections))
	}
	if config.limits, err = c.limits(); err != nil {
		return config, err
	}
	if c.PackagesURL != "" && c.IntrospectionURL == "" {
		return config, usage("--packages-url needs --introspection-url: only an authority can say that a token is a package.")
	}
	for _, origin := range c.AllowedOrigins {
		parsed, err := middleware.ParseOrigin(origin)
		if err != nil {
			return config, usage("--allowed-origins: " + err.Error())
		}
		config.origins = append(config.origins, parsed)
	}
	if config.public, err = publicNames(c); err != nil {
		return config, usage(err.Error())
	}
	if config.introspection, err = introspectionOptions(c, config.public.Origin); err != nil {
		return config, usage(err.Error())
	}
	return config, nil
}

func publicNames(c serveCommand) (middleware.Public, error) {
	public := middleware.Public{Hosts: c.AllowedHosts}
	if c.PublicURL != "" {
		origin, err := middleware.ParseOrigin(c.PublicURL)
		if err != nil {
			return public, fmt.Errorf("--public-url: %w", err)
		}
		public.Origin = origin
	}
	for _, text := range c.TrustedProxies {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address, addressErr := netip.ParseAddr(text)
			if addressErr != nil {
				return public, fmt.Errorf("--trusted-proxies: %q is neither an address nor a CIDR block", text)
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		public.Proxies = append(public.Proxies, prefix)
	}
	return public, nil
}

func introspectionOptions(c serveCommand, origin string) (*rs.IntrospectorOptions, error) {
	if c.IntrospectionURL == "" {
		return nil, nil
	}
	secret := c.IntrospectionClientSecret
	if c.IntrospectionSecretFile != "" {
		data, err := os.ReadFile(c.IntrospectionSecretFile)
		if err != nil {
			return nil, fmt.Errorf("--introspection-client-secret-file: %w", err)
		}
		secret = strings.TrimSpace(string(data))
	}
	if c.IntrospectionClientID == "" || secret == "" {
		return nil, errors.New("--introspection-url needs --introspection-client-id and a client secret")
	}
	audiences := c.Audiences
	if len(audiences) == 0 {
		audiences = []string{strings.TrimRight(c.RSURL, "/"), strings.TrimRight(c.RSURL, "/") + middleware.EndpointPath}
		if origin != "" { // as the metadata announces it
			audiences = append(audiences, origin+middleware.EndpointPath)
		}
	}
	return &rs.IntrospectorOptions{
		Endpoint: c.IntrospectionURL, ClientID: c.IntrospectionClientID, ClientSecret: rs.NewToken(secret),
		Issuer: c.Issuer, Audiences: audiences, NoBreaker: !c.Breaker,
	}, nil
}

func runStdio(ctx context.Context, c stdioCommand, getenv func(string) string, io streams) error {
	log := zerolog.New(io.err).Level(zerolog.WarnLevel).With().Timestamp().Logger()
	tracer, endTracing, err := newTracer(ctx, getenv, log)
	if err != nil {
		return err
	}
	defer endTracing()
	return c.open(ctx, log, io, func(providerURL string, token rs.Token) error {
		return serveStdio(ctx, providerURL, token, c.ServerName, log, observation{tracer: tracer}, io)
	})
}

// open finds the provider and the credential that the flags name and uses them. The demo lives for as long as that takes.
func (c providerFlags) open(ctx context.Context, log zerolog.Logger, io streams, use func(providerURL string, token rs.Token) error) error {
	if c.Demo {
		if c.ProviderURL != "" {
			return usage("--demo and --provider-url cannot be combined: --demo serves the sample year.")
		}
		demo, err := startEmbedded(ctx, embeddedConfig{log: log, progress: io.err, now: time.Now})
		if err != nil {
			return err
		}
		defer demo.close()
		return use(demo.url, rs.NewToken(demo.tokens.Client))
	}
	if c.ProviderURL == "" {
		return usage("--provider-url is required: the provider that 'pdpp connect <provider-url>' connected. To try without one: pdpp-mcp stdio --demo.")
	}
	credential, err := transport.LoadCredential(cacheRoots(c.CacheRoot), c.ProviderURL, c.GrantID, time.Now())
	if err != nil {
		return err
	}
	for _, warning := range credential.Warnings {
		fmt.Fprintln(io.err, "pdpp-mcp: warning: "+warning)
	}
	return use(credential.ProviderURL, credential.Token)
}

// cacheRoots are the folders in which a credential is looked for, in order. Hosts start stdio servers in the file
// system's root, so the working directory alone would not do.
func cacheRoots(named string) []string {
	if named != "" {
		return []string{named}
	}
	roots := []string{".pdpp"}
	if home, err := os.UserHomeDir(); err == nil {
		roots = append(roots, filepath.Join(home, ".pdpp"))
	}
	return roots
}
