package fields_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

// If only another connection has a field, the error names that connection. If no connection has all of the fields, it says that too.
func TestFieldsOfOtherConnections(t *testing.T) {
	schema := rs.Response{Body: `{"connectors":[
		{"connector_key":"gmail","granted_connections":[{"connection_id":"c1","display_name":"Mail"}],"streams":[{"name":"messages","field_capabilities":{
			"subject":{"granted":true},"from":{"granted":true,"role":"actor"}}}]},
		{"connector_key":"slack","granted_connections":[{"connection_id":"c2","display_name":"Chat"}],"streams":[{"name":"messages","field_capabilities":{
			"channel":{"granted":true},"user":{"granted":true,"role":"actor"}}}]}]}`}
	s := schema.Schema()
	for args, want := range map[string][2]string{
		`{"filter":{"channel":"x"},"connection_id":"c1"}`: {`"channel" is a field of c2 "Chat".`, `{"filter":{"channel":"x"},"connection_id":"c2"}`},
		`{"sort":"-user","connection_id":"c1"}`:           {`"user" is a field of c2 "Chat".`, ""},
		`{"filter":{"channel":"x"},"fields":["subject"]}`: {
			`No connection of "messages" has all of these fields: "channel" is a field of c2 "Chat"; "subject" is a field of c1 "Mail".`, "",
		},
		`{"filter":{"channel":"x"},"fields":["nowhere"]}`: {},
		`{"filter":{"channel":"x"}}`:                      {},
	} {
		o := rs.AsObject(args)
		says, instead := fields.AtHome(s, "messages", o.Text("connection_id"), o)
		got := [2]string{says, ""}
		if instead != nil {
			got[1] = instead.JSON()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// The fields of a stream are those of the connections that have the fields named in the call.
func TestAStreamIsReadWhereItsFieldsAre(t *testing.T) {
	schema := rs.Response{Body: `{"connectors":[
		{"connector_key":"gmail","granted_connections":[{"connection_id":"c1"}],"streams":[{"name":"messages","field_capabilities":{
			"subject":{"granted":true},"thread_id":{"granted":true}}}]},
		{"connector_key":"slack","granted_connections":[{"connection_id":"c2"}],"streams":[{"name":"messages","field_capabilities":{
			"text":{"granted":true},"thread_ts":{"granted":true}}}]}]}`}
	for args, want := range map[string]int{
		`{"group_by":"thread_ts"}`: 2, `{"fields":["subject","body"]}`: 2, `{"fields":["subject","text"]}`: 4, `{"fields":["body"]}`: 4, `{}`: 4,
	} {
		if found := fields.ReadHaving("messages", schema.Schema(), rs.AsObject(args)); len(found.Fields) != want {
			t.Errorf("%s: %v; want %v", args, found.Fields, want)
		}
	}
}
