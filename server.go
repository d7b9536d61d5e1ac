package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/cli"
	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/demo"
	"github.com/pdp-connect/pdpp-mcp/rs/demo/importer"
	"github.com/pdp-connect/pdpp-mcp/rs/demo/sample"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
	"github.com/pdp-connect/pdpp-mcp/transport/page"
)

// newRoom is the same room behind every door of this program.
func newRoom(name, recordBase string, client *rs.Client, deadline time.Duration, log zerolog.Logger, watch observe.Observation) *transport.Server {
	return transport.NewRoom(transport.RoomOptions{
		Client: client, RecordBase: recordBase, Name: name, Version: version, Deadline: deadline, Logger: log,
		Tracer: watch.Tracer, Observer: watch.Calls(),
	})
}

// hostedConfig is what a hosted server is made of.
type hostedConfig struct {
	listen, name         string
	public               middleware.Public
	origins              []string
	rsURL                string // public, for what is shown
	rsReadURL            string // where it is read; empty: at rsURL
	readTimeout          time.Duration
	retries              int  // of one read: 0 means 2, negative none
	noBreaker            bool // ask however often it fails
	deadline             time.Duration
	maxConnections       int // 0: no limit
	limits               middleware.Limits
	unknown              rs.QuestionLimits // of questions about unknown tokens
	authorizationServers []string
	introspection        *rs.IntrospectorOptions // nil: the schema probe
	packagesURL          string                  // directory of package members, asked with the introspection's credentials
	drainDelay           time.Duration           // from "not ready" to the end of accepting
	drainTime            time.Duration           // from there to the end of calls in flight
	adminListen          string                  // where watch shows its metrics; empty: nowhere
	log                  zerolog.Logger
	watch                observe.Observation
	page                 *page.Page // for people; nil: none
}

// A hosted server listens already, and serves once it is told to. Its fields outlive a reload, except for the last.
type hosted struct {
	service    *transport.Service
	client     *rs.Client
	recordBase string
	authority  replaceableAuthority
	tokens     *rs.TokenCache
	limiter    *middleware.Limiter
	health     *transport.Health

	config hostedConfig // what is served; of the goroutine of serve alone
}

// newHosted builds a hosted server on the one listener that was inherited, or opens its port where there is none.
func newHosted(ctx context.Context, c hostedConfig, inherited []net.Listener) (*hosted, error) {
	h := &hosted{}
	var err error
	if h.recordBase, err = rs.ParseBase(c.rsURL); err != nil {
		return nil, usage(err.Error())
	}
	h.client, err = rs.NewClient(rs.ClientOptions{
		Base: cmp.Or(c.rsReadURL, h.recordBase), UserAgent: userAgent(), ReadTimeout: c.readTimeout, Retries: c.retries, NoBreaker: c.noBreaker,
		Observer: c.watch.Reads(), Wrap: c.watch.Following("other"),
	})
	if err != nil {
		return nil, usage(err.Error())
	}
	h.tokens = rs.NewTokenCache(rs.TokenCacheOptions{Authority: &h.authority, Recalled: c.watch.TokenLookups(), Unknown: &c.unknown})
	h.limiter = middleware.NewLimiter(c.limits, time.Now)
	nobody := rs.NewToken("probe-" + rand.Text())
	h.health = transport.NewHealth(transport.HealthOptions{Logger: c.log, Checks: []transport.Check{
		{Name: "resource_server", Reach: h.client.Reach},
		{Name: "token_authority", Reach: func(ctx context.Context) error {
			_, err := h.authority.Judge(ctx, nobody)
			return err
		}},
	}})
	h.service = transport.NewService(h.health, version)
	if err := h.configure(c); err != nil {
		return nil, usage(err.Error())
	}
	if err := h.service.Listen(ctx, inherited, c.listen, c.maxConnections); err != nil {
		return nil, err
	}
	return h, nil
}

// serve answers until ctx ends, and drains. Whenever the manager asks for it, read's configuration replaces the one that is
// served, except for what only a restart can change.
func (h *hosted) serve(ctx context.Context, m transport.ServiceManager, read func() (hostedConfig, error)) error {
	if read == nil {
		return h.service.Serve(ctx, m, nil)
	}
	return h.service.Serve(ctx, m, func() ([]string, error) {
		next, err := read()
		if err != nil {
			return nil, err
		}
		next, kept := h.config.keepFixed(next)
		return kept, h.configure(next)
	})
}

// configure serves a configuration from now on. When it is not good, nothing has changed.
func (h *hosted) configure(c hostedConfig) error {
	authority, err := newAuthority(c, h.client)
	if err != nil {
		return err
	}
	authorizationServers := c.authorizationServers
	if len(authorizationServers) == 0 {
		authorizationServers = []string{h.recordBase}
	}
	handler := transport.Handler(transport.HandlerOptions{
		Server:        newRoom(c.name, h.recordBase, h.client, c.deadline, c.log, c.watch),
		Authenticator: h.tokens,
		Public:        c.public, Origins: c.origins,
		Metadata: transport.Metadata{ResourceName: "Personal data (PDPP)", ResourceServer: h.recordBase, AuthorizationServers: authorizationServers, Packages: c.packagesURL != ""},
		Health:   h.health, Page: c.page, Stop: h.service.Stopping(), Limiter: h.limiter,
		Logger: c.log, Tracer: c.watch.Tracer, Observer: c.watch.Requests(),
	})
	h.limiter.Set(c.limits)
	h.authority.Store(&authority)
	h.service.Use(transport.Serving{Handler: handler, DrainDelay: c.drainDelay, DrainTime: c.drainTime, Logger: c.log})
	h.config = c
	return nil
}

// keepFixed returns next with everything of c that only a restart can change, and the flags that differ there. What is
// not named here changes with a reload.
func (c hostedConfig) keepFixed(next hostedConfig) (hostedConfig, []string) {
	var differ []string
	for _, fixed := range []struct {
		flag string
		same bool
	}{
		{"--listen", c.listen == next.listen},
		{"--rs-url", c.rsURL == next.rsURL},
		{"--rs-internal-url", c.rsReadURL == next.rsReadURL},
		{"--read-timeout", c.readTimeout == next.readTimeout},
		{"--max-connections", c.maxConnections == next.maxConnections},
		{"--admin-listen", c.adminListen == next.adminListen},
		{"--retries", c.retries == next.retries},
		{"--breaker", c.noBreaker == next.noBreaker},
		{"--unknown-token-rate, --unknown-token-burst or --max-unknown-tokens", c.unknown == next.unknown},
	} {
		if !fixed.same {
			differ = append(differ, fixed.flag)
		}
	}
	next.listen, next.rsURL, next.rsReadURL = c.listen, c.rsURL, c.rsReadURL
	next.readTimeout, next.maxConnections = c.readTimeout, c.maxConnections
	next.adminListen, next.watch = c.adminListen, c.watch
	next.retries, next.noBreaker, next.unknown = c.retries, c.noBreaker, c.unknown
	return next, differ
}

// newObservation is metrics at an address of their own, unless that is empty, and traces where the environment asks for
// them. end sends what is left.
func newObservation(ctx context.Context, adminListen string, getenv func(string) string, log zerolog.Logger) (watch observe.Observation, end func(), err error) {
	tracer, endTracing, err := observe.NewTracer(ctx, version, getenv, log)
	if err != nil {
		return observe.Observation{}, nil, usage(err.Error())
	}
	if adminListen == "" {
		return observe.Observation{Tracer: tracer}, endTracing, nil
	}
	watch = observe.Observation{Metrics: observe.NewMetrics(version, tools.Names()), Tracer: tracer}
	closeAdmin, err := transport.ServeAdmin(ctx, adminListen, watch.Metrics.Handler(), log)
	if err != nil {
		endTracing()
		return observe.Observation{}, nil, err
	}
	return watch, func() { closeAdmin(); endTracing() }, nil
}

// A replaceableAuthority lets the memory of tokens outlive the authority that is asked about them.
type replaceableAuthority struct{ atomic.Pointer[rs.Authority] }

// Judge asks the authority of the moment.
func (a *replaceableAuthority) Judge(ctx context.Context, token rs.Token) (rs.Verdict, error) {
	return (*a.Load()).Judge(ctx, token)
}

// newAuthority says who judges a token: introspection where it is configured, else the schema; with a directory of
// packages over it where there is one.
func newAuthority(c hostedConfig, client *rs.Client) (rs.Authority, error) {
	if c.introspection == nil {
		return schemaProbe(client), nil
	}
	asked := *c.introspection
	asked.Observer, asked.Transport = c.watch.Reads(), c.watch.Following("introspection")(rs.NewTransport())
	introspector, err := rs.NewIntrospector(asked)
	if err != nil || c.packagesURL == "" {
		return introspector, err
	}
	directory, err := rs.NewHTTPDirectory(rs.HTTPDirectoryOptions{
		Endpoint: c.packagesURL, ClientID: c.introspection.ClientID, ClientSecret: c.introspection.ClientSecret,
		NoBreaker: c.noBreaker, Observer: c.watch.Reads(), Transport: c.watch.Following("packages")(rs.NewTransport()),
	})
	if err != nil {
		return nil, err
	}
	return rs.NewPackageAuthority(rs.PackageAuthorityOptions{Authority: introspector, Directory: directory, For: middleware.ReadingChildren(client),
		Package: rs.PackageOptions{FannedOut: c.watch.FanOuts()}}), nil
}

// schemaProbe judges a token by the schema document that its bearer is given.
func schemaProbe(client *rs.Client) rs.SchemaProbe {
	return rs.SchemaProbe{For: func(t rs.Token) rs.Doer { return client.For(rs.Principal{Token: t}) }}
}

// runStdio serves one local client with one cached token.
func runStdio(ctx context.Context, c stdioCommand, getenv func(string) string, io streams) error {
	ctx = transport.WatchOutput(ctx, io.out)
	log := zerolog.New(io.err).Level(zerolog.WarnLevel).With().Timestamp().Logger()
	watch, unwatch, err := newObservation(ctx, "", getenv, log)
	if err != nil {
		return err
	}
	defer within(lastLineWait, unwatch)
	return c.open(ctx, log, io, true, func(p provider) error {
		server, principal, err := p.room(ctx, c.ServerName, log, watch)
		if err != nil {
			return err
		}
		return transport.Stdio(ctx, server, principal, io.in, io.out)
	})
}

// within runs f, and waits for its end no longer than limit.
func within(limit time.Duration, f func()) {
	ended := make(chan struct{})
	go func() {
		f()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(limit):
	}
}

// open finds the provider and the credential that the flags name and uses them. The demo lives for as long as that takes.
// Where soon is set it is used before it has loaded, and what is read of it waits for that.
func (c providerFlags) open(ctx context.Context, log zerolog.Logger, io streams, soon bool, use func(provider) error) error {
	if c.Demo {
		if c.ProviderURL != "" {
			return usage("--demo and --provider-url cannot be combined: --demo serves the sample year.")
		}
		demo, err := startEmbedded(ctx, embeddedConfig{log: log, progress: io.err, now: time.Now, behind: soon})
		if err != nil {
			return err
		}
		defer demo.close()
		return use(provider{demo.url, rs.NewToken(demo.tokens.Client), true})
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
	return use(provider{credential.ProviderURL, credential.Token, false})
}

// inside uses a session with the room that a local command's flags lead to: it reads what a model would.
func (c providerFlags) inside(ctx context.Context, io streams, use func(session *mcp.ClientSession, providerURL string) error) error {
	log := zerolog.New(io.err).Level(zerolog.WarnLevel).With().Timestamp().Logger()
	return c.open(ctx, log, io, false, func(p provider) error {
		server, principal, err := p.room(ctx, "pdpp", log, observe.Observation{})
		if err != nil {
			return err
		}
		session, err := transport.Inside(ctx, server, principal, insider())
		if err != nil {
			return err
		}
		defer func() { _ = session.Close() }()
		return use(session, p.url)
	})
}

// insider is what local commands call themselves.
func insider() *mcp.Implementation {
	return &mcp.Implementation{Name: "pdpp-mcp-verify", Version: version}
}

// A provider is where a local command reads, and with which token.
type provider struct {
	url   string
	token rs.Token
	own   bool // it is this process's sample, whose token was made a client's a moment ago
}

// room is the room for the provider's one token.
func (p provider) room(ctx context.Context, name string, log zerolog.Logger, watch observe.Observation) (*transport.Server, rs.Principal, error) {
	if !p.own {
		return localRoom(ctx, p.url, p.token, name, log, watch)
	}
	client, err := localClient(p.url, middleware.DefaultDeadline, watch) // a slow machine loads for long: the call bounds the wait
	if err != nil {
		return nil, rs.Principal{}, err
	}
	return newRoom(name, p.url, client, 0, log, watch), rs.Principal{Token: p.token, Kind: rs.KindClient}, nil
}

// localRoom is the room for one cached token. The schema says what the token is before anything else is read, so that a
// mis-filed owner token never reads a record.
func localRoom(ctx context.Context, providerURL string, token rs.Token, name string, log zerolog.Logger, watch observe.Observation) (*transport.Server, rs.Principal, error) {
	client, err := localClient(providerURL, rs.DefaultReadTimeout, watch)
	if err != nil {
		return nil, rs.Principal{}, err
	}
	principal, err := transport.Identify(ctx, schemaProbe(client), providerURL, token)
	if err != nil {
		return nil, rs.Principal{}, err
	}
	return newRoom(name, strings.TrimRight(providerURL, "/"), client, 0, log, watch), principal, nil
}

func localClient(providerURL string, readTimeout time.Duration, watch observe.Observation) (*rs.Client, error) {
	client, err := rs.NewClient(rs.ClientOptions{Base: providerURL, UserAgent: userAgent(), ReadTimeout: readTimeout, Wrap: watch.Following("other")})
	if err != nil {
		return nil, usage(err.Error())
	}
	return client, nil
}

func userAgent() string { return "pdpp-mcp/" + version }

// embedded is the resource server of demo, on a port of its own.
type embedded struct {
	url          string
	clientSecret string
	tokens       demo.DemoTokens
	store        *demo.Store
	server       *http.Server

	stopLoading context.CancelFunc
	loaded      chan struct{} // closed when loading has ended
	resources   http.Handler  // what answers once it has; nil when it failed
}

type embeddedConfig struct {
	data, db string
	progress io.Writer
	now      func() time.Time // of the progress
	log      zerolog.Logger
	behind   bool // load while it serves: requests wait for the end of that
}

const embeddedClientID = "pdpp-mcp"

// startEmbedded loads the data and serves it on loopback until close.
func startEmbedded(ctx context.Context, c embeddedConfig) (*embedded, error) {
	store, err := openStore(ctx, c)
	if err != nil {
		return nil, err
	}
	e := &embedded{store: store, clientSecret: rand.Text(), loaded: make(chan struct{})}
	if e.tokens, err = demo.NewDemoTokens(rand.Reader); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	e.url = "http://" + listener.Addr().String()
	e.server = transport.NewHTTPServer("", e)
	go func() {
		if err := e.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			c.log.Error().Err(err).Msg("embedded resource server")
		}
	}()
	ctx, e.stopLoading = context.WithCancel(ctx)
	if c.behind {
		go func() {
			if err := e.load(ctx, c); err != nil && ctx.Err() == nil {
				c.log.Error().Err(err).Msg("embedded resource server")
			}
		}()
		return e, nil
	}
	if err := e.load(ctx, c); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// load fills the store, and lets the requests in that waited for it.
func (e *embedded) load(ctx context.Context, c embeddedConfig) error {
	defer close(e.loaded)
	if err := loadStore(ctx, e.store, c); err != nil {
		return err
	}
	e.resources = demo.NewServer(e.store, demo.DemoGrants(e.store.Connectors(), e.tokens, time.Now()), demo.Options{
		Origin: func() string { return e.url }, ClientID: embeddedClientID, ClientSecret: e.clientSecret,
		Fault: func(r *http.Request, err error) {
			c.log.Error().Err(err).Str("path", r.URL.Path).Msg("embedded resource server")
		},
	})
	return nil
}

// ServeHTTP answers a request once the data is loaded.
func (e *embedded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-e.loaded:
	case <-r.Context().Done():
		return
	}
	if e.resources == nil {
		http.Error(w, "the data could not be loaded", http.StatusInternalServerError)
		return
	}
	e.resources.ServeHTTP(w, r)
}

func (e *embedded) close() {
	e.stopLoading()
	<-e.loaded
	_ = e.server.Close()
	_ = e.store.Close()
}

// sampleFingerprint names the sample year among what an index can hold; sampleName is what any version of it begins with.
const (
	sampleName        = "sample year "
	sampleFingerprint = sampleName + "3"
)

// openStore opens the index, or one in memory. Its error is an ExitNotReady when the file is not to be touched.
func openStore(ctx context.Context, c embeddedConfig) (store *demo.Store, err error) {
	if c.db != "" && c.data == "" {
		err = mayHoldSample(ctx, c.db)
	}
	if err == nil {
		store, err = demo.NewStore(ctx, c.db)
	}
	if refused, ok := errors.AsType[*demo.IndexError](err); ok {
		return nil, &transport.ExitError{Code: transport.ExitNotReady, Message: refused.Error()}
	}
	return store, err
}

// mayHoldSample keeps the sample year from replacing an index of a person's own files, which may be all that is left of them.
func mayHoldSample(ctx context.Context, path string) error {
	held, err := demo.HeldIndex(ctx, path)
	if err == nil && held != "" && !strings.HasPrefix(held, sampleName) {
		err = &demo.IndexError{Path: path, Reason: "holds other files than the sample year, and is used only with --data and the place of those files"}
	}
	return err
}

// loadStore fills a store with the sample year, or with files of the person's own, unless it holds just that.
func loadStore(ctx context.Context, store *demo.Store, c embeddedConfig) error {
	if c.data == "" {
		if held, ok := store.Loaded(); ok && held == sampleFingerprint {
			return nil
		}
		year, err := sample.Year(ctx)
		if err != nil {
			return err
		}
		return store.Load(ctx, year, sampleFingerprint, nil)
	}
	index := demo.IndexFiles(c.db)
	fingerprint, problem := importer.Fingerprint(c.data, index...)
	if held, ok := store.Loaded(); ok && problem == nil && held == fingerprint {
		fmt.Fprintf(c.progress, "pdpp-mcp: %s is unchanged; using the kept index\n", c.data)
		return nil
	}
	report := loadReport{out: c.progress, now: c.now, begun: c.now(), told: c.now()}
	corpus, err := importer.Open(ctx, c.data, importer.Watch{Skipped: report.skip, Found: report.found}, index...) // it says what it skips, and fails as the fingerprint did
	if err = cmp.Or(err, problem); err != nil && ctx.Err() == nil {
		return usage(err.Error())
	}
	if err == nil {
		err = store.Load(ctx, corpus, fingerprint, report.load)
	}
	if ctx.Err() != nil {
		return errors.New("interrupted while loading; the next start loads again")
	}
	if err != nil {
		return err
	}
	report.end()
	return nil
}

// maxSkipsShown is how many skipped pieces are named one by one; all are counted.
const maxSkipsShown = 20

// demoLimits are those of a server for the person who started it: nobody is slowed down.
func demoLimits() middleware.Limits {
	l := middleware.DefaultLimits()
	l.TokenRate, l.AddressRate = 0, 0
	return l
}

// progressEvery is how often a person is told how far it is, at most.
const progressEvery = time.Second

// A loadReport tells a person how the loading goes on.
type loadReport struct {
	out             io.Writer
	now             func() time.Time
	begun, told     time.Time
	loaded, skipped int
}

func (r *loadReport) skip(s importer.Skip) {
	if r.skipped++; r.skipped <= maxSkipsShown {
		fmt.Fprintf(r.out, "pdpp-mcp: skipped %s\n", s)
	}
}

func (r *loadReport) found(n int) { r.tell("found", n) }

func (r *loadReport) load(n int) {
	r.loaded = n
	r.tell("loaded", n)
}

func (r *loadReport) tell(what string, n int) {
	now := r.now()
	if now.Sub(r.told) < progressEvery {
		return
	}
	r.told = now
	fmt.Fprintf(r.out, "pdpp-mcp: %s %d records so far\n", what, n)
}

func (r *loadReport) end() {
	if r.skipped > maxSkipsShown {
		fmt.Fprintf(r.out, "pdpp-mcp: and %d more skipped\n", r.skipped-maxSkipsShown)
	}
	fmt.Fprintf(r.out, "pdpp-mcp: loaded %d records in %s, skipped %d\n", r.loaded, r.now().Sub(r.begun).Round(10*time.Millisecond), r.skipped)
}

// runDemo serves the embedded resource server and /mcp in front of it, after a short tour.
func runDemo(ctx context.Context, c demoCommand, io streams) error {
	log := zerolog.New(io.err).Level(zerolog.WarnLevel).With().Timestamp().Logger()
	source, err := startEmbedded(ctx, embeddedConfig{data: c.Data, db: c.DB, progress: io.err, now: time.Now, log: log})
	if err != nil {
		return err
	}
	defer source.close()
	server, err := newHosted(ctx, hostedConfig{
		listen: c.Listen, name: "pdpp-demo", rsURL: source.url, packagesURL: source.url + "/packages", limits: demoLimits(), log: log,
		introspection: &rs.IntrospectorOptions{
			Endpoint: source.url + "/introspect", ClientID: embeddedClientID, ClientSecret: rs.NewToken(source.clientSecret),
			Issuer: source.url, Audiences: []string{source.url, source.url + middleware.EndpointPath},
		},
		drainTime: transport.DefaultDrainTime, page: demoPage(c.Data != "", source.tokens.Client),
	}, nil)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := json.NewEncoder(io.out).Encode(source.addresses(server.service.URL())); err != nil { // #nosec G117 -- throw-away tokens of the sample, for the one who asked
			return err
		}
		return server.serve(ctx, transport.ServiceManager{}, nil)
	}
	done := make(chan error, 1)
	go func() { done <- server.serve(ctx, transport.ServiceManager{}, nil) }()
	if err := cli.Tour(ctx, io.out, server.service.URL(), source.tokens.Client); err != nil {
		return fmt.Errorf("the tour failed: %w", err)
	}
	fmt.Fprintf(io.out, pasteable, server.service.URL(), source.tokens.Client, pageURL(c, server, source.tokens.Client))
	if c.Data == "" { // own files have no server without a port
		fmt.Fprint(io.out, pasteableSample)
	}
	return <-done
}

// demoPage is the demo's page for people, with its console. Whoever can open the page can read the sample year, which is
// nobody's. Data of the person's own is another matter: its token is not put into the page, but into the link to it.
func demoPage(ownData bool, token string) *page.Page {
	if ownData {
		return page.New(page.Options{Console: &page.Console{}, Server: clients.Server{Name: "pdpp-demo", TokenEnv: "PDPP_TOKEN"}}) // #nosec G101 -- a variable's name
	}
	o := page.Options{Console: &page.Console{Token: token}, Server: clients.Server{Name: "pdpp-demo", Arguments: []string{"stdio", "--demo"}}}
	self, notes, err := ownPath()
	if o.Server.Command = self; err != nil || len(notes) > 0 {
		o.Server.Command = "/path/to/pdpp-mcp"
		o.Note = "This program will be gone when it stops: go run built it for one run. Build it to stay, with go build -o pdpp-mcp . and write its own place for /path/to/pdpp-mcp."
	}
	return page.New(o)
}

// pageURL is where the person who started the demo opens its page.
func pageURL(c demoCommand, server *hosted, token string) string {
	url := strings.TrimSuffix(server.service.URL(), middleware.EndpointPath) + middleware.PagePath
	if c.Data != "" {
		url += "#token=" + token
	}
	return url
}

// addresses is the line of demo --json.
func (e *embedded) addresses(mcpURL string) demo.Addresses {
	return demo.Addresses{
		MCPURL: mcpURL, RSURL: e.url, ASURL: e.url,
		IntrospectionURL: e.url + "/introspect", IntrospectionClientID: embeddedClientID, IntrospectionClientSecret: e.clientSecret,
		PackagesURL: e.url + "/packages",
		ClientToken: e.tokens.Client, NarrowToken: e.tokens.Narrow, PackageToken: e.tokens.Package,
		OwnerToken: e.tokens.Owner, ExpiredToken: e.tokens.Expired, RevokedToken: e.tokens.Revoked,
	}
}

const pasteable = `
Serving until you stop it (Ctrl-C). In a browser, %[3]s calls tools by hand.

Connect a client, for example:

  claude mcp add --transport http pdpp-demo %[1]s --header "Authorization: Bearer %[2]s"
`

const pasteableSample = `
or without a port, once pdpp-mcp is on your PATH:

  claude mcp add pdpp-demo -- pdpp-mcp stdio --demo
`
