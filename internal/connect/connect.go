// Package connect asks the owner of data for a grant, keeps the credential that comes of it fresh, and gives it back.
//
// The ways to a credential, and what each server does on them, are those of the PDPP reference implementation: a pushed request that the
// owner approves in any browser (agent), a code that comes back to this machine's browser (browser), a device code (device), and a
// code that the owner copies (code). Each ends with a token of kind client, or with none.
package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// A Request is what to ask the owner for.
type Request struct {
	ProviderURL string
	Source      string   // a key, such as gmail, or the URI of a declaration
	Connections []string // empty: the source's only one
	Streams     []string // empty: all
	Since       string   // RFC 3339, or a date; empty: all times
	Once        bool     // for 24 hours instead of until it is revoked
	Way         string   // auto, agent, browser, device or code
}

// Options are the world around a connect.
type Options struct {
	UserAgent string
	Now       func() time.Time
	Wait      func(context.Context, time.Duration) error
	// Known returns a client that an authorization server has registered before; its id is empty where there is none.
	Known func(issuer string) credentials.Client
	// Open shows an address in the owner's browser.
	Open func(address string) error
	// Ask returns the line that the owner enters.
	Ask func(ctx context.Context) (string, error)
	// Draw shows the approval link for a telephone.
	Draw func(link string)
	// Say tells the owner something, in lines. The approval link is said once, and nowhere else.
	Say func(format string, arguments ...any)
}

// An attempt is one connect on its way.
type attempt struct {
	*client
	Options
	request Request
	server  server
	details []selection // always one: several make a package, which no local program can read
	app     credentials.Client
}

// Connect asks the owner for a grant, and returns the credential after the resource server has said that it is a client's. Its
// errors are *[exit.Error] values, or that of ctx.
func Connect(ctx context.Context, request Request, o Options) (credentials.Document, error) {
	a := &attempt{client: newClient(o.UserAgent), Options: o, request: request}
	var err error
	if a.server, err = a.discover(ctx, request.ProviderURL); err != nil {
		return credentials.Document{}, err
	}
	found, err := a.source(ctx, a.server, request.Source)
	if err != nil {
		return credentials.Document{}, err
	}
	if err = a.choose(found); err != nil {
		return credentials.Document{}, err
	}
	a.app = o.Known(a.server.Issuer)
	issued, err := a.issue(ctx)
	if err != nil {
		return credentials.Document{}, unavailable(a.server.Issuer, err)
	}
	document, err := a.document(issued)
	if err != nil {
		return credentials.Document{}, err
	}
	if err = a.identify(ctx, &document); err != nil {
		_ = Revoke(context.WithoutCancel(ctx), o.UserAgent, document) // nobody could use it: best effort
		return credentials.Document{}, err
	}
	return document, nil
}

// A way leads to a token. It fails with errNoWay where the server has not what it takes.
type way struct {
	name string
	take func(*attempt, context.Context) (issued, error)
}

var errNoWay = errors.New("it does not offer this way to connect")

func ways() []way {
	return []way{{"agent", (*attempt).byAgent}, {"browser", (*attempt).byBrowser}, {"device", (*attempt).byDevice}, {"code", (*attempt).byCode}}
}

// issue takes the way that was asked for, or the first that the server offers.
func (a *attempt) issue(ctx context.Context) (issued, error) {
	for _, w := range ways() {
		if a.request.Way != "auto" && a.request.Way != w.name {
			continue
		}
		answer, err := a.registered(ctx, w)
		if errors.Is(err, errNoWay) && a.request.Way == "auto" {
			continue
		}
		return answer, err
	}
	return issued{}, errNoWay
}

// registered takes a way as a registered client. A registration that the server has forgotten is made anew, once.
func (a *attempt) registered(ctx context.Context, w way) (issued, error) {
	known := a.app.ID != ""
	if !known {
		if err := a.register(ctx); err != nil {
			return issued{}, err
		}
	}
	answer, err := w.take(a, ctx)
	var refused *RefusedError
	if known && errors.As(err, &refused) && refused.Code == "invalid_client" {
		a.app = credentials.Client{}
		return a.registered(ctx, w)
	}
	return answer, err
}

// redirectURI is registered without a port: RFC 8252 section 7.3 lets a program listen on any.
const redirectURI = "http://127.0.0.1/callback"

// register makes this program a public client for every way (RFC 7591).
func (a *attempt) register(ctx context.Context) error {
	if a.server.Registration == "" {
		return errors.New("it registers no clients")
	}
	answer, err := a.postJSON(ctx, a.server.Registration, map[string]any{
		"client_name": "pdpp-mcp", "token_endpoint_auth_method": "none", "application_type": "native",
		"grant_types":    []string{"authorization_code", "refresh_token", deviceGrant},
		"response_types": []string{"code"}, "redirect_uris": []string{redirectURI},
	})
	if err != nil {
		return explained("register", err)
	}
	return a.readRegistration(answer)
}

func (a *attempt) readRegistration(answer reply) error {
	var app credentials.Client
	if err := answer.decode(&app); err != nil {
		return err
	}
	if app.ID == "" || len(app.ID) > 512 || strings.ContainsFunc(app.ID, func(r rune) bool { return r < ' ' || r > '~' }) {
		return errors.New("its registration names no client")
	}
	a.app = credentials.Client{ID: app.ID, Name: "pdpp-mcp", AuthMethod: "none", RedirectURIs: []string{redirectURI}}
	return nil
}

// A selection is an entry of authorization_details (RFC 9396) as PDPP has it.
type selection struct {
	Type        string   `json:"type"`
	Mode        string   `json:"access_mode"`
	Purpose     string   `json:"purpose_code"`
	Description string   `json:"purpose_description"`
	Source      source   `json:"source"`
	Streams     []stream `json:"streams"`
}

type stream struct {
	Name      string   `json:"name"`
	Instances []string `json:"instance_ids,omitempty"`
	Time      *period  `json:"time_range,omitempty"`
}

type period struct {
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
}

// choose makes the one selection of what was asked for.
func (a *attempt) choose(from source) error {
	names := a.request.Streams
	for _, name := range names {
		if len(from.streams) > 0 && !slices.Contains(from.streams, name) {
			return exit.UsageError(fmt.Sprintf("%s has no stream %q; it has %s.", from.ID, name, strings.Join(from.streams, ", ")))
		}
	}
	if len(names) == 0 {
		names = []string{"*"}
	}
	s := selection{
		Type: "https://pdpp.dev/data-access", Mode: "continuous", Purpose: "https://pdpp.dev/purpose/personal_ai_assistant",
		Description: "Answer questions about my own data", Source: from,
	}
	if a.request.Once {
		s.Mode = "single_use"
	}
	for _, name := range names {
		one := stream{Name: name, Instances: a.request.Connections}
		if a.request.Since != "" {
			since, err := time.Parse(time.RFC3339, a.request.Since)
			if err != nil {
				since, err = time.Parse(time.DateOnly, a.request.Since)
			}
			if err != nil {
				return exit.UsageError(fmt.Sprintf("--since %q is neither a date, such as 2026-01-31, nor a time of RFC 3339.", a.request.Since))
			}
			one.Time = &period{Since: since.UTC().Format(time.RFC3339)}
		}
		s.Streams = append(s.Streams, one)
	}
	a.details = []selection{s}
	return nil
}

// identify asks the resource server whose token it is, which is the only one to tell, and notes what can be read.
func (a *attempt) identify(ctx context.Context, document *credentials.Document) error {
	c, err := rsclient.New(rsclient.Options{Base: document.ProviderURL, UserAgent: a.UserAgent})
	if err != nil {
		return exit.UsageError(err.Error())
	}
	token := rs.NewToken(string(document.Credential.AccessToken))
	probe := auth.SchemaProbe{For: func(t rs.Token) rs.Doer { return c.For(rsclient.Caller{Token: t}) }}
	principal, err := credentials.Identify(ctx, probe, document.ProviderURL, token)
	if err != nil {
		return err
	}
	if principal.GrantID != "" && principal.GrantID != document.Credential.GrantID {
		return &exit.Error{Code: exit.NotReady, Message: "the resource server reads the token as that of another grant than the one that was approved."}
	}
	response, err := rs.CompactSchema(ctx, c.For(principal.Caller()), "", "")
	if err != nil {
		return unavailable(document.ProviderURL, errors.New("its schema cannot be read"))
	}
	streams, connections := readable(response.Body)
	if len(streams) > 0 {
		document.Grant.Streams, document.Grant.Connections = streams, connections
	}
	return nil
}

// readable lists the streams and the connections of a schema, each once.
func readable(schema string) (streams, connections []string) {
	for _, s := range rs.ReadSchema(schema).Streams {
		streams = append(streams, s.Name)
		for _, c := range s.Connections {
			connections = append(connections, c.ID)
		}
	}
	slices.Sort(streams)
	slices.Sort(connections)
	return slices.Compact(streams), slices.Compact(connections)
}

// Revoke ends a grant at its server. It works with a token that has expired, and any number of times.
func Revoke(ctx context.Context, agent string, document credentials.Document) error {
	if document.Credential.GrantID == "" || document.AuthorizationServer == "" {
		return errors.New("who issued it is not known")
	}
	address := strings.TrimRight(document.AuthorizationServer, "/") + "/grants/" + url.PathEscape(document.Credential.GrantID) + "/revoke"
	_, err := newClient(agent).send(ctx, http.MethodPost, address, "", nil, string(document.Credential.AccessToken))
	return err
}

// explained is the error of a step that the server refused, with its reason.
func explained(step string, err error) error {
	var refused *RefusedError
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Status == http.StatusNotFound || refused.Status == http.StatusMethodNotAllowed || refused.Status == http.StatusNotImplemented:
		return errNoWay
	case refused.Status == http.StatusTooManyRequests:
		return errors.New("it has been asked too often; try again in some minutes")
	}
	return fmt.Errorf("it refuses to %s: %w: %s", step, refused, cmp.Or(refused.text, "no reason given"))
}
