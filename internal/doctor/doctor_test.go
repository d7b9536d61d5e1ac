package doctor_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/doctor"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

const secret = "SECRET-TOKEN"

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A provider is a resource server with the faults of a row; it records its requests.
type provider struct {
	*httptest.Server
	metadata string        // not found if empty
	schema   string        // 401 if empty
	ahead    time.Duration // of its clock
	asked    []string
}

func newProvider(t *testing.T) *provider {
	p := &provider{
		metadata: `{"resource":"https://rs.example","authorization_servers":["https://as.example"]}`,
		schema:   `{"bearer":{"token_kind":"client","grant_id":"grt_1"},"connectors":[{"streams":[{"name":"a"},{"name":"b"}]}]}`,
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked = append(p.asked, r.URL.Path+" "+r.Header.Get("Authorization"))
		w.Header().Set("Date", now.Add(p.ahead).Format(http.TimeFormat))
		body := p.metadata
		if r.URL.Path == "/v1/schema" {
			body = p.schema
		}
		switch {
		case body == "" && r.URL.Path == "/v1/schema":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"code":"context.active_false","message":"no"}}`))
		case body == "":
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = w.Write([]byte(body))
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// cache stores a credential for a provider.
func cache(t *testing.T, url, credential string, mode os.FileMode) string {
	t.Helper()
	root := t.TempDir()
	host := strings.ReplaceAll(strings.TrimPrefix(url, "http://"), ":", "_")
	path := filepath.Join(root, "clients", host+".json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(fmt.Sprintf(`{"provider_url":%q,"credential":{"access_token":%q%s}}`, url, secret, credential)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return root
}

// examine checks a provider on a machine without clients, with a program that does not exist.
func examine(t *testing.T, p *provider, credential string, mode os.FileMode) doctor.Report {
	t.Helper()
	return doctor.Examine(t.Context(), doctor.Options{
		Root: cache(t, p.URL, credential, mode), ProviderURL: p.URL, Program: filepath.Join(t.TempDir(), "absent"),
		Place: clients.Place{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }},
		Now:   func() time.Time { return now },
	})
}

// states returns the checks of a report in short, without those that start the program, which does not exist here.
func states(report doctor.Report) string {
	var all []string
	for _, finding := range report.Findings {
		if finding.Check != "stdio" && finding.Check != "http" && finding.Check != "client" {
			all = append(all, finding.Check+" "+finding.Status)
		}
	}
	return strings.Join(all, ", ")
}

// Each fault of a provider or a credential is found, and checks that depend on it are skipped.
func TestFaultsAreFound(t *testing.T) {
	for _, test := range []struct {
		name       string
		change     func(*provider)
		credential string
		mode       os.FileMode
		want       string
		message    string
	}{
		{name: "nothing", want: "configuration ok, credential ok, provider ok, clock ok, metadata ok, token ok, schema ok", message: "2 streams"},
		{name: "others can read the cache", mode: 0o644, want: "configuration ok, credential warn, provider ok, clock ok, metadata ok, token ok, schema ok", message: "chmod 600"},
		{name: "it expires soon", credential: `,"expires_at":"2026-11-21T13:00:00Z"`, want: "configuration ok, credential warn, provider ok, clock ok, metadata ok, token ok, schema ok", message: "2026-11-21T13:00:00Z"},
		{name: "it has expired", credential: `,"expires_at":"2026-11-21T11:00:00Z"`, want: "configuration ok, credential fail, provider ok, clock ok, metadata ok", message: "expired at 2026-11-21T11:00:00Z"},
		{name: "an owner's", credential: `,"role":"owner"`, want: "configuration ok, credential fail, provider ok, clock ok, metadata ok", message: "owner"},
		{name: "an owner's without a sign", change: func(p *provider) { p.schema = `{"bearer":{"token_kind":"owner"}}` }, want: "configuration ok, credential ok, provider ok, clock ok, metadata ok, token fail", message: "owner"},
		{name: "the token is not valid any more", change: func(p *provider) { p.schema = "" }, want: "configuration ok, credential ok, provider ok, clock ok, metadata ok, token fail", message: "pdpp-mcp connect"},
		{name: "nothing is granted", change: func(p *provider) { p.schema = `{"bearer":{"token_kind":"client"},"connectors":[]}` }, want: "configuration ok, credential ok, provider ok, clock ok, metadata ok, token ok, schema warn", message: "no stream"},
		{name: "one stream is granted", change: func(p *provider) {
			p.schema = `{"bearer":{"token_kind":"client"},"connectors":[{"streams":[{"name":"a"}]}]}`
		}, want: "configuration ok, credential ok, provider ok, clock ok, metadata ok, token ok, schema ok", message: "holds 1 stream ("},
		{name: "no metadata", change: func(p *provider) { p.metadata = "" }, want: "configuration ok, credential ok, provider ok, clock ok, metadata warn, token ok, schema ok", message: "status 404"},
		{name: "metadata that is not JSON", change: func(p *provider) { p.metadata = "<html>" }, want: "configuration ok, credential ok, provider ok, clock ok, metadata warn, token ok, schema ok", message: "cannot be read"},
		{name: "a clock that is a little off", change: func(p *provider) { p.ahead = 3 * time.Minute }, want: "configuration ok, credential ok, provider ok, clock warn, metadata ok, token ok, schema ok", message: "is 3m0s behind"},
		{name: "a clock that is wrong", change: func(p *provider) { p.ahead = -time.Hour }, want: "configuration ok, credential ok, provider ok, clock fail, metadata ok, token ok, schema ok", message: "is 1h0m0s ahead of"},
		{name: "no server", change: func(p *provider) { p.Close() }, want: "configuration ok, credential ok, provider fail", message: "cannot be reached"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProvider(t)
			if test.change != nil {
				test.change(p)
			}
			if test.mode == 0 {
				test.mode = 0o600
			}
			report := examine(t, p, test.credential, test.mode)
			if diff := cmp.Diff(test.want, states(report)); diff != "" {
				t.Error(diff)
			}
			var text, machine bytes.Buffer
			if err := report.Print(&text); err != nil {
				t.Fatal(err)
			}
			if err := json.NewEncoder(&machine).Encode(report); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), test.message) {
				t.Errorf("want %q in\n%s", test.message, &text)
			}
			if strings.Contains(text.String()+machine.String(), secret) {
				t.Errorf("shows the token:\n%s\n%s", &text, &machine)
			}
			for _, finding := range report.Findings {
				if (finding.Next == "") != (finding.Status == doctor.OK) && finding.Check != "client" {
					t.Errorf("%+v: exactly the checks that fail need a next step", finding)
				}
			}
			for _, asked := range p.asked {
				if !strings.HasPrefix(asked, "/v1/schema ") && asked != "/.well-known/oauth-protected-resource " {
					t.Errorf("requested %s", asked)
				}
				if strings.Contains(test.want, "credential fail") && strings.Contains(asked, secret) {
					t.Errorf("an invalid credential was sent: %s", asked)
				}
			}
			if report.ExitCode == 0 {
				t.Error("a program that does not start is not a failure")
			}
		})
	}
}

// Only the named grants are checked, as every command reads only those.
func TestOnlyNamedGrantsAreChecked(t *testing.T) {
	p := newProvider(t)
	report := doctor.Examine(t.Context(), doctor.Options{
		Root: cache(t, p.URL, "", 0o600), ProviderURL: p.URL, Only: []string{"nope"}, Program: filepath.Join(t.TempDir(), "absent"),
		Place: clients.Place{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }},
		Now:   func() time.Time { return now },
	})
	if found := report.Findings[1]; found.Status != doctor.Fail || !strings.Contains(found.Message, "stored as nope") || slices.ContainsFunc(p.asked, func(asked string) bool { return strings.HasPrefix(asked, "/v1/schema") }) {
		t.Errorf("%+v, requested %q", found, p.asked)
	}
}

// The program is started with the named grants only.
func TestTheProgramIsStartedWithTheNamedGrants(t *testing.T) {
	p := newProvider(t)
	report := doctor.Examine(t.Context(), doctor.Options{
		Root: cache(t, p.URL, "", 0o600), ProviderURL: p.URL, Only: []string{"default"}, Program: filepath.Join(t.TempDir(), "absent"),
		Place: clients.Place{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }},
		Now:   func() time.Time { return now },
	})
	if last := report.Findings[len(report.Findings)-1]; last.Check != "stdio" || !strings.HasSuffix(last.Next, " --only default") {
		t.Errorf("%+v", last)
	}
}

// Without a credential, the sign-in of hosts at a hosted server is checked.
func TestTheSignInOfAHostedServer(t *testing.T) {
	for name, row := range map[string]struct{ metadata, want string }{
		"packages are read":     {`{"authorization_servers":["https://as.example"],"pdpp_token_kinds_supported":["client","mcp_package"]}`, "ok all that the owner picks"},
		"one source":            {`{"authorization_servers":["HERE"],"pdpp_token_kinds_supported":["client"]}`, "ok the one source"},
		"packages are not read": {`{"authorization_servers":["https://as.example"],"pdpp_token_kinds_supported":["client"]}`, "warn --authorization-source"},
		"no authorization":      {`{"pdpp_token_kinds_supported":["client"]}`, "warn does not say where"},
		"no metadata":           {"", "warn status 404"},
		"a page":                {"<html>", "warn does not say where"},
		"no server":             {"gone", "fail cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			p.metadata = strings.ReplaceAll(row.metadata, "HERE", p.URL)
			if row.metadata == "gone" {
				p.Close()
			}
			report := doctor.Examine(t.Context(), doctor.Options{
				URL: p.URL + "/mcp", Program: filepath.Join(t.TempDir(), "absent"), Now: func() time.Time { return now },
				Place: clients.Place{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }},
			})
			found := report.Findings[1]
			status, says, _ := strings.Cut(row.want, " ")
			if found.Check != "sign-in" || found.Status != status || !strings.Contains(found.Message+found.Next, says) {
				t.Errorf("%+v; want %q", found, says)
			}
			for _, asked := range p.asked {
				if asked != "/.well-known/oauth-protected-resource/mcp " {
					t.Errorf("requested %s", asked)
				}
			}
		})
	}
}

// The exit code is that of the first failure, but an owner's credential comes first.
func TestAnOwnersCredentialDecidesTheExitCode(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "absent")
	options := doctor.Options{
		Environment: []string{"PDPP_OWNER_TOKEN=x"}, Program: gone, Now: func() time.Time { return now },
		Place: clients.Place{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }},
	}
	if got := doctor.Examine(t.Context(), options).ExitCode; got != exit.Owner {
		t.Error(got)
	}
	options.Environment = nil
	report := doctor.Examine(t.Context(), options)
	if report.ExitCode != 1 {
		t.Error(report.ExitCode)
	}
	var machine bytes.Buffer
	if err := json.NewEncoder(&machine).Encode(report); err != nil {
		t.Fatal(err)
	}
	var decoded struct {
		ExitCode int `json:"exit_code"`
		Findings []struct{ Check, Status, Message, Next string }
	}
	if err := json.Unmarshal(machine.Bytes(), &decoded); err != nil || decoded.ExitCode != 1 || len(decoded.Findings) != len(report.Findings) {
		t.Errorf("%s %v", &machine, err)
	}
}

// The commands in the clients' configurations are checked.
func TestClientsOnThisMachine(t *testing.T) {
	home := t.TempDir()
	program := filepath.Join(home, "pdpp-mcp")
	for name, text := range map[string]string{
		"pdpp-mcp":                       "#!/bin/sh\nexit 1\n",
		".cursor/mcp.json":               fmt.Sprintf(`{"mcpServers":{"pdpp":{"command":%q}}}`, program),
		".gemini/settings.json":          `{"mcpServers":{"other":{"command":"/nowhere/pdpp-mcp"}}}`,
		".codex/config.toml":             "[mcp_servers.pdpp]\nurl = \"https://user:" + secret + "@mcp.example/mcp?token=" + secret + "\"\n",
		".config/Code/User/mcp.json":     `{"servers":{"pdpp":{"command":"pdpp-mcp"}}}`,
		".config/zed/settings.json":      `{}`,
		".claude.json":                   `{"token": "` + secret + `"`,
		".config/Claude/unrelated":       "",
		".config/Code/User/settings.txt": "",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	report := doctor.Examine(t.Context(), doctor.Options{
		Program: program, Now: func() time.Time { return now },
		Place: clients.Place{OS: "linux", Home: home, Getenv: func(string) string { return "" }},
	})
	var got []string
	for _, finding := range report.Findings {
		if finding.Check == "client" {
			got = append(got, finding.Status+": "+strings.ReplaceAll(finding.Message, home, "~")+" | "+finding.Next)
		}
	}
	want := []string{
		"warn: Claude Code: ~/.claude.json: the file is not valid JSON (it ends too early): fix it first. | pdpp-mcp setup claude-code",
		`ok: Codex reads https://mcp.example/mcp as "pdpp". | `,
		`ok: Cursor runs ~/pdpp-mcp as "pdpp". | `,
		`warn: VS Code runs pdpp-mcp as "pdpp", which is not an absolute path: it may not find it. | pdpp-mcp setup vscode --write`,
		`fail: Gemini CLI runs /nowhere/pdpp-mcp as "other", and there is no such program. | pdpp-mcp setup gemini --write`,
		"ok: Zed is here and not connected. | pdpp-mcp setup zed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
