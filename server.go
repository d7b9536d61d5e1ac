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
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"
	"golang.org/x/net/netutil"

	"github.com/pdp-connect/pdpp-mcp/integration"
	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/demo"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// newRoom is the same room behind every door of this program.
func newRoom(name, recordBase string, client *rs.Client, deadline time.Duration, log zerolog.Logger, watch observation) *mcp.Server {
	return transport.NewRoom(transport.RoomOptions{
		Client: client, RecordBase: recordBase, Name: name, Version: version, Deadline: deadline, Logger: log,
		Tracer: watch.tracer, Observer: watch.calls(),
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
	authorizationServers []string
	introspection        *rs.IntrospectorOptions // nil: the schema probe
	packagesURL          string                  // directory of package members, asked with the introspection's credentials
	drainDelay           time.Duration           // from "not ready" to the end of accepting
	drainTime            time.Duration           // from there to the end of calls in flight
	adminListen          string                  // where watch shows its metrics; empty: nowhere
	log                  zerolog.Logger
	watch                observation
}

// A hosted server listens already, and serves once it is told to. Its fields outlive a reload, except for the last two.
type hosted struct {
	listener   net.Listener
	server     *http.Server
	client     *rs.Client
	recordBase string
	authority  replaceableAuthority
	tokens     *rs.TokenCache
	limiter    *middleware.Limiter
	health     *transport.Health
	stop       context.CancelCauseFunc // ends all calls in flight
	stopping   context.Context         // ends with stop
	draining   atomic.Bool

	handler atomic.Pointer[http.Handler]
	config  hostedConfig // what handler serves; of the goroutine of serve alone
}

// newHosted builds a hosted server on a listener, or opens its port when that is nil.
func newHosted(ctx context.Context, c hostedConfig, listener net.Listener) (*hosted, error) {
	h := &hosted{}
	var err error
	if h.recordBase, err = rs.ParseBase(c.rsURL); err != nil {
		return nil, usage(err.Error())
	}
	h.client, err = rs.NewClient(rs.ClientOptions{
		Base: cmp.Or(c.rsReadURL, h.recordBase), UserAgent: userAgent(), ReadTimeout: c.readTimeout, Retries: c.retries, NoBreaker: c.noBreaker,
		Observer: c.watch.reads(), Wrap: c.watch.following("other"),
	})
	if err != nil {
		return nil, usage(err.Error())
	}
	h.tokens = rs.NewTokenCache(rs.TokenCacheOptions{Authority: &h.authority, Recalled: c.watch.tokenLookups()})
	h.limiter = middleware.NewLimiter(c.limits, time.Now)
	h.stopping, h.stop = context.WithCancelCause(context.Background())
	nobody := rs.NewToken("probe-" + rand.Text())
	h.health = transport.NewHealth(transport.HealthOptions{Logger: c.log, Checks: []transport.Check{
		{Name: "resource_server", Reach: h.client.Reach},
		{Name: "token_authority", Reach: func(ctx context.Context) error {
			_, err := h.authority.Judge(ctx, nobody)
			return err
		}},
	}})
	if err := h.configure(c); err != nil {
		return nil, usage(err.Error())
	}
	if listener == nil {
		if _, err := net.ResolveTCPAddr("tcp", c.listen); err != nil {
			return nil, usage(fmt.Sprintf("cannot listen on %s: %v", c.listen, err))
		}
		listener, err = new(net.ListenConfig).Listen(ctx, "tcp", c.listen)
		if err != nil {
			return nil, fmt.Errorf("%w; choose another address with --listen", err)
		}
	}
	if c.maxConnections > 0 {
		listener = netutil.LimitListener(listener, c.maxConnections)
	}
	h.listener, h.server = listener, transport.NewHTTPServer(c.listen, h)
	return h, nil
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
		Health:   h.health, Stop: h.stopping, Limiter: h.limiter,
		Logger: c.log, Tracer: c.watch.tracer, Observer: c.watch.requests(),
	})
	h.limiter.Set(c.limits)
	h.authority.Store(&authority)
	h.handler.Store(&handler)
	h.config = c
	return nil
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
	asked.Observer, asked.Transport = c.watch.reads(), c.watch.following("introspection")(rs.NewTransport())
	introspector, err := rs.NewIntrospector(asked)
	if err != nil || c.packagesURL == "" {
		return introspector, err
	}
	directory, err := rs.NewHTTPDirectory(rs.HTTPDirectoryOptions{
		Endpoint: c.packagesURL, ClientID: c.introspection.ClientID, ClientSecret: c.introspection.ClientSecret,
		NoBreaker: c.noBreaker, Observer: c.watch.reads(), Transport: c.watch.following("packages")(rs.NewTransport()),
	})
	if err != nil {
		return nil, err
	}
	return rs.NewPackageAuthority(rs.PackageAuthorityOptions{Authority: introspector, Directory: directory, For: middleware.ReadingChildren(client),
		Package: rs.PackageOptions{FannedOut: c.watch.fanOuts()}}), nil
}

// schemaProbe judges a token by the schema document that its bearer is given.
func schemaProbe(client *rs.Client) rs.SchemaProbe {
	return rs.SchemaProbe{For: func(t rs.Token) rs.Doer { return client.For(rs.Principal{Token: t}) }}
}

func (h *hosted) url() string {
	address := h.listener.Addr().String()
	if tcp, ok := h.listener.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		address = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port)) // how this machine reaches every address
	}
	return "http://" + address + middleware.EndpointPath
}

// serveStdio serves one local client with one cached token.
func serveStdio(ctx context.Context, providerURL string, token rs.Token, name string, log zerolog.Logger, watch observation, io streams) error {
	server, principal, err := localRoom(ctx, providerURL, token, name, log, watch)
	if err != nil {
		return err
	}
	return transport.Stdio(ctx, server, principal, io.in, io.out)
}

// localRoom is the room for one cached token. The schema says what the token is before anything else is read, so that a
// mis-filed owner token never reads a record.
func localRoom(ctx context.Context, providerURL string, token rs.Token, name string, log zerolog.Logger, watch observation) (*mcp.Server, rs.Principal, error) {
	client, err := rs.NewClient(rs.ClientOptions{Base: providerURL, UserAgent: userAgent(), Wrap: watch.following("other")})
	if err != nil {
		return nil, rs.Principal{}, usage(err.Error())
	}
	verdict, err := schemaProbe(client).Judge(ctx, token)
	if err != nil {
		return nil, rs.Principal{}, &transport.ExitError{Code: transport.ExitUnavailable, Message: fmt.Sprintf("the provider %s cannot be reached. Check the URL and the network.", providerURL)}
	}
	if verdict.Inactive != nil {
		return nil, rs.Principal{}, &transport.ExitError{Code: transport.ExitNotReady, Message: verdict.Inactive.Message + " Connect again: pdpp connect " + providerURL}
	}
	if err := verdict.Principal.Admissible(); err != nil {
		code := transport.ExitNotReady
		if verdict.Principal.Kind == rs.KindOwner {
			code = transport.ExitOwner
		}
		return nil, rs.Principal{}, &transport.ExitError{Code: code, Message: rs.AsError(err).Message + " Connect with a scoped grant: pdpp connect " + providerURL}
	}
	return newRoom(name, strings.TrimRight(providerURL, "/"), client, 0, log, watch), verdict.Principal, nil
}

func userAgent() string { return "pdpp-mcp/" + version }

// embedded is the resource server of demo, on a port of its own.
type embedded struct {
	url          string
	clientSecret string
	tokens       demo.DemoTokens
	store        *demo.Store
	server       *http.Server
}

type embeddedConfig struct {
	data, db string
	progress io.Writer
	now      func() time.Time // of the progress
	log      zerolog.Logger
}

const embeddedClientID = "pdpp-mcp"

// startEmbedded loads the data and serves it on loopback until close.
func startEmbedded(ctx context.Context, c embeddedConfig) (*embedded, error) {
	store, err := demo.NewStore(ctx, c.db)
	if err != nil {
		return nil, err
	}
	if err := loadStore(ctx, store, c); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	e := &embedded{store: store, clientSecret: rand.Text()}
	if e.tokens, err = demo.NewDemoTokens(rand.Reader); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	e.url = "http://" + listener.Addr().String()
	grants := demo.DemoGrants(store.Connectors(), e.tokens, time.Now())
	e.server = transport.NewHTTPServer("", demo.NewServer(store, grants, demo.Options{
		Origin: func() string { return e.url }, ClientID: embeddedClientID, ClientSecret: e.clientSecret,
		Fault: func(r *http.Request, err error) {
			c.log.Error().Err(err).Str("path", r.URL.Path).Msg("embedded resource server")
		},
	}))
	go func() {
		if err := e.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			c.log.Error().Err(err).Msg("embedded resource server")
		}
	}()
	return e, nil
}

func (e *embedded) close() {
	_ = e.server.Close()
	_ = e.store.Close()
}

// loadStore fills a store with the sample year, or with files of the person's own, unless it holds just that.
func loadStore(ctx context.Context, store *demo.Store, c embeddedConfig) error {
	if c.data == "" {
		const fingerprint = "sample year 2"
		if held, ok := store.Loaded(); ok && held == fingerprint {
			return nil
		}
		return store.Load(ctx, demo.Year(), fingerprint, nil)
	}
	fingerprint, err := demo.Fingerprint(c.data)
	if err != nil {
		return usage(err.Error())
	}
	if held, ok := store.Loaded(); ok && held == fingerprint {
		fmt.Fprintf(c.progress, "pdpp-mcp: %s is unchanged; using the kept index\n", c.data)
		return nil
	}
	report := loadReport{out: c.progress, now: c.now, begun: c.now(), told: c.now()}
	corpus, err := demo.Open(ctx, c.data, demo.Watch{Skipped: report.skip, Found: report.found})
	if err != nil && ctx.Err() == nil {
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

// progressEvery is how often a person is told how far it is, at most.
const progressEvery = time.Second

// A loadReport tells a person how the loading goes on.
type loadReport struct {
	out             io.Writer
	now             func() time.Time
	begun, told     time.Time
	loaded, skipped int
}

func (r *loadReport) skip(s demo.Skip) {
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
		drainTime: drainTime,
	}, nil)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := json.NewEncoder(io.out).Encode(source.addresses(server.url())); err != nil { // #nosec G117 -- throw-away tokens of the sample, for the one who asked
			return err
		}
		return server.serve(ctx, manager{}, nil)
	}
	done := make(chan error, 1)
	go func() { done <- server.serve(ctx, manager{}, nil) }()
	if err := integration.Tour(ctx, io.out, server.url(), source.tokens.Client); err != nil {
		return fmt.Errorf("the tour failed: %w", err)
	}
	fmt.Fprintf(io.out, pasteable, server.url(), source.tokens.Client)
	return <-done
}

// demoAddresses is the line of demo --json.
type demoAddresses struct {
	MCPURL                    string `json:"mcp_url"`
	RSURL                     string `json:"rs_url"`
	ASURL                     string `json:"as_url"`
	IntrospectionURL          string `json:"introspection_url"`
	IntrospectionClientID     string `json:"introspection_client_id"`
	IntrospectionClientSecret string `json:"introspection_client_secret"`
	PackagesURL               string `json:"packages_url"`
	ClientToken               string `json:"client_token"`
	NarrowToken               string `json:"narrow_token"`
	PackageToken              string `json:"package_token"`
	OwnerToken                string `json:"owner_token"`
	ExpiredToken              string `json:"expired_token"`
	RevokedToken              string `json:"revoked_token"`
}

func (e *embedded) addresses(mcpURL string) demoAddresses {
	return demoAddresses{
		MCPURL: mcpURL, RSURL: e.url, ASURL: e.url,
		IntrospectionURL: e.url + "/introspect", IntrospectionClientID: embeddedClientID, IntrospectionClientSecret: e.clientSecret,
		PackagesURL: e.url + "/packages",
		ClientToken: e.tokens.Client, NarrowToken: e.tokens.Narrow, PackageToken: e.tokens.Package,
		OwnerToken: e.tokens.Owner, ExpiredToken: e.tokens.Expired, RevokedToken: e.tokens.Revoked,
	}
}

const pasteable = `
Serving until you stop it (Ctrl-C). Connect a client, for example:

  claude mcp add --transport http pdpp-demo %[1]s --header "Authorization: Bearer %[2]s"

or without a port:

  claude mcp add pdpp-demo -- pdpp-mcp stdio --demo
`
