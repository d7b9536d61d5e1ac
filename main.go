// Command pdpp-mcp lets an AI assistant read a person's data from a PDPP resource server through the Model Context
// Protocol: hosted at /mcp, or as a local stdio server. Run it with --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/cite"
	"github.com/pdp-connect/pdpp-mcp/internal/cli"
	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/doctor"
	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
	"github.com/pdp-connect/pdpp-mcp/transport/page"
)

// version is set by the release build.
var version = "dev"

// softMemory is the size in bytes beyond which memory is collected more eagerly than GOGC says: a thousand calls at a
// time need some 80 MiB, and are to stay under 200 in all.
const softMemory = 160 << 20

// lastLineWait is how long the process waits at its end for lines of its log that nobody has read yet.
// A host that stops the program waits a second for its end.
const lastLineWait = 400 * time.Millisecond

// The environment and the exit code are touched here and nowhere else.
func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(175) // a call leaves little behind: fewer collections for some megabytes; more gains little
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)   // a second signal ends the process at once, as signals do
	signal.Ignore(syscall.SIGPIPE) // whoever reads the log may go; that ends no service
	log := transport.NewLogWriter(os.Stderr)
	stdlog.SetOutput(transport.NewFaultLog(log)) // net/http's clients know no other logger
	code := run(ctx, os.Args[1:], os.Getenv, streams{os.Stdin, os.Stdout, log})
	log.Drain(lastLineWait)
	stop()
	os.Exit(code)
}

// serviceManager is whoever runs this process: anyone who sends SIGHUP, and systemd, which says in the environment that
// it listens. It is asked for by serve alone; elsewhere SIGHUP ends the process, as a closed terminal should.
func serviceManager() transport.ServiceManager {
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	watchdog, _ := daemon.SdWatchdogEnabled(false) // an unreadable interval is none
	return transport.ServiceManager{
		Reload: reload, Watchdog: watchdog,
		Tell: func(state string) { _, _ = daemon.SdNotify(false, state) }, // nobody to tell is no failure
	}
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

	Setup      setupCommand      `cmd:"" help:"Connect a client, such as Claude Code or Cursor. Example: pdpp-mcp setup cursor --demo --write"`
	Doctor     doctorCommand     `cmd:"" help:"Find out what is wrong and what to do about it. Example: pdpp-mcp doctor --provider-url https://rs.example"`
	Call       callCommand       `cmd:"" help:"Call a tool and print what a model would see. Example: pdpp-mcp call search q=dentist limit=3 --demo"`
	Tools      toolsCommand      `cmd:"" help:"Print the tools that a model is shown. Example: pdpp-mcp tools search"`
	Completion completionCommand `cmd:"" help:"Print a script that completes commands in a shell. Example: source <(pdpp-mcp completion bash)"`
}

type demoCommand struct {
	Listen string `help:"Address of /mcp; ${default} if absent." default:"127.0.0.1:7710" env:"PDPP_MCP_LISTEN" placeholder:"HOST:PORT"`
	Data   string `help:"Serve your own files instead of the sample year: a folder or a file of JSON lines, JSON, CSV, mbox, mail or iCalendar." type:"path" env:"PDPP_MCP_DATA" placeholder:"PATH"`
	DB     string `name:"db" help:"Keep the index in this file, so that the next start is instant." type:"path" env:"PDPP_MCP_DB" placeholder:"FILE"`
	JSON   bool   `name:"json" help:"Print one line of JSON with URLs and tokens instead of the tour."`
}

type serveCommand struct {
	Config cli.ConfigFlag `help:"JSON file of these settings under their long names; SIGHUP reads it again." type:"path" env:"PDPP_MCP_CONFIG" placeholder:"FILE"`

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
	Page                      bool          `help:"Show a page for people at /; on if absent." negatable:"" default:"true" env:"PDPP_MCP_PAGE"`
	MaxConnections            int           `name:"max-connections" help:"Most connections open at a time; ${default} if absent. Further ones wait." default:"10000" env:"PDPP_MCP_MAX_CONNECTIONS"`
	limitFlags
	UnknownTokenRate  float64       `name:"unknown-token-rate" help:"Questions a second to the authority about unknown tokens, of all clients; ${default} if absent, 0 for no limit." default:"100" env:"PDPP_MCP_UNKNOWN_TOKEN_RATE" placeholder:"N"`
	UnknownTokenBurst int           `name:"unknown-token-burst" help:"Such questions in one moment; ${default} if absent." default:"1000" env:"PDPP_MCP_UNKNOWN_TOKEN_BURST" placeholder:"N"`
	MaxUnknownTokens  int           `name:"max-unknown-tokens" help:"Such questions under way at a time; ${default} if absent, 0 for no limit." default:"256" env:"PDPP_MCP_MAX_UNKNOWN_TOKENS" placeholder:"N"`
	DrainDelay        time.Duration `name:"drain-delay" help:"Time from 'not ready' to the end of accepting, for load balancers to notice; ${default} if absent." default:"0s" env:"PDPP_MCP_DRAIN_DELAY"`
	DrainTime         time.Duration `name:"drain-time" help:"Longest time that calls in flight get to finish after that; ${default} if absent." default:"10s" env:"PDPP_MCP_DRAIN_TIME"`
	LogLevel          string        `name:"log-level" help:"debug, info, warn or error; ${default} if absent." enum:"debug,info,warn,error" default:"info" env:"PDPP_MCP_LOG_LEVEL"`
}

// limitFlags are the limits of callers as they are typed.
type limitFlags struct {
	TokenRate        float64       `name:"token-rate" help:"Requests a second with one token; ${default} if absent, 0 for no limit." default:"50" env:"PDPP_MCP_TOKEN_RATE" placeholder:"N"`
	TokenBurst       int           `name:"token-burst" help:"Requests with one token at once; ${default} if absent." default:"200" env:"PDPP_MCP_TOKEN_BURST" placeholder:"N"`
	AddressRate      float64       `name:"address-rate" help:"Unknown tokens a second from one client address that turn out not to be good; ${default} if absent, 0 for no limit." default:"10" env:"PDPP_MCP_ADDRESS_RATE" placeholder:"N"`
	AddressBurst     int           `name:"address-burst" help:"Such tokens from one client address at once; ${default} if absent." default:"100" env:"PDPP_MCP_ADDRESS_BURST" placeholder:"N"`
	MaxCallsPerGrant int           `name:"max-calls-per-grant" help:"Calls of one grant or package at a time; ${default} if absent, 0 for no limit." default:"32" env:"PDPP_MCP_MAX_CALLS_PER_GRANT" placeholder:"N"`
	MaxCalls         int           `name:"max-calls" help:"Calls of all at a time; ${default} if absent, 0 for no limit." default:"1024" env:"PDPP_MCP_MAX_CALLS" placeholder:"N"`
	CallWait         time.Duration `name:"call-wait" help:"How long a call beyond these waits for its turn; ${default} if absent." default:"1s" env:"PDPP_MCP_CALL_WAIT"`
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

type setupCommand struct {
	Client string `arg:"" optional:"" help:"claude-code, claude-desktop, chatgpt, codex, cursor, vscode, gemini, zed or generic; without one, the clients on this machine are listed."`
	URL    string `name:"url" help:"Connect to this hosted server." placeholder:"URL"`
	providerFlags
	Name     string `help:"Name under which the client files it; ${default} if absent." default:"pdpp" placeholder:"NAME"`
	TokenEnv string `name:"token-env" help:"With --url: environment variable in which the client finds a bearer token, instead of signing in." placeholder:"NAME"`
	Write    bool   `help:"Edit the client's own file; what was there is kept beside it." xor:"write"`
	DryRun   bool   `name:"dry-run" help:"Show what --write would change." xor:"write"`
	Remove   bool   `help:"Take the server out of the client's file; with --dry-run, show that only."`
	File     string `help:"Edit this file instead of the client's own, such as a project's." type:"path" placeholder:"FILE"`
}

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
	if name := transport.OwnerVariable(getenv); name != "" && !readsNothing(command) {
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
	case "setup", "setup <client>":
		err = runSetup(line.Setup, getenv, io)
	case "doctor":
		err = runDoctor(ctx, line.Doctor, getenv, io)
	case "call <tool>", "call <tool> <argument>":
		err = runCall(ctx, line.Call, io)
	case "tools", "tools <tool>":
		err = runTools(ctx, line.Tools, io)
	case "completion <shell>":
		err = runCompletion(line.Completion, io)
	}
	if err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			err = &transport.Stopped{Message: "stopped: " + context.Cause(ctx).Error()}
		}
		code := fail(io, err)
		var stopped *transport.Stopped
		if errors.As(err, &stopped) && command == "stdio" {
			return 0 // that is how hosts end a session
		}
		return code
	}
	return 0
}

// readsNothing reports whether a command may run although an owner's credential is set: doctor tells of it.
func readsNothing(command string) bool {
	return command == "doctor" || command == "completion <shell>"
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
	return transport.UsageError(message)
}

// exitStopped is the exit code of a command that was asked to stop before it was done, as shells have it for SIGINT.
const exitStopped = 130

// fail prints why the program ends and returns its exit code: 1 unless the error names one.
func fail(io streams, err error) int {
	fmt.Fprintln(io.err, "pdpp-mcp: "+strings.ReplaceAll(err.Error(), "\n", " "))
	var exit *transport.ExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	var stopped *transport.Stopped
	if errors.As(err, &stopped) {
		return exitStopped
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
	inherited, err := activation.Listeners()
	if err != nil {
		return err
	}
	server, err := newHosted(ctx, config, inherited)
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
		drainDelay: c.DrainDelay, drainTime: c.DrainTime, adminListen: c.AdminListen, limits: c.limits(),
		unknown: rs.QuestionLimits{Rate: c.UnknownTokenRate, Burst: c.UnknownTokenBurst, AtOnce: c.MaxUnknownTokens, Wait: time.Second},
		log:     zerolog.New(io.err).Level(level).With().Timestamp().Logger(),
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
	if c.Page {
		config.page = page.New(page.Options{Server: clients.Server{Name: "pdpp"}})
	}
	if err := errors.Join(config.limits.Check(), config.unknown.Check()); err != nil {
		return config, usage(err.Error())
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
	if config.public, err = middleware.ParsePublic(c.PublicURL, c.AllowedHosts, c.TrustedProxies); err != nil {
		return config, usage(err.Error())
	}
	if config.introspection, err = introspectionOptions(c, config.public.Origin); err != nil {
		return config, usage(err.Error())
	}
	return config, nil
}

func (f limitFlags) limits() middleware.Limits {
	return middleware.Limits{
		TokenRate: f.TokenRate, TokenBurst: f.TokenBurst, AddressRate: f.AddressRate, AddressBurst: f.AddressBurst,
		CallsPerGrant: f.MaxCallsPerGrant, Calls: f.MaxCalls, Wait: f.CallWait,
	}
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

// cacheRoots are the folders in which a credential is looked for.
func cacheRoots(named string) []string {
	home, _ := os.UserHomeDir() // who has none has no folder there
	return transport.CacheRoots(named, home)
}

// thisPlace is this machine.
func thisPlace(getenv func(string) string) (clients.Place, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return clients.Place{}, usage("the home folder is not known: set HOME.")
	}
	return clients.Place{OS: runtime.GOOS, Home: home, Getenv: getenv}, nil
}

// ownPath is where this program is installed, as clients are to start it; see [clients.Program].
func ownPath() (path string, notes []string, err error) {
	executable, err := os.Executable()
	if err != nil {
		return "", nil, fmt.Errorf("where this program is installed is not known: %w", err)
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		called = ""
	}
	path, notes = clients.Program(executable, called)
	return path, notes, nil
}

// runSetup says how to connect a client, or does it.
func runSetup(c setupCommand, getenv func(string) string, io streams) error {
	place, err := thisPlace(getenv)
	if err != nil {
		return err
	}
	program, notes, err := ownPath()
	if err != nil {
		return err
	}
	return cli.Setup(cli.SetupOptions{
		Client: c.Client, URL: c.URL, ProviderURL: c.ProviderURL, CacheRoot: c.CacheRoot, GrantID: c.GrantID, Demo: c.Demo,
		Name: c.Name, TokenEnv: c.TokenEnv, Write: c.Write, DryRun: c.DryRun, Remove: c.Remove, File: c.File,
		Place: place, Program: program, Notes: notes, Roots: cacheRoots(c.CacheRoot), Now: time.Now,
	}, io.out, io.err)
}

// runVerify says of each citation whether its record still says it: one line a citation on stdout.
func runVerify(ctx context.Context, c verifyCommand, io streams) error {
	citations, err := cite.ReadCitations(c.Citation, c.Text, io.in)
	if err != nil {
		return err
	}
	return c.inside(ctx, io, func(session *mcp.ClientSession, providerURL string) error {
		return cite.PrintVerdicts(ctx, session, citations, providerURL, c.JSON, io.out)
	})
}

// runCall calls a tool as a model would, and prints what it would see.
func runCall(ctx context.Context, c callCommand, io streams) error {
	return c.inside(ctx, io, func(session *mcp.ClientSession, _ string) error {
		return cli.Call(ctx, session, io.out, c.Tool, c.Arguments, c.Structured)
	})
}

// runTools lists the tools. They are the same for everybody, so that no grant is needed.
func runTools(ctx context.Context, c toolsCommand, io streams) error {
	client, err := rs.NewClient(rs.ClientOptions{Base: "https://rs.invalid", UserAgent: userAgent()}) // never asked
	if err != nil {
		return err
	}
	session, err := transport.Inside(ctx, newRoom("pdpp", client.Base(), client, 0, zerolog.Nop(), observe.Observation{}), rs.Principal{}, insider())
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	if c.Tool != "" {
		return cli.Tool(ctx, session, io.out, c.Tool, c.JSON)
	}
	return cli.Tools(ctx, session, io.out, c.JSON)
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
		Program: program, Environment: os.Environ(), Place: place, UserAgent: userAgent(), Now: time.Now,
	}
	if c.Demo {
		sample, err := startEmbedded(ctx, embeddedConfig{log: zerolog.Nop(), progress: io.err, now: time.Now})
		if err != nil {
			return err
		}
		defer sample.close()
		options.Sample = &doctor.Sample{URL: sample.url, Token: rs.NewToken(sample.tokens.Client)}
	}
	return doctor.Run(ctx, options, c.JSON, io.out)
}

// runCompletion prints a completion script.
func runCompletion(c completionCommand, io streams) error {
	parser, err := newParser(new(commandLine), io, func(int) {})
	if err != nil {
		return err
	}
	names := tools.ListedNames()
	words := map[string][]string{"setup": clients.Names(), "call": names, "tools": names, "completion": cli.Shells}
	if !cli.Completion(io.out, parser.Model, words, c.Shell) {
		return usage(fmt.Sprintf("there is no shell %q", c.Shell))
	}
	return nil
}
