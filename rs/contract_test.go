package rs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// recordings is a folder outside the repository with exchanges recorded from a running resource server. Without it
// the tests that use it are skipped.
const recordings = "../../shared/wire"

func recordedBody(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(recordings, name))
	if err != nil {
		t.Skipf("no recorded exchanges in %s", recordings)
	}
	var exchange struct {
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(data, &exchange); err != nil {
		t.Fatal(err)
	}
	return exchange.Body
}

// S3-7b: the projection of a full schema equals the compact view of the resource server.
func TestProjectionIsTheRecordedCompactView(t *testing.T) {
	t.Run("a client grant over two connections", func(t *testing.T) {
		got := project(t, recordedBody(t, "16-schema-full.json"), "", "")
		want := schemaOf(t, recordedBody(t, "15-schema-compact.json"))
		if diff := cmp.Diff(want.Connectors, got.Connectors); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("the capabilities of one stream, with types, roles, ranges and aggregations", func(t *testing.T) {
		got := project(t, recordedBody(t, "94-schema-owner-stream.json"), "messages", "cin_gmail_work")
		want := schemaOf(t, recordedBody(t, "23-schema-owner.json"))
		if len(got.Connectors) != 1 || len(got.Connectors[0].Streams) != 1 {
			t.Fatalf("projected %+v", got)
		}
		if diff := cmp.Diff(want.Connectors[0].Streams[0], got.Connectors[0].Streams[0]); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]rs.Connection{{ID: "cin_gmail_work", DisplayName: "Work Gmail"}}, got.Connectors[0].Connections); diff != "" {
			t.Error(diff)
		}
	})
}

// S3-R7, S3-7a: a recorded compact view passes unchanged.
func TestRecordedCompactViewPassesUnchanged(t *testing.T) {
	for name, scope := range map[string]rs.Scope{
		"15-schema-compact.json":             {},
		"18-schema-compact-stream.json":      {Stream: "messages"},
		"19-schema-compact-stream-conn.json": {Stream: "messages", ConnectionID: "cin_gmail_work"},
		"23-schema-owner.json":               {},
		"25-schema-narrow.json":              {},
	} {
		t.Run(name, func(t *testing.T) {
			body := recordedBody(t, name)
			response, err := rs.CompactSchema(t.Context(), &schemaServer{compact: string(body)}, scope.Stream, scope.ConnectionID)
			if err != nil {
				t.Fatal(err)
			}
			var want, got any
			if err := json.Unmarshal(body, &want); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(response.Body), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

type schemaDocument struct {
	Connectors []struct {
		ConnectorKey string          `json:"connector_key"`
		Connections  []rs.Connection `json:"granted_connections"`
		Streams      []struct {
			Name         string            `json:"name"`
			PrimaryKey   []string          `json:"primary_key"`
			CursorField  string            `json:"cursor_field"`
			Capabilities map[string]string `json:"field_capabilities"`
			Relations    []struct {
				Name, Stream, Cardinality string
				Granted, Usable           bool
				MaxLimit                  int `json:"max_limit"`
			} `json:"expand_capabilities"`
		} `json:"streams"`
	} `json:"connectors"`
}

func project(t *testing.T, full []byte, stream, connection string) schemaDocument {
	t.Helper()
	response, err := rs.CompactSchema(t.Context(), &schemaServer{compact: string(full)}, stream, connection)
	if err != nil {
		t.Fatal(err)
	}
	return schemaOf(t, []byte(response.Body))
}

func schemaOf(t *testing.T, body []byte) schemaDocument {
	t.Helper()
	var document schemaDocument
	if err := json.Unmarshal(body, &document); err != nil {
		t.Fatal(err)
	}
	return document
}
