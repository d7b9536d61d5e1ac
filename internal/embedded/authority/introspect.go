package authority

import "net/http"

type introspection struct {
	Active               bool     `json:"active"`
	InactiveReason       string   `json:"inactive_reason,omitempty"`
	Kind                 string   `json:"pdpp_token_kind,omitempty"`
	SubjectID            string   `json:"subject_id,omitempty"`
	GrantID              string   `json:"grant_id,omitempty"`
	GrantPackageID       string   `json:"grant_package_id,omitempty"`
	ClientID             string   `json:"client_id,omitempty"`
	Expires              int64    `json:"exp,omitempty"`
	AuthorizationDetails []detail `json:"authorization_details,omitempty"`
	Package              any      `json:"package,omitempty"`
	PDPP                 any      `json:"pdpp,omitempty"`
	Audience             string   `json:"aud"`
	Issuer               string   `json:"iss"`
}

// grantOf authenticates the introspecting client, and returns the grant of the token.
func (s *Server) grantOf(c *call) (grant Grant, known bool, err error) {
	id, secret, ok := c.BasicAuth()
	if !sameSecret(id, s.ClientID) || !sameSecret(secret, s.ClientSecret) || !ok || s.ClientID == "" {
		c.header.Set("WWW-Authenticate", `Basic realm="introspection"`)
		return Grant{}, false, refuse(http.StatusUnauthorized, "context.authentication_failed", "Introspection client authentication failed")
	}
	if c.form.Get("token") == "" {
		return Grant{}, false, badRequest("invalid_request", "Missing token parameter")
	}
	grant, known = s.Grants.Lookup(c.form.Get("token"))
	return grant, known, nil
}

// introspect answers introspection (RFC 7662). It does not list the members of a package.
func (s *Server) introspect(c *call) (any, error) {
	grant, known, err := s.grantOf(c)
	if err != nil {
		return nil, err
	}
	body := introspection{Audience: s.Origin(c.Request), Issuer: s.Origin(c.Request)}
	if !known {
		return body, nil
	}
	body.ClientID, body.SubjectID = grant.ClientID, subject
	body.GrantID, body.GrantPackageID = grant.ids()
	if body.InactiveReason = grant.Ended(s.Now()); body.InactiveReason != "" {
		return body, nil
	}
	body.Active, body.Kind = true, grant.Kind
	if !grant.Expires.IsZero() {
		body.Expires = grant.Expires.Unix()
	}
	switch grant.Kind {
	case KindClient:
		body.AuthorizationDetails = s.details(grant)
		body.PDPP = map[string]string{"client_id": grant.ClientID, "context_kind": "oauth_rar_0_1", "grant_id": grant.ID, "subject_id": subject}
	case KindPackage:
		body.Package = map[string]any{
			"approved_source_count": len(grant.Members), "client": map[string]string{"client_id": grant.ClientID, "registration_mode": "dynamic"},
			"package_id": grant.ID, "source_bounded_child_grants": true, "subject": map[string]string{"id": subject},
			"version": "reference.mcp_package.v2",
		}
	}
	return body, nil
}

type directoryBody struct {
	PackageID string       `json:"package_id,omitempty"`
	Status    string       `json:"status"`
	Members   []memberBody `json:"members"`
}

type memberBody struct {
	GrantID      string   `json:"grant_id"`
	ConnectionID string   `json:"connection_id"`
	ConnectorKey string   `json:"connector_key"`
	DisplayName  string   `json:"display_name,omitempty"`
	Streams      []string `json:"streams"`
	AccessToken  string   `json:"access_token,omitempty"`
	ExpiresAt    string   `json:"expires_at,omitempty"`
	Usable       bool     `json:"usable"`
	Error        any      `json:"error,omitempty"` // code and message
}

// directory lists the members of a package with their tokens, for the server that reads on behalf of the package.
func (s *Server) directory(c *call) (any, error) {
	grant, known, err := s.grantOf(c)
	if err != nil {
		return nil, err
	}
	body := directoryBody{Status: "revoked", Members: []memberBody{}}
	if !known || grant.Kind != KindPackage || grant.Ended(s.Now()) != "" {
		return body, nil
	}
	body.PackageID, body.Status = grant.ID, "active"
	for _, id := range grant.Members {
		if token, member, ok := s.Grants.byID(id); ok {
			body.Members = append(body.Members, s.members(token, member)...)
		}
	}
	return body, nil
}

// members returns a row for each connection of a member's grant. A grant that has ended has no token there.
func (s *Server) members(token string, grant Grant) []memberBody {
	member := memberBody{GrantID: grant.ID, AccessToken: token, ExpiresAt: formatTime(grant.Expires), Usable: true}
	if reason := grant.Ended(s.Now()); reason != "" {
		member.AccessToken, member.Usable = "", false
		member.Error = map[string]string{"code": reason, "message": EndedMessage(reason)}
	}
	var members []memberBody
	for _, connector := range s.Connectors() {
		for _, connection := range connector.Connections {
			m := member
			m.ConnectionID, m.ConnectorKey, m.DisplayName = connection.ID, connector.Key, connection.DisplayName
			for _, stream := range connector.Streams {
				if _, ok := grant.Opens(connector.Key, stream.Name, connection.ID); ok {
					m.Streams = append(m.Streams, stream.Name)
				}
			}
			if m.Streams != nil {
				members = append(members, m)
			}
		}
	}
	return members
}
