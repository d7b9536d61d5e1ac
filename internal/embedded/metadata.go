package embedded

import (
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
)

// A metadataBody is protected-resource metadata, RFC 9728.
type metadataBody struct {
	Resource             string   `json:"resource"`
	ResourceName         string   `json:"resource_name"`
	AuthorizationServers []string `json:"authorization_servers"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	CoreQueryBase        string   `json:"pdpp_core_query_base"`
	TokenKinds           []string `json:"pdpp_token_kinds_supported"`
	Discovery            struct {
		MCP struct {
			Authorization struct {
				DeviceCode struct {
					Resource string `json:"resource"`
				} `json:"device_code"`
			} `json:"authorization"`
		} `json:"mcp"`
	} `json:"pdpp_agent_discovery"`
}

// metadata describes the resource server, or what MCP servers in front of it are called when access is asked for.
func metadata(origin, resource string) metadataBody {
	body := metadataBody{
		Resource:             origin + resource,
		ResourceName:         "PDPP demo resource server",
		AuthorizationServers: []string{origin},
		BearerMethods:        []string{"header"},
		CoreQueryBase:        origin + "/v1",
		TokenKinds:           []string{authority.KindOwner, authority.KindClient},
	}
	if resource != "" {
		body.TokenKinds = []string{authority.KindClient, authority.KindPackage}
	}
	body.Discovery.MCP.Authorization.DeviceCode.Resource = origin + "/mcp"
	return body
}
