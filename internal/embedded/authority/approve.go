package authority

import (
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

var errNothingPicked = errors.New("no connection was picked")

// approve grants a request: one detail becomes a client grant, several details or the owner's picks become a package. The caller holds the
// mutex.
func (s *Server) approve(r *request) error {
	members, err := s.selected(r)
	if err != nil {
		return err
	}
	if len(members) == 0 {
		return errNothingPicked
	}
	r.grant = members[0]
	if len(r.details) != 1 {
		r.grant = Grant{ID: "gpkg_" + rand.Text(), ClientID: r.client.ID, Kind: KindPackage, AccessMode: members[0].AccessMode}
		if slices.ContainsFunc(members, func(member Grant) bool { return member.AccessMode == singleUse }) {
			r.grant.AccessMode = singleUse // as the consent page says: all of the package ends with this member
		}
		for _, member := range members {
			s.issue(member, lifeOf(r.grant))
			r.grant.Members = append(r.grant.Members, member.ID)
		}
	}
	r.decision = approved
	r.grant.IssuedAt = s.Now()
	if r.redirect != nil {
		r.authorizationCode, r.codeExpires = "oacode_"+rand.Text(), s.Now().Add(codeLife)
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

// selected returns a client grant for the only detail of a request or, for several details or the owner's picks, one per connection,
// because a member of a package has one connection.
func (s *Server) selected(r *request) ([]Grant, error) {
	details := r.details
	for _, connector := range s.Connectors() {
		for _, connection := range connector.Connections {
			if r.details == nil && slices.Contains(r.picked, connection.ID) {
				picked := wholeSource(connector.SourceID)
				picked.Streams[0].InstanceIDs = []string{connection.ID}
				details = append(details, picked)
			}
		}
	}
	var grants []Grant
	for _, requested := range details {
		connector, streams, err := s.bind(requested)
		if err != nil {
			return nil, err
		}
		grant := Grant{
			ID: "grt_" + rand.Text(), ClientID: r.client.ID, Kind: KindClient, Streams: streams,
			AccessMode: requested.AccessMode, PurposeCode: requested.PurposeCode, PurposeDescription: requested.PurposeDescription,
		}
		if len(r.details) == 1 {
			return []Grant{grant}, nil
		}
		for _, connection := range connector.Connections {
			if of := only(streams, connection); of != nil {
				grant.ID, grant.Streams = "grt_"+rand.Text(), of
				grants = append(grants, grant)
			}
		}
	}
	return grants, nil
}

// only restricts stream grants to one connection.
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
