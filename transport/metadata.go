package transport

import (
	"context"
	"net/http"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// Metadata is what the two protected-resource documents (RFC 9728) contain in addition to this server's own URLs.
type Metadata struct {
	ResourceName         string   // shown to people, such as "Personal data (PDPP)"
	ResourceServer       string   // the resource server's origin; pdpp_core_query_base is its /v1 (S3-9a)
	AuthorizationServers []string // issuer URLs
	// Issuers, if not nil, returns the issuer URLs instead, and is called for each request.
	Issuers  func(context.Context) []string
	Packages bool // package tokens are served as well (D10)
}

// document has the standard fields and the PDPP extensions, and no others (S3-17c).
type document struct {
	Resource             string   `json:"resource"`
	ResourceName         string   `json:"resource_name,omitempty"`
	AuthorizationServers []string `json:"authorization_servers,omitempty"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	QueryBase            string   `json:"pdpp_core_query_base,omitempty"`
	TokenKinds           []string `json:"pdpp_token_kinds_supported"`
	Discovery            struct {
		MCP struct {
			Endpoint    string `json:"endpoint"`
			Transport   string `json:"transport"`
			Description string `json:"description"`
		} `json:"mcp"`
	} `json:"pdpp_agent_discovery"`
}

// adapterDescription distinguishes MCP from the query base that it reads (S3-R9).
const adapterDescription = "MCP is an adapter over PDPP reads; the core query base is pdpp_core_query_base."

// serve answers with the document of the request's path: the endpoint's own (S3-9b, S3-18b), or the root one (S3-9a). Both
// name the endpoint and say that it is an adapter (S3-R9).
func (m Metadata) serve(w http.ResponseWriter, r *http.Request, public web.Public) {
	d := document{
		Resource:             public.URL(r, ""),
		ResourceName:         m.ResourceName,
		AuthorizationServers: m.AuthorizationServers,
		BearerMethods:        []string{"header"},
		TokenKinds:           []string{auth.KindClient},
	}
	if m.ResourceServer != "" {
		d.QueryBase = strings.TrimRight(m.ResourceServer, "/") + "/v1"
	}
	if m.Issuers != nil {
		d.AuthorizationServers = m.Issuers(r.Context())
	}
	if m.Packages {
		d.TokenKinds = append(d.TokenKinds, auth.KindPackage)
	}
	mcpURL := public.URL(r, web.EndpointPath)
	d.Discovery.MCP.Endpoint, d.Discovery.MCP.Transport, d.Discovery.MCP.Description = mcpURL, "streamable_http", adapterDescription
	if middleware.RequestFrom(r.Context()).Path != web.MetadataPath {
		d.Resource = mcpURL
	}
	w.Header().Set("Cache-Control", "no-store") // it depends on the host name and the headers of the request
	if public.Origin != "" {
		w.Header().Set("Cache-Control", "public, max-age=300")
	}
	web.WriteJSON(w, http.StatusOK, d)
}
