package service

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// startCheckTime is how long a server may take to accept a connection before the log says that it cannot be reached.
const startCheckTime = 3 * time.Second

// ReportUnreachable connects once to each server that this one asks, and logs one line for each that does not accept the connection. It
// sends no request. servers are their URLs by name; one without a URL is not asked. One behind the environment's proxy is not tried: that
// connection would say nothing about it.
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

// tryConnect opens a connection to the host of a URL, with TLS where the URL says so, and closes it.
func tryConnect(ctx context.Context, address string) (host string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("its URL is malformed")
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u}); proxy != nil || err != nil {
		return u.Host, nil //nolint:nilerr // the first read reports a malformed proxy
	}
	port, dial := u.Port(), new(net.Dialer).DialContext
	if port == "" {
		port = u.Scheme // the dialer knows both names
	}
	if u.Scheme == "https" {
		dial = new(tls.Dialer).DialContext
	}
	connection, err := dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return u.Host, err
	}
	return u.Host, connection.Close()
}
