// Package service is the process around a hosted server: its listener, connections, graceful shutdown, admin port and log.
package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"
	"golang.org/x/net/netutil"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// DefaultDrainTime is the default of how long calls in flight may take to finish after a server stops accepting.
const DefaultDrainTime = 10 * time.Second

// LastWords is how long calls that were canceled after the drain time may take to answer. A supervisor must give a [Service] its
// drain delay, its drain time and this to stop.
const LastWords = 2 * time.Second

// A Manager is the supervisor of this process: the signals that it sends, and how it is notified. The zero value does neither.
type Manager struct {
	Reload   <-chan os.Signal   // each signal asks to read the configuration again
	Notify   func(state string) // receives states in the form of sd_notify(3); may be nil
	Watchdog time.Duration      // after this long without a notification it takes the process for dead; 0: never
}

func (m Manager) notify(state string) {
	if m.Notify != nil {
		m.Notify(state)
	}
}

// heartbeat notifies the manager twice per watchdog interval that the process is alive, until ctx ends.
func (m Manager) heartbeat(ctx context.Context) {
	if m.Watchdog <= 0 {
		return
	}
	ticker := time.NewTicker(m.Watchdog / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m.notify(daemon.SdNotifyWatchdog)
		case <-ctx.Done():
			return
		}
	}
}

// Serving is the part of a [Service] that a reload replaces.
type Serving struct {
	Handler    http.Handler
	DrainDelay time.Duration  // from "not ready" until it stops accepting
	DrainTime  time.Duration  // after that, until calls in flight are canceled
	Proxies    []netip.Prefix // addresses without a limit of connections per address
	Logger     zerolog.Logger
}

// A Service is an HTTP server whose handler can be replaced while it runs, and that lets calls in flight finish before it ends.
// Call [NewService], [Service.Use], [Service.Listen] and [Service.Serve], in this order.
type Service struct {
	health   *transport.Health
	version  string
	listener net.Listener
	server   *http.Server
	stop     context.CancelCauseFunc // cancels stopping, and with it all calls in flight
	stopping context.Context
	draining atomic.Bool // answers close their connections

	current atomic.Pointer[Serving]
}

// NewService returns a service that reports to health whether it is ready. version is for the log.
func NewService(health *transport.Health, version string) *Service {
	s := &Service{health: health, version: version}
	s.stopping, s.stop = context.WithCancelCause(context.Background())
	return s
}

// Stopping returns a context that ends when the drain time is over, with an *rs.Error as its cause. It is the Stop of
// [transport.HandlerOptions].
func (s *Service) Stopping() context.Context { return s.stopping }

// Use replaces what the service serves. Calls in flight finish with the old handler.
func (s *Service) Use(serving Serving) {
	s.current.Store(&serving)
}

// Listen accepts connections on the one listener that the process inherited or, without one, at address. At most maxConnections are
// open at a time; further ones wait. At most perAddress are from one client address; further ones are closed. 0 means no limit. If
// inherited is not one stream listener, or address is invalid, the error is an *[exit.Error].
func (s *Service) Listen(ctx context.Context, inherited []net.Listener, address string, maxConnections, perAddress int) error {
	var listener net.Listener
	switch {
	case len(inherited) > 1 || len(inherited) == 1 && inherited[0] == nil:
		return exit.UsageError(fmt.Sprintf("%d sockets were passed to this process: exactly one stream socket is served.", len(inherited)))
	case len(inherited) == 1:
		listener = inherited[0]
	default:
		var err error
		if listener, err = listen(ctx, "--listen", address); err != nil {
			return err
		}
	}
	if maxConnections > 0 {
		listener = netutil.LimitListener(listener, maxConnections)
	}
	s.listener = &clientListener{Listener: listener, service: s, most: perAddress, clients: map[netip.Prefix]clientCount{}}
	s.server = NewHTTPServer(address, s)
	s.server.ConnState, s.server.ConnContext = watchState, withRequestHead
	return nil
}

// URL returns the URL of the endpoint for clients on this machine.
func (s *Service) URL() string {
	address := s.listener.Addr().String()
	if tcp, ok := s.listener.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		address = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port)) // an unspecified address includes loopback
	}
	return "http://" + address + web.EndpointPath
}

// Serve answers until ctx ends, then drains, or until the server fails. When the manager asks for a reload, Serve calls reload, which
// reads the configuration and calls Use, or fails and changes nothing. kept are the changed flags that take effect only after a
// restart. reload may be nil if m.Reload is.
func (s *Service) Serve(ctx context.Context, m Manager, reload func() (kept []string, err error)) error {
	failed := make(chan error, 1)
	go func() { failed <- s.server.Serve(s.listener) }()
	alive, stopHeartbeat := context.WithCancel(context.WithoutCancel(ctx)) // also while it drains
	defer stopHeartbeat()
	go m.heartbeat(alive)
	s.health.Serve()
	m.notify(daemon.SdNotifyReady)
	s.current.Load().Logger.Info().Str("address", s.listener.Addr().String()).Str("version", s.version).Msg("serving /mcp")
	for {
		select {
		case err := <-failed:
			return err
		case <-m.Reload:
			m.notify(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
			s.reload(reload)
			m.notify(daemon.SdNotifyReady)
		case <-ctx.Done():
			m.notify(daemon.SdNotifyStopping)
			return s.drain(failed)
		}
	}
}

func (s *Service) reload(reload func() (kept []string, err error)) {
	kept, err := reload()
	if err != nil {
		s.current.Load().Logger.Error().Err(err).Msg("the configuration is invalid; the old one stays")
		return
	}
	log := s.current.Load().Logger
	if len(kept) > 0 {
		log.Warn().Strs("flags", kept).Msg("changed, but only a restart changes what is served")
	}
	log.Info().Msg("configuration reloaded")
}

// ServeHTTP passes a request to the current handler. While the server drains, each answer closes its connection, so that the
// client's next request goes elsewhere.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		w.Header().Set("Connection", "close")
	}
	s.current.Load().Handler.ServeHTTP(w, r)
}

// drain reports that the server is not ready, serves for the drain delay, and stops accepting. It lets calls in flight finish for the
// drain time, then cancels them. After [LastWords] more it closes the connections whose clients do not read their answers.
func (s *Service) drain(failed <-chan error) error {
	serving := s.current.Load()
	log := serving.Logger
	s.health.Drain()
	s.draining.Store(true)
	log.Info().Dur("delay", serving.DrainDelay).Dur("limit", serving.DrainTime).Msg("draining")
	select {
	case <-time.After(serving.DrainDelay):
	case err := <-failed:
		return err
	}
	err := s.shutdown(serving.DrainTime)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn().Msg("calls in flight are ended")
		s.stop(transport.ErrStopping)
		err = s.shutdown(LastWords)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn().Msg("connections are cut")
		err = s.server.Close()
	}
	log.Info().Msg("stopped")
	return err
}

// shutdown stops accepting, and waits for calls in flight, at most for limit.
func (s *Service) shutdown(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return s.server.Shutdown(ctx)
}
