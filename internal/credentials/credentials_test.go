package credentials_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

var cacheTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// cacheRoot makes a cache with one file.
func cacheRoot(t *testing.T, name, body string, mode os.FileMode) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "clients"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "clients", name), []byte(body), mode); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestLoadCredential(t *testing.T) {
	const canary = "tok-canary"
	file := func(credential string) string {
		return `{"provider_url":"https://rs.example","client":{},"credential":{` + credential + `},"created_at":"2026-01-01T00:00:00Z"}`
	}
	for _, test := range []struct {
		name  string
		body  string
		grant string
		exit  int
		says  string
	}{
		{name: "S3-1a a scoped token", body: file(`"access_token":"tok-canary","token_type":"Bearer","grant_id":"grt_1","expires_at":"2026-03-01T12:00:01Z"`), grant: "grt_1"},
		{name: "any grant where none is asked for", body: file(`"access_token":"tok-canary","grant_id":"grt_1"`)},
		{name: "an expiry in seconds", body: file(`"access_token":"tok-canary","expires_at":1772366401`)},
		{name: "an expiry of null", body: file(`"access_token":"tok-canary","expires_at":null,"token_type":"bearer"`)},
		{name: "S3-1b expired", body: file(`"access_token":"tok-canary","expires_at":"2026-03-01T12:00:00Z"`), exit: 78, says: "expired at 2026-03-01T12:00:00Z"},
		{name: "expired, in seconds", body: file(`"access_token":"tok-canary","expires_at":1772366400`), exit: 78, says: "expired"},
		{name: "an expiry that cannot be read", body: file(`"access_token":"tok-canary","expires_at":"soon"`), exit: 78, says: "expiry"},
		{name: "an expiry in milliseconds is not seconds", body: file(`"access_token":"tok-canary","expires_at":1772366400000000`), exit: 78, says: "expiry"},
		{name: "another grant", body: file(`"access_token":"tok-canary","grant_id":"grt_2"`), grant: "grt_1", exit: 78, says: `is not of the grant "grt_1"`},
		{name: "no grant where one is asked for", body: file(`"access_token":"tok-canary"`), grant: "grt_1", exit: 78, says: `is not of the grant "grt_1"`},
		{name: "S0-3a an owner by pdpp_token_kind", body: file(`"access_token":"tok-canary","pdpp_token_kind":"owner"`), exit: 77, says: "owner"},
		{name: "S0-3a an owner by token_kind, in capitals", body: file(`"access_token":"tok-canary","token_kind":"OWNER"`), exit: 77, says: "owner"},
		{name: "S0-3a an owner by kind, with spaces", body: file(`"access_token":"tok-canary","kind":" Owner "`), exit: 77, says: "owner"},
		{name: "S0-3a an owner by role, under another spelling of the key", body: file(`"access_token":"tok-canary","Role":"owner"`), exit: 77, says: "owner"},
		{name: "S0-3a an expired owner is an owner", body: file(`"access_token":"tok-canary","role":"owner","expires_at":1`), exit: 77, says: "owner"},
		{name: "an owner sign of another type is malformed", body: file(`"access_token":"tok-canary","kind":["owner"]`), exit: 78, says: "malformed"},
		{name: "no token", body: file(`"grant_id":"grt_1"`), exit: 78, says: "no usable access token"},
		{name: "a token with a line break", body: file(`"access_token":"tok-canary\nX: y"`), exit: 78, says: "no usable access token"},
		{name: "not a bearer token", body: file(`"access_token":"tok-canary","token_type":"DPoP"`), exit: 78, says: "not a bearer"},
		{name: "of another provider", body: strings.Replace(file(`"access_token":"tok-canary"`), "rs.example", "other.example", 1), exit: 78, says: "belongs to https://other.example"},
		{name: "of the same host without TLS", body: strings.Replace(file(`"access_token":"tok-canary"`), "https", "http", 1), exit: 78, says: "belongs to http://rs.example"},
		{name: "half a file", body: file(`"access_token":"tok-canary"`)[:80], exit: 78, says: "malformed"},
		{name: "an empty file", body: "", exit: 78, says: "malformed"},
		{name: "a list", body: `["tok-canary"]`, exit: 78, says: "malformed"},
		{name: "an endless file", body: strings.Repeat(" ", 1<<20+1), exit: 78, says: "larger than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := cacheRoot(t, "rs.example.json", test.body, 0o600)
			got, err := credentials.LoadCredential(root, "https://rs.example/", test.grant, cacheTime)
			if test.exit == 0 {
				if err != nil || got.Token.Reveal() != canary || got.ProviderURL != "https://rs.example" || len(got.Warnings) != 0 || got.Path != filepath.Join(root, "clients", "rs.example.json") {
					t.Errorf("%+v, %v", got, err)
				}
				return
			}
			var failure *exit.Error
			if !errors.As(err, &failure) || failure.Code != test.exit || !strings.Contains(failure.Message, test.says) {
				t.Fatalf("error %v", err)
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("the token is shown: %v", err)
			}
			if said := err.Error(); !strings.Contains(said, " Run: pdpp-mcp connect https://rs.example --source KEY --cache-root /") && runtime.GOOS != "windows" { // S3-1b
				t.Errorf("no command to run: %v", err)
			}
			if diff := cmp.Diff("", got.Token.Reveal()); diff != "" {
				t.Error("a credential was returned with an error")
			}
		})
	}
}

// If nothing is stored, or the folder is unknown, the error names the command that connects.
func TestLoadCredentialWithoutAny(t *testing.T) {
	t.Chdir(t.TempDir()) // an unknown folder must not be read as the current one
	if err := os.MkdirAll("clients", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("clients", "rs.example.json"), []byte(`{"credential":{"access_token":"planted"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var failure *exit.Error
	for _, root := range []string{"/nonexistent", ""} {
		if _, err := credentials.LoadCredential(root, "rs.example", "", cacheTime); !errors.As(err, &failure) || failure.Code != 78 ||
			!strings.HasPrefix(failure.Message, "There is no cached credential for https://rs.example. Run: pdpp-mcp connect https://rs.example --source KEY") {
			t.Error(err)
		}
	}
	if _, err := credentials.LoadCredential("", "ftp://u:secret@rs.example", "", cacheTime); !errors.As(err, &failure) || failure.Code != 64 || strings.Contains(failure.Message, "secret") {
		t.Error(err)
	}
	if got := credentials.CacheRoot("", ""); got != "" {
		t.Error(got)
	}
}

// If one of several credentials has ended, it comes last, so that answers say what is missing; an ended one that the call does not ask
// for is left out.
func TestAnEndedCredentialComesLast(t *testing.T) {
	root := cacheRoot(t, "rs.example.json", `{"credential":{"access_token":"old","grant_id":"grt_1","expires_at":"2026-03-01T12:00:00Z"}}`, 0o600)
	for name, text := range map[string]string{
		"mail":   `{"provider_url":"https://rs.example","credential":{"access_token":"new","grant_id":"grt_2"}}`,
		"broken": `{"provider_url":"https://rs.example"`,
	} {
		folder := filepath.Join(root, "connections", name, "clients")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "rs.example.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for grantID, tokens := range map[string]string{"": "new old", "grt_2": "new"} {
		all, err := credentials.LoadCredentials(root, "rs.example", nil, grantID, cacheTime)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range all {
			got = append(got, c.Token.Reveal())
		}
		if strings.Join(got, " ") != tokens || grantID == "" && !strings.Contains(strings.Join(all[0].Warnings, "\n"), "expired at 2026-03-01") {
			t.Errorf("%q: %q, warnings %q", grantID, got, all[0].Warnings)
		}
	}
}

// A credential that other users can write to is not used, whatever its other bits: only in a folder does the sticky bit protect files.
func TestACredentialThatOthersMayWriteToIsNotUsed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing here")
	}
	root := cacheRoot(t, "rs.example.json", `{"credential":{"access_token":"x"}}`, 0o600)
	clients := filepath.Join(root, "clients")
	for _, row := range []struct {
		path string
		mode fs.FileMode
		used bool
	}{
		{filepath.Join(clients, "rs.example.json"), 0o666, false},
		{filepath.Join(clients, "rs.example.json"), 0o666 | fs.ModeSticky, false},
		{filepath.Join(clients, "rs.example.json"), 0o620 | fs.ModeSticky, false},
		{filepath.Join(clients, "rs.example.json"), 0o600 | fs.ModeSticky, true},
		{clients, 0o777, false},
		{clients, 0o777 | fs.ModeSticky, true},
	} {
		if err := os.Chmod(row.path, row.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := credentials.LoadCredential(root, "rs.example", "", cacheTime); (err == nil) != row.used {
			t.Errorf("%s with mode %v: %v", row.path, row.mode, err)
		}
	}
}

func TestLoadCredentialWarnsOfReaders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing here")
	}
	root := cacheRoot(t, "rs.example.json", `{"credential":{"access_token":"x"}}`, 0o600)
	path := filepath.Join(root, "clients", "rs.example.json")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := credentials.LoadCredential(root, "rs.example", "", cacheTime)
	if err != nil || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "(mode 0644): run chmod 600") {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	var failure *exit.Error
	if _, err := credentials.LoadCredential(root, "rs.example", "", cacheTime); !errors.As(err, &failure) || failure.Code != 78 {
		t.Errorf("a folder in the file's place: %v", err)
	}
}

func TestProviderURLs(t *testing.T) {
	for text, want := range map[string]string{
		"rs.example":                    "https://rs.example",
		" RS.Example/ ":                 "https://rs.example",
		"https://rs.example:443//":      "https://rs.example",
		"http://rs.example:80":          "http://rs.example",
		"127.0.0.1:17663":               "https://127.0.0.1:17663",
		"http://127.0.0.1:17663":        "http://127.0.0.1:17663",
		"https://u:p@rs.example/a/?q#f": "https://rs.example/a",
		"http://[::1]:8080":             "http://[::1]:8080",
		"":                              "",
		"https://":                      "",
		"https://:8080":                 "",
		"ftp://rs.example":              "",
		"https://rs example":            "",
	} {
		got, err := credentials.NormalizeProviderURL(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("NormalizeProviderURL(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	root := cacheRoot(t, "127.0.0.1_17663.json", `{"credential":{"access_token":"x"}}`, 0o600)
	if _, err := credentials.LoadCredential(root, "http://127.0.0.1:17663", "", cacheTime); err != nil {
		t.Error(err)
	}
}

// The connected providers are known from the names in the cache, even if their files are invalid.
func TestCachedProviders(t *testing.T) {
	root := cacheRoot(t, "b.json", `{"provider_url":"a.example"}`, 0o600)
	for name, text := range map[string]string{"a.json": `{"provider_url":"https://A.example/","credential":{}}`, "c.json": `{"provider_url":"https://c.example"}`, "d.json": `{`, "e.json": `{}`, "f.txt": `{"provider_url":"https://f.example"}`} {
		if err := os.WriteFile(filepath.Join(root, "clients", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := credentials.CachedProviders(root); strings.Join(got, " ") != "https://a.example https://c.example" || credentials.CachedProviders("[") != nil {
		t.Error(got)
	}
}

// S0-3a, D8, D39: an owner's credential is recognized by the prefix of its variable, whatever its value.
func TestOwnerVariable(t *testing.T) {
	for _, test := range []struct {
		name        string
		environment []string
		want        string
	}{
		{"nothing", nil, ""},
		{"S3-1c a token", []string{"PATH=/bin", "PDPP_OWNER_TOKEN=x"}, "PDPP_OWNER_TOKEN"},
		{"S3-1c a cookie", []string{"PDPP_OWNER_SESSION_COOKIE=x"}, "PDPP_OWNER_SESSION_COOKIE"},
		{"any name of an owner's", []string{"PDPP_OWNER_REFRESH_TOKEN=x"}, "PDPP_OWNER_REFRESH_TOKEN"},
		{"the control plane's", []string{"PDPP_CONTROL_KEY=x"}, "PDPP_CONTROL_KEY"},
		{"an administrator's", []string{"PDPP_ADMIN_PASSWORD=x"}, "PDPP_ADMIN_PASSWORD"},
		{"white space is a value", []string{"PDPP_ADMIN_PASSWORD= "}, "PDPP_ADMIN_PASSWORD"},
		{"an equals sign belongs to the value", []string{"PDPP_ADMIN_PASSWORD=="}, "PDPP_ADMIN_PASSWORD"},
		{"another case", []string{"pdpp_Owner_token=x"}, "pdpp_Owner_token"},
		{"the prefix alone", []string{"PDPP_OWNER_=x"}, "PDPP_OWNER_"},
		{"the first of several that are not empty", []string{"PDPP_OWNER_B=x", "PDPP_OWNER_A=x", "PDPP_ADMIN_C="}, "PDPP_OWNER_A"},
		{"empty", []string{"PDPP_OWNER_TOKEN=", "PDPP_CONTROL_KEY"}, ""},
		{"this program's own", []string{"PDPP_MCP_RS_URL=x", "PDPP_PROVIDER_URL=x", "PDPP_OWNERSHIP=x", "MY_PDPP_OWNER_TOKEN=x"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := credentials.OwnerVariable(test.environment); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
