package web_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// discarded is a ResponseWriter that discards the answer.
type discarded struct{ header http.Header }

func (d discarded) Header() http.Header         { return d.header }
func (d discarded) Write(p []byte) (int, error) { return len(p), nil }
func (d discarded) WriteHeader(int)             {}

// knows is an authority that accepts every token.
type knows struct{}

func (knows) Introspect(_ context.Context, token rs.Token) (auth.TokenInfo, error) {
	return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: auth.KindClient, GrantID: "grt_1"}}, nil
}

// knownCaller returns an HTTP chain before an empty pipeline, and a request whose token the chain has cached.
func knownCaller(ctx context.Context) (http.Handler, *http.Request) {
	limits := web.DefaultLimits()
	limits.TokenRate, limits.TokenBurst = 1e9, 1e9 // counted, and never reached
	chain := web.ChainOptions{
		Authenticator: auth.NewTokenCache(auth.TokenCacheOptions{Authority: knows{}}),
		Public:        web.Public{Origin: "https://mcp.example"},
		Limiter:       web.NewLimiter(limits, nil),
		Logger:        zerolog.New(io.Discard),
	}.AuthenticatedChain().ThenFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	request := httptest.NewRequest(http.MethodPost, "https://mcp.example/mcp", http.NoBody)
	request.RemoteAddr = "192.0.2.7:1234"
	request.Header.Set("Authorization", "Bearer "+middlewaretest.CanaryToken)
	request = request.WithContext(
		context.WithValue(ctx, http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443})),
	)
	return chain, request
}

// BenchmarkAuthenticatedChain measures what every call costs before the pipeline, with a cached token.
func BenchmarkAuthenticatedChain(b *testing.B) {
	chain, request := knownCaller(b.Context())
	b.ReportAllocs()
	for b.Loop() {
		chain.ServeHTTP(discarded{http.Header{}}, request)
	}
}
