package authority

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

const (
	detailsType = "https://pdpp.dev/data-access"
	continuous  = "continuous"
	singleUse   = "single_use"
	// defaultPurpose is the purpose code of a grant that has none.
	defaultPurpose = "https://pdpp.dev/purpose/personal_ai_assistant"
	// maxDetails limits the entries of authorization_details.
	maxDetails = 20
)

// A detail is an entry of authorization_details (RFC 9396): what a client asks for, or what a grant allows, on one source.
type detail struct {
	AccessMode         string          `json:"access_mode"`
	PurposeCode        string          `json:"purpose_code"`
	PurposeDescription string          `json:"purpose_description"`
	Source             sourceBody      `json:"source"`
	Streams            []streamDetail  `json:"streams"`
	Type               string          `json:"type"`
	Retention          json.RawMessage `json:"retention,omitempty"` // ignored
}

type sourceBody struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
}

type streamDetail struct {
	Fields         []string        `json:"fields"`
	InstanceIDs    []string        `json:"instance_ids"`
	Name           string          `json:"name"`                      // in a request, * is every stream of the source
	TimeRange      timeRange       `json:"time_range,omitzero"`       // in a request
	TimeConstraint *TimeConstraint `json:"time_constraint,omitempty"` // in a grant
}

type timeRange struct {
	Since string `json:"since"`
	Until string `json:"until"`
}

// A TimeConstraint is the time range that limits a stream of a grant, by one of its fields.
type TimeConstraint struct {
	Field string `json:"field"`
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
}

// TimeConstraintOf returns the time range of a stream, from since to before until. A zero time is no bound; without bounds it returns nil.
func TimeConstraintOf(stream model.Stream, since, until time.Time) *TimeConstraint {
	if since.IsZero() && until.IsZero() {
		return nil
	}
	return &TimeConstraint{Field: cmp.Or(stream.ConsentTimeField, "emitted_at"), Since: formatTime(since), Until: formatTime(until)}
}

// details returns a client grant as authorization_details, with one entry per connector.
func (s *Server) details(grant Grant) []detail {
	var details []detail
	for _, connector := range s.Connectors() {
		d := wholeSource(connector.SourceID)
		d.AccessMode, d.PurposeCode = cmp.Or(grant.AccessMode, continuous), cmp.Or(grant.PurposeCode, defaultPurpose)
		d.PurposeDescription, d.Streams = cmp.Or(grant.PurposeDescription, "A personal assistant"), nil
		for _, stream := range connector.Streams {
			for _, granted := range grant.Streams {
				if granted.ConnectorKey != connector.Key || granted.Stream != stream.Name {
					continue
				}
				fields := granted.Fields
				if fields == nil {
					fields = fieldNames(stream.Fields)
				}
				d.Streams = append(d.Streams, streamDetail{
					Fields: fields, InstanceIDs: granted.ConnectionIDs, Name: stream.Name,
					TimeConstraint: TimeConstraintOf(stream, granted.Since, granted.Until),
				})
			}
		}
		if d.Streams != nil {
			details = append(details, d)
		}
	}
	return details
}

// wholeSource returns the detail for a client that names only a source.
func wholeSource(id string) detail {
	return detail{
		Type: detailsType, AccessMode: continuous, PurposeCode: defaultPurpose,
		PurposeDescription: "Allow this MCP client to read selected personal data through PDPP.",
		Source:             sourceBody{ID: id, Kind: "connector"}, Streams: []streamDetail{{Name: "*"}},
	}
}

func invalidDetails(format string, args ...any) *refusedError {
	return badRequest("invalid_authorization_details", "Selection request is invalid: "+format, args...)
}

// parseDetails parses and checks authorization_details, except for the connections: only the owner learns whether those exist.
func (s *Server) parseDetails(text string) ([]detail, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var details []detail
	if err := decoder.Decode(&details); err != nil {
		return nil, invalidDetails("it must be a list of objects with known members")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, invalidDetails("it must be one list")
	}
	if len(details) == 0 || len(details) > maxDetails {
		return nil, invalidDetails("it must have 1 to %d entries", maxDetails)
	}
	for _, requested := range details {
		if err := requested.check(); err != nil {
			return nil, err
		}
		if _, _, err := s.streams(requested); err != nil {
			return nil, err
		}
	}
	return details, nil
}

// check refuses an entry that cannot be granted, with an error that lists all requirements.
func (d detail) check() error {
	purpose, err := url.Parse(d.PurposeCode)
	granted := slices.ContainsFunc(d.Streams, func(stream streamDetail) bool { return stream.TimeConstraint != nil })
	if d.Type != detailsType || d.AccessMode != continuous && d.AccessMode != singleUse || err != nil || !purpose.IsAbs() || granted ||
		len(d.Streams) == 0 || len(d.Streams) > 200 || len(d.PurposeDescription) > 1000 {
		return invalidDetails("an entry has type %s, access_mode %s or %s, a URI as purpose_code, a purpose_description of at most 1000 bytes, "+
			"and 1 to 200 streams, without time_constraint", detailsType, continuous, singleUse)
	}
	return nil
}

func (s *Server) connector(source string) (model.Connector, bool) {
	return model.Find(s.Connectors(), func(c model.Connector) bool { return c.Key == source || c.SourceID == source })
}

// streams expands a detail to stream grants, with only the connections that it names.
func (s *Server) streams(requested detail) (model.Connector, []StreamGrant, error) {
	connector, ok := s.connector(requested.Source.ID)
	if !ok || requested.Source.ID != connector.SourceID || requested.Source.Kind != "" && requested.Source.Kind != "connector" {
		return connector, nil, badRequest("invalid_request", "Unknown source: { id: '%s' }", clip(requested.Source.ID))
	}
	var grants []StreamGrant
	for _, wanted := range requested.Streams {
		since, until, err := wanted.TimeRange.parse()
		if err != nil {
			return connector, nil, err
		}
		known := false
		for _, stream := range connector.Streams {
			if wanted.Name != "*" && wanted.Name != stream.Name {
				continue
			}
			known = true
			fields, err := wantedFields(stream, wanted.Fields)
			if err != nil {
				return connector, nil, err
			}
			grants = append(grants, StreamGrant{
				ConnectorKey: connector.Key, Stream: stream.Name, ConnectionIDs: wanted.InstanceIDs, Fields: fields, Since: since, Until: until,
			})
		}
		if !known {
			return connector, nil, badRequest("source.authorization_details_invalid", "Unknown stream: %s", clip(wanted.Name))
		}
	}
	return connector, grants, nil
}

// bind expands a detail to stream grants, with the connections that it names or, without any, the only one of the source.
func (s *Server) bind(requested detail) (model.Connector, []StreamGrant, error) {
	connector, granted, err := s.streams(requested)
	all := connectionIDs(connector)
	for i, stream := range granted {
		for _, id := range stream.ConnectionIDs {
			if !slices.Contains(all, id) {
				return connector, nil, refuse(http.StatusNotFound, "connector_instance_not_found", "Connector instance '%s' does not exist.", clip(id))
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
	return connector, granted, err
}

// wantedFields returns the named fields of a stream, with those of its primary key and its consent time. Nil names, which mean all fields,
// stay nil.
func wantedFields(stream model.Stream, names []string) ([]string, error) {
	if names == nil {
		return nil, nil
	}
	all := fieldNames(stream.Fields)
	unknown := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(all, name) })
	if len(unknown) > 0 {
		return nil, badRequest("invalid_authorization_details", "Unknown fields on stream '%s': %s", stream.Name,
			clip(strings.Join(unknown, ", ")))
	}
	return slices.DeleteFunc(all, func(name string) bool {
		return !slices.Contains(names, name) && !slices.Contains(stream.PrimaryKey, name) && name != stream.ConsentTimeField
	}), nil
}

func fieldNames(fields []model.Field) []string {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = field.Name
	}
	return names
}

func (r timeRange) parse() (since, until time.Time, err error) {
	if since, err = parseTime(r.Since); err == nil {
		until, err = parseTime(r.Until)
	}
	return since, until, err
}

// parseTime parses a time or a date; "" is the zero time.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil || text == "" {
			return t, nil
		}
	}
	return time.Time{}, invalidDetails(`/time_range must match format "date-time"`)
}

func connectionIDs(connector model.Connector) []string {
	ids := make([]string, len(connector.Connections))
	for i, connection := range connector.Connections {
		ids[i] = connection.ID
	}
	return ids
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
