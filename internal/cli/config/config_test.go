package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/config"
)

// configured is a program with a command that takes a file, and another that does not.
type configured struct {
	Serve struct {
		Config         config.Flag   `type:"path" env:"PDPP_MCP_CONFIG"`
		RSURL          string        `name:"rs-url" required:"" env:"PDPP_MCP_RS_URL"`
		AllowedHosts   []string      `env:"PDPP_MCP_ALLOWED_HOSTS"`
		Deadline       time.Duration `default:"40s" env:"PDPP_MCP_DEADLINE"`
		MaxConnections int           `default:"10000" env:"PDPP_MCP_MAX_CONNECTIONS"`
		Page           bool          `negatable:"" default:"true"`
		LogLevel       string        `enum:"debug,info,warn,error" default:"info" env:"PDPP_MCP_LOG_LEVEL"`
	} `cmd:""`
	Stdio struct {
		CacheRoot string
	} `cmd:""`
}

func parse(t *testing.T, arguments ...string) (configured, error) {
	t.Helper()
	var line configured
	parser, err := kong.New(&line)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(arguments)
	return line, err
}

func TestConfigFile(t *testing.T) {
	// parsed is what a row looks at.
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
		fails []string // what the error says; nil: it does not fail
	}{
		{"a file can say all that is required", `{"rs-url":"https://rs.example"}`, nil, nil, defaults, nil},
		{"every kind of value", `{"rs-url":"https://rs.example","allowed-hosts":["a,b","c"],"deadline":"20s","max-connections":1000000,"log-level":"warn"}`, nil, nil,
			parsed{"https://rs.example", []string{"a,b", "c"}, 20 * time.Second, 1000000, "warn"}, nil},
		{"a list may be a text with commas", `{"rs-url":"https://rs.example","allowed-hosts":"a,b"}`, nil, nil,
			with(func(p *parsed) { p.Hosts = []string{"a", "b"} }), nil},
		{"what is typed wins over the file", `{"rs-url":"https://rs.example","deadline":"20s","allowed-hosts":["a"]}`, nil, []string{"--deadline", "30s", "--allowed-hosts", "b"},
			with(func(p *parsed) { p.Deadline, p.Hosts = 30*time.Second, []string{"b"} }), nil},
		{"the file wins over the environment", `{"rs-url":"https://rs.example","deadline":"20s","allowed-hosts":["a"]}`,
			map[string]string{"PDPP_MCP_DEADLINE": "30s", "PDPP_MCP_ALLOWED_HOSTS": "b", "PDPP_MCP_LOG_LEVEL": "error"}, nil,
			with(func(p *parsed) { p.Deadline, p.Hosts, p.Level = 20*time.Second, []string{"a"}, "error" }), nil},
		{"the environment fills what the file leaves out", `{}`, map[string]string{"PDPP_MCP_RS_URL": "https://rs.example"}, nil, defaults, nil},
		{"an empty file lacks what is required", `{}`, nil, nil, parsed{}, []string{"--rs-url"}},
		{"a name that does not exist", `{"rs-url":"https://rs.example","allowed-hots":["a"]}`, nil, nil, parsed{}, []string{"config.json", `"allowed-hots"`}},
		{"a name of another command", `{"rs-url":"https://rs.example","cache-root":"/"}`, nil, nil, parsed{}, []string{`"cache-root"`}},
		{"a file that names a file", `{"rs-url":"https://rs.example","config":"other.json"}`, nil, nil, parsed{}, []string{`"config"`}},
		{"the dashes", `{"--rs-url":"https://rs.example"}`, nil, nil, parsed{}, []string{`"--rs-url"`, "without the dashes"}},
		{"no JSON", `rs-url: https://rs.example`, nil, nil, parsed{}, []string{"config.json", "not JSON"}},
		{"no object", `["rs-url"]`, nil, nil, parsed{}, []string{"not a JSON object"}},
		{"null", `null`, nil, nil, parsed{}, []string{"not a JSON object"}},
		{"more than one object", `{} {}`, nil, nil, parsed{}, []string{"not JSON"}},
		{"an object as a value", `{"rs-url":{"hush":"hush"}}`, nil, nil, parsed{}, []string{`"rs-url"`, "a list of texts is needed"}},
		{"null as a value", `{"rs-url":null}`, nil, nil, parsed{}, []string{`"rs-url"`, "a list of texts is needed"}},
		{"a list of numbers", `{"rs-url":"https://rs.example","allowed-hosts":[1]}`, nil, nil, parsed{}, []string{`"allowed-hosts"`, "a list of texts is needed"}},
		{"a value of the wrong form", `{"rs-url":"https://rs.example","deadline":"soon"}`, nil, nil, parsed{}, []string{"--deadline", "soon"}},
		{"a value that is not among those allowed", `{"rs-url":"https://rs.example","log-level":"loud"}`, nil, nil, parsed{}, []string{"--log-level", "loud"}},
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
				arguments := []string{"serve", "--config", path}
				if byEnvironment {
					t.Setenv("PDPP_MCP_CONFIG", path)
					arguments = arguments[:1]
				}
				line, err := parse(t, append(arguments, row.typed...)...)
				if row.fails != nil {
					for _, part := range row.fails {
						if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "hush") {
							t.Errorf("the error is %v; it should say %q", err, part)
						}
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				got := parsed{line.Serve.RSURL, line.Serve.AllowedHosts, line.Serve.Deadline, line.Serve.MaxConnections, line.Serve.LogLevel}
				if diff := cmp.Diff(row.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

func TestAFileThatIsMissing(t *testing.T) {
	_, err := parse(t, "serve", "--config", "/no/such/file.json")
	if err == nil || !strings.Contains(err.Error(), "/no/such/file.json") {
		t.Errorf("the error is %v", err)
	}
}

// A switch is a JSON boolean in the file, or a text as in the environment. What is typed wins.
func TestASwitchInAFile(t *testing.T) {
	for _, row := range []struct {
		file  string
		typed []string
		want  bool
	}{
		{`{"rs-url":"https://rs.example","page":false}`, nil, false},
		{`{"rs-url":"https://rs.example","page":"false"}`, nil, false},
		{`{"rs-url":"https://rs.example","page":true}`, []string{"--no-page"}, false},
		{`{"rs-url":"https://rs.example","page":false}`, []string{"--page"}, true},
	} {
		path := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(path, []byte(row.file), 0o600); err != nil {
			t.Fatal(err)
		}
		line, err := parse(t, append([]string{"serve", "--config", path}, row.typed...)...)
		if err != nil || line.Serve.Page != row.want {
			t.Errorf("%s and %q: %t, want %t (%v)", row.file, row.typed, line.Serve.Page, row.want, err)
		}
	}
}
