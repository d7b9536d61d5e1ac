package fanout_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

// Schemas of two members, in the compact and in the full form.
const (
	compactMember = `{"object":"schema","detail":"compact","bearer":{"token_kind":"client","grant_id":"grt_1"},"connector_count":1,"stream_count":2,"connectors":[` +
		`{"connector_key":"gmail","stream_count":2,"granted_connections":[{"connection_id":"cin_work","display_name":"Work"},{"connection_id":"cin_home","display_name":"Home"}],` +
		`"streams":[{"name":"messages","field_capabilities":{"id":"eq"},"expand_capabilities":[{"name":"attachments"}]},{"name":"labels","field_capabilities":{"name":"t=string,eq"},"expand_capabilities":[]}]}]}`
	fullMember = `{"object":"schema","bearer":{"token_kind":"client","grant_id":"grt_1"},"connector_count":1,"stream_count":1,"connectors":[` +
		`{"connector_key":"gmail","stream_count":1,"streams":[{"name":"messages","schema":{"type":"object"},"granted_connections":[{"connection_id":"cin_work","display_name":"Work"}],` +
		`"field_capabilities":{"id":{"granted":true,"schema":{"type":"string"},"exact_filter":{"declared":true,"usable":true}},"secret":{"granted":false}},"expand_capabilities":[]}]}]}`
)

// For any documents of two members: the merged document is valid JSON without tokens, an error names both members, and
// a second read returns the same document.
func FuzzPackageSchema(f *testing.F) {
	for _, seed := range []string{compactMember, fullMember, `{"connectors":[]}`, `{"connectors":null}`, `[]`, `{"streams":[{"name":"a"}]}`, `{"connectors":[{"streams":[{"name":1}]}]}`} {
		f.Add([]byte(seed), []byte(compactMember))
		f.Add([]byte(fullMember), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if !json.Valid(a) || !json.Valid(b) || bytes.Contains(append(a, b...), []byte("tok_")) {
			return
		}
		server := &packageRS{answers: map[string]memberAnswer{"tok_a": says(string(a)), "tok_b": says(string(b))}}
		family := packageOf(server, fanout.PackageOptions{}, aMember("a"), aMember("b"))
		for _, request := range []rs.Request{{Path: rs.Path("schema")}, {Path: rs.Path("streams")}} {
			response, err := family.Do(t.Context(), request)
			if err != nil {
				if e := rs.AsError(err); e.Code == "internal_error" || e.Code == "" || len(e.Unavailable) != 2 {
					t.Errorf("%s: %v names %d members", request.Path, err, len(e.Unavailable))
				}
				continue
			}
			var merged struct {
				Connectors  []json.RawMessage `json:"connectors"`
				Unavailable []json.RawMessage `json:"unavailable_connections"`
			}
			if err := json.Unmarshal([]byte(response.Body), &merged); err != nil || bytes.Contains([]byte(response.Body), []byte("tok_")) ||
				len(merged.Unavailable) > 1 {
				t.Fatalf("%s: %v of %s", request.Path, err, response.Body)
			}
			again, err := family.Do(t.Context(), request)
			if err != nil || !bytes.Equal([]byte(again.Body), []byte(response.Body)) {
				t.Errorf("%s: %s, then %v, %v", request.Path, response.Body, again, err)
			}
		}
	})
}
