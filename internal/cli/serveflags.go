package cli

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/config"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// ServeFlags are the settings of serve, as they are typed.
type ServeFlags struct {
	Config, LogLevel                                                   string
	Listen, AdminListen, RSURL, RSInternalURL, PublicURL               string
	AllowedHosts, AllowedOrigins, TrustedProxies                       []string
	AuthorizationServers, Audiences                                    []string
	AuthorizationSource, AuthorizationDetails, Issuer, PackagesURL     string
	IntrospectionURL, IntrospectionClientID, IntrospectionClientSecret string
	IntrospectionSecretFile                                            string
	Deadline, ReadTimeout, DrainDelay, DrainTime                       time.Duration
	TrustedHops, Retries, MaxConnections, ClientConnections            int
	AnswerMemory                                                       int64
	Breaker, SearchRelax, HitContext, ShowPage                         bool
	Limits                                                             web.Limits
	Unknown                                                            auth.LookupLimits // of introspections of unknown tokens
}

func (o *ServeFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&o.Config, "config", "", "JSON `FILE` of these settings under their long names; SIGHUP reads it again")
	flags.StringVar(&o.Listen, "listen", "127.0.0.1:7700", "Address to listen on, as `HOST:PORT`")
	flags.StringVar(&o.RSURL, "rs-url", "", "The resource server's public `URL`")
	flags.StringVar(&o.RSInternalURL, "rs-internal-url", "", "`URL` at which this server reads it, if not the public one")
	flags.StringVar(&o.PublicURL, "public-url", "", "This server's public origin, a `URL` without /mcp")
	flags.Var((*commas)(&o.AllowedHosts), "allowed-hosts", "More host names (`HOST,...`) to answer to")
	flags.Var((*commas)(&o.AllowedOrigins), "allowed-origins", "Browser origins (`ORIGIN,...`) that may call; usually none")
	flags.Var((*commas)(&o.TrustedProxies), "trusted-proxies",
		"Addresses (`CIDR,...`) whose X-Forwarded-Host, -Proto and -For are believed")
	flags.IntVar(&o.TrustedHops, "trusted-hops", 1,
		"How many trusted proxies a request passes: the client is the address at this place from the right in X-Forwarded-For")
	flags.Var((*commas)(&o.AuthorizationServers), "authorization-servers",
		"Issuers (`URL,...`) for the metadata; if absent, those that the resource server names")
	flags.StringVar(&o.AuthorizationSource, "authorization-source", "",
		"Let OAuth hosts sign in here, and have each ask for all of this source, the `KEY` of a connector with one connection")
	flags.StringVar(&o.AuthorizationDetails, "authorization-details", "",
		"The same, asking for the one entry of authorization_details in this JSON `FILE`")
	o.declareIntrospection(flags)
	flags.DurationVar(&o.Deadline, "deadline", 40*time.Second, "Longest time of one call")
	flags.DurationVar(&o.ReadTimeout, "read-timeout", 10*time.Second, "Longest time of one read of the resource server")
	flags.IntVar(&o.Retries, "retries", 2, "How often a failed read is tried again, 0 to 2")
	onOff(flags, &o.Breaker, "breaker", "Stop calling a resource server or authority that keeps failing for 5 seconds")
	searchVar(flags, &o.SearchRelax, &o.HitContext)
	flags.StringVar(&o.AdminListen, "admin-listen", "", "Address (`HOST:PORT`) of the metrics and probes, best on loopback; none if absent")
	onOff(flags, &o.ShowPage, "page", "Show a page for people at /")
	flags.Int64Var(&o.AnswerMemory, "answer-memory", 0, "`MiB` of the resource server's answers in memory at a time; "+
		"if absent, two fifths of GOMEMLIMIT; without that, 48, or less in a small container")
	flags.IntVar(&o.MaxConnections, "max-connections", 10000, "Most connections open at a time. Further ones wait")
	flags.IntVar(&o.ClientConnections, "max-connections-per-address", 2000,
		"Most connections open from one client address, except trusted proxies; 0 for no limit. Further ones are closed")
	o.declareLimits(flags)
	flags.DurationVar(&o.DrainDelay, "drain-delay", 0, "Time between 'not ready' and the last accepted connection, for load balancers to notice")
	flags.DurationVar(&o.DrainTime, "drain-time", 10*time.Second, "Longest time for calls in flight to finish after that")
	flags.StringVar(&o.LogLevel, "log-level", "info", "How much is logged (`LEVEL`): debug, info, warn or error")
	paths(flags, "config", "authorization-details", "introspection-client-secret-file")
	choice(flags, "log-level", "debug", "info", "warn", "error")
	flags.VisitAll(func(f *pflag.Flag) {
		if !strings.HasPrefix(f.Name, "no-") {
			config.Environment(flags, "PDPP_MCP_", f.Name)
		}
	})
}

func (o *ServeFlags) declareIntrospection(flags *pflag.FlagSet) {
	flags.StringVar(&o.IntrospectionURL, "introspection-url", "",
		"`URL` of an RFC 7662 endpoint; without it, the resource server's schema says what a token is")
	flags.StringVar(&o.IntrospectionClientID, "introspection-client-id", "", "HTTP Basic user (`ID`) of introspection")
	flags.StringVar(&o.IntrospectionClientSecret, "introspection-client-secret", "",
		"HTTP Basic password (`SECRET`); prefer the file or the environment")
	flags.StringVar(&o.IntrospectionSecretFile, "introspection-client-secret-file", "", "`FILE` with this password")
	flags.StringVar(&o.Issuer, "issuer", "", "Required iss (`URL`) of a token")
	flags.Var((*commas)(&o.Audiences), "audiences",
		"Accepted aud (`URL,...`) of a token; if absent, the resource server's and this server's URLs")
	flags.StringVar(&o.PackagesURL, "packages-url", "",
		"Directory (`URL`) of package members; needs --introspection-url. Without it, package tokens are refused")
}

func (o *ServeFlags) declareLimits(flags *pflag.FlagSet) {
	limits := web.DefaultLimits()
	flags.Float64Var(&o.Limits.TokenRate, "token-rate", limits.TokenRate, "Requests a second with one token; 0 for no limit")
	flags.IntVar(&o.Limits.TokenBurst, "token-burst", limits.TokenBurst, "Requests with one token at once")
	flags.Float64Var(&o.Limits.AddressRate, "address-rate", limits.AddressRate,
		"Bad tokens a second from one client address; 0 for no limit")
	flags.IntVar(&o.Limits.AddressBurst, "address-burst", limits.AddressBurst, "Bad tokens from one client address at once")
	flags.IntVar(&o.Limits.CallsPerGrant, "max-calls-per-grant", limits.CallsPerGrant,
		"Calls of one grant or package at a time; 0 for no limit")
	flags.IntVar(&o.Limits.Calls, "max-calls", limits.Calls, "Calls of all clients at a time; 0 for no limit")
	flags.DurationVar(&o.Limits.Wait, "call-wait", limits.Wait, "How long a call beyond these limits waits to start, at most 10s")
	o.Unknown.Wait = time.Second
	flags.Float64Var(&o.Unknown.Rate, "unknown-token-rate", 100, "Introspections of unknown tokens a second, of all clients; 0 for no limit")
	flags.IntVar(&o.Unknown.Burst, "unknown-token-burst", 1000, "Such introspections at once")
	flags.IntVar(&o.Unknown.AtOnce, "max-unknown-tokens", 256, "Such introspections under way at a time; 0 for no limit")
}

func searchVar(flags *pflag.FlagSet, relax, hitContext *bool) {
	onOff(flags, relax, "search-relax", "Search for the words one by one where no record has all of them")
	onOff(flags, hitContext, "hit-context", "Read the titles, senders and times that hits lack")
}
