package embedded

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wireDir has recorded exchanges of another resource server. It is not part of the repository.
const wireDir = "../../../shared/wire"

// An exchange is a recorded answer.
type exchange struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body"`
}

// TestContract compares answers with recorded ones of another resource server: the status, the error code and the names of members must
// be the same, except for the intended differences listed in each row.
func TestContract(t *testing.T) {
	if _, err := os.Stat(wireDir); err != nil {
		t.Skipf("no recorded exchanges in %s: skipped", wireDir)
	}
	r := newRig(t)
	cursor := text(r.ok("tok-client", "/v1/streams/messages/records?limit=2&connection_id=cin_mail_work").at("next_cursor"))
	searchCursor := text(r.ok("tok-client", "/v1/search?q=invoice&limit=3").at("next_cursor"))
	for _, test := range []struct {
		recorded, token, target string
		differs                 []string
	}{
		{"15-schema-compact", "tok-client", "/v1/schema?view=compact&connector_id=mail", []string{"+connectors.streams.cursor_field", "+connectors.streams.expand_capabilities.*"}},
		{"18-schema-compact-stream", "tok-client", "/v1/schema?view=compact&stream=message_bodies", nil},
		{"21-schema-bad-stream", "tok-client", "/v1/schema?stream=nosuch", nil},
		{"22-schema-bad-conn", "tok-client", "/v1/schema?connection_id=cin_nope", nil},
		{"23-schema-owner", "tok-owner", "/v1/schema?view=compact&connector_id=mail", nil},
		{"24-schema-package-token", "tok-package", "/v1/schema?view=compact", nil},
		{"25-schema-narrow", "tok-narrow", "/v1/schema?view=compact", []string{"+connectors.streams.cursor_field", "+connectors.streams.expand_capabilities.*"}},
		{"94-schema-owner-stream", "tok-owner", "/v1/schema?stream=messages&connection_id=cin_mail_work",
			[]string{"+connectors.granted_connections", "+connectors.streams.instance_ids", "-connectors.streams.query.search.semantic_fields"}},
		{"26-streams", "tok-client", "/v1/streams", []string{"+data.connector_key"}},
		{"27-stream-detail", "tok-client", "/v1/streams/message_bodies",
			[]string{"+query.aggregations", "+query.expand", "+query.range_filters", "+query.search", "+schema.required", "+selection", "+semantics", "-schema.additionalProperties"}},
		{"30-stream-detail-unknown", "tok-client", "/v1/streams/nosuch", nil},
		{"32-records-default", "tok-client", "/v1/streams/messages/records?limit=1", nil},
		{"37-records-conn", "tok-client", "/v1/streams/messages/records?limit=2&connection_id=cin_mail_work", nil},
		{"39-records-fields-unknown", "tok-client", "/v1/streams/messages/records?limit=2&fields=bogus", nil},
		{"40-records-view", "tok-client", "/v1/streams/messages/records?limit=2&view=bogus", nil},
		{"46-records-filter-bare", "tok-client", "/v1/streams/messages/records?limit=1&filter=foo", nil},
		{"47-records-unknown-param", "tok-client", "/v1/streams/messages/records?limit=1&bogus=1", []string{"+error.param"}},
		{"49-records-sort", "tok-client", "/v1/streams/messages/records?limit=1&sort=-received_at&connection_id=cin_mail_work", nil},
		{"50-records-sort-bad", "tok-client", "/v1/streams/messages/records?limit=1&sort=subject", nil},
		{"51-records-count-exact", "tok-client", "/v1/streams/messages/records?limit=1&count=exact&connection_id=cin_mail_work", nil},
		{"52-records-count-fanin", "tok-client", "/v1/streams/messages/records?limit=1&count=exact", nil},
		{"57-records-expand-owner-slack", "tok-owner", "/v1/streams/messages/records?limit=1&connector_id=mail&connection_id=cin_mail_work&filter[id]=w-050&expand[]=attachments&expand_limit[attachments]=1",
			[]string{"+data.expanded.attachments.*", "-data.expanded.reactions.*", "-next_cursor"}},
		{"59-records-filter-owner-range", "tok-owner", "/v1/streams/messages/records?limit=1&connector_id=mail&connection_id=cin_mail_work&filter[received_at][gte]=2027-03-01T00:00:00Z", nil},
		{"60-records-filter-owner-badfield", "tok-owner", "/v1/streams/messages/records?connector_id=mail&connection_id=cin_mail_work&filter[bogus]=1", nil},
		{"61-records-filter-owner-badop", "tok-owner", "/v1/streams/messages/records?connector_id=mail&connection_id=cin_mail_work&filter[received_at][like]=1", nil},
		{"62-records-filter-owner-undeclared-range", "tok-owner", "/v1/streams/messages/records?connector_id=mail&connection_id=cin_mail_work&filter[subject][gte]=a", nil},
		{"64-records-expand-owner-limit-too-big", "tok-owner", "/v1/streams/messages/records?limit=1&connector_id=mail&connection_id=cin_mail_work&expand[]=attachments&expand_limit[attachments]=1000", nil},
		{"65-records-bad-cursor", "tok-client", "/v1/streams/messages/records?cursor=garbage&connection_id=cin_mail_work", nil},
		{"66-records-cursor-next", "tok-client", "/v1/streams/messages/records?limit=2&connection_id=cin_mail_work&cursor=" + cursor, nil},
		{"69-records-changes-since", "tok-client", "/v1/streams/messages/records?limit=2&connection_id=cin_mail_work&changes_since=beginning", nil},
		{"70-records-changes-bad", "tok-client", "/v1/streams/messages/records?limit=2&connection_id=cin_mail_work&changes_since=!!!", nil},
		{"71-records-bad-conn", "tok-client", "/v1/streams/messages/records?connection_id=cin_nope", nil},
		{"72-records-instance-alias", "tok-client", "/v1/streams/messages/records?limit=1&connector_instance_id=cin_mail_work", nil},
		{"74-records-narrow", "tok-narrow", "/v1/streams/messages/records?limit=2&order=asc", nil},
		{"75-records-narrow-field", "tok-narrow", "/v1/streams/messages/records?limit=2&fields=snippet", nil},
		{"77-records-unknown-stream", "tok-client", "/v1/streams/nosuch/records", nil},
		{"79-records-badtoken", "tok-nobody", "/v1/streams/messages/records", nil},
		{"80-records-revoked", "tok-revoked", "/v1/streams/messages/records", nil},
		{"81-records-package-token", "tok-package", "/v1/streams/messages/records?limit=1", nil},
		{"84-record-detail-ambiguous", "tok-client", "/v1/streams/messages/records/w-000", []string{"+authored_at", "+authored_field"}},
		{"85-record-detail", "tok-client", "/v1/streams/messages/records/w-000?connection_id=cin_mail_work", []string{"+authored_at", "+authored_field"}},
		{"86-record-detail-fields", "tok-client", "/v1/streams/messages/records/w-000?connection_id=cin_mail_work&fields=subject", nil},
		{"87-record-detail-dup-409", "tok-client", "/v1/streams/messages/records/dup:1%2Fa%20b", nil},
		{"89-record-detail-missing", "tok-client", "/v1/streams/messages/records/zzz?connection_id=cin_mail_work", nil},
		{"90-record-detail-missing-fanin", "tok-client", "/v1/streams/messages/records/zzz", nil},
		{"91-record-detail-expand-owner", "tok-owner", "/v1/streams/messages/records/w-050?connector_id=mail&connection_id=cin_mail_work&expand[]=attachments&expand[]=message_bodies", []string{"+authored_at", "+authored_field"}},
		{"92-record-detail-attachment", "tok-client", "/v1/streams/attachments/records/a-0?connection_id=cin_mail_work", []string{"+authored_at", "+authored_field"}},
		{"95-fw-offset", "tok-client", "/v1/streams/message_bodies/records/b-0/field-window?connection_id=cin_mail_work&field=body_text&offset_chars=0&limit_chars=200", nil},
		{"96-fw-path", "tok-client", "/v1/streams/message_bodies/records/b-0/field-window?connection_id=cin_mail_work&field_path=body_text&offset=0&max_chars=200", nil},
		{"97-fw-q", "tok-client", "/v1/streams/message_bodies/records/b-0/field-window?connection_id=cin_mail_work&field=body_text&q=Paragraph%2030&before_chars=20&after_chars=60", nil},
		{"100-fw-huge", "tok-client", "/v1/streams/message_bodies/records/b-0/field-window?connection_id=cin_mail_work&field=body_text&limit_chars=10000000", nil},
		{"101-fw-nonstring", "tok-client", "/v1/streams/messages/records/w-000/field-window?connection_id=cin_mail_work&field=size_bytes", nil},
		{"102-fw-unknown-field", "tok-client", "/v1/streams/messages/records/w-000/field-window?connection_id=cin_mail_work&field=bogus", nil},
		{"104-fw-not-granted-field", "tok-narrow", "/v1/streams/messages/records/w-040/field-window?field=snippet", nil},
		{"106-fw-bad-cursor", "tok-client", "/v1/streams/message_bodies/records/b-0/field-window?connection_id=cin_mail_work&field=body_text&cursor=garbage", nil},
		{"107-agg-count", "tok-client", "/v1/streams/messages/aggregate?metric=count&connection_id=cin_mail_work", nil},
		{"109-agg-sum", "tok-client", "/v1/streams/messages/aggregate?metric=sum&field=size_bytes&connection_id=cin_mail_work", nil},
		{"110-agg-max", "tok-client", "/v1/streams/messages/aggregate?metric=max&field=received_at&connection_id=cin_mail_work", nil},
		{"111-agg-group", "tok-client", "/v1/streams/messages/aggregate?metric=count&group_by=is_seen&connection_id=cin_mail_work", nil},
		{"112-agg-time", "tok-client", "/v1/streams/messages/aggregate?metric=count&group_by_time=received_at&granularity=month&connection_id=cin_mail_work", nil},
		{"115-agg-distinct", "tok-client", "/v1/streams/messages/aggregate?metric=count_distinct&field=subject&connection_id=cin_mail_work", nil},
		{"116-agg-bad-metric", "tok-client", "/v1/streams/messages/aggregate?metric=median&connection_id=cin_mail_work", nil},
		{"117-agg-bad-field", "tok-client", "/v1/streams/messages/aggregate?metric=sum&field=subject&connection_id=cin_mail_work", nil},
		{"119-agg-no-granularity", "tok-client", "/v1/streams/messages/aggregate?metric=count&group_by_time=received_at&connection_id=cin_mail_work", nil},
		{"121-search-streams", "tok-client", "/v1/search?q=nowhere&limit=2&streams=messages&connection_id=cin_mail_work", []string{"+meta.recall.missing_words", "+meta.recall.partial_count", "-meta.index_maintenance"}},
		{"124-search-noq", "tok-client", "/v1/search", nil},
		{"125-search-limit500", "tok-client", "/v1/search?q=nowhere&limit=500&streams[]=attachments", []string{"+meta.recall.missing_words", "+meta.recall.partial_count"}},
		{"126-search-bad-cursor", "tok-client", "/v1/search?q=invoice&cursor=garbage", nil},
		{"127-search-cursor", "tok-client", "/v1/search?q=invoice&limit=3&cursor=" + searchCursor, []string{"+data.actor", "+data.authored_at", "+data.authored_field", "+data.evidence_excerpts.end_chars", "+data.evidence_excerpts.start_chars", "+data.match", "+data.title", "+meta.recall.partial_count", "-meta.recall.candidate_window_limit", "-meta.recall.truncated_source_count"}},
		{"131-search-unknown-param", "tok-client", "/v1/search?q=invoice&bogus=1", nil},
		{"132-search-fields", "tok-client", "/v1/search?q=invoice&limit=2&fields=subject", nil},
		{"134-search-stream-not-granted", "tok-narrow", "/v1/search?q=invoice&streams[]=attachments", nil},
		{"140-search-bad-conn", "tok-client", "/v1/search?q=zephyr&connection_id=cin_nope", nil},
		{"144-blob", "tok-client", "/v1/blobs/" + testBlobID, nil},
		{"146-blob-missing", "tok-client", "/v1/blobs/blob_sha256_0000", nil},
		{"147-blob-not-granted", "tok-narrow", "/v1/blobs/" + testBlobID, nil},
	} {
		t.Run(test.recorded, func(t *testing.T) {
			want := readExchange(t, test.recorded)
			got := r.get(test.token, test.target)
			compareExchange(t, want, got, test.differs)
		})
	}
	for _, test := range []struct {
		recorded, token string
		differs         []string
	}{
		{"06-introspect-client", "tok-client", []string{"-grant_storage_binding", "-pdpp.issued_at", "-pdpp.source", "-pdpp.source_declaration", "-scenario_id", "-trace_id"}},
		{"07-introspect-client-narrow", "tok-narrow", []string{"-grant_storage_binding", "-pdpp.issued_at", "-pdpp.source", "-pdpp.source_declaration", "-scenario_id", "-trace_id"}},
		{"08-introspect-package", "tok-package", []string{"-package.client.client_display", "-scenario_id", "-trace_id"}},
		{"09-introspect-owner", "tok-owner", []string{"-exp"}},
		{"10-introspect-unknown", "tok-nobody", nil},
		{"11-introspect-revoked", "tok-revoked", []string{"-scenario_id", "-trace_id"}},
		{"14-introspect-missing-token", "", nil},
	} {
		t.Run(test.recorded, func(t *testing.T) {
			compareExchange(t, readExchange(t, test.recorded), r.introspect(test.token), test.differs)
		})
	}
	t.Run("12-introspect-noauth", func(t *testing.T) {
		request := httptest.NewRequest(http.MethodPost, testOrigin+"/introspect", strings.NewReader("token=tok-client"))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		compareExchange(t, readExchange(t, "12-introspect-noauth"), r.do(request), nil)
	})
}

func readExchange(t *testing.T, name string) exchange {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(wireDir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var e exchange
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

func compareExchange(t *testing.T, want exchange, got answer, differs []string) {
	t.Helper()
	if got.status != want.Status {
		t.Fatalf("status %d, recorded %d: %s", got.status, want.Status, got.text)
	}
	if code := walk(want.Body, "error", "code"); code != nil && code != got.at("error", "code") {
		t.Errorf("code %v, recorded %v", got.at("error", "code"), code)
	}
	if kind := walk(want.Body, "error", "type"); kind != nil && kind != got.at("error", "type") {
		t.Errorf("type %v, recorded %v", got.at("error", "type"), kind)
	}
	for _, header := range []string{"www-authenticate", "cache-control"} {
		scheme, _, _ := strings.Cut(want.Headers[header], "=")
		if have := got.header.Get(header); !strings.HasPrefix(have, scheme) {
			t.Errorf("header %s: %q, recorded %q", header, have, want.Headers[header])
		}
	}
	if got.body == nil {
		return
	}
	var differences []string
	compareNames("", want.Body, got.body, &differences)
	differences = slices.DeleteFunc(differences, func(d string) bool {
		return slices.ContainsFunc(differs, func(allowed string) bool {
			stem, wild := strings.CutSuffix(allowed, ".*")
			return d == allowed || wild && strings.HasPrefix(d, stem)
		})
	})
	if len(differences) > 0 {
		slices.Sort(differences)
		t.Errorf("members that differ from the recording, + ours alone, - recorded alone: %v", slices.Compact(differences))
	}
}

// opaque members contain a person's data or names from a declaration, and are not part of the envelope.
var opaque = []string{
	".data.data", ".data.expanded.attachments.data.data", ".expanded.attachments.data.data", ".expanded.message_bodies.data",
	".connectors.streams.field_capabilities", ".field_capabilities", ".connectors.streams.schema.properties", ".schema.properties",
	".connectors.streams.query.range_filters", ".connectors.streams.query.aggregations",
}

// compareNames collects the names of members that only one side has. It compares the first items of lists.
func compareNames(path string, want, got any, differences *[]string) {
	if slices.Contains(opaque, path) {
		return
	}
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			if path == ".data" || path == ".body" {
				return
			}
			*differences = append(*differences, fmt.Sprintf("-%s is no object", path))
			return
		}
		if path == "" && want["object"] == "record" { // the data of a single record is at the top
			delete(want, "data")
			got = withoutMember(got, "data")
		}
		for name, value := range want {
			if _, there := got[name]; !there {
				*differences = append(*differences, "-"+strings.TrimPrefix(path+"."+name, "."))
				continue
			}
			compareNames(path+"."+name, value, got[name], differences)
		}
		for name := range got {
			if _, there := want[name]; !there {
				*differences = append(*differences, "+"+strings.TrimPrefix(path+"."+name, "."))
			}
		}
	case []any:
		got, ok := got.([]any)
		if ok && len(want) > 0 && len(got) > 0 {
			compareNames(path, want[0], got[0], differences)
		}
	}
}

func withoutMember(object map[string]any, name string) map[string]any {
	rest := map[string]any{}
	for key, value := range object {
		if key != name {
			rest[key] = value
		}
	}
	return rest
}
