package embedded

import (
	"net/http"
	"slices"
	"time"
)

type directoryBody struct {
	PackageID string       `json:"package_id,omitempty"`
	Status    string       `json:"status"`
	Members   []memberBody `json:"members"`
}

type memberBody struct {
	GrantID      string       `json:"grant_id"`
	ConnectionID string       `json:"connection_id"`
	ConnectorKey string       `json:"connector_key"`
	DisplayName  string       `json:"display_name,omitempty"`
	Streams      []string     `json:"streams"`
	AccessToken  string       `json:"access_token,omitempty"`
	ExpiresAt    string       `json:"expires_at,omitempty"`
	Usable       bool         `json:"usable"`
	Error        *memberError `json:"error,omitempty"`
}

type memberError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// packageDirectory lists a package's members with their tokens, for the server that reads on the package's behalf.
func (s *Server) packageDirectory(_ *http.Request, token string) any {
	body := directoryBody{Status: "revoked", Members: []memberBody{}}
	grant, ok := s.grants.Lookup(token)
	if !ok || grant.Kind != KindPackage || s.ended(grant) != "" {
		return body
	}
	body.PackageID, body.Status = grant.ID, "active"
	for _, id := range grant.Members {
		if token, member, ok := s.grants.byID(id); ok {
			body.Members = append(body.Members, s.members(token, member)...)
		}
	}
	return body
}

// members spells a child grant: a row for each of its connections. The token of one that is over is not given out.
func (s *Server) members(token string, grant Grant) []memberBody {
	var members []memberBody
	for _, src := range sourcesOf(s.store.catalog.Load(), grant) {
		at := slices.IndexFunc(members, func(m memberBody) bool { return m.ConnectionID == src.connection.ID })
		if at < 0 {
			at = len(members)
			members = append(members, s.newMember(token, grant, src))
		}
		members[at].Streams = append(members[at].Streams, src.stream.Name)
	}
	return members
}

func (s *Server) newMember(token string, grant Grant, src access) memberBody {
	m := memberBody{
		GrantID: grant.ID, ConnectionID: src.connection.ID, ConnectorKey: src.connector.Key, DisplayName: src.connection.DisplayName,
		AccessToken: token, Usable: true,
	}
	if !grant.Expires.IsZero() {
		m.ExpiresAt = grant.Expires.UTC().Format(time.RFC3339)
	}
	if reason := s.ended(grant); reason != "" {
		m.AccessToken, m.Usable = "", false
		m.Error = &memberError{Code: reason, Message: endedMessage(reason)}
	}
	return m
}
