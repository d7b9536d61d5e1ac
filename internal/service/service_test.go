package service_test

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

func TestAServiceListensOnOneStreamSocketOrOnAnAddress(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for name, row := range map[string]struct {
		inherited []net.Listener
		address   string
		says      string // of the usage error; empty if there is none
	}{
		"an inherited socket is served, whatever the address": {[]net.Listener{listener}, "nowhere", ""},
		"without one the address is opened":                   {nil, "127.0.0.1:0", ""},
		"an invalid address":                                  {nil, "nowhere", "cannot listen on nowhere"},
		"two sockets":                                         {[]net.Listener{listener, listener}, "127.0.0.1:0", "2 sockets"},
		"a socket that is not a stream":                       {[]net.Listener{nil}, "127.0.0.1:0", "exactly one stream socket"},
	} {
		t.Run(name, func(t *testing.T) {
			service := service.NewService(transport.NewHealth(zerolog.Nop(), nil), "1.2.3")
			err := service.Listen(t.Context(), row.inherited, row.address, 0, 0)
			var failure *exit.Error
			if row.says == "" {
				if err != nil || !strings.HasPrefix(service.URL(), "http://127.0.0.1:") {
					t.Fatal(err)
				}
			} else if !errors.As(err, &failure) || failure.Code != exit.Usage || !strings.Contains(failure.Message, row.says) {
				t.Errorf("%v, want a usage error with %q", err, row.says)
			}
		})
	}
}
