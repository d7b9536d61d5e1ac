package embedded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
)

// wanted reads fields, and for an owner view, as the names of fields to show. Nil is all that is granted. Each field
// must be granted in one source at least.
func (c *call) wanted(sources []access) ([]string, *apiError) {
	fields := c.params.lists["fields"]
	if c.params.has("view") {
		return c.viewFields(sources, fields)
	}
	for _, name := range fields {
		if _, err := keepUsable(sources, func(s access) *apiError {
			_, err := s.demand(name)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func (c *call) viewFields(sources []access, fields []string) ([]string, *apiError) {
	if c.grant.Kind != authority.KindOwner {
		return nil, invalidRequest("Client record reads must use explicit fields; views are resolved when the grant is issued")
	}
	if len(fields) > 0 {
		return nil, invalidRequest("Send fields or view, not both").withParam("view")
	}
	for _, s := range sources {
		for _, view := range s.stream.Views {
			if view.ID == c.params.single["view"] {
				return view.Fields, nil
			}
		}
	}
	return nil, invalidRequest("Unknown view: %s", c.params.single["view"]).withParam("view")
}

// project cuts a record to what is granted and wanted.
func (s access) project(data []byte, wanted []string) (json.RawMessage, error) {
	if s.all && wanted == nil {
		return data, nil
	}
	var record map[string]json.RawMessage
	if err := json.Unmarshal(data, &record); err != nil {
		return nil, fmt.Errorf("stored record: %w", err)
	}
	out := bytes.NewBufferString("{")
	for _, field := range s.fields {
		value, ok := record[field.Name]
		if !ok || wanted != nil && !slices.Contains(wanted, field.Name) {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(field.Name)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
