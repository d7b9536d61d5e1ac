package authority

import "net/http"

// metadata returns the metadata of the authorization server (RFC 8414).
func (s *Server) metadata(c *call) (any, error) {
	origin := s.Origin(c.Request)
	return map[string]any{
		"issuer":                                     origin,
		"authorization_endpoint":                     origin + "/oauth/authorize",
		"token_endpoint":                             origin + "/oauth/token",
		"registration_endpoint":                      origin + "/oauth/register",
		"pushed_authorization_request_endpoint":      origin + "/oauth/par",
		"device_authorization_endpoint":              origin + "/oauth/device_authorization",
		"agent_connect_endpoint":                     origin + "/agent-connect",
		"introspection_endpoint":                     origin + "/introspect",
		"response_types_supported":                   []string{"code"},
		"grant_types_supported":                      []string{grantDevice, grantCode, grantRefresh},
		"code_challenge_methods_supported":           []string{"S256"},
		"token_endpoint_auth_methods_supported":      []string{"none"},
		"pdpp_registration_modes_supported":          []string{"dynamic", "pre_registered_public"},
		"pdpp_pre_registered_public_clients":         []any{preRegistered},
		"pdpp_authorization_details_types_supported": []string{detailsType},
	}, nil
}

// declaration returns the public data of a source: its id and the names of its streams, but no connections.
func (s *Server) declaration(c *call) (any, error) {
	connector, ok := s.connector(c.id)
	if !ok {
		return nil, refuse(http.StatusNotFound, "not_found", "Connector not found")
	}
	streams := []map[string]string{}
	for _, stream := range connector.Streams {
		streams = append(streams, map[string]string{"name": stream.Name})
	}
	return map[string]any{
		"protocol_version": "0.1.0", "connector_id": connector.Key, "connector_key": connector.Key, "manifest_uri": connector.SourceID,
		"display_name":       connector.Key,
		"source_declaration": map[string]any{"source": sourceBody{ID: connector.SourceID, Kind: "connector"}},
		"streams":            streams,
	}, nil
}
