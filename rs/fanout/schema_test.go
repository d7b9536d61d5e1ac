package fanout_test

import (
	"context"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

// packageSchemaOf is a member whose grant covers one connector with one stream.
func packageSchemaOf(connector, connection, stream string) memberAnswer {
	compact := `{"object":"schema","detail":"compact","bearer":{"token_kind":"client","grant_id":"g"},"connector_count":1,"stream_count":1,"connectors":[` +
		`{"connector_key":"` + connector + `","streams":[{"name":"` + stream + `","field_capabilities":{"n":"declared"}}],"granted_connections":[{"connection_id":"` + connection + `","rank":1.50}]}]}`
	return func(ctx context.Context, r rs.Request) (*rs.Response, error) {
		if asked := r.Query.Get("stream"); asked != "" && asked != stream {
			return says(`{"object":"schema","connectors":[]}`)(ctx, r)
		}
		return says(compact)(ctx, r)
	}
}

func connectorOf(connector, connection, stream, grant string) string {
	return `{"connector_key":"` + connector + `","streams":[{"name":"` + stream + `","field_capabilities":{"n":"declared"}}],"granted_connections":[{"connection_id":"` + connection + `","rank":1.50,"grant_id":"` + grant + `"}]}`
}

const mergedHead = `{"object":"schema","detail":"compact","bearer":{"token_kind":"mcp_package","package_id":"pkg_1"},`

func TestPackageSchemaIsOneDocument(t *testing.T) {
	compact := url.Values{"view": {"compact"}}
	ofStream := func(stream string) url.Values { return url.Values{"view": {"compact"}, "stream": {stream}} }
	for name, row := range map[string]struct {
		answers map[string]memberAnswer
		members []fanout.Member
		query   url.Values
		want    string
		asked   int
	}{
		"D5 every connector keeps its own bytes, and gets its grant": {
			map[string]memberAnswer{"tok_a": packageSchemaOf("mail", "cin_a", "messages"), "tok_b": packageSchemaOf("wiki", "cin_b", "notes")},
			[]fanout.Member{aMember("a"), aMember("b", "notes")}, compact,
			mergedHead + `"connector_count":2,"stream_count":2,"connectors":[` + connectorOf("mail", "cin_a", "messages", "grt_a") + `,` + connectorOf("wiki", "cin_b", "notes", "grt_b") + `]}`, 2,
		},
		"one connector of two grants stays two entries": {
			map[string]memberAnswer{"tok_a": packageSchemaOf("mail", "cin_a", "messages"), "tok_b": packageSchemaOf("mail", "cin_b", "messages")},
			[]fanout.Member{aMember("a"), aMember("b")}, compact,
			mergedHead + `"connector_count":2,"stream_count":2,"connectors":[` + connectorOf("mail", "cin_a", "messages", "grt_a") + `,` + connectorOf("mail", "cin_b", "messages", "grt_b") + `]}`, 2,
		},
		"a stream is asked for where it is granted": {
			map[string]memberAnswer{"tok_a": packageSchemaOf("mail", "cin_a", "messages")}, []fanout.Member{aMember("a"), aMember("b", "notes")}, ofStream("messages"),
			mergedHead + `"connector_count":1,"stream_count":1,"connectors":[` + connectorOf("mail", "cin_a", "messages", "grt_a") + `]}`, 1,
		},
		"a stream that nobody was granted is in no connector": {
			nil, []fanout.Member{aMember("a"), aMember("b")}, ofStream("photos"), mergedHead + `"connector_count":0,"stream_count":0,"connectors":[]}`, 0,
		},
		"S3-3a what could not be read stands apart": {
			map[string]memberAnswer{"tok_a": packageSchemaOf("mail", "cin_a", "messages"), "tok_c": fails(403, "grant_expired"), "tok_d": says(`{"connectors":7}`)},
			[]fanout.Member{aMember("a"), refusedMember("b", "grant_revoked"), aMember("c"), aMember("d")}, compact,
			mergedHead + `"connector_count":1,"stream_count":1,"connectors":[` + connectorOf("mail", "cin_a", "messages", "grt_a") + `],"unavailable_connections":[` +
				`{"grant_id":"grt_b","connector_key":"mail","connection_id":"cin_b","display_name":"B Mail","code":"grant_revoked","message":"It was revoked."},` +
				`{"grant_id":"grt_c","connector_key":"mail","connection_id":"cin_c","display_name":"C Mail","code":"grant_expired","message":"It said grant_expired."},` +
				`{"grant_id":"grt_d","connector_key":"mail","connection_id":"cin_d","display_name":"D Mail","code":"invalid_response","message":"The resource server's schema document does not have the shape that the contract promises."}]}`, 3,
		},
		"streams at top level get their source": {
			map[string]memberAnswer{"tok_a": says(`{"data":{"detail":"compact","streams":[{"name":"messages"}]}}`)}, []fanout.Member{aMember("a"), aMember("b", "notes")}, ofStream("messages"),
			mergedHead + `"connector_count":0,"stream_count":1,"connectors":[],"streams":[{"name":"messages","connection_id":"cin_a","connector_key":"mail","display_name":"A Mail","grant_id":"grt_a"}]}`, 1,
		},
		"connections that stand in the streams get their grant there": {
			map[string]memberAnswer{"tok_a": says(`{"detail":"compact","connectors":[{"connector_key":"mail","streams":[{"name":"messages","granted_connections":[{"connection_id":"cin_a"}]},{"name":"threads","connection_id":"cin_a"}]}]}`)},
			[]fanout.Member{aMember("a"), aMember("b", "notes"), refusedMember("c", "grant_revoked")}, ofStream("messages"),
			mergedHead + `"connector_count":1,"stream_count":1,"connectors":[{"connector_key":"mail","streams":[{"name":"messages","granted_connections":[{"connection_id":"cin_a","grant_id":"grt_a"}]}]}],` +
				`"unavailable_connections":[{"grant_id":"grt_c","connector_key":"mail","connection_id":"cin_c","display_name":"C Mail","code":"grant_revoked","message":"It was revoked."}]}`, 1,
		},
		"a connector that names no connection gets the grant's only one": {
			map[string]memberAnswer{"tok_a": says(`{"detail":"compact","connectors":[{"connector_key":"mail","streams":[{"name":"messages"}]}]}`)}, []fanout.Member{aMember("a"), aMember("b", "notes")}, ofStream("messages"),
			mergedHead + `"connector_count":1,"stream_count":1,"connectors":[{"connector_key":"mail","streams":[{"name":"messages"}],"granted_connections":[{"grant_id":"grt_a","connection_id":"cin_a","display_name":"A Mail"}]}]}`, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{answers: row.answers}
			response, err := packageOf(
				f,
				fanout.PackageOptions{},
				row.members...).Do(
				t.Context(),
				rs.Request{Path: rs.Path("schema"), Query: row.query},
			)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, response.Body); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
			if asked := len(f.heard(t)); asked != row.asked {
				t.Errorf("%d members were asked, want %d", asked, row.asked)
			}
		})
	}
}

func TestPackageSchemaReadsAGrantOnce(t *testing.T) {
	first, second := aMember("a"), aMember("b")
	second.GrantID, second.Token = first.GrantID, first.Token
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(`{"object":"schema","detail":"compact","connectors":[{"connector_key":"mail","streams":[{"name":"messages"}],"granted_connections":[{"connection_id":"cin_a"},{"connection_id":"cin_b"}]}]}`)}}
	response, err := packageOf(f, fanout.PackageOptions{}, first, second).Do(t.Context(), rs.CompactSchemaRequest("", ""))
	if err != nil {
		t.Fatal(err)
	}
	schema := response.Schema()
	if schema.Check() != nil || len(schema.Streams) != 1 || len(schema.Streams[0].Connections) != 2 ||
		schema.Streams[0].Connections[1].GrantID != "grt_a" {
		t.Errorf("streams are %+v", schema.Streams)
	}
	if asked := f.heard(t); len(asked) != 1 {
		t.Errorf("asked: %q", asked)
	}
}

// S3-7b: members without a compact view are merged with those that have one.
func TestPackageSchemaWithoutTheCompactView(t *testing.T) {
	full := `{"object":"schema","connectors":[{"connector_key":"wiki","granted_connections":[{"connection_id":"cin_b"}],"streams":[{"name":"notes","field_capabilities":{"title":{"granted":true,"exact_filter":{"declared":true,"usable":true}}},"expand_capabilities":[{"name":"author"}]}]}]}`
	f := &packageRS{answers: map[string]memberAnswer{
		"tok_a": packageSchemaOf("mail", "cin_a", "messages"),
		"tok_b": func(ctx context.Context, r rs.Request) (*rs.Response, error) {
			if r.Query.Has("view") {
				return fails(400, "invalid_request")(ctx, r)
			}
			return says(full)(ctx, r)
		},
	}}
	p := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b", "notes"))
	response, err := rs.CompactSchema(t.Context(), p, "", "")
	if err != nil {
		t.Fatal(err)
	}
	schema := response.Schema()
	if schema.Check() != nil || len(schema.Streams) != 2 || !schema.Streams[1].Expands() {
		t.Errorf("streams are %+v", schema.Streams)
	}
	if advertised, known := (rs.Scope{Stream: "notes", ConnectionID: "cin_b"}).AdvertisesExpansion(t.Context(), p); !advertised || !known {
		t.Error("expansion is not seen through the package")
	}
	f.heard(t)
}

func TestPackageSchemaFails(t *testing.T) {
	for name, row := range map[string]struct {
		members []fanout.Member
		want    rs.Code
	}{
		"S3-3a nobody can be read": {[]fanout.Member{refusedMember("a", "grant_revoked")}, "grant_revoked"},
		"nobody answers":           {[]fanout.Member{aMember("a"), aMember("b")}, "unavailable"},
	} {
		for _, path := range []string{rs.Path("schema"), rs.Path("streams")} {
			t.Run(name+" "+path, func(t *testing.T) {
				f := &packageRS{answers: map[string]memberAnswer{"tok_a": fails(503, "unavailable"), "tok_b": fails(503, "unavailable")}}
				_, err := packageOf(f, fanout.PackageOptions{}, row.members...).Do(t.Context(), rs.Request{Path: path})
				wantCode(t, err, row.want)
			})
		}
	}
}

// S3-2a through a package: one list with the rows of all members, each with its source.
func TestPackageStreams(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{
		"tok_a": says(`{"data":[{"name":"messages","connection_id":"cin_a","record_count":401,"display_name":"Own"}]}`),
		"tok_b": says(`{"data":[{"name":"notes"}]}`),
		"tok_c": says(`"nothing"`),
	}}
	response, err := packageOf(
		f,
		fanout.PackageOptions{},
		aMember("a"),
		aMember("b"),
		aMember("c"),
	).Do(
		t.Context(),
		rs.Request{Path: rs.Path("streams")},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"object":"list","has_more":false,"data":[` +
		`{"name":"messages","connection_id":"cin_a","record_count":401,"display_name":"Own","connector_key":"mail","grant_id":"grt_a"},` +
		`{"name":"notes","connection_id":"cin_b","connector_key":"mail","display_name":"B Mail","grant_id":"grt_b"}],` +
		`"unavailable_connections":[{"grant_id":"grt_c","connector_key":"mail","connection_id":"cin_c","display_name":"C Mail","code":"invalid_response","message":"This connection's answer is not the list of streams that the contract promises."}],` +
		`"meta":{"warnings":[{"code":"unavailable_connections","message":"Connections that could not be read: C Mail (invalid_response)."}]}}`
	if diff := cmp.Diff(want, response.Body); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if len(f.heard(t)) != 3 {
		t.Error("not every member was asked once")
	}
	response, err = packageOf(f, fanout.PackageOptions{}, aMember("b")).Do(t.Context(), rs.Request{Path: rs.Path("streams")})
	want = `{"object":"list","has_more":false,"data":[{"name":"notes","connection_id":"cin_b","connector_key":"mail","display_name":"B Mail","grant_id":"grt_b"}],"meta":{"warnings":[]}}`
	if err != nil || response.Body != want {
		t.Errorf("where all can be read: %v, %v", response, err)
	}
}
