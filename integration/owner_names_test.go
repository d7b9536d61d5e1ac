package integration

import (
	"strings"
	"testing"
)

// S0-3a, D39: with an owner's credential in the environment, no command that reads or writes anything starts; the error names the
// variable and not its value, and the provider receives no request.
func TestNoCommandStartsBesideAnOwnersCredential(t *testing.T) {
	w := newWatch(t, sample.RSURL)
	provider := []string{"--provider-url", w.URL, "--cache-root", cacheFile(t, w.URL, map[string]any{"access_token": sample.ClientToken})}
	for name, command := range map[string][]string{
		"demo":                  {"demo", "--json", "--listen", "127.0.0.1:0"},
		"serve":                 {"serve", "--rs-url", w.URL, "--listen", "127.0.0.1:0"},
		"stdio":                 append([]string{"stdio"}, provider...),
		"stdio --demo":          {"stdio", "--demo"},
		"verify":                append([]string{"verify", `{"id":"a/b:c","field":"d","text":"e"}`}, provider...),
		"call":                  append([]string{"call", "schema"}, provider...),
		"call with an argument": append([]string{"call", "search", "q=a"}, provider...),
		"tools":                 {"tools"},
		"one tool":              {"tools", "search"},
		"setup":                 {"setup"},
		"setup of a client":     {"setup", "cursor", "--demo", "--write"},
		"doctor":                append([]string{"doctor"}, provider...),
	} {
		for _, variable := range []string{
			"PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE", "PDPP_OWNER_X", "PDPP_CONTROL_PLANE_TOKEN", "PDPP_ADMIN_KEY",
		} {
			t.Run(name+" "+variable, func(t *testing.T) {
				got := finish(t, []string{variable + "=hush-hush"}, "", command...)
				output := got.stdout + got.stderr
				named := got.code == 77 && strings.Contains(output, variable+" is set") && (name == "doctor" || got.stdout == "")
				if !named || strings.Contains(output, "hush") {
					t.Errorf("exit %d, stdout %q, stderr\n%s", got.code, got.stdout, got.stderr)
				}
			})
		}
	}
	for _, request := range w.requests() {
		if request.isData() {
			t.Errorf("read %s", request.path)
		}
	}
	for _, command := range [][]string{{"--help"}, {"--version"}, {"completion", "bash"}} {
		if got := finish(t, []string{"PDPP_OWNER_TOKEN=hush"}, "", command...); got.code != 0 {
			t.Errorf("%v: exit %d\n%s", command, got.code, got.stderr)
		}
	}
	if got := finish(t, []string{"PDPP_OWNER_TOKEN=", "PDPP_OWNERSHIP=x"}, "", "tools"); got.code != 0 {
		t.Errorf("an empty variable: exit %d\n%s", got.code, got.stderr)
	}
}
