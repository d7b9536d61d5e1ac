package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/browse"
	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

type demoCommand struct {
	Listen string `help:"Address of /mcp; ${default} if absent." default:"127.0.0.1:7710" env:"PDPP_MCP_LISTEN" placeholder:"HOST:PORT"`
	Data   string `help:"Serve your own files instead of the sample year: a folder or a file of JSON lines, JSON, CSV, mbox, mail or iCalendar." type:"path" env:"PDPP_MCP_DATA" placeholder:"PATH"`
	DB     string `name:"db" help:"Keep the index in this file, so that the next start is instant." type:"path" env:"PDPP_MCP_DB" placeholder:"FILE"`
	embedFlags
	TokenLife time.Duration `name:"token-life" help:"Life of an access token that a client got by signing in; ${default} if absent." default:"10m" env:"PDPP_MCP_TOKEN_LIFE"`
	NewToken  bool          `name:"new-token" help:"Change the tokens, which --db keeps for the next start."`
	JSON      bool          `name:"json" help:"Print one line of JSON with URLs and tokens instead of the tour."`
}

// demoLimits are those of a server for the person who started it: no rate limit.
func demoLimits() web.Limits {
	l := web.DefaultLimits()
	l.TokenRate, l.AddressRate = 0, 0
	return l
}

// runDemo serves the embedded resource server and /mcp in front of it, after a short tour.
func runDemo(ctx context.Context, c demoCommand, app App) error {
	log := zerolog.New(app.Err).Level(zerolog.WarnLevel).With().Timestamp().Logger()
	embed, err := c.client()
	if err != nil {
		return err
	}
	if c.TokenLife < time.Second {
		return exit.UsageError("--token-life must be at least 1s.")
	}
	source, err := startEmbedded(ctx, embeddedConfig{
		listen: portAfter(c.Listen), data: c.Data, db: c.DB, embed: embed, progress: app.Err, now: time.Now, log: log, life: c.TokenLife,
		keepTokens: true, newTokens: c.NewToken,
	})
	if err != nil {
		return err
	}
	defer source.close()
	own := &ownTools{token: source.tokens.Client}
	server, err := app.Host(ctx, HostedConfig{
		Listen: c.Listen, Name: "pdpp-demo", RSURL: source.url, PackagesURL: source.url + "/packages", Limits: demoLimits(), Log: log,
		Introspection: &auth.IntrospectorOptions{
			LookupOptions: auth.LookupOptions{
				Endpoint: source.url + "/introspect", ClientID: embeddedClientID, ClientSecret: rs.NewToken(source.clientSecret),
			},
			Issuer: source.url, Audiences: []string{source.url, source.url + web.EndpointPath},
		},
		DrainTime: service.DefaultDrainTime, PageForms: true,
		Page: browse.New(browse.Options{Ask: own.ask, IsOwner: source.isOwner, Connect: connectPage(c.Data != ""), Now: time.Now}),
	}, nil)
	if err != nil {
		return err
	}
	own.url = server.URL()
	if c.JSON {
		if err := json.NewEncoder(app.Out).Encode(source.addresses(server.URL())); err != nil { // #nosec G117 -- throw-away tokens of the sample, for the one who asked
			return err
		}
		return server.Serve(ctx, service.Manager{}, nil)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, service.Manager{}, nil) }()
	words := "dentist" // of the sample year
	if c.Data != "" {
		words = ""
	}
	if err := printTour(ctx, app.Out, server.URL(), source.tokens.Client, words); err != nil {
		return fmt.Errorf("the tour failed: %w", err)
	}
	fmt.Fprintf(app.Out, pasteable, server.URL(), source.tokens.Client, strings.TrimSuffix(server.URL(), web.EndpointPath)+web.PagePath,
		source.ownerSecret, source.url, oneConnection(source.index.store.Connectors()))
	if c.Data == "" { // own files have no server without a port
		fmt.Fprint(app.Out, pasteableSample)
	}
	return <-done
}

// portAfter is where the resource server of a demo listens: at the port after that of /mcp, so that grants of it are found again. Where
// that names none, at any.
func portAfter(listen string) string {
	_, port, _ := net.SplitHostPort(listen)
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || n == 65535 {
		return ""
	}
	return fmt.Sprintf("127.0.0.1:%d", n+1)
}

// connectPage says how to connect clients to the demo.
func connectPage(ownData bool) *page.Page {
	if ownData {
		return page.New(page.Options{Data: true, Server: clients.Server{Name: "pdpp-demo", TokenEnv: "PDPP_TOKEN"}}) // #nosec G101 -- a variable's name
	}
	o := page.Options{Data: true, Server: clients.Server{Name: "pdpp-demo", Arguments: []string{"stdio", "--demo"}}}
	self, notes, err := ownPath()
	if o.Server.Command = self; err != nil || len(notes) > 0 {
		o.Server.Command = "/path/to/pdpp-mcp"
		o.Note = "This program will be gone when it stops: go run built it for one run. Build it to stay, with go build -o pdpp-mcp . and write its own place for /path/to/pdpp-mcp."
	}
	return page.New(o)
}

// ownTools are the demo's own tools, called over /mcp as any client calls them.
type ownTools struct{ url, token string }

// maxOwnAnswer bounds an answer, in bytes; the tools' are far below.
const maxOwnAnswer = 8 << 20

// ask makes one request of MCP.
func (o *ownTools) ask(ctx context.Context, method string, params any) (string, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+o.token)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxOwnAnswer)).Decode(&answer); err != nil {
		return "", err
	}
	if answer.Error != nil {
		return "", errors.New(answer.Error.Message)
	}
	return string(answer.Result), nil
}

// addresses are where a demo is reached and with which tokens, as one object of JSON. The tokens are throw-away ones of the
// sample; see [authority.DemoTokens].
type addresses struct {
	MCPURL                    string `json:"mcp_url"`
	RSURL                     string `json:"rs_url"`
	ASURL                     string `json:"as_url"`
	IntrospectionURL          string `json:"introspection_url"`
	IntrospectionClientID     string `json:"introspection_client_id"`
	IntrospectionClientSecret string `json:"introspection_client_secret"`
	PackagesURL               string `json:"packages_url"`
	ClientToken               string `json:"client_token"`
	NarrowToken               string `json:"narrow_token"`
	PackageToken              string `json:"package_token"`
	OwnerToken                string `json:"owner_token"`
	ExpiredToken              string `json:"expired_token"`
	RevokedToken              string `json:"revoked_token"`
	OwnerSecret               string `json:"owner_secret"` // approves what clients ask for
}

// addresses is the line of demo --json.
func (e *embeddedServer) addresses(mcpURL string) addresses {
	return addresses{
		MCPURL: mcpURL, RSURL: e.url, ASURL: e.url,
		IntrospectionURL: e.url + "/introspect", IntrospectionClientID: embeddedClientID, IntrospectionClientSecret: e.clientSecret,
		PackagesURL: e.url + "/packages",
		ClientToken: e.tokens.Client, NarrowToken: e.tokens.Narrow, PackageToken: e.tokens.Package,
		OwnerToken: e.tokens.Owner, ExpiredToken: e.tokens.Expired, RevokedToken: e.tokens.Revoked, OwnerSecret: e.ownerSecret,
	}
}

const pasteable = `
Serving until you stop it (Ctrl-C). In a browser, %[3]s shows the data; it opens with the owner's secret, %[4]s

Connect a client, for example:

  claude mcp add --transport http pdpp-demo %[1]s --header "Authorization: Bearer %[2]s"

or without --header, and approve in the browser with the same secret

or on this machine, approved in the same way:

  pdpp-mcp connect %[5]s --source %[6]s
`

// oneConnection is the key of a source that can be asked for without naming connections.
func oneConnection(connectors []model.Connector) string {
	at := slices.IndexFunc(connectors, func(c model.Connector) bool { return len(c.Connections) == 1 })
	if at < 0 {
		return "KEY"
	}
	return connectors[at].Key
}

const pasteableSample = `
or without a port, once pdpp-mcp is on your PATH:

  claude mcp add pdpp-demo -- pdpp-mcp stdio --demo
`
