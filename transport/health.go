package transport

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/rechecked"
)

const (
	healthTTL     = 5 * time.Second // how long a result is kept, so that probes cannot overload the checked servers
	healthTimeout = 2 * time.Second // of one check
)

// A Health answers the probes of load balancers and supervisors, which send no credentials:
//
//	/livez   200 while the process can answer at all
//	/readyz  200 while it serves and everything that it needs answers, else 503; the body names each check
//
// It is not ready before [Health.Serve] and after [Health.Drain]. It is safe for concurrent use.
type Health struct {
	log    zerolog.Logger
	phase  atomic.Value // a string, one of the phases below
	checks map[string]*rechecked.Value[string]
}

// The phases of a server.
const (
	starting = "starting"
	ready    = "ready"
	draining = "draining"
)

// The states of a check in /readyz.
const (
	reachable   = "reachable"
	unreachable = "unreachable"
)

// NewHealth returns a Health in the starting phase. checks maps a public name, such as "resource_server", to a check of a server that this
// one cannot work without. A check returns nil if that server answers; its error is not shown. Each change is logged.
func NewHealth(log zerolog.Logger, checks map[string]func(context.Context) error) *Health {
	h := &Health{log: log, checks: map[string]*rechecked.Value[string]{}}
	h.phase.Store(starting)
	for name, reach := range checks {
		h.checks[name] = rechecked.New(time.Now, func(ctx context.Context, before string) (string, time.Duration) {
			return h.check(ctx, name, reach, before), healthTTL
		})
		h.checks[name].Fresh = true
	}
	return h
}

// Serve makes it ready: the server accepts calls.
func (h *Health) Serve() { h.phase.Store(ready) }

// Drain makes it not ready: the server is about to stop accepting calls.
func (h *Health) Drain() { h.phase.Store(draining) }

// readiness is the body of a probe's answer. It is public and contains no address.
type readiness struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks,omitempty"`
}

// ServeHTTP answers /readyz, and /livez at any other path.
func (h *Health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !allowMethods(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	status, body := http.StatusOK, readiness{Status: "live"}
	if strings.HasSuffix(r.URL.Path, web.ReadyPath) {
		if body = h.probe(r.Context()); body.Status != ready {
			status = http.StatusServiceUnavailable
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	web.WriteJSON(w, status, body)
}

// Status returns the status in /readyz: ready, not_ready, starting or draining. It takes no longer than a check does.
func (h *Health) Status(ctx context.Context) string { return h.probe(ctx).Status }

func (h *Health) probe(ctx context.Context) readiness {
	body := readiness{Status: h.phase.Load().(string), Checks: map[string]string{}}
	if body.Status != ready {
		return body
	}
	var checking sync.WaitGroup
	var mu sync.Mutex
	for name, check := range h.checks {
		checking.Go(func() {
			state := check.Get(context.WithoutCancel(ctx)) // takes healthTimeout at most
			mu.Lock()
			defer mu.Unlock()
			body.Checks[name] = state
			if state != reachable {
				body.Status = "not_ready"
			}
		})
	}
	checking.Wait()
	return body
}

// check returns the state of a check, and logs a change.
func (h *Health) check(ctx context.Context, name string, reach func(context.Context) error, before string) string {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	state := reachable
	if reach(ctx) != nil {
		state = unreachable
	}
	if state != before && (before != "" || state == unreachable) {
		h.log.Warn().Str("check", name).Str("state", state).Msg("readiness")
	}
	return state
}
