package transport_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// mountAdapter serves the adapter below /pdpp. grants is the host's own store: the grants that one of its tokens stands for.
func mountAdapter(mux *http.ServeMux, resourceServer, origin string, grants func(rs.Token) []fanout.Member) error {
	client, err := rsclient.New(rsclient.Options{Base: resourceServer})
	if err != nil {
		return err
	}
	authenticate := func(_ context.Context, token rs.Token) (auth.Principal, error) {
		members := grants(token)
		if len(members) == 0 {
			return auth.Principal{}, &rs.Error{Code: rs.TokenInactive, Message: "This token is not known."}
		}
		grant := fanout.NewPackage(fanout.Membership{Members: members}, client.ForToken, fanout.PackageOptions{})
		return auth.Principal{Token: token, Kind: auth.KindPackage, Package: grant}, nil
	}
	adapter := transport.Handler(transport.HandlerOptions{
		Server:        transport.NewPipeline(transport.PipelineOptions{Client: client}),
		Authenticator: web.AuthenticatorFunc(authenticate),
		Public:        web.Public{Origin: origin, Prefix: "/pdpp"},
	})
	mux.Handle("/pdpp/", adapter)
	mux.Handle(web.MetadataPath+"/pdpp/", adapter)
	return nil
}

// A Go program serves the adapter below a path of its own, and decides itself who may enter and what a token stands for.
func ExampleHandler() {
	mux := http.NewServeMux()
	if err := mountAdapter(mux, "https://rs.home.example", "https://home.example", func(rs.Token) []fanout.Member { return nil }); err != nil {
		fmt.Println(err)
	}
	request := httptest.NewRequest(http.MethodPost, "https://home.example/pdpp/mcp", nil)
	request.Header.Set("Authorization", "Bearer a-token-that-was-revoked")
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, request)
	fmt.Println(answer.Code, answer.Header().Get("WWW-Authenticate"))
	// Output:
	// 401 Bearer error="invalid_token", error_description="This token is not known.", resource_metadata="https://home.example/.well-known/oauth-protected-resource/pdpp/mcp"
}
