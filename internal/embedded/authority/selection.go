package authority

import (
	"encoding/json"
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

// wholeSource is the selection of a client that names none.
func wholeSource(id string) selection {
	return selection{
		Type: detailsType, AccessMode: continuous, PurposeCode: defaultPurpose,
		PurposeDescription: "Allow this MCP client to read selected personal data through PDPP.",
		Source:             sourceBody{ID: id, Kind: "connector"}, Streams: []selectedStream{{Name: "*"}},
	}
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
		return nil, badRequest("invalid_authorization_details", "Unknown fields on stream '%s': %s", stream.Name,
			clip(strings.Join(unknown, ", ")))
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

type sourceBody struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
}

// defaultPurpose is that of a grant that names none.
const defaultPurpose = "https://pdpp.dev/purpose/personal_ai_assistant"
