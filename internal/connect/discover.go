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

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// A server has the metadata that are needed to connect to a provider (RFC 9728, RFC 8414).
type server struct {
	provider string // the resource server's URL, normalized
	resource string // its identifier (RFC 8707)
	metadata
}

// metadata are the metadata of an authorization server. A missing endpoint is empty; check ensures that all others are at its origin.
type metadata struct {
	Issuer        string `json:"issuer"`
	PAR           string `json:"pushed_authorization_request_endpoint"`
	AgentConnect  string `json:"agent_connect_endpoint"`
	Registration  string `json:"registration_endpoint"`
	Device        string `json:"device_authorization_endpoint"`
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`

	Challenges  []string `json:"code_challenge_methods_supported"`
	NamesIssuer bool     `json:"authorization_response_iss_parameter_supported"`
}

type resourceMetadata struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	QueryBase            string   `json:"pdpp_core_query_base"`
}

// discover reads the metadata of a provider and of its authorization server.
func (c *client) discover(ctx context.Context, providerURL string) (server, error) {
	provider, err := credentials.NormalizeProviderURL(providerURL)
	if err != nil {
		return server{}, err
	}
	u, err := SecureURL(provider)
	if err != nil {
		return server{}, exit.UsageError("the provider URL " + err.Error() + ".")
	}
	resource, err := c.resourceMetadata(ctx, u)
	if err != nil {
		return server{}, unavailable(provider, err)
	}
	s, issuer, err := resource.server(u)
	if err != nil {
		return server{}, unavailable(provider, err)
	}
	address := issuer.Scheme + "://" + issuer.Host + "/.well-known/oauth-authorization-server" +
		strings.TrimRight(issuer.EscapedPath(), "/")
	if err = c.get(ctx, address, &s.metadata); err == nil {
		err = s.check(issuer)
	}
	if err != nil {
		return server{}, unavailable(issuer.String(), err)
	}
	return s, nil
}

// resourceMetadata tries the well-known path followed by the provider's path (RFC 9728 section 3.1), then the well-known path below the
// provider's, then at the root, where most servers have it.
func (c *client) resourceMetadata(ctx context.Context, provider *url.URL) (resourceMetadata, error) {
	base := provider.Scheme + "://" + provider.Host
	addresses := []string{base + rs.MetadataPath + provider.EscapedPath(), provider.String() + rs.MetadataPath, base + rs.MetadataPath}
	resources := []string{provider.String(), provider.String(), base}
	if provider.Path == "" {
		addresses, resources = addresses[2:], resources[2:]
	}
	for i, address := range addresses {
		var document resourceMetadata
		err := c.get(ctx, address, &document)
		if status := refusalOf(err).Status; status == http.StatusNotFound || status == http.StatusUnauthorized && i < len(addresses)-1 {
			continue
		}
		if err != nil {
			return resourceMetadata{}, err
		}
		if named, err := credentials.NormalizeProviderURL(document.Resource); err != nil || document.Resource == "" || named != resources[i] {
			return resourceMetadata{}, document.mismatch(resources[i])
		}
		return document, nil
	}
	return resourceMetadata{}, errors.New("it is not a PDPP resource server, because it has no " + rs.MetadataPath)
}

// mismatch returns the error for metadata about another resource than requested. It names the URL to connect to instead, if that is valid.
func (m resourceMetadata) mismatch(requested string) error {
	message := "its metadata describe another resource than " + requested
	base := strings.TrimSuffix(strings.TrimRight(cmp.Or(m.QueryBase, m.Resource), "/"), "/v1")
	if _, err := SecureURL(base); err == nil {
		message += ": if you trust " + base + ", connect that"
	}
	return errors.New(message)
}

// plainPath are the characters of the path of a provider that its own metadata name: commands for the owner to copy contain it.
const plainPath = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./~"

// server checks the metadata of a resource, and returns its URL in s and the issuer of its authorization server.
func (m resourceMetadata) server(requested *url.URL) (s server, issuer *url.URL, err error) {
	base, found := strings.CutSuffix(strings.TrimRight(m.QueryBase, "/"), "/v1") // m.Resource may be the server's /mcp
	if !found {
		base = m.Resource
	} else if u, err := SecureURL(base); err != nil {
		return s, nil, errors.New("its metadata name no address to read from")
	} else if origin(u) != origin(requested) { // the grant would be for a server that the user did not name
		return s, nil, fmt.Errorf("its metadata name another server to read from: if you trust that one, connect %s", u)
	} else if u.Path != requested.Path && strings.Trim(u.Path, plainPath) != "" {
		return s, nil, errors.New("its metadata name an address to read from that a shell could take for more than one word")
	}
	s.resource = m.Resource
	if s.provider, err = credentials.NormalizeProviderURL(base); err != nil {
		return s, nil, err
	}
	if len(m.AuthorizationServers) == 0 {
		return s, nil, errors.New("its metadata name no authorization server")
	}
	if issuer, err = SecureURL(m.AuthorizationServers[0]); err == nil && issuer.RawQuery != "" {
		err = errors.New("its authorization server has a query in its name")
	}
	return s, issuer, err
}

// check returns an error if the metadata are of another issuer (RFC 8414 section 3.3) or name an endpoint at another origin.
func (m metadata) check(issuer *url.URL) error {
	if strings.TrimRight(m.Issuer, "/") != strings.TrimRight(issuer.String(), "/") {
		return errors.New("its metadata belong to another issuer")
	}
	for _, endpoint := range []string{m.PAR, m.AgentConnect, m.Registration, m.Device, m.Authorization, m.Token} {
		if err := m.checkOrigin(endpoint); err != nil {
			return err
		}
	}
	if m.Token == "" {
		return errors.New("its metadata name no token endpoint")
	}
	return nil
}

// checkOrigin returns an error for an address that is not at the authorization server's origin, because secrets are sent there. "" passes.
func (m metadata) checkOrigin(address string) error {
	if address == "" {
		return nil
	}
	issuer, bad := SecureURL(m.Issuer)
	u, err := SecureURL(address)
	if err = cmp.Or(bad, err); err == nil && origin(u) != origin(issuer) {
		err = fmt.Errorf("it names an address at %s, which is not its own", u.Host)
	}
	return err
}

type source struct {
	ID      string `json:"id"`
	Kind    string `json:"kind,omitempty"`
	streams []string
}

// source looks up a source by its key, or by its id, which is a URI; there is no public list of sources. It accepts a URI without a
// declaration as it is, because a provider of its own data publishes none.
func (c *client) source(ctx context.Context, s server, name string) (source, error) {
	issuer := strings.TrimRight(s.Issuer, "/")
	var manifest struct {
		Declaration struct {
			Source source `json:"source"`
		} `json:"source_declaration"`
		Streams []struct {
			Name string `json:"name"`
		} `json:"streams"`
	}
	err := c.get(ctx, issuer+"/connectors/"+url.PathEscape(name), &manifest)
	found := manifest.Declaration.Source
	if u, malformed := url.Parse(name); malformed == nil && u.IsAbs() && (err != nil || found.ID != name) {
		return source{ID: name}, nil //nolint:nilerr // a provider of its own data has no such page
	}
	if refusalOf(err).Status == http.StatusNotFound {
		return source{}, exit.UsageError(fmt.Sprintf(
			"%s knows no source %q. Where you are signed in as the owner, %s/_ref/connections lists the keys. A provider of its own data is named by the URI of its source.", issuer, name, issuer))
	}
	if err != nil {
		return source{}, unavailable(issuer, err)
	}
	if u, err := url.Parse(found.ID); err != nil || !u.IsAbs() {
		return source{}, unavailable(issuer, errors.New("the source has no id that is a URI"))
	}
	for _, one := range manifest.Streams {
		found.streams = append(found.streams, one.Name)
	}
	slices.Sort(found.streams)
	return found, nil
}

// unavailable returns an *[exit.Error] that names the failed server. Errors with an exit code, or of a stopped program, stay unchanged.
func unavailable(server string, err error) error {
	if _, stopped := errors.AsType[*transport.StoppedError](err); stopped || exit.CodeOf(err) != 0 || errors.Is(err, context.Canceled) {
		return err
	}
	return &exit.Error{Code: exit.Unavailable, Message: fmt.Sprintf("%s cannot be connected to: %s.", server, err)}
}
