package embedded

import (
	"net/http"

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
}

func (s *Server) metadata(r *http.Request) metadataBody {
	origin := s.origin(r)
	return metadataBody{
		Resource:             origin,
		ResourceName:         "PDPP demo resource server",
		AuthorizationServers: []string{origin},
		BearerMethods:        []string{"header"},
		CoreQueryBase:        origin + "/v1",
		TokenKinds:           []string{authority.KindOwner, authority.KindClient},
	}
}
