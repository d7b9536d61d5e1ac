package authority

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

var errNothingPicked = errors.New("no connection was picked")

// approve turns a request into what it asks for: one selection into a client grant, several or the owner's picks into a package.
// The mutex is held.
func (s *Server) approve(r *request) error {
	if r.owner {
		r.decision, r.grant = approved, Grant{ClientID: r.client.ID, Kind: KindOwner}
		r.token = s.issue(r.grant, ownerTokenLife)
		return nil
	}
	members, err := s.selected(r)
	if err != nil {
		return err
	}
	if len(members) == 0 {
		return errNothingPicked
	}
	r.grant = members[0]
	if len(r.selections) != 1 {
		r.grant = Grant{ID: draw("gpkg_", 8), ClientID: r.client.ID, Kind: KindPackage, AccessMode: members[0].AccessMode}
		for _, member := range members {
			s.issue(member, lifeOf(member))
			r.grant.Members = append(r.grant.Members, member.ID)
		}
	}
	r.decision, r.client.granted = approved, true
	r.grant.IssuedAt = s.Now()
	if r.redirectURI != "" {
		r.authorizationCode, r.codeExpires = draw("oacode_", 16), s.Now().Add(codeLife)
		return nil
	}
	r.token = s.issue(r.grant, lifeOf(r.grant))
	return nil
}

func lifeOf(grant Grant) time.Duration {
	if grant.AccessMode == singleUse {
		return singleUseLife
	}
	return 0
}

// selected lists a client grant for each selection, or for each connection that the owner picked; several selections are split
// into their connections, for a member of a package has one.
func (s *Server) selected(r *request) ([]Grant, error) {
	selections := r.selections
	for _, connector := range s.Connectors() {
		for _, connection := range connector.Connections {
			if r.selections == nil && slices.Contains(r.picked, connection.ID) {
				selection := wholeSource(connector.SourceID)
				selection.Streams[0].InstanceIDs = []string{connection.ID}
				selections = append(selections, selection)
			}
		}
	}
	var grants []Grant
	for _, selection := range selections {
		connector, streams, err := s.bind(selection)
		if err != nil {
			return nil, err
		}
		grant := Grant{
			ClientID: r.client.ID, Kind: KindClient, Streams: streams,
			AccessMode: selection.AccessMode, PurposeCode: selection.PurposeCode, PurposeDescription: selection.PurposeDescription,
		}
		if len(r.selections) == 1 {
			grant.ID = draw("grt_", 8)
			return []Grant{grant}, nil
		}
		for _, connection := range connector.Connections {
			if of := only(streams, connection); of != nil {
				grant.ID, grant.Streams = draw("grt_", 8), of
				grants = append(grants, grant)
			}
		}
	}
	return grants, nil
}

// only narrows stream grants to one connection.
func only(streams []StreamGrant, connection model.Connection) []StreamGrant {
	var kept []StreamGrant
	for _, stream := range streams {
		if slices.Contains(stream.ConnectionIDs, connection.ID) {
			stream.ConnectionIDs = []string{connection.ID}
			kept = append(kept, stream)
		}
	}
	return kept
}

// grantBody spells what was granted, as agent-connect answers it.
func (s *Server) grantBody(r *request) any {
	if r.grant.Kind == KindPackage {
		children := []any{}
		for _, id := range r.grant.Members {
			_, member, _ := s.Grants.byID(id)
			for _, d := range s.details(member) {
				source := map[string]string{"id": d.Source.ID, "kind": d.Source.Kind, "connection_id": d.Streams[0].InstanceIDs[0]}
				children = append(children, map[string]any{"grant_id": id, "source": source})
			}
		}
		return map[string]any{"child_grants": children, "grant_id": r.grant.ID, "package": true, "package_id": r.grant.ID}
	}
	d := s.details(r.grant)[0]
	held, _ := s.Grants.Lookup(r.token)
	var ends any
	if !held.Expires.IsZero() {
		ends = held.Expires.UTC().Format(time.RFC3339)
	}
	return map[string]any{
		"access_mode": d.AccessMode, "client": map[string]string{"client_id": r.client.ID}, "expires_at": ends, "grant_id": r.grant.ID,
		"issued_at": r.grant.IssuedAt.UTC().Format(time.RFC3339), "purpose_code": d.PurposeCode, "purpose_description": d.PurposeDescription,
		"source": d.Source, "streams": d.Streams, "subject": map[string]string{"id": subject}, "version": "0.1.0",
	}
}

// parseSelections reads and checks authorization_details, except for the connections: whether those exist, only the owner learns.
func (s *Server) parseSelections(data []byte) ([]selection, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var selections []selection
	if err := decoder.Decode(&selections); err != nil {
		return nil, invalidDetails("it must be a list of objects with known members")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, invalidDetails("it must be one list")
	}
	if len(selections) == 0 || len(selections) > maxSelections {
		return nil, invalidDetails("it must have 1 to %d entries", maxSelections)
	}
	for _, selected := range selections {
		if err := selected.check(); err != nil {
			return nil, err
		}
		if _, err := s.streams(selected); err != nil {
			return nil, err
		}
	}
	return selections, nil
}

// connector finds the source of a selection.
func (s *Server) connector(source string) (model.Connector, bool) {
	return model.Find(s.Connectors(), func(c model.Connector) bool { return c.Key == source || c.SourceID == source })
}

// streams spells out which streams a selection names, without their connections.
func (s *Server) streams(selected selection) ([]StreamGrant, error) {
	connector, ok := s.connector(selected.Source.ID)
	if !ok || selected.Source.ID != connector.SourceID || selected.Source.Kind != "" && selected.Source.Kind != "connector" {
		return nil, badRequest("invalid_request", "Unknown source: { id: '%s' }", clip(selected.Source.ID))
	}
	var grants []StreamGrant
	for _, wanted := range selected.Streams {
		since, until, err := wanted.TimeRange.parse()
		if err != nil {
			return nil, err
		}
		known := false
		for _, stream := range connector.Streams {
			if wanted.Name != "*" && wanted.Name != stream.Name {
				continue
			}
			known = true
			fields, err := wantedFields(stream, wanted.Fields)
			if err != nil {
				return nil, err
			}
			grants = append(grants, StreamGrant{
				ConnectorKey: connector.Key, Stream: stream.Name, ConnectionIDs: wanted.InstanceIDs, Fields: fields, Since: since, Until: until,
			})
		}
		if !known {
			return nil, badRequest("source.authorization_details_invalid", "Unknown stream: %s", clip(wanted.Name))
		}
	}
	return grants, nil
}

// bind gives a selection its connections: those that it names, or else the only one that the source has.
func (s *Server) bind(selected selection) (model.Connector, []StreamGrant, error) {
	connector, _ := s.connector(selected.Source.ID)
	granted, err := s.streams(selected)
	if err != nil {
		return connector, nil, err
	}
	all := connectionIDs(connector)
	for i, stream := range granted {
		for _, id := range stream.ConnectionIDs {
			if !slices.Contains(all, id) {
				return connector, nil, &RefusedError{
					Status: http.StatusNotFound, Code: "connector_instance_not_found", Message: "Connector instance '" + clip(id) + "' does not exist.",
				}
			}
		}
		if len(stream.ConnectionIDs) > 0 {
			continue
		}
		if len(all) != 1 {
			return connector, nil, badRequest("source.authorization_details_invalid",
				"Omitted instance_ids requires exactly one eligible instance for stream '%s', found %d", stream.Stream, len(all))
		}
		granted[i].ConnectionIDs = all
	}
	return connector, granted, nil
}
