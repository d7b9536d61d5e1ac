package authority

import (
	"net/http"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

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

// PackageDirectory lists a package's members with their tokens, for the server that reads on the package's behalf. Its errors are
// *RefusedError values.
func (s *Server) PackageDirectory(r *http.Request) (any, error) {
	token, err := s.token(r)
	if err != nil {
		return nil, err
	}
	body := directoryBody{Status: "revoked", Members: []memberBody{}}
	grant, ok := s.Grants.Lookup(token)
	if !ok || grant.Kind != KindPackage || grant.Ended(s.Now()) != "" {
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

// members spells a member's grant: a row for each of its connections. The token of one that has ended is left out.
func (s *Server) members(token string, grant Grant) []memberBody {
	var members []memberBody
	for _, connector := range s.Connectors() {
		for _, stream := range connector.Streams {
			for _, connection := range connector.Connections {
				if _, ok := grant.Opens(connector.Key, stream.Name, connection.ID); !ok {
					continue
				}
				at := slices.IndexFunc(members, func(m memberBody) bool { return m.ConnectionID == connection.ID })
				if at < 0 {
					at = len(members)
					members = append(members, s.newMember(token, grant, connector.Key, connection))
				}
				members[at].Streams = append(members[at].Streams, stream.Name)
			}
		}
	}
	return members
}

func (s *Server) newMember(token string, grant Grant, connectorKey string, connection model.Connection) memberBody {
	m := memberBody{
		GrantID: grant.ID, ConnectionID: connection.ID, ConnectorKey: connectorKey, DisplayName: connection.DisplayName,
		AccessToken: token, Usable: true,
	}
	if !grant.Expires.IsZero() {
		m.ExpiresAt = grant.Expires.UTC().Format(time.RFC3339)
	}
	if reason := grant.Ended(s.Now()); reason != "" {
		m.AccessToken, m.Usable = "", false
		m.Error = map[string]string{"code": reason, "message": EndedMessage(reason)}
	}
	return m
}
