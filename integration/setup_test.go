package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connected returns the home folder and environment of a person with a stored grant at a provider, as pdpp-mcp connect leaves it.
func connected(t *testing.T, provider, token string) (home string, environment []string) {
	t.Helper()
	home = t.TempDir()
	if err := os.Symlink(cacheFile(t, provider, map[string]any{"access_token": token}), filepath.Join(home, ".pdpp")); err != nil {
		t.Fatal(err)
	}
	return home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
}

// typed runs the program in a person's home, checks that it exits with 0 and returns its output.
func typed(t *testing.T, home string, environment []string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary, args...)
	command.Dir, command.Env = home, environment
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// S0-R1, S0-1a: the client configuration that setup writes for a connected person is complete: a client that starts it, in the root
// folder as clients do, gets an answer from the person's grant. The file has no token.
func TestWhatSetupWritesAnswers(t *testing.T) {
	home, environment := connected(t, sample.RSURL, sample.ClientToken)
	typed(t, home, environment, "setup", "cursor", "--write")
	file, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(file, &config); err != nil || strings.Contains(string(file), sample.ClientToken) {
		t.Fatalf("%s (%v)", file, err)
	}
	entry := config.Servers["pdpp"]
	command := exec.Command(entry.Command, entry.Args...)
	command.Dir, command.Env = "/", environment
	session, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "schema", Arguments: map[string]any{}})
	if err != nil || result.IsError {
		t.Errorf("%+v (%v)", result, err)
	}
}

// doctor finds the provider of a connected person by itself, and tests the program with that grant.
func TestDoctorOfAConnectedPerson(t *testing.T) {
	home, environment := connected(t, sample.RSURL, sample.ClientToken)
	typed(t, home, environment, "setup", "cursor", "--write")
	out := typed(t, home, environment, "doctor")
	for _, want := range []string{
		"The provider is " + sample.RSURL, "mode 0600, and does not expire", "The credential is a client token",
		`Cursor runs ` + binary + ` as "pdpp"`, fmt.Sprintf("%d tools, over your grant", len(listedTools())), " 0 to improve, 0 failed",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, sample.ClientToken) {
		t.Errorf("shows the token:\n%s", out)
	}
}

// S0-3a: an owner's token that is stored as a client's is detected, with exit code 77, and only the schema is read with it.
func TestDoctorFindsAMisfiledOwner(t *testing.T) {
	w := newWatch(t, sample.RSURL)
	home, environment := connected(t, w.URL, sample.OwnerToken)
	command := exec.CommandContext(t.Context(), binary, "doctor")
	command.Dir, command.Env = home, environment
	out, _ := command.CombinedOutput()
	if code := command.ProcessState.ExitCode(); code != 77 || !strings.Contains(string(out), "An owner token was presented") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	for _, request := range w.requests() {
		if request.isData() {
			t.Errorf("read %s", request.path)
		}
	}
}

// call prints the text that a client would be given.
func TestCallPrintsWhatAClientSees(t *testing.T) {
	home, environment := connected(t, sample.RSURL, sample.ClientToken)
	printed := typed(t, home, environment, "call", "search", "q=dentist", "limit=2", "--provider-url", sample.RSURL)
	command := exec.Command(binary, "stdio", "--provider-url", sample.RSURL)
	command.Env = environment
	session, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"q": "dentist", "limit": 2}})
	if err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	for _, item := range result.Content {
		if text, ok := item.(*mcp.TextContent); ok {
			seen.WriteString(strings.TrimRight(text.Text, "\n") + "\n")
		}
	}
	if printed != seen.String() {
		t.Errorf("printed\n%s\nseen\n%s", printed, seen.String())
	}
}
