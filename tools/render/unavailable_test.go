package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// S3-R16, S3-3a: the texts of the index and of list_streams name what a package could not read.
func TestUnavailableConnectionsAreNamed(t *testing.T) {
	const unavailable = `"unavailable_connections":[{"connection_id":"cin_n","display_name":"Notes","code":"grant_revoked","message":"Grant has been revoked"}]`
	const want = `unavailable: connection_id=cin_n "Notes" (grant_revoked: "Grant has been revoked")`
	schema, err := Schema(answered(`{"connectors":[],`+unavailable+`}`), SchemaQuery{})
	if err != nil || !strings.Contains(schema.Text, want) {
		t.Errorf("schema: %v %s; want %q", err, schema.Text, want)
	}
	streams, err := Streams(answered(`{"object":"list","data":[],`+unavailable+`}`), StreamsQuery{})
	if err != nil || !strings.Contains(streams.Text, want) {
		t.Errorf("list_streams: %v %s; want %q", err, streams.Text, want)
	}
}

// A message about an expired grant ends with the command that connects again, which is never truncated.
func TestTheCommandThatConnectsAgainIsNotTruncated(t *testing.T) {
	const command = "pdpp-mcp connect https://provider.example.org --name work --source https://registry.example.org/connectors/gmail --connection cin_mail_work"
	const body = `{"connectors":[],"unavailable_connections":[{"connection_id":"work","code":"grant_expired","message":"The access to work has ended. Run: ` + command + `"}]}`
	schema, err := Schema(answered(body), SchemaQuery{})
	if err != nil || !strings.Contains(schema.Text, command+`"`) {
		t.Errorf("%v %s", err, schema.Text)
	}
}

// One connection that is not shown is counted in the singular, both among those to choose from and among those that could not be read.
func TestOneMoreConnectionIsSingular(t *testing.T) {
	refused := Error(&rs.Error{Code: "ambiguous_connection", ConnectionTotal: 1})
	if !strings.Contains(refused.Text, "1 more connection: call schema") {
		t.Error(refused.Text)
	}
	var rows []string
	for i := range rs.MaxConnectionOptions + 1 {
		rows = append(rows, fmt.Sprintf(`{"connection_id":"cin_%d","code":"grant_revoked","message":"gone"}`, i))
	}
	index, err := Schema(answered(`{"connectors":[],"unavailable_connections":[`+strings.Join(rows, ",")+`]}`), SchemaQuery{})
	if err != nil || !strings.Contains(index.Text, "\n1 more connection could not be read") {
		t.Errorf("%v %s", err, index.Text)
	}
}
