package fanout_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// demoCorpus has four connections of three connectors; in the package the grant of the last one is revoked.
func demoCorpus() model.Corpus {
	stream := func(name string) []model.Stream {
		return []model.Stream{{Name: name, PrimaryKey: []string{"id"}, Fields: []model.Field{
			{Name: "id", Type: "string"}, {Name: "body", Type: "text", Lexical: true},
		}}}
	}
	counts := map[string]int{"cin_work": 7, "cin_home": 3, "cin_wiki": 4, "cin_shop": 2}
	return model.Corpus{
		Connectors: []model.Connector{
			{Key: "mail", Connections: []model.Connection{{ID: "cin_work", DisplayName: "Work"}, {ID: "cin_home", DisplayName: "Home"}}, Streams: stream("messages")},
			{Key: "wiki", Connections: []model.Connection{{ID: "cin_wiki", DisplayName: "Wiki"}}, Streams: stream("pages")},
			{Key: "shop", Connections: []model.Connection{{ID: "cin_shop", DisplayName: "Shop"}}, Streams: stream("orders")},
		},
		Records: func(yield func(model.Record, error) bool) {
			for connection, stream := range map[string]string{"cin_work": "messages", "cin_home": "messages", "cin_wiki": "pages", "cin_shop": "orders"} {
				for i := range counts[connection] {
					id := fmt.Sprintf("%s-%d", connection[4:], i)
					data := json.RawMessage(fmt.Sprintf(`{"id":%q,"body":"the invoice number %d"}`, id, i))
					if !yield(
						model.Record{
							ConnectionID: connection,
							Stream:       stream,
							ID:           id,
							EmittedAt:    packageNow.Add(time.Duration(i) * time.Minute),
							Data:         data,
						},
						nil,
					) {
						return
					}
				}
			}
		},
	}
}

// A packageDemo is a package over the embedded resource server, with introspection and a directory over HTTP.
type packageDemo struct {
	pkg    auth.Package
	tokens authority.DemoTokens

	mu      sync.Mutex
	bearers []string // tokens of the requests for /v1
}

func newPackageDemo(t *testing.T) *packageDemo {
	t.Helper()
	d := &packageDemo{}
	store, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.Load(t.Context(), demoCorpus(), "test", nil); err != nil {
		t.Fatal(err)
	}
	if d.tokens, err = authority.NewDemoTokens(strings.NewReader(strings.Repeat("0123456789abcdef", 20))); err != nil {
		t.Fatal(err)
	}
	resources := embedded.NewServer(store, authority.DemoGrants(store.Connectors(), d.tokens, time.Now()), embedded.Options{
		Terms: authority.Terms{ClientID: "adapter", ClientSecret: "secret"},
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			d.mu.Lock()
			d.bearers = append(d.bearers, r.Header["Authorization"]...)
			d.mu.Unlock()
		}
		resources.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := rsclient.New(rsclient.Options{Base: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	secret := rs.NewToken("secret")
	introspector, err := auth.NewIntrospector(
		auth.IntrospectorOptions{
			LookupOptions: auth.LookupOptions{Endpoint: server.URL + "/introspect", ClientID: "adapter", ClientSecret: secret},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	directory, err := fanout.NewHTTPDirectory(
		auth.LookupOptions{Endpoint: server.URL + "/packages", ClientID: "adapter", ClientSecret: secret},
	)
	if err != nil {
		t.Fatal(err)
	}
	cache := auth.NewTokenCache(auth.TokenCacheOptions{Authority: fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
		Authority: introspector, Directory: directory,
		For: func(token rs.Token) rs.Doer { return client.For(rsclient.Caller{Token: token}) },
	})})
	principal, err := cache.Authenticate(t.Context(), rs.NewToken(d.tokens.Package))
	if err != nil {
		t.Fatal(err)
	}
	if err := principal.Admissible(); err != nil {
		t.Fatal(err)
	}
	d.pkg = principal.Package
	return d
}

// D17 over HTTP: a package of the embedded resource server, with one revoked member.
func TestPackageOverHTTP(t *testing.T) {
	d := newPackageDemo(t)
	t.Run("S3-16a every record of every usable member is found once", func(t *testing.T) {
		var found []string
		pages, last := walk(t, func() auth.Package { return d.pkg }, limitOf("4"))
		for _, page := range pages {
			found = append(found, strings.Fields(page)...)
		}
		slices.Sort(found)
		want := []string{
			"home-0",
			"home-1",
			"home-2",
			"wiki-0",
			"wiki-1",
			"wiki-2",
			"wiki-3",
			"work-0",
			"work-1",
			"work-2",
			"work-3",
			"work-4",
			"work-5",
			"work-6",
		}
		if !slices.Equal(found, want) || string(last.Meta.Count) != "14" {
			t.Errorf("found %q, count %s", found, last.Meta.Count)
		}
	})
	t.Run("S3-3a the revoked member is reported", func(t *testing.T) {
		response, err := d.pkg.Do(t.Context(), searchRequest("limit", "2"))
		if m := readMerged(t, response, err); m.missing() != "cin_shop=grant_revoked" {
			t.Errorf("missing is %q", m.missing())
		}
		_, err = d.pkg.Do(
			t.Context(),
			rs.Request{Path: rs.Path("streams", "orders", "records"), Query: map[string][]string{"connection_id": {"cin_shop"}}},
		)
		wantCode(t, err, "grant_revoked")
	})
	t.Run("S3-16b streams of different members", func(t *testing.T) {
		response, err := d.pkg.Do(t.Context(), searchRequest("streams", "pages", "streams", "messages", "limit", "3"))
		if m := readMerged(t, response, err); len(m.Data) != 3 || m.Data[0].ConnectorKey == "" || m.Data[0].GrantID == "" {
			t.Errorf("hits are %+v", m.Data)
		}
	})
	t.Run("D5 one schema", func(t *testing.T) {
		response, err := rs.CompactSchema(t.Context(), d.pkg, "", "")
		if err != nil {
			t.Fatal(err)
		}
		schema := response.Schema()
		if schema.Check() != nil || len(schema.Streams) != 3 || schema.Streams[0].Connections[0].GrantID == "" {
			t.Errorf("streams are %+v", schema.Streams)
		}
	})
	t.Run("S0-8a records need a connection", func(t *testing.T) {
		_, err := d.pkg.Do(t.Context(), rs.Request{Path: rs.Path("streams", "messages", "records")})
		wantCode(t, err, "ambiguous_connection")
		if _, err = d.pkg.Do(t.Context(), rs.Request{Path: rs.Path("streams", "messages", "records"), Query: map[string][]string{"connection_id": {"cin_home"}}}); err != nil {
			t.Error(err)
		}
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, bearer := range d.bearers {
		if !strings.HasPrefix(bearer, "Bearer pdpp_member_") || strings.Contains(bearer, d.tokens.Package) {
			t.Errorf("a read carries %q", bearer)
		}
	}
	if len(d.bearers) == 0 {
		t.Error("nothing was read")
	}
}
