package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// shop returns a folder with one table, whose amounts add up to 60.
func shop(t *testing.T) string {
	return writeFolder(t, map[string]string{"orders.csv": "id,amount\na,10\nb,20\nc,30\n"})
}

// sumOf returns the sum of a folder's amounts as a model reads it, and what the program prints on stderr.
func sumOf(t *testing.T, home, folder string, more ...string) (text, beside string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary, append([]string{"call", "aggregate", "stream=orders", "metric=sum", "field=amount", "--data", folder}, more...)...)
	command.Dir, command.Env = home, environment(home)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Errorf("%v\n%s", err, stderr.String())
	}
	return string(out), stderr.String()
}

// S0-R1: a client that starts the program as setup configured it reads a person's files, and again after a restart of both. The index is
// made once and is private, and the folder contains none.
func TestOwnFilesThroughAClient(t *testing.T) {
	for client, config := range map[string]string{"cursor": ".cursor/mcp.json", "claude-code": ".claude.json"} {
		t.Run(client, func(t *testing.T) { ownFilesThrough(t, client, config) })
	}
}

func ownFilesThrough(t *testing.T, client, written string) {
	home, folder := t.TempDir(), shop(t)
	typed(t, home, environment(home), "setup", client, "--data", folder, "--write")
	file, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(written)))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(file, &config); err != nil {
		t.Fatal(err)
	}
	entry := config.Servers["pdpp"]
	for start, want := range []string{"loaded 3 records", "is unchanged; using the kept index"} {
		command := exec.Command(entry.Command, entry.Args...)
		var stderr strings.Builder
		command.Dir, command.Env, command.Stderr = "/", environment(home), &stderr
		session, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
		if err != nil {
			t.Fatal(err)
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "aggregate", Arguments: args(`{"stream":"orders","metric":"sum","field":"amount"}`)})
		if err != nil || result.IsError || !strings.Contains(result.Content[0].(*mcp.TextContent).Text, "60") {
			t.Errorf("start %d: %+v (%v)", start, result, err)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("start %d does not say %q: %s", start, want, stderr.String())
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v (%v)", left, err)
	}
	indexes, err := filepath.Glob(filepath.Join(home, ".cache", "pdpp-mcp", "*.db"))
	if err != nil || len(indexes) != 1 {
		t.Fatalf("the indexes are %q (%v)", indexes, err)
	}
	if info, err := os.Stat(indexes[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the index is %v (%v)", info, err)
	}
}

// Several clients that start at once make one index together, and all answer from it.
func TestOneIndexForManyClients(t *testing.T) {
	home, folder := t.TempDir(), shop(t)
	var clients sync.WaitGroup
	var mu sync.Mutex
	loaded := 0
	for range 6 {
		clients.Go(func() {
			text, beside := sumOf(t, home, folder)
			mu.Lock()
			defer mu.Unlock()
			if !strings.Contains(text, "60") {
				t.Errorf("the sum is\n%s%s", text, beside)
			}
			loaded += strings.Count(beside, "loaded 3 records")
		})
	}
	clients.Wait()
	if loaded != 1 {
		t.Errorf("the files were loaded %d times", loaded)
	}
}

// Changed files are read again at the next call, and all processes that serve the index answer from the new content, including new files.
func TestChangedFilesAreReadAgain(t *testing.T) {
	home, folder := t.TempDir(), shop(t)
	command := exec.Command(binary, "stdio", "--data", folder)
	command.Dir, command.Env = home, environment(home)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	sum := func(stream string) string {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "aggregate", Arguments: map[string]any{"stream": stream, "metric": "sum", "field": "amount"}})
		if err != nil {
			t.Fatal(err)
		}
		return result.Content[0].(*mcp.TextContent).Text
	}
	if text := sum("orders"); !strings.Contains(text, "60") {
		t.Errorf("before: %s", text)
	}
	write(t, filepath.Join(folder, "orders.csv"), "id,amount\na,10\nb,20\nc,30\nd,40\n")
	write(t, filepath.Join(folder, "refunds.csv"), "id,amount\na,7\n")
	if text, beside := sumOf(t, home, folder); !strings.Contains(text, "100") || !strings.Contains(beside, "loaded 5 records") {
		t.Errorf("from the other process: %s%s", text, beside)
	}
	if text := sum("orders"); !strings.Contains(text, "100") {
		t.Errorf("afterwards: %s", text)
	}
	if text := sum("refunds"); !strings.Contains(text, "refunds = 7") {
		t.Errorf("a new stream: %s", text)
	}
	if text, beside := sumOf(t, home, folder); !strings.Contains(text, "100") || !strings.Contains(beside, "is unchanged") {
		t.Errorf("once more: %s%s", text, beside)
	}
	check(t, os.Remove(filepath.Join(folder, "refunds.csv")))
	if text, beside := sumOf(t, home, folder); !strings.Contains(text, "100") || !strings.Contains(beside, "loaded 0 records") {
		t.Errorf("without a file: %s%s", text, beside)
	}
	if text := sum("refunds"); !strings.Contains(text, "unknown_stream") {
		t.Errorf("a stream that is gone: %s", text)
	}
	if text, beside := sumOf(t, home, folder, "--db", filepath.Join(folder, "own.db")); !strings.Contains(text, "100") || strings.Contains(beside, "skipped") && !strings.Contains(beside, "skipped 0") {
		t.Errorf("with a separate index: %s%s", text, beside)
	}
}

// tools accepts the flags of stdio and lists the tools for a person's own files. The list does not depend on the files, so none is read.
func TestToolsOfOnesOwnFiles(t *testing.T) {
	home, folder := t.TempDir(), shop(t)
	output := typed(t, home, environment(home), "tools", "--data", folder, "--db", filepath.Join(home, "own.db"))
	if !strings.Contains(output, "query_records") || !strings.Contains(output, " tools ") {
		t.Errorf("tools prints\n%s", output)
	}
	if _, err := os.Stat(filepath.Join(home, "own.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an index was made: %v", err)
	}
}

// doctor --data checks the entry that setup --data writes, and reports what was not read, also as JSON.
func TestDoctorOfOnesOwnFiles(t *testing.T) {
	home := t.TempDir()
	folder := writeFolder(t, map[string]string{"orders.csv": "id,amount\na,60\nb,1,2\n"})
	output := typed(t, home, environment(home), "doctor", "--data", folder)
	for _, line := range []string{"This reads your files in " + folder, fmt.Sprintf("with %d tools, over your files in %s", len(listedTools()), folder)} {
		if !strings.Contains(output, line) {
			t.Errorf("doctor does not say %q: %s", line, output)
		}
	}
	if strings.Contains(output, "sample year") {
		t.Errorf("doctor speaks of the sample year: %s", output)
	}
	command := exec.CommandContext(t.Context(), binary, "doctor", "--data", folder, "--json")
	command.Dir, command.Env = home, environment(home)
	out, err := command.Output()
	var report struct {
		NotRead []string `json:"not_read"`
	}
	if err = errors.Join(err, json.Unmarshal(out, &report)); err != nil || len(report.NotRead) != 1 || !strings.HasPrefix(report.NotRead[0], "orders.csv:3: ") {
		t.Errorf("as JSON: %q (%v)", report.NotRead, err)
	}
}

// What could not be read is listed with file, line and reason, also from an existing index, and schema summarizes it.
func TestWhatWasNotReadIsListed(t *testing.T) {
	home := t.TempDir()
	folder := writeFolder(t, map[string]string{"orders.csv": "id,amount\na,60\nb,1,2\nc,3,4\n", "photo.jpg": "\xff\xd8"})
	for range 2 {
		output := typed(t, home, environment(home), "doctor", "--data", folder)
		for _, line := range []string{"not read: orders.csv:3: the row has 3 cells, and the header 2\n", "not read: orders.csv:4: the row has", "not read: photo.jpg: of no known kind", "Nothing was read of 1 of your files."} {
			if !strings.Contains(output, line) {
				t.Errorf("doctor does not say %q: %s", line, output)
			}
		}
	}
	command := exec.CommandContext(t.Context(), binary, "call", "schema", "--data", folder)
	command.Dir, command.Env = home, environment(home)
	if out, err := command.Output(); err != nil || !strings.Contains(string(out), "2 pieces of orders.csv were not read, the first at line 3") {
		t.Errorf("the model reads (%v)\n%s", err, out)
	}
}

// The placeholders that a bundle's client passes for empty settings are ignored.
func TestEmptySettingsOfABundleAreIgnored(t *testing.T) {
	home, folder := t.TempDir(), shop(t)
	for _, blank := range []string{"", "${user_config.provider_url}"} {
		if text, beside := sumOf(t, home, folder, "--provider-url="+blank); !strings.Contains(text, "60") {
			t.Errorf("with a provider %q: %s%s", blank, text, beside)
		}
	}
	for _, blank := range []string{"", "${user_config.data}"} {
		command := exec.CommandContext(t.Context(), binary, "stdio", "--provider-url=", "--data="+blank)
		command.Dir, command.Env = home, environment(home)
		if out, err := command.CombinedOutput(); command.ProcessState.ExitCode() != 64 || !strings.Contains(string(out), "--data PATH reads your own files") {
			t.Errorf("with data %q: %v %s", blank, err, out)
		}
	}
}

// Flags that name several sources are refused before anything is read.
func TestOnlyOneSourceCanBeGiven(t *testing.T) {
	for line, want := range map[string]string{
		"stdio --demo --data x":                           "--demo, --data and --provider-url name different things",
		"call schema --data x --provider-url https://a.b": "--demo, --data and --provider-url name different things",
		"doctor --demo --data x":                          "--demo, --data and --provider-url name different things",
		"call schema --db x":                              "--db needs --data",
		"setup cursor --demo --data x":                    "--url, --provider-url, --data and --demo name different things",
		"setup cursor --data /no/such/folder":             "/no/such/folder cannot be read",
		"call schema --data /no/such/folder":              "/no/such/folder",
		"tools --data /no/such/folder":                    "/no/such/folder",
		"tools --db x":                                    "--db needs --data",
		"call schema --data x --data y":                   "--data is given more than once",
		"demo --data x --data=y":                          "--data is given more than once",
	} {
		command := exec.CommandContext(t.Context(), binary, strings.Fields(line)...)
		home := t.TempDir()
		command.Dir, command.Env = home, environment(home)
		out, err := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != 64 || !strings.Contains(string(out), want) {
			t.Errorf("%s: exit code %d (%v): want %q in\n%s", line, code, err, want, out)
		}
	}
}
