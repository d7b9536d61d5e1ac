package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	// drainTime is how long calls in flight may take to finish after the server stops accepting, where nothing else is
	// configured.
	drainTime = 10 * time.Second
	// lastWords is how long calls that were ended then may take to say so.
	lastWords = 2 * time.Second
)

// errStopping is how a call ends that outlasts the drain.
var errStopping = &rs.Error{
	Code: rs.ServerStopping, Message: "The server was stopped before this call was finished.",
	Hint: "Call again: another server, or this one after its restart, will answer.",
}

// A manager is whoever runs this process: what it sends, and what it wants to be told. The zero value is nobody.
type manager struct {
	reload   <-chan os.Signal // read the configuration again
	tell     func(state string)
	watchdog time.Duration // the longest silence that it takes for life; 0: any
}

// say tells the manager of a state, in the words of sd_notify(3).
func (m manager) say(state string) {
	if m.tell != nil {
		m.tell(state)
	}
}

// beat assures the manager that the process lives, until ctx ends.
func (m manager) beat(ctx context.Context) {
	if m.watchdog <= 0 {
		return
	}
	ticker := time.NewTicker(m.watchdog / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m.say(daemon.SdNotifyWatchdog)
		case <-ctx.Done():
			return
		}
	}
}

// serve answers until ctx ends or the server fails, and drains. Whenever the manager asks for it, read's configuration
// replaces the one that is served.
func (h *hosted) serve(ctx context.Context, m manager, read func() (hostedConfig, error)) error {
	failed := make(chan error, 1)
	go func() { failed <- h.server.Serve(h.listener) }()
	living, dead := context.WithCancel(context.WithoutCancel(ctx))
	defer dead()
	go m.beat(living)
	h.health.Serve()
	m.say(daemon.SdNotifyReady)
	h.config.log.Info().Str("address", h.listener.Addr().String()).Str("version", version).Msg("serving /mcp")
	for {
		select {
		case err := <-failed:
			return err
		case <-m.reload:
			m.say(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
			h.reload(read)
			m.say(daemon.SdNotifyReady)
		case <-ctx.Done():
			m.say(daemon.SdNotifyStopping)
			return h.drain(failed)
		}
	}
}

// ServeHTTP answers with the configuration of the moment. While the server is about to stop, each answer ends its
// connection, so that a client's next request goes elsewhere.
func (h *hosted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.draining.Load() {
		w.Header().Set("Connection", "close")
	}
	(*h.handler.Load()).ServeHTTP(w, r)
}

// drain is not ready any more, goes on for the drain delay, stops accepting, lets calls in flight finish for the drain
// time, ends them, and at last cuts connections whose clients do not read what they are told.
func (h *hosted) drain(failed <-chan error) error {
	log := h.config.log
	h.health.Drain()
	h.draining.Store(true)
	log.Info().Dur("delay", h.config.drainDelay).Dur("limit", h.config.drainTime).Msg("draining")
	select {
	case <-time.After(h.config.drainDelay):
	case err := <-failed:
		return err
	}
	err := h.shutdown(h.config.drainTime)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn().Msg("calls in flight are ended")
		h.stop(errStopping)
		err = h.shutdown(lastWords)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn().Msg("connections are cut")
		err = h.server.Close()
	}
	log.Info().Msg("stopped")
	return err
}

// shutdown stops accepting, and waits for calls in flight.
func (h *hosted) shutdown(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return h.server.Shutdown(ctx)
}

// reload serves a newly read configuration, or keeps the old one when that is not good. Calls in flight finish as they
// began.
func (h *hosted) reload(read func() (hostedConfig, error)) {
	if read == nil {
		return
	}
	next, err := read()
	var kept []string
	if err == nil {
		next, kept = h.config.keepFixed(next)
		err = h.configure(next)
	}
	if err != nil {
		h.config.log.Error().Err(err).Msg("the configuration is not good; the old one stays")
		return
	}
	if len(kept) > 0 {
		h.config.log.Warn().Strs("flags", kept).Msg("changed, but only a restart changes what is served")
	}
	h.config.log.Info().Msg("configuration reloaded")
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
	} {
		if !fixed.same {
			differ = append(differ, fixed.flag)
		}
	}
	next.listen, next.rsURL, next.rsReadURL = c.listen, c.rsURL, c.rsReadURL
	next.readTimeout, next.maxConnections = c.readTimeout, c.maxConnections
	next.adminListen, next.watch = c.adminListen, c.watch
	next.retries, next.noBreaker = c.retries, c.noBreaker
	return next, differ
}
