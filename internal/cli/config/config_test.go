package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/config"
)

// configured has the settings of a command that reads a configuration file.
type configured struct {
	Config, RSURL  string
	AllowedHosts   []string
	Deadline       time.Duration
	MaxConnections int
	Page           bool
	LogLevel       string
}

func parse(t *testing.T, arguments ...string) (line configured, err error) {
	t.Helper()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	flags.StringVar(&line.Config, "config", "", "")
	flags.StringVar(&line.RSURL, "rs-url", "", "")
	flags.StringSliceVar(&line.AllowedHosts, "allowed-hosts", nil, "")
	flags.DurationVar(&line.Deadline, "deadline", 40*time.Second, "")
	flags.IntVar(&line.MaxConnections, "max-connections", 10000, "")
	flags.BoolVar(&line.Page, "page", true, "")
	flags.StringVar(&line.LogLevel, "log-level", "info", "")
	flags.Bool("json", false, "") // has no variable, so it cannot be in the file
	config.Environment(flags, "PDPP_MCP_", "config", "rs-url", "allowed-hosts", "deadline", "max-connections", "page", "log-level")
	if err := flags.Parse(arguments); err != nil {
		t.Fatal(err)
	}
	return line, config.Fill(flags, os.Getenv)
}

func TestConfigFile(t *testing.T) {
	// parsed is the part of the settings that a row checks.
	type parsed struct {
		RS       string
		Hosts    []string
		Deadline time.Duration
		Most     int
		Level    string
	}
	defaults := parsed{RS: "https://rs.example", Deadline: 40 * time.Second, Most: 10000, Level: "info"}
	with := func(change func(*parsed)) parsed { p := defaults; change(&p); return p }
	for _, row := range []struct {
		name  string
		file  string
		env   map[string]string
		typed []string
		want  parsed
		fails []string // parts of the error; nil if there is none
	}{
		{"a file can have everything that is required", `{"rs-url":"https://rs.example"}`, nil, nil, defaults, nil},
		{"every kind of value", `{"rs-url":"https://rs.example","allowed-hosts":["a,b","c"],"deadline":"20s","max-connections":1000000,"log-level":"warn"}`, nil, nil,
			parsed{"https://rs.example", []string{"a,b", "c"}, 20 * time.Second, 1000000, "warn"}, nil},
		{"a list may be a text separated by commas", `{"rs-url":"https://rs.example","allowed-hosts":"a,b"}`, nil, nil,
			with(func(p *parsed) { p.Hosts = []string{"a", "b"} }), nil},
		{"the command line overrides the file", `{"rs-url":"https://rs.example","deadline":"20s","allowed-hosts":["a"]}`, nil, []string{"--deadline", "30s", "--allowed-hosts", "b"},
			with(func(p *parsed) { p.Deadline, p.Hosts = 30*time.Second, []string{"b"} }), nil},
		{"the file overrides the environment", `{"rs-url":"https://rs.example","deadline":"20s","allowed-hosts":["a"]}`,
			map[string]string{"PDPP_MCP_DEADLINE": "30s", "PDPP_MCP_ALLOWED_HOSTS": "b", "PDPP_MCP_LOG_LEVEL": "error"}, nil,
			with(func(p *parsed) { p.Deadline, p.Hosts, p.Level = 20*time.Second, []string{"a"}, "error" }), nil},
		{"the environment is used for settings that the file omits", `{}`, map[string]string{"PDPP_MCP_RS_URL": "https://rs.example"}, nil, defaults, nil},
		{"an empty variable is ignored", `{"rs-url":"https://rs.example"}`, map[string]string{"PDPP_MCP_LOG_LEVEL": "", "PDPP_MCP_DEADLINE": ""}, nil, defaults, nil},
		{"an invalid variable", `{"rs-url":"https://rs.example"}`, map[string]string{"PDPP_MCP_DEADLINE": "soon"}, nil, parsed{},
			[]string{`--deadline: "soon" is not a duration, such as 40s or 1m30s (from PDPP_MCP_DEADLINE)`}},
		{"a variable that is overridden may be invalid", `{"rs-url":"https://rs.example","deadline":"20s"}`, map[string]string{"PDPP_MCP_DEADLINE": "soon"}, nil,
			with(func(p *parsed) { p.Deadline = 20 * time.Second }), nil},
		{"an unknown name", `{"rs-url":"https://rs.example","allowed-hots":["a"]}`, nil, nil, parsed{}, []string{"config.json", `"allowed-hots"`}},
		{"a name of another command", `{"rs-url":"https://rs.example","cache-root":"/"}`, nil, nil, parsed{}, []string{`"cache-root"`}},
		{"a flag that is not a setting", `{"rs-url":"https://rs.example","json":true}`, nil, nil, parsed{}, []string{`"json"`}},
		{"a file that names a file", `{"rs-url":"https://rs.example","config":"other.json"}`, nil, nil, parsed{}, []string{`"config"`}},
		{"a name with dashes", `{"--rs-url":"https://rs.example"}`, nil, nil, parsed{}, []string{`"--rs-url"`, "without the leading dashes"}},
		{"not JSON", `rs-url: https://rs.example`, nil, nil, parsed{}, []string{"config.json", "not JSON"}},
		{"not an object", `["rs-url"]`, nil, nil, parsed{}, []string{"not a JSON object"}},
		{"null", `null`, nil, nil, parsed{}, []string{"not a JSON object"}},
		{"more than one object", `{} {}`, nil, nil, parsed{}, []string{"not JSON"}},
		{"an object as a value", `{"rs-url":{"hush":"hush"}}`, nil, nil, parsed{}, []string{`"rs-url"`, "a list of texts is needed"}},
		{"null as a value", `{"rs-url":null}`, nil, nil, parsed{}, []string{`"rs-url"`, "a list of texts is needed"}},
		{"a list of numbers", `{"rs-url":"https://rs.example","allowed-hosts":[1]}`, nil, nil, parsed{}, []string{`"allowed-hosts"`, "a list of texts is needed"}},
		{"an empty list", `{"rs-url":"https://rs.example","allowed-hosts":[null]}`, nil, nil, parsed{}, []string{`"allowed-hosts"`, "a list of texts is needed"}},
		{"a list instead of one value", `{"rs-url":["hush"]}`, nil, nil, parsed{}, []string{"--rs-url: one value is needed, not a list (from ", "config.json"}},
		{"an invalid value", `{"rs-url":"https://rs.example","deadline":"soon"}`, nil, nil, parsed{}, []string{"--deadline", "soon", "config.json"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.json")
			if err := os.WriteFile(path, []byte(row.file), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, byEnvironment := range []bool{false, true} {
				for name, value := range row.env {
					t.Setenv(name, value)
				}
				arguments := []string{"--config", path}
				if byEnvironment {
					t.Setenv("PDPP_MCP_CONFIG", path)
					arguments = nil
				}
				line, err := parse(t, append(arguments, row.typed...)...)
				if row.fails != nil {
					for _, part := range row.fails {
						if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "hush") {
							t.Errorf("the error is %v; want %q", err, part)
						}
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				got := parsed{line.RSURL, line.AllowedHosts, line.Deadline, line.MaxConnections, line.LogLevel}
				if diff := cmp.Diff(row.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

func TestAFileThatIsMissing(t *testing.T) {
	_, err := parse(t, "--config", "/no/such/file.json")
	if err == nil || !strings.Contains(err.Error(), "/no/such/file.json") {
		t.Errorf("the error is %v", err)
	}
}

// A switch in the file is a JSON boolean, or a text as in the environment. The command line overrides both.
func TestASwitchInAFile(t *testing.T) {
	for _, row := range []struct {
		file  string
		typed []string
		want  bool
	}{
		{`{"rs-url":"https://rs.example","page":false}`, nil, false},
		{`{"rs-url":"https://rs.example","page":"false"}`, nil, false},
		{`{"rs-url":"https://rs.example","page":true}`, []string{"--page=false"}, false},
		{`{"rs-url":"https://rs.example","page":false}`, []string{"--page"}, true},
	} {
		path := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(path, []byte(row.file), 0o600); err != nil {
			t.Fatal(err)
		}
		line, err := parse(t, append([]string{"--config", path}, row.typed...)...)
		if err != nil || line.Page != row.want {
			t.Errorf("%s and %q: %t, want %t (%v)", row.file, row.typed, line.Page, row.want, err)
		}
	}
}
