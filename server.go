package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"math"
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/cli"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
	"github.com/pdp-connect/pdpp-mcp/transport/signin"
)

// A hosted server already listens; Serve answers requests. A reload replaces only signIn and config.
type hosted struct {
	service    *service.Service
	client     *rsclient.Client
	recordBase string
	authority  replaceableAuthority
	tokens     *auth.TokenCache
	limiter    *web.Limiter
	health     *transport.Health
	issuers    *signin.Issuers
	signIn     *signin.Bridge // nil: hosts sign in elsewhere
	closeAdmin func()         // ends the metrics and probes; nil without --admin-listen

	config cli.HostedConfig // the current one; only the goroutine of Serve uses it
}

// newHosted returns a hosted server on the one inherited listener. Without one it opens c.Listen.
func newHosted(ctx context.Context, c cli.HostedConfig, inherited []net.Listener) (*hosted, error) {
	h := &hosted{}
	var err error
	if h.recordBase, err = rsclient.ParseBase(c.RSURL); err != nil {
		return nil, exit.UsageError("--rs-url: " + err.Error())
	}
	h.client, err = rsclient.New(rsclient.Options{
		Base: cmp.Or(c.RSInternalURL, h.recordBase), UserAgent: "pdpp-mcp/" + version, ReadTimeout: c.ReadTimeout,
		Retries: cmp.Or(c.Retries, -1), NoBreaker: !c.Breaker, AnswerBytes: answerBytes(c.AnswerMemory, debug.SetMemoryLimit(-1)),
		Observer: c.Watch.Observer(), Trace: c.Watch.Trace("other"),
	})
	if err != nil { // the public URL is valid
		return nil, exit.UsageError("--rs-internal-url: " + err.Error())
	}
	h.tokens = auth.NewTokenCache(auth.TokenCacheOptions{
		Authority: &h.authority, OnLookup: c.Watch.Metrics.TokenLookedUp, Unknown: &c.Unknown, Panicked: rs.LogPanic(c.Log),
	})
	h.limiter = web.NewLimiter(c.Limits, time.Now)
	unknown := rs.NewToken("probe-" + rand.Text())
	h.health = transport.NewHealth(c.Log, map[string]func(context.Context) error{
		"resource_server": h.client.Reach,
		"token_authority": func(ctx context.Context) error {
			_, err := h.authority.Introspect(ctx, unknown)
			return err
		},
	})
	h.service = service.NewService(h.health, version)
	h.issuers = signin.NewIssuers(h.recordBase, cmp.Or(c.RSInternalURL, h.recordBase), time.Now)
	if err := h.configure(ctx, c); err != nil {
		return nil, err
	}
	if err := h.service.Listen(ctx, inherited, c.Listen, c.MaxConnections, c.ClientConnections); err != nil {
		return nil, err
	}
	if c.AdminListen != "" {
		if h.closeAdmin, err = service.ServeAdmin(ctx, c.AdminListen, c.Watch.Metrics.Handler(), h.health, c.Log); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// Serve answers until ctx ends, then drains. When the manager asks for a reload, the configuration that read returns replaces the
// current one. A nil read means that there are no reloads.
func (h *hosted) Serve(ctx context.Context, m service.Manager, read func() (cli.HostedConfig, []string, error)) error {
	if h.closeAdmin != nil {
		defer h.closeAdmin()
	}
	if read == nil {
		return h.service.Serve(ctx, m, nil)
	}
	warnOfSignIns(h.config)
	go service.ReportUnreachable(ctx, h.config.Log, map[string]string{
		"resource server": cmp.Or(h.config.RSInternalURL, h.config.RSURL), "token authority": h.config.IntrospectionURL,
		"directory of packages": h.config.PackagesURL,
	})
	return h.service.Serve(ctx, m, func() ([]string, error) {
		next, kept, err := read()
		if err != nil {
			return nil, err
		}
		return kept, h.configure(ctx, next)
	})
}

// warnOfSignIns logs limits of OAuth sign-in that the operator may not expect.
func warnOfSignIns(c cli.HostedConfig) {
	switch {
	case c.AuthorizationSource != "":
		c.Log.Warn().Str("source", c.AuthorizationSource).Msg("hosts sign in for one source, of which the owner must have one connection; " +
			"for several name them in --authorization-details")
	case !c.SignsIn() && c.PackagesURL == "":
		c.Log.Warn().Msg("package tokens cannot be read here, and authorization servers issue them to hosts that sign in; " +
			"name a directory with --packages-url, or one source with --authorization-source")
	}
}

// URL returns the URL of the endpoint for clients on this machine.
func (h *hosted) URL() string { return h.service.URL() }

// configure applies a configuration to later requests. On error the previous configuration stays in effect.
func (h *hosted) configure(ctx context.Context, c cli.HostedConfig) error {
	authority, err := newAuthority(c, h.client)
	if err != nil {
		return exit.UsageError(err.Error())
	}
	metadata := transport.Metadata{
		ResourceName: "Personal data (PDPP)", ResourceServer: h.recordBase,
		AuthorizationServers: c.AuthorizationServers, Packages: c.PackagesURL != "",
	}
	bridge, err := h.bridge(ctx, c)
	var signIn transport.SignIn
	switch {
	case err != nil:
		return &exit.Error{Code: exit.Unavailable, Message: "sign-in cannot be offered: " + err.Error()}
	case bridge != nil:
		signIn, metadata.AuthorizationServers = bridge, []string{c.Public.Origin}
	case len(c.AuthorizationServers) == 0:
		metadata.Issuers = h.issuers.List
	}
	pipeline := transport.NewPipeline(transport.PipelineOptions{
		Client: h.client, RecordBase: h.recordBase, Name: c.Name, Version: version, Deadline: c.Deadline, NoSearchRelax: !c.SearchRelax,
		NoHitContext: !c.HitContext,
		Logger:       c.Log, Tracer: c.Watch.Tracer, Observer: c.Watch.Observer(),
	})
	handler := transport.Handler(transport.HandlerOptions{
		Server:        pipeline,
		Authenticator: h.tokens,
		Public:        c.Public, Origins: c.Origins,
		Metadata: metadata,
		Health:   h.health, Page: c.Page, PageForms: c.PageForms, SignIn: signIn, Stop: h.service.Stopping(), Limiter: h.limiter,
		Logger: c.Log, Tracer: c.Watch.Tracer, Observer: c.Watch.Observer(),
	})
	h.limiter.Set(c.Limits)
	h.authority.Store(&authority)
	h.service.Use(service.Serving{
		Handler: handler, DrainDelay: c.DrainDelay, DrainTime: c.DrainTime, Proxies: c.Public.Proxies, Logger: c.Log,
	})
	zerolog.SetGlobalLevel(c.Level) // also for the loggers that outlive a reload
	h.config, h.signIn = c, bridge
	return nil
}

// bridge returns the sign-in bridge for a configuration, or nil if hosts sign in elsewhere. It keeps the current bridge, with the answers
// that it caches, if the configuration fits it.
func (h *hosted) bridge(ctx context.Context, c cli.HostedConfig) (*signin.Bridge, error) {
	if !c.SignsIn() {
		return nil, nil
	}
	o := signin.Options{
		Public: c.Public.Origin, ConnectorKey: c.AuthorizationSource, Details: c.Details, Now: time.Now, Log: c.Log,
	}
	if issuers := c.AuthorizationServers; len(issuers) > 0 {
		o.Issuer = issuers[0]
	} else {
		named, err := h.issuers.Ask(ctx)
		if err != nil {
			return nil, err
		}
		o.Issuer = named[0]
	}
	if h.signIn != nil && h.signIn.Fits(o) {
		return h.signIn, nil
	}
	return signin.New(ctx, o)
}

// answerBytes returns the most bytes of answers in memory: mebibytes if that is set, or else two fifths of memoryLimit (bytes), which is
// 48 MiB for the default limit. 0 means the default of package rsclient.
func answerBytes(mebibytes, memoryLimit int64) int64 {
	switch {
	case mebibytes > 0:
		return mebibytes << 20
	case memoryLimit == math.MaxInt64: // no limit
		return 0
	}
	return memoryLimit / 5 * 2
}

// A replaceableAuthority lets the token cache outlive the authority behind it, which a reload replaces.
type replaceableAuthority struct{ atomic.Pointer[auth.Authority] }

// Introspect asks the current authority.
func (a *replaceableAuthority) Introspect(ctx context.Context, token rs.Token) (auth.TokenInfo, error) {
	return (*a.Load()).Introspect(ctx, token)
}

// newAuthority returns the authority about tokens: the introspection endpoint if one is configured, or else the schema document that
// the resource server returns for a token. With a directory, it also finds the grants of package tokens.
func newAuthority(c cli.HostedConfig, client *rsclient.Client) (auth.Authority, error) {
	if c.Introspection == nil {
		return auth.SchemaProbe{For: client.ForToken}, nil
	}
	asked := *c.Introspection
	asked.Observer, asked.Trace = c.Watch.Observer(), c.Watch.Trace("introspection")
	introspector, err := auth.NewIntrospector(asked)
	if err != nil || c.PackagesURL == "" {
		return introspector, err
	}
	listing := asked.LookupOptions
	listing.Endpoint, listing.Trace = c.PackagesURL, c.Watch.Trace("packages")
	directory, err := fanout.NewHTTPDirectory(listing)
	if err != nil {
		return nil, err
	}
	return fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{Authority: introspector, Directory: directory, For: client.ForToken,
		Package: fanout.PackageOptions{FannedOut: c.Watch.Metrics.FannedOut, Panicked: rs.LogPanic(c.Log)}}), nil
}
