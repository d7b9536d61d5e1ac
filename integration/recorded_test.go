package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// A recorded exchange is one of the reference implementation, or one between an OAuth host and a server like this one.
type recorded struct {
	Status    int             `json:"status"`
	Challenge string          `json:"www-authenticate"`
	Body      json.RawMessage `json:"body"`
}

func recordings(t *testing.T) map[string]recorded {
	t.Helper()
	all := map[string]recorded{}
	for _, file := range []string{"exchanges.json", "reads.json"} {
		text, err := os.ReadFile("../internal/connect/testdata/" + file)
		if err == nil {
			err = json.Unmarshal(text, &all)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// servePlayed starts a hosted server at https://mcp.example with a resource server and an authority that answer as recorded.
// introspections has a recording for each token.
func servePlayed(t *testing.T, introspections map[string]string, schema string) string {
	t.Helper()
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/introspect":
			_, _ = io.WriteString(w, introspections[r.FormValue("token")])
		case "/v1/schema":
			_, _ = io.WriteString(w, schema)
		case "/.well-known/oauth-protected-resource":
			_, _ = fmt.Fprintf(w, `{"resource":"http://%s","authorization_servers":["https://as.example"]}`, r.Host)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(source.Close)
	url, _ := serve(t, "--rs-url", source.URL, "--public-url", "https://mcp.example", "--audiences", "https://rs.example",
		"--introspection-url", source.URL+"/introspect", "--introspection-client-id", "c", "--introspection-client-secret", "s")
	return strings.TrimSuffix(url, "/mcp")
}

// asHost makes a request like an OAuth host that uses the server's public name.
func asHost(t *testing.T, method, address, token, body string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	check(t, err)
	request.Host = "mcp.example"
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return do(t, request)
}

// An OAuth host gets what was recorded: the address of the authorization server, a refusal of the package that its picker issues, and the
// data for a client's token. A single-use grant that the authority calls active ends at its own time (CONNECT.md, sections 10 and 11).
func TestRecordedHosts(t *testing.T) {
	all := recordings(t)
	single := func(expires time.Time) string {
		var body map[string]any
		if err := json.Unmarshal(all["connect-47-introspect-single-use"].Body, &body); err != nil || body["exp"] == nil {
			t.Fatal(err)
		}
		body["exp"] = expires.Unix()
		text, _ := json.Marshal(body)
		return string(text)
	}
	var called struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent struct{ Data json.RawMessage } `json:"structuredContent"`
		}
	}
	if err := json.Unmarshal(all["connect-89-host-call-with-client"].Body, &called); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(called.Result.Content[0].Text, "\n") // the text has more lines today
	at := servePlayed(t, map[string]string{
		"package_token_01": string(all["connect-50-introspect-package"].Body), "client_token_03": single(time.Now().Add(time.Hour)), "client_token_over": single(time.Now().Add(-time.Hour)),
	}, string(called.Result.StructuredContent.Data))

	call := func(token, recording string) (http.Header, string) {
		t.Helper()
		status, header, body := asHost(t, http.MethodPost, at+"/mcp", token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"schema","arguments":{}}}`)
		var want, got struct {
			Error struct{ Code, Message string }
		}
		if err := errors.Join(json.Unmarshal(all[recording].Body, &want), json.Unmarshal([]byte(body), &got)); err != nil || status != all[recording].Status || got != want {
			t.Errorf("%s: %d %s, recorded %d %s; %v", recording, status, body, all[recording].Status, all[recording].Body, err)
		}
		return header, body
	}
	if header, _ := call("", "connect-80-host-401"); header.Get("Www-Authenticate") != all["connect-80-host-401"].Challenge {
		t.Errorf("the challenge is %s, recorded %s", header.Get("Www-Authenticate"), all["connect-80-host-401"].Challenge)
	}
	call("package_token_01", "connect-86-host-call-with-package")
	if _, body := call("client_token_03", "connect-89-host-call-with-client"); !strings.Contains(body, first) {
		t.Errorf("%q is missing in %s", first, body)
	}
	if status, _, body := asHost(t, http.MethodPost, at+"/mcp", "client_token_over", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`); status != http.StatusUnauthorized {
		t.Errorf("a single-use grant after its end: %d %s", status, body)
	}

	status, _, body := asHost(t, http.MethodGet, at+"/.well-known/oauth-protected-resource/mcp", "", "")
	var published, before map[string]any
	if err := errors.Join(json.Unmarshal([]byte(body), &published), json.Unmarshal(all["connect-81-host-prm"].Body, &before)); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	delete(before, "pdpp_core_query_base") // the address of the server used here
	for name, value := range before {
		if fmt.Sprint(published[name]) != fmt.Sprint(value) {
			t.Errorf("%s is published as %v, recorded %v", name, published[name], value)
		}
	}
}
