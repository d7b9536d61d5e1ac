package schema

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A manifest is refused with an error that names it, or has complete relations; a byte order mark makes no difference.
func FuzzManifest(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"blobs":"files","sorted":true,"connectors":[{"key":"mail","connections":[{"id":"c","folder":"m"}],"streams":{"a":{"emitted_field":"at","fields":[{"name":"n","type":"string","exact":true}]}}}]}`,
		`{"display_name":"x","streams":{"a":{"id_field":"id","types":{"n":"text"}}}}`, `{"streams":{"a":{"relations":[{"name":"b","foreign_key":"a","cardinality":"has_many","max_limit":4}]}}}`,
		`{"streams":{"a":{"relations":[{"name":"b","foreign_key":"a","cardinality":"has_one"}]}}}`, `{"streams":{"a":null}}`, `null`, `[]`, `{} {}`, "\xef\xbb\xbf{}", `{"streams":{"a":{"relations":[{"name":"b","foreign_key":"a","cardinality":"has_many","default_limit":-1}]}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		manifest, err := Parse(text, "x")
		if err != nil {
			if !strings.HasPrefix(err.Error(), ManifestName+": ") {
				t.Errorf("error %v", err)
			}
			return
		}
		for _, connector := range manifest.Connectors {
			checkConnectorManifest(t, connector)
		}
		if strings.HasPrefix(string(text), "\xef\xbb\xbf") {
			return
		}
		marked, err := Parse(append([]byte("\xef\xbb\xbf"), text...), "x")
		if diff := cmp.Diff(manifest, marked); err != nil || diff != "" {
			t.Errorf("with a mark: %v (-without +with)\n%s", err, diff)
		}
	})
}

func checkConnectorManifest(t *testing.T, connector Connector) {
	t.Helper()
	if connector.Key == "" || connector.SourceID == "" || len(connector.Connections) == 0 {
		t.Errorf("connector %+v", connector)
	}
	for _, connection := range connector.Connections {
		if connection.ID == "" || !fs.ValidPath(connection.Folder) {
			t.Errorf("connection %+v", connection)
		}
	}
	for _, stream := range connector.Streams {
		for _, r := range stream.Relations {
			many := r.Cardinality == "has_many" && 1 <= r.DefaultLimit && r.DefaultLimit <= r.MaxLimit
			one := r.Cardinality == "has_one" && r.DefaultLimit == 0 && r.MaxLimit == 0
			if r.Name == "" || r.Target == "" || r.ForeignKey == "" || !many && !one {
				t.Errorf("stream %q has the relation %+v", stream.Name, r)
			}
		}
	}
}
