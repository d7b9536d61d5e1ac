package integration

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Each refusal is one sentence that says what is wrong, with its exit code.
func TestRefusalsOfCommands(t *testing.T) {
	for name, row := range map[string]struct {
		command string
		code    int
		says    string
	}{
		"an empty URL":                        {"connect URL --source gmail", 64, `the provider URL "" must start with http:// or https:// and name a host.`},
		"a wrong date, before the network":    {"connect http://127.0.0.1:1 --source gmail --since May", 64, `--since "May" is neither a date`},
		"a wrong field, before the network":   {"connect http://127.0.0.1:1 --source gmail --field subject", 64, `--field "subject" names no stream`},
		"a demo of an empty path":             {"demo --data=", 64, "--data is empty: leave it out, or give it a value"},
		"a credential that nobody can revoke": {"disconnect http://127.0.0.1:1", 69, "the grant without an id was not revoked: who issued it is not known."},
	} {
		words := strings.Fields(row.command)
		for i := range words {
			words[i] = strings.Replace(words[i], "URL", "", 1)
		}
		cache := cacheFile(t, "http://127.0.0.1:1", map[string]any{"access_token": "a-token"})
		ended := finish(t, []string{"PDPP_CACHE_ROOT=" + cache}, "", words...)
		if ended.code != row.code || !strings.Contains(ended.last(), row.says) || ended.stdout != "" || strings.Count(ended.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", name, ended)
		}
	}
}

// Without a home folder, a command that needs stored grants says so.
func TestWithoutAHomeFolder(t *testing.T) {
	for _, command := range []string{"stdio", "call schema", "stdio --provider-url https://rs.example", "connections"} {
		cmd := exec.Command(binary, strings.Fields(command)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		said, err := cmd.CombinedOutput()
		if err == nil || string(said) != "pdpp-mcp: the home folder is unknown: set HOME, or give --cache-root.\n" {
			t.Errorf("%s: %v %s", command, err, said)
		}
	}
}

// A closed output ends a command with a plain sentence.
func TestAClosedOutput(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	defer func() { _ = writer.Close() }()
	for _, command := range []string{"setup", "tools", "call schema --demo"} {
		var said strings.Builder
		cmd := exec.Command(binary, strings.Fields(command)...)
		cmd.Env, cmd.Stdout, cmd.Stderr = environment(t.TempDir()), writer, &said
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 130 || said.String() != "pdpp-mcp: stopped: the output was closed\n" {
			t.Errorf("%s: %v %s", command, err, said.String())
		}
	}
}
