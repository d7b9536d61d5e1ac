package render

import (
	"strings"
	"testing"
)

// S3-R16, S3-3a: what a package could not read is named in the text of the index and of the stream list.
func TestUnavailableConnectionsAreNamed(t *testing.T) {
	const unavailable = `"unavailable_connections":[{"connection_id":"cin_n","display_name":"Notes","code":"grant_revoked","message":"Grant has been revoked"}]`
	const want = `unavailable: connection_id=cin_n "Notes" (grant_revoked: "Grant has been revoked")`
	schema, err := Schema(answered(`{"connectors":[],`+unavailable+`}`), SchemaQuery{})
	if err != nil || !strings.Contains(schema.Text, want) {
		t.Errorf("schema: %v %s", err, schema.Text)
	}
	streams, err := Streams(answered(`{"object":"list","data":[],`+unavailable+`}`), StreamsQuery{})
	if err != nil || !strings.Contains(streams.Text, want) {
		t.Errorf("list_streams: %v %s", err, streams.Text)
	}
}

// The command that connects again is the end of what is said of a grant that has ended, and is printed whole.
func TestTheCommandThatConnectsAgainIsWhole(t *testing.T) {
	const command = "pdpp-mcp connect https://provider.example.org --name work --source https://registry.example.org/connectors/gmail --connection cin_mail_work"
	const body = `{"connectors":[],"unavailable_connections":[{"connection_id":"work","code":"grant_expired","message":"The access to work has ended. Run: ` + command + `"}]}`
	schema, err := Schema(answered(body), SchemaQuery{})
	if err != nil || !strings.Contains(schema.Text, command+`"`) {
		t.Errorf("%v %s", err, schema.Text)
	}
}
