package service_test

import (
	"net/http"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/service"
)

func TestNewHTTPServerHasLimits(t *testing.T) {
	server := service.NewHTTPServer("127.0.0.1:0", http.NotFoundHandler())
	if server.ReadHeaderTimeout <= 0 || server.ReadTimeout <= 0 || server.WriteTimeout <= 0 || server.IdleTimeout <= 0 ||
		server.MaxHeaderBytes <= 0 ||
		server.Addr != "127.0.0.1:0" {
		t.Errorf("%+v", server)
	}
}
