package authority

import (
	"cmp"
	"net/http"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// subject is the one person whose data is served.
const subject = "owner_local"

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

// A detail is what a grant allows on one connector.
type detail struct {
	AccessMode         string         `json:"access_mode"`
	PurposeCode        string         `json:"purpose_code"`
	PurposeDescription string         `json:"purpose_description"`
	Source             sourceBody     `json:"source"`
	Streams            []streamDetail `json:"streams"`
	Type               string         `json:"type"`
}

type streamDetail struct {
	Fields         []string        `json:"fields"`
	InstanceIDs    []string        `json:"instance_ids"`
	Name           string          `json:"name"`
	TimeConstraint *TimeConstraint `json:"time_constraint,omitempty"`
}

// A TimeConstraint is the time that a stream of a grant is limited to, by one of its fields.
type TimeConstraint struct {
	Field string `json:"field"`
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
}

// Introspect answers RFC 7662. It does not list the members of a package. Its errors are *RefusedError values.
func (s *Server) Introspect(r *http.Request) (any, error) {
	token, err := s.token(r)
	if err != nil {
		return nil, err
	}
	body := introspection{Audience: s.Origin(r), Issuer: s.Origin(r)}
	grant, ok := s.Grants.Lookup(token)
	if !ok {
		return body, nil
	}
	body.ClientID, body.SubjectID = grant.ClientID, subject
	switch grant.Kind {
	case KindPackage:
		body.GrantPackageID = grant.ID
	case KindClient:
		body.GrantID = grant.ID
	}
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

// details spells a client grant as RFC 9396 authorization details, one for each connector.
func (s *Server) details(grant Grant) []detail {
	var details []detail
	for _, connector := range s.Connectors() {
		for _, stream := range connector.Streams {
			for _, granted := range grant.Streams {
				if granted.ConnectorKey != connector.Key || granted.Stream != stream.Name {
					continue
				}
				if len(details) == 0 || details[len(details)-1].Source.ID != connector.SourceID {
					details = append(details, newDetail(connector, grant))
				}
				last := &details[len(details)-1]
				last.Streams = append(last.Streams, newStreamDetail(stream, granted))
			}
		}
	}
	return details
}

func newDetail(connector model.Connector, grant Grant) detail {
	return detail{
		AccessMode: cmp.Or(grant.AccessMode, continuous), PurposeCode: cmp.Or(grant.PurposeCode, defaultPurpose),
		PurposeDescription: cmp.Or(grant.PurposeDescription, "A personal assistant"),
		Source:             sourceBody{ID: connector.SourceID, Kind: "connector"}, Type: detailsType,
	}
}

func newStreamDetail(stream model.Stream, granted StreamGrant) streamDetail {
	d := streamDetail{Fields: granted.Fields, InstanceIDs: granted.ConnectionIDs, Name: stream.Name}
	if d.Fields == nil {
		for _, field := range stream.Fields {
			d.Fields = append(d.Fields, field.Name)
		}
	}
	d.TimeConstraint = TimeConstraintOf(stream, granted.Since, granted.Until)
	return d
}

// TimeConstraintOf spells the time that a stream is limited to: from since to before until, of which zero is no bound; nil for none.
func TimeConstraintOf(stream model.Stream, since, until time.Time) *TimeConstraint {
	if since.IsZero() && until.IsZero() {
		return nil
	}
	c := &TimeConstraint{Field: cmp.Or(stream.ConsentTimeField, "emitted_at")}
	if !since.IsZero() {
		c.Since = since.UTC().Format(time.RFC3339)
	}
	if !until.IsZero() {
		c.Until = until.UTC().Format(time.RFC3339)
	}
	return c
}
