package cli

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/service"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// HostedConfig is what a hosted server is made of.
type HostedConfig struct {
	Listen, Name         string
	Public               web.Public
	Origins              []string
	RSURL                string // public, for what is shown
	RSReadURL            string // where it is read; empty: at RSURL
	ReadTimeout          time.Duration
	Retries              int   // of one read: 0 means 2, negative none
	NoBreaker            bool  // ask however often it fails
	NoSearchRelax        bool  // a search that finds nothing is not repaired
	AnswerMemory         int64 // MiB of answers at a time; 0: from the memory limit
	Deadline             time.Duration
	MaxConnections       int // 0: no limit
	ClientConnections    int // of one address; 0: no limit
	Limits               web.Limits
	Unknown              auth.LookupLimits         // of questions about unknown tokens
	AuthorizationServers []string                  // empty: those that the resource server names
	ConnectorKey         string                    // of the source that sign-ins ask for; empty: see Details
	Details              string                    // authorization_details that sign-ins ask for; empty, with no key: no sign-in here
	Introspection        *auth.IntrospectorOptions // nil: the schema probe
	PackagesURL          string                    // directory of package members, asked with the introspection's credentials
	DrainDelay           time.Duration             // from "not ready" to the end of accepting
	DrainTime            time.Duration             // from there to the end of calls in flight
	AdminListen          string                    // where watch shows its metrics; empty: nowhere
	Log                  zerolog.Logger
	Watch                observe.Observation
	Page                 transport.Page // for people; nil: none
	PageForms            bool           // the page takes forms
}

// KeepFixed returns next with everything of c that only a restart can change, and the flags that differ there. What is
// not named here changes with a reload.
func (c HostedConfig) KeepFixed(next HostedConfig) (HostedConfig, []string) {
	var differ []string
	keep(&differ, "--listen", c.Listen, &next.Listen)
	keep(&differ, "--rs-url", c.RSURL, &next.RSURL)
	keep(&differ, "--rs-internal-url", c.RSReadURL, &next.RSReadURL)
	keep(&differ, "--read-timeout", c.ReadTimeout, &next.ReadTimeout)
	keep(&differ, "--max-connections", c.MaxConnections, &next.MaxConnections)
	keep(&differ, "--max-connections-per-address", c.ClientConnections, &next.ClientConnections)
	keep(&differ, "--admin-listen", c.AdminListen, &next.AdminListen)
	keep(&differ, "--retries", c.Retries, &next.Retries)
	keep(&differ, "--answer-memory", c.AnswerMemory, &next.AnswerMemory)
	keep(&differ, "--breaker", c.NoBreaker, &next.NoBreaker)
	keep(&differ, "--unknown-token-rate, --unknown-token-burst or --max-unknown-tokens", c.Unknown, &next.Unknown)
	next.Watch = c.Watch
	return next, differ
}

// keep sets next to what is held, and adds the flag to those that differ if it was something else.
func keep[T comparable](differ *[]string, flag string, held T, next *T) {
	if held != *next {
		*differ = append(*differ, flag)
	}
	*next = held
}

// Hosted is a server that listens.
type Hosted interface {
	// URL is where clients find it.
	URL() string
	// Serve answers until ctx ends. Whenever the manager asks for it, read's configuration replaces the one that is served.
	Serve(ctx context.Context, m service.Manager, read func() (HostedConfig, error)) error
}
