package cli

import (
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/config"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// ServeFlags are the settings of serve, as they are typed.
type ServeFlags struct {
	Config config.Flag `help:"JSON file of these settings under their long names; SIGHUP reads it again." type:"path" env:"PDPP_MCP_CONFIG" placeholder:"FILE"`

	Listen                    string        `help:"Address to listen on; ${default} if absent." default:"127.0.0.1:7700" env:"PDPP_MCP_LISTEN" placeholder:"HOST:PORT"`
	RSURL                     string        `name:"rs-url" help:"The resource server's public URL." required:"" env:"PDPP_MCP_RS_URL" placeholder:"URL"`
	RSInternalURL             string        `name:"rs-internal-url" help:"Where this server reads it, if not at the public URL." env:"PDPP_MCP_RS_INTERNAL_URL" placeholder:"URL"`
	PublicURL                 string        `name:"public-url" help:"This server's public origin, without /mcp." env:"PDPP_MCP_PUBLIC_URL" placeholder:"URL"`
	AllowedHosts              []string      `name:"allowed-hosts" help:"Further host names that it answers to." env:"PDPP_MCP_ALLOWED_HOSTS" placeholder:"HOST"`
	AllowedOrigins            []string      `name:"allowed-origins" help:"Browser origins that may call; usually none." env:"PDPP_MCP_ALLOWED_ORIGINS" placeholder:"ORIGIN"`
	TrustedProxies            []string      `name:"trusted-proxies" help:"Addresses whose X-Forwarded-Host, -Proto and -For are believed." env:"PDPP_MCP_TRUSTED_PROXIES" placeholder:"CIDR"`
	TrustedHops               int           `name:"trusted-hops" help:"How many trusted proxies a request passes: its client is the address that many from the right of X-Forwarded-For; ${default} if absent." default:"1" env:"PDPP_MCP_TRUSTED_HOPS" placeholder:"N"`
	AuthorizationServers      []string      `name:"authorization-servers" help:"Issuer URLs for the metadata; those that the resource server names if absent." env:"PDPP_MCP_AUTHORIZATION_SERVERS" placeholder:"URL"`
	AuthorizationSource       string        `name:"authorization-source" help:"Let OAuth hosts sign in here, and have each ask for all of this source, a connector key with one connection." env:"PDPP_MCP_AUTHORIZATION_SOURCE" placeholder:"KEY"`
	AuthorizationDetails      string        `name:"authorization-details" help:"The same, asking for the one entry of authorization_details in this JSON file." type:"path" env:"PDPP_MCP_AUTHORIZATION_DETAILS" placeholder:"FILE"`
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
	Breaker                   bool          `help:"Stop calling a resource server or authority that keeps failing for 5 seconds; on if absent." negatable:"" default:"true" env:"PDPP_MCP_BREAKER"`
	SearchRelax               bool          `name:"search-relax" help:"Search for the words one by one where no record has all of them; on if absent." negatable:"" default:"true" env:"PDPP_MCP_SEARCH_RELAX"`
	AdminListen               string        `name:"admin-listen" help:"Address of the metrics and probes, best on loopback; none if absent." env:"PDPP_MCP_ADMIN_LISTEN" placeholder:"HOST:PORT"`
	ShowPage                  bool          `name:"page" help:"Show a page for people at /; on if absent." negatable:"" default:"true" env:"PDPP_MCP_PAGE"`
	AnswerMemory              int64         `name:"answer-memory" help:"MiB of the resource server's answers in memory at a time; if absent, two fifths of GOMEMLIMIT; without that 48, or less in a small container." env:"PDPP_MCP_ANSWER_MEMORY" placeholder:"MIB"`
	MaxConnections            int           `name:"max-connections" help:"Most connections open at a time; ${default} if absent. Further ones wait." default:"10000" env:"PDPP_MCP_MAX_CONNECTIONS"`
	ClientConnections         int           `name:"max-connections-per-address" help:"Most of them from one client address, except trusted proxies; ${default} if absent, 0 for no limit. Further ones are closed." default:"2000" env:"PDPP_MCP_MAX_CONNECTIONS_PER_ADDRESS" placeholder:"N"`
	limitFlags
	UnknownTokenRate  float64       `name:"unknown-token-rate" help:"Introspections a second of unknown tokens, of all clients; ${default} if absent, 0 for no limit." default:"100" env:"PDPP_MCP_UNKNOWN_TOKEN_RATE" placeholder:"N"`
	UnknownTokenBurst int           `name:"unknown-token-burst" help:"Such introspections at once; ${default} if absent." default:"1000" env:"PDPP_MCP_UNKNOWN_TOKEN_BURST" placeholder:"N"`
	MaxUnknownTokens  int           `name:"max-unknown-tokens" help:"Such introspections under way at a time; ${default} if absent, 0 for no limit." default:"256" env:"PDPP_MCP_MAX_UNKNOWN_TOKENS" placeholder:"N"`
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
	CallWait         time.Duration `name:"call-wait" help:"How long a call beyond these waits for its start; ${default} if absent." default:"1s" env:"PDPP_MCP_CALL_WAIT"`
}

func (f limitFlags) limits() web.Limits {
	return web.Limits{
		TokenRate: f.TokenRate, TokenBurst: f.TokenBurst, AddressRate: f.AddressRate, AddressBurst: f.AddressBurst,
		CallsPerGrant: f.MaxCallsPerGrant, Calls: f.MaxCalls, Wait: f.CallWait,
	}
}
