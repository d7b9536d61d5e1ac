package integration

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// get requests a public document with the given host and headers.
func get(t *testing.T, url, host string, headers map[string]string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		request.Host = host
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	return do(t, request)
}

const (
	rootMetadata = "/.well-known/oauth-protected-resource"
	mcpMetadata  = "/.well-known/oauth-protected-resource/mcp"
)

// A proxied is a request as it arrives behind a proxy, or from a client that pretends to be one.
type proxied struct {
	name    string
	host    string // the Host header; empty: the address that was dialed
	headers map[string]string
	origin  string // that is published; SELF stands for the address that was dialled, "" for 421
}

// TestTheOriginThatIsPublished covers S3-R9, S3-9c, S3-17b and S3-18a wherever the program prints a URL: both metadata documents, the
// challenge, and the icon of initialize.
func TestTheOriginThatIsPublished(t *testing.T) {
	forwarded := func(host, proto string) map[string]string {
		return map[string]string{"X-Forwarded-Host": host, "X-Forwarded-Proto": proto}
	}
	for _, server := range []struct {
		name  string
		flags []string
		rows  []proxied
	}{
		{"a server without a proxy", []string{"--allowed-hosts", "mcp.example"}, []proxied{
			{"its own address is published", "", nil, "http://SELF"},
			{"an allowed name is published", "mcp.example", nil, "http://mcp.example"},
			{"an origin forwarded by an untrusted client is not published", "", forwarded("mcp.example", "https"), "http://SELF"},
			{"an unknown name is not published", "", forwarded("evil.example", "https"), "http://SELF"},
			{"a foreign host is refused", "evil.example", nil, ""},
			{"a foreign host is refused, whatever is forwarded", "evil.example", forwarded("mcp.example", "https"), ""},
			{"a host that only begins like its own is refused", "mcp.example.evil.example", nil, ""},
		}},
		{"S3-9c a server behind a trusted proxy", []string{"--allowed-hosts", "mcp.example", "--trusted-proxies", "127.0.0.0/8"}, []proxied{
			{"the origin from the proxy is published", "", forwarded("mcp.example", "https"), "https://mcp.example"},
			{"a proxy that keeps the host gives the scheme", "mcp.example", map[string]string{"X-Forwarded-Proto": "https"}, "https://mcp.example"},
			{"an unknown name is not published, but the scheme is", "", forwarded("evil.example", "https"), "https://SELF"},
			{"two names are not accepted", "", forwarded("mcp.example, evil.example", "https"), "https://SELF"},
			{"an invalid scheme is not accepted", "mcp.example", map[string]string{"X-Forwarded-Proto": "javascript"}, "http://mcp.example"},
			{"other forwarding headers are ignored", "", map[string]string{"Forwarded": "host=mcp.example;proto=https", "X-Original-Host": "mcp.example"}, "http://SELF"},
		}},
		{"a server with a proxy at another address", []string{"--allowed-hosts", "mcp.example", "--trusted-proxies", "10.0.0.0/8"}, []proxied{
			{"this proxy is not trusted", "", forwarded("mcp.example", "https"), "http://SELF"},
		}},
		{"a server with a public URL", []string{"--public-url", "https://mcp.example", "--trusted-proxies", "127.0.0.1", "--allowed-hosts", "other.example"}, []proxied{
			{"the public URL is published under its own address", "", nil, "https://mcp.example"},
			{"the public URL is published under its name", "mcp.example", nil, "https://mcp.example"},
			{"the public URL is published under another allowed name", "other.example", nil, "https://mcp.example"},
			{"the public URL is published whatever the proxy forwards", "", forwarded("other.example", "http"), "https://mcp.example"},
			{"a foreign host is refused", "evil.example", nil, ""},
		}},
	} {
		t.Run(server.name, func(t *testing.T) {
			url, _ := serve(t, append(append([]string{"--rs-url", sample.RSURL}, introspected(sample)...), server.flags...)...)
			self := strings.TrimSuffix(url, "/mcp")
			for _, row := range server.rows {
				t.Run(row.name, func(t *testing.T) {
					row.origin = strings.Replace(row.origin, "SELF", strings.TrimPrefix(self, "http://"), 1)
					publishes(t, self, row)
				})
			}
		})
	}
}

// publishes checks everything that is published for one request.
func publishes(t *testing.T, self string, row proxied) {
	if row.origin == "" {
		for _, path := range []string{rootMetadata, mcpMetadata, "/icon.svg", "/mcp"} { // the refusal names the host and what to set
			status, header, body := get(t, self+path, row.host, row.headers)
			if status != http.StatusMisdirectedRequest || !strings.Contains(body, `"host_refused"`) || header.Get("WWW-Authenticate") != "" || !strings.Contains(body, `\"`+row.host+`\"`) ||
				!strings.Contains(body, "--allowed-hosts") {
				t.Errorf("%s: %d %v %s", path, status, header, body)
			}
		}
		return
	}
	var root, endpoint map[string]any
	for path, document := range map[string]*map[string]any{rootMetadata: &root, mcpMetadata: &endpoint} {
		status, _, body := get(t, self+path, row.host, row.headers)
		if err := json.Unmarshal([]byte(body), document); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, body)
		}
	}
	if root["resource"] != row.origin || endpoint["resource"] != row.origin+"/mcp" {
		t.Errorf("published %v and %v, want %s", root["resource"], endpoint["resource"], row.origin)
	}
	_, header, _ := get(t, self+"/mcp", row.host, row.headers)
	if challenge := header.Get("WWW-Authenticate"); !strings.HasSuffix(challenge, `resource_metadata="`+row.origin+mcpMetadata+`"`) {
		t.Errorf("the challenge is %s", challenge)
	}
	if link := header.Get("Link"); link != "<"+row.origin+`/icon.svg>; rel="icon"; type="image/svg+xml"` {
		t.Errorf("the link is %s", link)
	}
}

// TestMetadataDocuments covers S3-R9, S3-9a, S3-9b, S3-17c and S3-18b: each document has exactly these members.
func TestMetadataDocuments(t *testing.T) {
	proxy := newWatch(t, sample.RSURL)
	url, _ := serve(t, append([]string{
		"--rs-url", "https://rs.example/", "--rs-internal-url", proxy.URL, "--public-url", "https://mcp.example", "--packages-url", sample.RSURL + "/packages",
		"--authorization-servers", "https://as.example,https://as2.example",
	}, introspected(sample)...)...)
	self := strings.TrimSuffix(url, "/mcp")
	document := func(resource string) map[string]any {
		return map[string]any{
			"pdpp_agent_discovery": map[string]any{"mcp": map[string]any{
				"endpoint": "https://mcp.example/mcp", "transport": "streamable_http",
				"description": "MCP is an adapter over PDPP reads; the core query base is pdpp_core_query_base.", // S3-R9
			}},
			"resource": resource, "resource_name": "Personal data (PDPP)", "authorization_servers": []any{"https://as.example", "https://as2.example"},
			"bearer_methods_supported": []any{"header"}, "pdpp_core_query_base": "https://rs.example/v1",
			"pdpp_token_kinds_supported": []any{"client", "mcp_package"},
		}
	}
	for path, want := range map[string]map[string]any{rootMetadata: document("https://mcp.example"), mcpMetadata: document("https://mcp.example/mcp")} {
		status, header, body := get(t, self+path, "", nil)
		var got map[string]any
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK || header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s: %d %v %s", path, status, header, body)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if seen := proxy.requests(); len(seen) != 0 {
		t.Errorf("the resource server got requests: %v", seen)
	}
}

// TestTheServerShowsItsIcon covers S3-R17 and S3-17a: the icon is in initialize and in server/discover, for a client's bearer and for a
// package's, and is served at its address.
func TestTheServerShowsItsIcon(t *testing.T) {
	url, _ := servePackages(t)
	icon := strings.TrimSuffix(url, "/mcp") + "/icon.svg"
	for name, token := range map[string]string{"a client": sample.ClientToken, "a package": sample.PackageToken} {
		for _, era := range []string{legacyEra, modernEra} {
			t.Run(name+", "+era, func(t *testing.T) {
				hello := overHTTPIn(t, url, token, era).InitializeResult()
				if hello == nil || hello.ServerInfo == nil || len(hello.ServerInfo.Icons) != 1 {
					t.Fatalf("%+v", hello)
				}
				got := hello.ServerInfo.Icons[0]
				if got.Source != icon || got.MIMEType != "image/svg+xml" || len(got.Sizes) != 1 || got.Sizes[0] != "any" {
					t.Errorf("%+v, want %s", got, icon)
				}
			})
		}
	}
	status, header, body := get(t, icon, "", nil)
	if status != http.StatusOK || header.Get("Content-Type") != "image/svg+xml" || !strings.HasPrefix(body, "<svg ") {
		t.Errorf("%d %v %s", status, header, body)
	}
}

// TestInboundHeadersAreNotForwarded covers S3-6c: of the headers of a client, a read has only the bearer.
func TestInboundHeadersAreNotForwarded(t *testing.T) {
	headers := make(chan http.Header, 16)
	f := newFamily(t, scriptedMember{"one", func(w http.ResponseWriter, r *http.Request) {
		headers <- r.Header.Clone()
		well("one")(w, r)
	}})
	url, _ := serve(t, "--rs-url", f.URL, "--packages-url", f.URL+"/packages", "--introspection-url", f.URL+"/introspect",
		"--introspection-client-id", "mcp", "--introspection-client-secret", "s3cret")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url,
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"q":"x"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	const canary = "canary88"
	for name, value := range map[string]string{
		"Authorization": "Bearer a-package", "Content-Type": "application/json", "Cookie": "session=" + canary, "X-Owner-Token": canary,
		"X-Forwarded-For": canary, "X-Request-Id": canary, "User-Agent": canary, "Accept-Language": canary, "Referer": "https://" + canary, "Traceparent": canary,
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(text), "cin_one") {
		t.Fatalf("%s %v", text, err)
	}
	header := <-headers
	if got := header.Get("Authorization"); got != "Bearer member-one" {
		t.Errorf("Authorization %q", got)
	}
	for name := range header {
		switch name {
		case "Authorization", "Accept", "Accept-Encoding", "User-Agent", "Connection":
		default:
			t.Errorf("%s reached the resource server", name)
		}
	}
	if strings.Contains(compact(header), canary) {
		t.Errorf("%v", header)
	}
}

// TestConnectionsBeyondTheLimitWait keeps one connection open and checks that a second is answered once the first is closed.
func TestConnectionsBeyondTheLimitWait(t *testing.T) {
	url, _ := serve(t, "--rs-url", sample.RSURL, "--max-connections", "1")
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	ask := func() (net.Conn, *bufio.Reader) {
		connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = connection.Close() })
		if _, err := fmt.Fprintf(connection, "GET /icon.svg HTTP/1.1\r\nHost: %s\r\n\r\n", address); err != nil {
			t.Fatal(err)
		}
		return connection, bufio.NewReader(connection)
	}
	answered := func(reader *bufio.Reader) {
		t.Helper()
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(response.StatusCode, err)
		}
	}
	first, reader := ask()
	answered(reader) // and stays open
	second, waiting := ask()
	_ = second.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if _, err := waiting.Peek(1); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("a second connection is served while the first is open: %v", err)
	}
	_ = second.SetReadDeadline(time.Now().Add(callTime))
	_ = first.Close()
	answered(waiting)
}

// TestALimitOfNoConnectionsIsRefused checks that the flag does not accept 0.
func TestALimitOfNoConnectionsIsRefused(t *testing.T) {
	got := finish(t, nil, "", "serve", "--rs-url", sample.RSURL, "--listen", "127.0.0.1:0", "--max-connections", "0")
	if got.code != 64 || !strings.Contains(got.last(), "--max-connections") {
		t.Errorf("%+v", got)
	}
}
