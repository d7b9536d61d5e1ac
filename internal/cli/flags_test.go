package cli

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// read parses a command line and an environment as serve does, and returns the flags or the error.
func read(t *testing.T, environment map[string]string, words ...string) (flags ServeFlags, failure string) {
	t.Helper()
	app := App{Out: io.Discard, Err: io.Discard, Getenv: func(name string) string { return environment[name] }, args: append([]string{"serve"}, words...)}
	_, err := app.execute(t.Context(), func(_ context.Context, _ *pflag.FlagSet, c *ServeFlags) error {
		flags = *c
		return nil
	})
	if err != nil {
		if exit.CodeOf(err) != exit.Usage {
			t.Error(err)
		}
		failure = err.Error()
	}
	return flags, failure
}

// Only commas separate the entries of a list, on the command line and in the environment; no entry is dropped silently.
func TestListsAreSeparatedByCommas(t *testing.T) {
	want := []string{"a", `"b`, "c\nd", "e"}
	typed, failure := read(t, nil, "--rs-url", "u", "--allowed-hosts", "a,\"b", "--allowed-hosts=c\nd,e")
	if failure != "" || !slices.Equal(typed.AllowedHosts, want) {
		t.Errorf("%q %s; want %q", typed.AllowedHosts, failure, want)
	}
	variable, failure := read(t, map[string]string{"PDPP_MCP_RS_URL": "u", "PDPP_MCP_ALLOWED_HOSTS": "a,\"b,c\nd,e"})
	if failure != "" || !slices.Equal(variable.AllowedHosts, want) {
		t.Errorf("%q %s; want %q", variable.AllowedHosts, failure, want)
	}
	if none, failure := read(t, nil, "--rs-url", "u", "--allowed-hosts="); failure != "" || len(none.AllowedHosts) > 0 {
		t.Errorf("%q %s", none.AllowedHosts, failure)
	}
}

// A switch has two names; the last one on the command line wins, and overrides the environment.
func TestTheLastSwitchWins(t *testing.T) {
	off := map[string]string{"PDPP_MCP_PAGE": "false"}
	for _, row := range []struct {
		environment map[string]string
		words       string
		want        bool
	}{
		{nil, "", true}, {nil, "--no-page", false}, {nil, "--page=false", false}, {nil, "--no-page=false", true},
		{nil, "--no-page --page", true}, {nil, "--page --no-page", false}, {off, "", false}, {off, "--page", true}, {off, "--no-page=false", true},
	} {
		if flags, failure := read(t, row.environment, append(strings.Fields(row.words), "--rs-url=u")...); failure != "" || flags.ShowPage != row.want {
			t.Errorf("%v %s: %t, %s; want %t", row.environment, row.words, flags.ShowPage, failure, row.want)
		}
	}
}

// Paths are absolute, and ~ is the home folder.
func TestPathsAreAbsolute(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	t.Setenv("USERPROFILE", "/home/ann")
	t.Chdir(t.TempDir())
	for typed, want := range map[string]string{"~/a": "/home/ann/a", "/b/../c": "/c", "": ""} {
		flags, failure := read(t, nil, "--rs-url=u", "--authorization-details="+typed)
		if failure != "" || strings.ReplaceAll(flags.AuthorizationDetails, `\`, "/") != want {
			t.Errorf("%q: %q, %s; want %q", typed, flags.AuthorizationDetails, failure, want)
		}
	}
	if flags, _ := read(t, nil, "--rs-url=u", "--authorization-details", "x"); flags.AuthorizationDetails == "x" {
		t.Error("a relative path stays one")
	}
}

// Without arguments the command is missing; the arguments of the test process are not used instead.
func TestWithoutArgumentsTheCommandIsMissing(t *testing.T) {
	_, err := App{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}.execute(t.Context(), nil)
	if err == nil || err.Error() != "a command is missing. Run pdpp-mcp --help." {
		t.Error(err)
	}
}

// A setting without effect is refused, since the operator would rely on it.
func TestASettingWithoutEffectIsRefused(t *testing.T) {
	for words, refused := range map[string]bool{
		"--trusted-hops 2": true,
		"--trusted-hops 1": false,
		"--trusted-hops 2 --trusted-proxies 127.0.0.1": false,
	} {
		flags, failure := read(t, nil, append([]string{"--rs-url", "https://rs.example"}, strings.Fields(words)...)...)
		if err := flags.validate(); failure != "" || (err != nil) != refused {
			t.Errorf("%s: %v %s", words, err, failure)
		}
	}
}

// A variable whose name is nearly that of a setting is named once, without its value. Other programs' variables are not.
func TestAMisspelledVariableIsNamed(t *testing.T) {
	for variable, nearest := range map[string]string{
		"PDPP_MCP_LISTENN": "PDPP_MCP_LISTEN", "PDPP_MCP_RESOURCE_URL": "PDPP_MCP_RS_URL", "PDPP_MCP_MAX_CALL": "PDPP_MCP_MAX_CALLS",
		"PDPP_MCP_ALLOWED-HOSTS": "PDPP_MCP_ALLOWED_HOSTS", "PDDP_MCP_LISTEN": "PDPP_MCP_LISTEN", "PDPP_PROVIDERURL": "PDPP_PROVIDER_URL",
		"PDPP_CACHE": "PDPP_CACHE_ROOT", "PDPP_GRANTID": "PDPP_GRANT_ID", "PDPPMCP_LISTEN": "PDPP_MCP_LISTEN",
		"PDPP_MCP_LISTEN": "", "PDPP_GRANT_ID": "", "PDPP_TOKEN": "", "PDPP": "", "PATH": "", "P": "", "LISTEN_FDS": "", "PDPP_OWNER_TOKEN": "",
	} {
		var said strings.Builder
		App{Err: &said}.warnOfVariables([]string{"HOME=/home/ann", variable + "=secret"})
		lines := strings.Count(said.String(), "\n")
		if named := strings.HasSuffix(said.String(), " "+nearest+".\n"); lines > 1 || named != (nearest != "") || strings.Contains(said.String(), "secret") {
			t.Errorf("%s: %q; want %q", variable, said.String(), nearest)
		}
	}
	for _, app := range []App{{args: []string{"completion", "bash"}}, {args: []string{"__complete", "demo", ""}}} {
		var said strings.Builder
		app.Err = &said
		app.warnOfVariables([]string{"PDPP_MCP_LISTENN=x"})
		if said.Len() > 0 {
			t.Errorf("%v: %s", app.args, said.String())
		}
	}
	var said strings.Builder
	if (App{Err: &said}).warnOfVariables([]string{"PDPP_MCP_LISTENN="}); said.Len() > 0 {
		t.Errorf("an empty variable: %s", said.String())
	}
}
