package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The pieces of a tool's input schema. They are written as text, because hosts differ in what JSON Schema they
// accept: one flat object, single types, no combinators at the root, no references, no backticks (D22).

// object returns the schema of an object with the given properties; required is a list of quoted names.
func object(required string, properties ...string) json.RawMessage {
	tail := `}`
	if required != "" {
		tail = `,"required":[` + required + `]}`
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"additionalProperties":false` + tail)
}

func stringProperty(name, description string) string {
	return fmt.Sprintf(`%q:{"type":"string","description":%q}`, name, description)
}

func enumProperty(name, description string, values ...string) string {
	return fmt.Sprintf(`%q:{"type":"string","enum":["%s"],"description":%q}`, name, strings.Join(values, `","`), description)
}

func integerProperty(name, description string, least, most int) string {
	return fmt.Sprintf(`%q:{"type":"integer","minimum":%d,"maximum":%d,"description":%q}`, name, least, most, description)
}

func namesProperty(name, description string) string {
	return fmt.Sprintf(`%q:{"type":"array","items":{"type":"string"},"description":%q}`, name, description)
}

const (
	connectionProperty  = `"connection_id":{"type":"string","description":"Which source, where several have the stream: id or name from schema"}`
	zoneProperty        = `"time_zone":{"type":"string","description":"IANA zone of dates, UTC if absent"}`
	expandLimitProperty = `"expand_limit":{"type":"object","description":"Most records by relation: {\"attachments\":3}","additionalProperties":{"type":"integer"}}`
)

// filterProperty is the filter of a tool.
var filterProperty = `"filter":{"type":"object","description":"By field an exact value or range (` + strings.Join(rs.RangeOperators, " ") + `), a date is the whole day:` +
	` {\"status\":\"paid\",\"total\":{\"gte\":10}}","additionalProperties":true}`

// Output schemas. A good result and an error both satisfy them, because nothing is required: clients that validate
// error results would otherwise refuse them.
const errorProperty = `"error":{"type":"object","description":"code, message, hint of a failure"}`

var dataOutput = json.RawMessage(`{"type":"object","properties":{"data":{"type":"object"},` + errorProperty + `}}`)
