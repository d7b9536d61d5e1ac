//go:build chaos

package chaos

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// secret is in every broken answer and must not appear in any output.
const secret = "what-nobody-should-repeat"

// healthy answers a read as in the contract. It is fast, so that it can be the resource server under load.
func healthy(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	path := r.URL.Path
	var text string
	switch {
	case path == "/v1/schema":
		text = schemaAnswer
	case strings.HasPrefix(path, "/v1/search"):
		text = searchAnswer
	case strings.HasSuffix(path, "/aggregate"):
		text = aggregateAnswer
	case strings.HasSuffix(path, "/field-window"):
		text = windowAnswer
	case strings.HasSuffix(path, "/records"):
		text = `{"object":"list","data":[` + recordAnswer + `,` + recordAnswer + `],"has_more":false}`
	case strings.Contains(path, "/records/"):
		text = recordAnswer
	default:
		w.WriteHeader(http.StatusNotFound)
		text = `{"error":{"code":"not_found","message":"No such route.","type":"not_found_error"}}`
	}
	_, _ = io.WriteString(w, text)
}

const (
	schemaAnswer = `{"object":"schema","detail":"compact","bearer":{"token_kind":"client","grant_id":"g1","client_id":"c1"},"connector_count":1,"stream_count":1,` +
		`"connectors":[{"source":"notes","connector_key":"notes","granted_connections":[{"connection_id":"cin_notes","display_name":"Notes"}],` +
		`"streams":[{"name":"notes","primary_key":["id"],"field_capabilities":{"id":"t=string,eq","body":"t=string,lex"},"expand_capabilities":[]}]}]}`
	recordAnswer = `{"object":"record","id":"1","stream":"notes","emitted_at":"2026-01-02T03:04:05Z","connection_id":"cin_notes","display_name":"Notes",` +
		`"data":{"id":"1","title":"A note","body":"The night guard found the sextant in the attic, where nobody had looked since the summer."}}`
	searchAnswer = `{"object":"list","data":[{"object":"search_result","stream":"notes","record_key":"1","connection_id":"cin_notes","display_name":"Notes",` +
		`"emitted_at":"2026-01-02T03:04:05Z","matched_fields":["body"],"snippet":{"field":"body","text":"found the <mark>sextant</mark> in the attic"}}],"has_more":false}`
	aggregateAnswer = `{"object":"aggregation","stream":"notes","metric":"count","field":null,"value":3,"approximate":false,"filtered_record_count":3}`
	windowAnswer    = `{"record_id":"1","stream":"notes","field":{"path":"body","type":"string"},"window":{"text":"The night guard found the sextant.",` +
		`"start_chars":0,"end_chars":34,"limit_chars":4096,"total_chars":34,"complete":true}}`
)

// asked returns the stream or the word of a read, with which a call selects a fault.
func asked(r *http.Request) string {
	if rest, ok := strings.CutPrefix(r.URL.Path, "/v1/streams/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return name
	}
	if r.URL.Path == "/v1/schema" {
		return r.URL.Query().Get("stream")
	}
	return r.URL.Query().Get("q")
}

// serveTest runs a server until the test ends, without logging the faults that it produces.
func serveTest(t testing.TB, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := quiet(handler)
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

func quiet(handler http.HandlerFunc) *httptest.Server {
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	return server
}

// introspect accepts every token, each with a different grant.
func introspect(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"active":true,"pdpp_token_kind":"client","subject_id":"s1","grant_id":%q,"client_id":"c1","aud":"chaos","iss":"chaos"}`, "grant-"+r.FormValue("token"))
}

// asking returns the flags with which a program reads a resource server and asks an authority.
func asking(rsURL, authorityURL string, further ...string) []string {
	return append([]string{
		"--rs-url", rsURL, "--introspection-url", authorityURL + "/introspect", "--introspection-client-id", "chaos",
		"--introspection-client-secret", "chaos", "--audiences", "chaos",
	}, further...)
}

// unhurried returns the flags that disable rate limits.
func unhurried() []string {
	var args []string
	for _, name := range []string{"--token-rate", "--address-rate", "--unknown-token-rate"} {
		if flags[name] {
			args = append(args, name, "0")
		}
	}
	return args
}
