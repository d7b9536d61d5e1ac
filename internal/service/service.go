// Package service is the process around a hosted server: its listener, connections, drain, admin port and log.
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

// DefaultDrainTime is how long calls in flight may take to finish after a server stops accepting, where nothing else is
// configured.
const DefaultDrainTime = 10 * time.Second

// LastWords is how long the answers of calls may take that were ended after the drain time. A supervisor must give a [Service] its
// drain delay, its drain time and this.
const LastWords = 2 * time.Second

// A Manager is the supervisor of this process: the signals that it sends, and what it is notified of. The zero value does neither.
type Manager struct {
	Reload   <-chan os.Signal   // read the configuration again
	Notify   func(state string) // gets states as sd_notify(3) spells them; may be nil
	Watchdog time.Duration      // the longest silence that it takes for life; 0: any
}

// notify passes a state to the manager.
func (m Manager) notify(state string) {
	if m.Notify != nil {
		m.Notify(state)
	}
}

// heartbeat shows the manager that the process lives, until ctx ends.
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

// Serving is what a [Service] serves until it is given another.
type Serving struct {
	Handler    http.Handler
	DrainDelay time.Duration  // from "not ready" to the end of accepting
	DrainTime  time.Duration  // from there to the end of calls in flight
	Proxies    []netip.Prefix // whose connections do not count as those of one client
	Logger     zerolog.Logger
}

// A Service is an HTTP server that can be given something else to serve while it runs, and that lets calls in flight
// finish before it ends. [NewService] makes one, [Service.Use] says what it serves, [Service.Listen] where, and
// [Service.Serve] serves, in this order.
type Service struct {
	health   *transport.Health
	version  string
	listener net.Listener
	server   *http.Server
	stop     context.CancelCauseFunc // ends all calls in flight
	stopping context.Context         // ends with stop
	draining atomic.Bool

	current atomic.Pointer[Serving]
}

// NewService returns a service that tells health whether it is ready. version is for the log.
func NewService(health *transport.Health, version string) *Service {
	s := &Service{health: health, version: version}
	s.stopping, s.stop = context.WithCancelCause(context.Background())
	return s
}

// Stopping ends when calls in flight have had their time, with an *rs.Error as its cause. It is what [transport.HandlerOptions]
// want as Stop.
func (s *Service) Stopping() context.Context { return s.stopping }

// Use serves something from now on; calls in flight finish as they began.
func (s *Service) Use(serving Serving) {
	s.current.Store(&serving)
}

// Listen accepts connections on the one listener that the process inherited, or, where there is none, on a port that it
// opens at address. At most maxConnections are open at a time, further ones wait; at most perAddress are those of one client
// address, further ones are closed. 0 is no limit. Other listeners than one of a stream, and an invalid address, are
// *[exit.Error] values.
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

// URL is the address of the endpoint, as this machine reaches it.
func (s *Service) URL() string {
	address := s.listener.Addr().String()
	if tcp, ok := s.listener.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		address = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port)) // how this machine reaches every address
	}
	return "http://" + address + web.EndpointPath
}

// Serve answers until ctx ends or the server fails, and drains. Whenever the manager asks for it, reload reads the
// configuration and calls Use, or fails and leaves all as it was; it returns the flags that changed in vain, because only
// a restart changes what they stand for. A manager that asks for none needs no reload.
func (s *Service) Serve(ctx context.Context, m Manager, reload func() (kept []string, err error)) error {
	failed := make(chan error, 1)
	go func() { failed <- s.server.Serve(s.listener) }()
	living, dead := context.WithCancel(context.WithoutCancel(ctx))
	defer dead()
	go m.heartbeat(living)
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

// reload runs a reload and logs how it went.
func (s *Service) reload(reload func() (kept []string, err error)) {
	kept, err := reload()
	if err != nil {
		s.current.Load().Logger.Error().Err(err).Msg("the configuration is not good; the old one stays")
		return
	}
	log := s.current.Load().Logger
	if len(kept) > 0 {
		log.Warn().Strs("flags", kept).Msg("changed, but only a restart changes what is served")
	}
	log.Info().Msg("configuration reloaded")
}

// ServeHTTP answers with what is served at the moment. While the server is about to stop, each answer ends its
// connection, so that a client's next request goes elsewhere.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		w.Header().Set("Connection", "close")
	}
	s.current.Load().Handler.ServeHTTP(w, r)
}

// drain is not ready any more, goes on for the drain delay, stops accepting, lets calls in flight finish for the drain
// time, ends them, and at last cuts connections whose clients do not read their answers.
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

// shutdown stops accepting, and waits for calls in flight.
func (s *Service) shutdown(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return s.server.Shutdown(ctx)
}
