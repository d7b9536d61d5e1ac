package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var storedSecret = regexp.MustCompile(`"(access_token|refresh_token)": "([^"]+)"`)

// secretForms matches codes, verifiers and tokens in a request or an answer, whatever their value.
var secretForms = regexp.MustCompile(`(?i)cex_\w{4}|code_verifier|refresh_token=|[?&]code=|polling_code"?[:=]|device_code"?[:=]|client_secret=|access_token"?[:=]|Bearer [A-Za-z0-9._-]{12}`)

// stdioInput is a session over stdio with one call that is answered and one that is refused.
const stdioInput = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"q":"the","limit":1}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"nothing"}}}
`

// No secret is in a log, at its most detailed level, or in the list of processes (see processesHide): not when connect runs in any way,
// over stdio, when a client signs in at a server and refreshes, or in the demo behind them.
func TestNothingSecretIsLogged(t *testing.T) {
	demo := runDemo(t, "--token-life", "9s")
	before := sample
	sample = demo.addresses // connects asks the owner of this demo
	defer func() { sample = before }()
	secrets := map[string]string{
		demo.OwnerSecret: "the owner's secret", demo.ClientToken: "a token", demo.NarrowToken: "a token",
		demo.OwnerToken: "the owner's token", demo.PackageToken: "a token", demo.IntrospectionClientSecret: "a client's secret",
	}
	logs := map[string]string{}
	for _, way := range []string{"agent", "device", "browser", "code"} {
		root := t.TempDir()
		link := ""
		for line := range strings.Lines(connects(t, root, way, "--source", "slack")) {
			if strings.HasPrefix(line, "  http") { // the link is for the owner, and only printed there
				link = line
				continue
			}
			logs["connect --way "+way] += line
		}
		if link == "" {
			t.Errorf("--way %s: no link", way)
		}
		local := finish(t, nil, stdioInput, "stdio", "--cache-root", root)
		if strings.Count(local.stdout, "\n") != 3 {
			t.Errorf("stdio after %s: %d %s", way, local.code, local.stdout)
		}
		logs["stdio after "+way] = local.stderr
		check(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			body, err := os.ReadFile(path)
			for _, found := range storedSecret.FindAllStringSubmatch(string(body), -1) {
				secrets[found[2]] = "the " + found[1] + " of " + way
			}
			return err
		}))
	}
	address := loopbackAddress(t)
	_, served := serve(t, append(introspected(demo.addresses), "--rs-url", demo.RSURL, "--listen", address, "--public-url", "http://"+address,
		"--authorization-source", "slack", "--log-level", "debug")...)
	signed := &owner{addresses: demo.addresses, decision: "approve"}
	session, err := signIn(t, "http://"+address+"/mcp", signed)
	check(t, err)
	for range 3 { // each with another token
		schemaText(t, session)
	}
	logs["serve"] = served.stderr.String() + served.stdout.String()
	logs["demo"] = demo.stderr.String()
	if len(secrets) < 11 {
		t.Errorf("%d secrets were found", len(secrets))
	}
	for from, text := range logs {
		if found := secretForms.FindString(text); found != "" {
			t.Errorf("%s: it has %q in\n%s", from, found, text)
		}
		for secret, what := range secrets {
			if secret != "" && strings.Contains(text, secret) {
				t.Errorf("%s: %s is in\n%s", from, what, text)
			}
		}
	}
	if len(logs["serve"]) < 500 {
		t.Errorf("serve logs too little for this test: %s", logs["serve"])
	}
	for _, list := range func() []string { all, _ := filepath.Glob("/proc/[0-9]*/cmdline"); return all }() {
		words, _ := os.ReadFile(list)
		for secret, what := range secrets {
			if secret != "" && secret != demo.IntrospectionClientSecret && strings.Contains(string(words), secret) {
				t.Errorf("a process shows %s: %q", what, words)
			}
		}
	}
}
