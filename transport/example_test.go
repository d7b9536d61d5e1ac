package transport_test

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/pdp-connect/pdpp-mcp/internal/service"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// accounts is what a Go host knows of its own tokens: it is the authority over them and the directory of packages, in
// process.
type accounts struct {
	clients  map[string]string          // token → grant
	packages map[string][]fanout.Member // token → the grants that it stands for
}

// Introspect says what a token is.
func (a accounts) Introspect(_ context.Context, token rs.Token) (auth.TokenInfo, error) {
	if grant, ok := a.clients[token.Reveal()]; ok {
		return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: auth.KindClient, GrantID: grant}}, nil
	}
	if _, ok := a.packages[token.Reveal()]; ok {
		return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: auth.KindPackage, GrantID: "home"}}, nil
	}
	return auth.TokenInfo{Inactive: &rs.Error{Code: rs.TokenInactive, Message: "We do not know this token."}}, nil
}

// Members says what a package token stands for.
func (a accounts) Members(_ context.Context, token rs.Token) (fanout.Membership, error) {
	children, ok := a.packages[token.Reveal()]
	if !ok {
		return fanout.Membership{}, &rs.Error{Code: rs.PackageRevoked, Message: "This package was revoked."}
	}
	return fanout.Membership{PackageID: "home", Members: children}, nil
}

// members is the authority over the tokens in the host's packages: they are read with, and nobody enters with them.
type members struct{ accounts }

// Introspect says that a token in a package is a client grant's.
func (m members) Introspect(_ context.Context, token rs.Token) (auth.TokenInfo, error) {
	for _, children := range m.packages {
		for _, c := range children {
			if c.Token == token {
				return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: auth.KindClient, GrantID: c.GrantID}}, nil
			}
		}
	}
	return auth.TokenInfo{Inactive: &rs.Error{Code: rs.TokenInactive, Message: "We do not know this token."}}, nil
}

// An authenticator asks on every request: in process that costs nothing, and a revocation is felt at once. A host whose
// authority is far away takes rs.NewTokenCache instead.
type authenticator struct{ authority auth.Authority }

// Authenticate says who bears a token.
func (a authenticator) Authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	verdict, err := a.authority.Introspect(ctx, token)
	switch {
	case err != nil:
		return auth.Principal{}, err
	case verdict.Inactive != nil:
		return auth.Principal{}, verdict.Inactive
	}
	return verdict.Principal, nil
}

// newHost is a Go program's own server, with the adapter at /mcp.
func newHost(resourceServer, origin string, known accounts) (http.Handler, error) {
	log := zerolog.New(os.Stderr).Level(zerolog.WarnLevel)
	client, err := rs.NewClient(rs.ClientOptions{Base: resourceServer})
	if err != nil {
		return nil, err
	}
	adapter := transport.Handler(transport.HandlerOptions{
		Server: transport.NewPipeline(transport.PipelineOptions{Client: client, Name: "home", Version: "1.0", Logger: log}),
		Authenticator: authenticator{fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
			Authority: known, Members: members{known}, Directory: known, For: middleware.ReadingChildren(client),
		})},
		Public:   web.Public{Origin: origin},
		Metadata: transport.Metadata{ResourceName: "Home", ResourceServer: resourceServer, AuthorizationServers: []string{origin}, Packages: true},
		Logger:   log,
	})
	mux := http.NewServeMux()
	mux.Handle(web.EndpointPath, adapter)
	mux.Handle(web.MetadataPath, adapter)
	mux.Handle(web.MetadataPath+web.EndpointPath, adapter)
	mux.Handle(web.IconPath, adapter)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "Welcome home.") })
	return mux, nil
}

// A Go program mounts the adapter in its own server, with its own idea of who may enter and of what belongs to a
// package.
func ExampleHandler() {
	handler, err := newHost("https://rs.home.example", "https://home.example", accounts{
		clients: map[string]string{"a-client-token": "grant-1"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := service.NewHTTPServer("127.0.0.1:8080", handler)
	fmt.Println("http://" + server.Addr + web.EndpointPath)
	// Output: http://127.0.0.1:8080/mcp
}
