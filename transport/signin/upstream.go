package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/rechecked"
)

// maxDocument is the most bytes that are read of an answer.
const maxDocument = 256 << 10

// requestTime is the most time of a request to the authorization server or the resource server.
const requestTime = 10 * time.Second

// A server is the part of authorization server metadata that is used.
type server struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	ResponseTypes         []string `json:"response_types_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	AuthMethods           []string `json:"token_endpoint_auth_methods_supported"`
	PushedOnly            bool     `json:"require_pushed_authorization_requests"`
	NamesIssuer           bool     `json:"authorization_response_iss_parameter_supported"`
	ClientDocuments       bool     `json:"client_id_metadata_document_supported"`

	requested []requestedStream // the streams that the owner is asked for
}

// A requestedStream is a stream that the owner is asked for: of the connections Instances, or of any connection if that is empty.
type requestedStream struct {
	Name      string   `json:"name"`
	Instances []string `json:"instance_ids"`
}

// check reads the authorization server's metadata and looks for the source.
func (b *Bridge) check(ctx context.Context) (server, error) {
	issuer := b.options.Issuer
	u, err := url.Parse(issuer)
	if err != nil || u.User != nil || issuer != u.Scheme+"://"+u.Host || !isSecure(u) {
		return server{}, fmt.Errorf("the authorization server %q must be an https origin without a slash at its end (http on loopback)", issuer)
	}
	var found server
	if err := get(ctx, b.client, issuer+"/.well-known/oauth-authorization-server", &found); err != nil {
		return server{}, fmt.Errorf("the authorization server's metadata: %w", err)
	}
	if err := found.check(issuer); err != nil {
		return server{}, err
	}
	var source struct{ Streams []requestedStream }
	if err := get(ctx, b.client, issuer+"/connectors/"+url.PathEscape(b.source), &source); err != nil {
		return server{}, fmt.Errorf("the source %q at the authorization server: %w", b.source, err)
	}
	found.requested = source.Streams
	if all := slices.IndexFunc(b.streams, func(s requestedStream) bool { return s.Name == "*" }); all >= 0 {
		for i := range found.requested {
			found.requested[i].Instances = b.streams[all].Instances
		}
	} else if len(b.streams) > 0 {
		found.requested = b.streams
	}
	return found, nil
}

// check returns why this server cannot offer sign-ins at an authorization server, or nil.
func (s server) check(issuer string) error {
	if s.Issuer != issuer {
		return errors.New("the authorization server's metadata names another issuer")
	}
	for name, endpoint := range map[string]string{
		"authorization_endpoint": s.AuthorizationEndpoint, "token_endpoint": s.TokenEndpoint, "registration_endpoint": s.RegistrationEndpoint,
	} {
		u, err := url.Parse(endpoint)
		if err != nil || u.Scheme+"://"+u.Host != issuer || u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(endpoint, "#") {
			return fmt.Errorf("the authorization server's %s is missing or not a plain URL at its own origin", name)
		}
	}
	switch {
	case !slices.Contains(s.ResponseTypes, "code"):
		return errors.New("the authorization server does not support the response type code")
	case !slices.Contains(s.ChallengeMethods, "S256"):
		return errors.New("the authorization server does not support PKCE with S256")
	case !slices.Contains(s.AuthMethods, "none"):
		return errors.New("the authorization server does not support public clients")
	case s.PushedOnly:
		return errors.New("the authorization server takes pushed authorization requests only")
	case s.NamesIssuer:
		return errors.New("the authorization server names itself in its answers (RFC 9207), which hosts would take for a mix-up")
	}
	return nil
}

// isSecure reports whether tokens may be exchanged with the host of a URL: it uses https, or http on loopback.
func isSecure(u *url.URL) bool {
	return u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && rsclient.IsLoopback(u.Hostname()))
}

// get reads a JSON document. Its error names the status or why the request failed, and contains nothing of the document.
func get(ctx context.Context, client *rsclient.Once, target string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	response, _, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", target, response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	switch {
	case err != nil:
		return err
	case len(body) > maxDocument || json.Unmarshal(body, into) != nil:
		return fmt.Errorf("%s is not a JSON document of at most %d bytes", target, maxDocument)
	}
	return nil
}

// Issuers finds out who issues a resource server's tokens (RFC 9728). It is safe for concurrent use.
type Issuers struct {
	client *rsclient.Once
	public string // the resource server's public URL
	read   string // the URL at which it is asked
	known  *rechecked.Value[[]string]
}

// NewIssuers returns the Issuers of the resource server with a public URL. It is asked at the URL read, which may be the same.
func NewIssuers(public, read string, now func() time.Time) *Issuers {
	i := &Issuers{client: rsclient.NewOnce(requestTime), public: public, read: read}
	i.known = rechecked.New(now, i.recheck)
	return i
}

// Ask returns the issuers that the resource server names, at most 8.
func (i *Issuers) Ask(ctx context.Context) ([]string, error) {
	var document struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	if err := get(ctx, i.client, strings.TrimRight(i.read, "/")+rs.MetadataPath, &document); err != nil {
		return nil, fmt.Errorf("the resource server's metadata: %w", err)
	}
	resource := strings.TrimRight(document.Resource, "/")
	if resource != strings.TrimRight(i.public, "/") && resource != strings.TrimRight(i.read, "/") {
		return nil, errors.New("the resource server's metadata is of another resource")
	}
	if len(document.Servers) == 0 || len(document.Servers) > 8 {
		return nil, errors.New("the resource server's metadata does not name 1 to 8 authorization servers")
	}
	for _, server := range document.Servers {
		if u, err := url.Parse(server); err != nil || !isSecure(u) {
			return nil, errors.New("the resource server's metadata names an authorization server that is not an https URL")
		}
	}
	return document.Servers, nil
}

// List returns the issuers, at most five minutes old. If the resource server does not answer, List returns the last ones, or the resource
// server itself if there was no answer yet.
func (i *Issuers) List(ctx context.Context) []string {
	if known := i.known.Get(ctx); known != nil {
		return known
	}
	return []string{i.public}
}

func (i *Issuers) recheck(ctx context.Context, before []string) ([]string, time.Duration) {
	bounded, stop := context.WithTimeout(ctx, 3*time.Second)
	defer stop()
	list, err := i.Ask(bounded)
	if err != nil {
		return before, retryAfter
	}
	return list, 5 * time.Minute
}
