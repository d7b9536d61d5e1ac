package authority

import (
	"crypto/subtle"
	"net/http"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// CodeRefused is the code of a client that may not introspect.
const CodeRefused = "context.authentication_failed"

// maxForm bounds the body of a request to the authority, in bytes.
const maxForm = 64 << 10

// A Server answers for the tokens of Grants. All fields are needed.
type Server struct {
	Grants     *Grants
	Connectors func() []model.Connector // what there is to grant
	Origin     func(*http.Request) string
	Now        func() time.Time
	// ClientID and ClientSecret are the HTTP Basic credentials of who may ask. Without an id nobody may.
	ClientID, ClientSecret string
}

// A RefusedError is the error of a request that gets no answer.
type RefusedError struct {
	Status  int
	Code    string
	Message string
}

// Error returns code and message.
func (r *RefusedError) Error() string { return r.Code + ": " + r.Message }

// token checks who asks about a token, and reads which.
func (s *Server) token(r *http.Request) (string, error) {
	if r.Method != http.MethodPost {
		return "", &RefusedError{http.StatusMethodNotAllowed, "method_not_allowed", "Send a POST request"}
	}
	id, secret, ok := r.BasicAuth()
	sameID := subtle.ConstantTimeCompare([]byte(id), []byte(s.ClientID))
	sameSecret := subtle.ConstantTimeCompare([]byte(secret), []byte(s.ClientSecret))
	if !ok || s.ClientID == "" || sameID&sameSecret != 1 {
		return "", &RefusedError{http.StatusUnauthorized, CodeRefused, "Introspection client authentication failed"}
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || r.PostForm.Get("token") == "" {
		return "", &RefusedError{http.StatusBadRequest, "invalid_request", "Missing token parameter"}
	}
	return r.PostForm.Get("token"), nil
}

// subject is the one person whose data is served.
const subject = "owner_local"

type introspection struct {
	Active               bool         `json:"active"`
	InactiveReason       string       `json:"inactive_reason,omitempty"`
	Kind                 string       `json:"pdpp_token_kind,omitempty"`
	SubjectID            string       `json:"subject_id,omitempty"`
	GrantID              string       `json:"grant_id,omitempty"`
	GrantPackageID       string       `json:"grant_package_id,omitempty"`
	ClientID             string       `json:"client_id,omitempty"`
	Expires              int64        `json:"exp,omitempty"`
	AuthorizationDetails []detail     `json:"authorization_details,omitempty"`
	Package              *packageBody `json:"package,omitempty"`
	PDPP                 *pdppBody    `json:"pdpp,omitempty"`
	Audience             string       `json:"aud"`
	Issuer               string       `json:"iss"`
}

type packageBody struct {
	ApprovedSourceCount      int            `json:"approved_source_count"`
	Client                   packageClient  `json:"client"`
	PackageID                string         `json:"package_id"`
	SourceBoundedChildGrants bool           `json:"source_bounded_child_grants"`
	Subject                  packageSubject `json:"subject"`
	Version                  string         `json:"version"`
}

type packageClient struct {
	ClientID         string `json:"client_id"`
	RegistrationMode string `json:"registration_mode"`
}

type packageSubject struct {
	ID string `json:"id"`
}

type pdppBody struct {
	ClientID    string `json:"client_id"`
	ContextKind string `json:"context_kind"`
	GrantID     string `json:"grant_id"`
	SubjectID   string `json:"subject_id"`
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

type sourceBody struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
}

type streamDetail struct {
	Fields         []string        `json:"fields"`
	InstanceIDs    []string        `json:"instance_ids"`
	Name           string          `json:"name"`
	TimeConstraint *timeConstraint `json:"time_constraint,omitempty"`
}

type timeConstraint struct {
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
		body.PDPP = &pdppBody{ClientID: grant.ClientID, ContextKind: "oauth_rar_0_1", GrantID: grant.ID, SubjectID: subject}
	case KindPackage:
		body.Package = &packageBody{
			ApprovedSourceCount: len(grant.Members), Client: packageClient{ClientID: grant.ClientID, RegistrationMode: "dynamic"},
			PackageID: grant.ID, SourceBoundedChildGrants: true, Subject: packageSubject{ID: subject}, Version: "reference.mcp_package.v2",
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
					details = append(details, newDetail(connector))
				}
				last := &details[len(details)-1]
				last.Streams = append(last.Streams, newStreamDetail(stream, granted))
			}
		}
	}
	return details
}

func newDetail(connector model.Connector) detail {
	return detail{
		AccessMode: "continuous", PurposeCode: "https://pdpp.dev/purpose/personal_ai_assistant", PurposeDescription: "A personal assistant",
		Source: sourceBody{ID: connector.SourceID, Kind: "connector"}, Type: "https://pdpp.dev/data-access",
	}
}

func newStreamDetail(stream model.Stream, granted StreamGrant) streamDetail {
	d := streamDetail{Fields: granted.Fields, InstanceIDs: granted.ConnectionIDs, Name: stream.Name}
	if d.Fields == nil {
		for _, field := range stream.Fields {
			d.Fields = append(d.Fields, field.Name)
		}
	}
	if granted.Since.IsZero() && granted.Until.IsZero() {
		return d
	}
	d.TimeConstraint = &timeConstraint{Field: stream.ConsentTimeField}
	if d.TimeConstraint.Field == "" {
		d.TimeConstraint.Field = "emitted_at"
	}
	if !granted.Since.IsZero() {
		d.TimeConstraint.Since = granted.Since.UTC().Format(time.RFC3339)
	}
	if !granted.Until.IsZero() {
		d.TimeConstraint.Until = granted.Until.UTC().Format(time.RFC3339)
	}
	return d
}
