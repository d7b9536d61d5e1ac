package service

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// startCheckTime is how long a server may take to accept a connection before it is logged as unreachable.
const startCheckTime = 3 * time.Second

// ReportUnreachable connects once to each server that this one depends on, and logs one line for each that does not accept the connection.
// It sends no request. servers maps names to URLs; a server with an empty URL is skipped. It also skips a server behind the environment's
// proxy, because a connection to the proxy would prove nothing about the server.
func ReportUnreachable(ctx context.Context, log zerolog.Logger, servers map[string]string) {
	limited, cancel := context.WithTimeout(ctx, startCheckTime)
	defer cancel()
	var all sync.WaitGroup
	for name, address := range servers {
		if address == "" {
			continue
		}
		all.Go(func() {
			if host, err := tryConnect(limited, address); err != nil && ctx.Err() == nil {
				log.Warn().Str("host", host).Err(err).Msg("the " + name + " cannot be reached; calls fail until it can")
			}
		})
	}
	all.Wait()
}

// tryConnect opens a connection to the host of a URL, with TLS for https, and closes it.
func tryConnect(ctx context.Context, address string) (host string, err error) {
	u, _ := url.Parse(address) // the configuration was checked
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u}); proxy != nil || err != nil {
		return u.Host, nil //nolint:nilerr // the first read reports a malformed proxy
	}
	port, dial := cmp.Or(u.Port(), u.Scheme), new(net.Dialer).DialContext // the dialer resolves "http" and "https" as ports
	if u.Scheme == "https" {
		dial = new(tls.Dialer).DialContext
	}
	connection, err := dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return u.Host, err
	}
	return u.Host, connection.Close()
}
