package authority

import (
	"bytes"
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
)

// maxSelections bounds the entries of authorization_details.
const maxSelections = 20

// A selection is one entry of authorization_details (RFC 9396) as a client sends it.
type selection struct {
	Type               string           `json:"type"`
	AccessMode         string           `json:"access_mode"`
	PurposeCode        string           `json:"purpose_code"`
	PurposeDescription string           `json:"purpose_description"`
	Source             sourceBody       `json:"source"`
	Streams            []selectedStream `json:"streams"`
	Retention          json.RawMessage  `json:"retention"`
}

type selectedStream struct {
	Name        string     `json:"name"` // * is every stream of the source
	Fields      []string   `json:"fields"`
	InstanceIDs []string   `json:"instance_ids"`
	TimeRange   *timeRange `json:"time_range"`
}

type timeRange struct {
	Since string `json:"since"`
	Until string `json:"until"`
}

func invalidDetails(format string, args ...any) *RefusedError {
	return badRequest("invalid_authorization_details", "Selection request is invalid: "+format, args...)
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

func (selected selection) check() error {
	purpose, err := url.Parse(selected.PurposeCode)
	switch {
	case selected.Type != detailsType:
		return invalidDetails("/type must be equal to constant")
	case selected.AccessMode != continuous && selected.AccessMode != singleUse:
		return invalidDetails("/access_mode must be equal to one of the allowed values")
	case err != nil || !purpose.IsAbs():
		return invalidDetails(`/purpose_code must match format "uri"`)
	case len(selected.Streams) == 0:
		return invalidDetails("/streams must NOT have fewer than 1 items")
	case len(selected.Streams) > 200:
		return invalidDetails("/streams must NOT have more than 200 items")
	case len(selected.PurposeDescription) > 1000:
		return invalidDetails("/purpose_description must NOT have more than 1000 characters")
	}
	return nil
}

// connector finds the source of a selection.
func (s *Server) connector(source string) (model.Connector, bool) {
	connectors := s.Connectors()
	at := slices.IndexFunc(connectors, func(c model.Connector) bool { return c.Key == source || c.SourceID == source })
	if at < 0 {
		return model.Connector{}, false
	}
	return connectors[at], true
}

// wholeSource is the selection of a client that names none.
func wholeSource(id string) selection {
	return selection{
		Type: detailsType, AccessMode: continuous, PurposeCode: defaultPurpose,
		PurposeDescription: "Allow this MCP client to read selected personal data through PDPP.",
		Source:             sourceBody{ID: id, Kind: "connector"}, Streams: []selectedStream{{Name: "*"}},
	}
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

// wantedFields adds to the named fields of a stream those without which its records cannot be told apart or dated. No names: all
// fields, as nil.
func wantedFields(stream model.Stream, names []string) ([]string, error) {
	if names == nil {
		return nil, nil
	}
	fields, unknown := []string{}, []string(nil)
	for _, name := range names {
		if _, ok := stream.Field(name); !ok {
			unknown = append(unknown, clip(name))
		}
	}
	if unknown != nil {
		return nil, badRequest("invalid_authorization_details", "Unknown fields on stream '%s': %s", stream.Name, clip(strings.Join(unknown, ", ")))
	}
	for _, field := range stream.Fields {
		if slices.Contains(names, field.Name) || slices.Contains(stream.PrimaryKey, field.Name) || field.Name == stream.ConsentTimeField {
			fields = append(fields, field.Name)
		}
	}
	return fields, nil
}

func (r *timeRange) parse() (since, until time.Time, err error) {
	if r == nil {
		return since, until, nil
	}
	for _, end := range []struct {
		text string
		into *time.Time
	}{{r.Since, &since}, {r.Until, &until}} {
		if end.text == "" {
			continue
		}
		if *end.into, err = time.Parse(time.RFC3339, end.text); err != nil {
			*end.into, err = time.Parse(time.DateOnly, end.text)
		}
		if err != nil {
			return since, until, invalidDetails(`/time_range must match format "date-time"`)
		}
	}
	return since, until, nil
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
