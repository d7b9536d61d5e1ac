package clients_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
)

var now = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// A tree is the content of a folder: texts by path.
type tree map[string]string

func (tr tree) write(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range tr {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func read(t *testing.T, folder string) tree {
	t.Helper()
	found := tree{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		found[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func plan(t *testing.T, path string, client clients.Client, server clients.Server) clients.Change {
	t.Helper()
	change, err := clients.Plan(path, func(file []byte) ([]byte, error) { return client.Add(file, server) })
	if err != nil {
		t.Fatal(err)
	}
	return change
}

// For every client: no file, an empty one, one with other servers, and a second run over each.
func TestWriteEveryClientsFile(t *testing.T) {
	for _, client := range clients.All() {
		if !client.HasFile() {
			continue
		}
		for name, before := range map[string]tree{
			"no file and no folder": {},
			"an empty file":         {"deep/er/file": ""},
			"a file":                {"deep/er/file": map[bool]string{false: "{\"theme\": \"dark\"}\n", true: "theme = \"dark\"\n"}[client.Name == "codex"]},
		} {
			folder := before.write(t)
			path := filepath.Join(folder, "deep", "er", "file")
			change := plan(t, path, client, local)
			if change.IsNothing() {
				t.Fatalf("%s, %s: nothing to do", client.Name, name)
			}
			if diff := cmp.Diff(before, read(t, folder)); diff != "" {
				t.Errorf("%s, %s: planning changed files: %s", client.Name, name, diff)
			}
			backup, err := change.Write(now)
			if err != nil {
				t.Fatalf("%s, %s: %v", client.Name, name, err)
			}
			want := tree{"deep/er/file": string(change.After)}
			if old, is := before["deep/er/file"]; is {
				want["deep/er/file.bak-20261121T093000Z"] = old
				if backup != path+".bak-20261121T093000Z" {
					t.Errorf("%s, %s: backup is %q", client.Name, name, backup)
				}
			}
			if diff := cmp.Diff(want, read(t, folder)); diff != "" {
				t.Errorf("%s, %s: %s", client.Name, name, diff)
			}
			if again := plan(t, path, client, local); !again.IsNothing() {
				t.Errorf("%s, %s: a second run would change %s", client.Name, name, again.Diff())
			} else if backup, err := again.Write(now); err != nil || backup != "" {
				t.Errorf("%s, %s: a second run writes %q (%v)", client.Name, name, backup, err)
			}
		}
	}
}

// If a client's file must not be written, it is unchanged, without a backup, and one sentence says why.
func TestFilesThatAreNotWritten(t *testing.T) {
	for _, client := range clients.All() {
		if !client.HasFile() {
			continue
		}
		folder := tree{"file": map[bool]string{false: "{}\n", true: ""}[client.Name == "codex"]}.write(t)
		path := filepath.Join(folder, "file")
		if err := os.Chmod(path, 0o400); err != nil {
			t.Fatal(err)
		}
		before := read(t, folder)
		change := plan(t, path, client, local)
		_, err := change.Write(now)
		var refused *clients.RefusedError
		if err == nil || errors.As(err, &refused) || !strings.Contains(err.Error(), "is read-only") {
			t.Errorf("%s: %v", client.Name, err)
		}
		if diff := cmp.Diff(before, read(t, folder)); diff != "" {
			t.Errorf("%s: %s", client.Name, diff)
		}
	}
}

func TestWriteKeepsModeAndLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links are not everybody's here")
	}
	client, _ := clients.ByName("cursor")
	folder := tree{"dotfiles/mcp.json": "{}\n"}.write(t)
	link := filepath.Join(folder, "mcp.json")
	if err := os.Symlink(filepath.Join("dotfiles", "mcp.json"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := plan(t, link, client, local).Write(now); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if info, err := os.Stat(link); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
	fresh := filepath.Join(folder, "new.json")
	if _, err := plan(t, fresh, client, local).Write(now); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(fresh); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of a new file %v (%v)", info.Mode(), err)
	}
}

// A file that root edits for a person stays the person's, as does its backup; a new one belongs to the owner of its folder.
func TestWriteKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can write for others")
	}
	const person = 4711
	client, _ := clients.ByName("cursor")
	folder := tree{"mcp.json": "{}\n"}.write(t)
	path := filepath.Join(folder, "mcp.json")
	if err := errors.Join(os.Chown(folder, person, person), os.Chown(path, person, person)); err != nil {
		t.Skip(err)
	}
	for _, file := range []string{path, filepath.Join(folder, "new.json")} {
		if _, err := plan(t, file, client, local).Write(now); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%v (%v)", entries, err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || !strings.Contains(fmt.Sprintf("%+v", info.Sys()), fmt.Sprintf("Uid:%d Gid:%[1]d", person)) {
			t.Errorf("%s: %+v (%v)", entry.Name(), info.Sys(), err)
		}
	}
}

func TestPlansThatAreRefused(t *testing.T) {
	client, _ := clients.ByName("cursor")
	folder := tree{"folder/file": "{}"}.write(t)
	dangling := filepath.Join(folder, "dangling")
	if err := os.Symlink("nowhere", dangling); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{
		filepath.Join(folder, "folder"):          "not a regular file",
		dangling:                                 "a broken link",
		filepath.Join(folder, "folder/file/too"): "cannot be read",
	} {
		_, err := clients.Plan(path, func(file []byte) ([]byte, error) { return client.Add(file, local) })
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v; want %q", path, err, want)
		}
	}
}

// A file nested so deeply that its parser would overflow the stack is refused and unchanged.
func TestDeepFilesAreRefused(t *testing.T) {
	cursor, _ := clients.ByName("cursor")
	codex, _ := clients.ByName("codex")
	const many = 2_000_000
	open := strings.Repeat("[", many)
	for name, row := range map[string]struct {
		client clients.Client
		text   string
		want   string
	}{
		"arrays":                    {cursor, `{"a":` + open + strings.Repeat("]", many) + "}", "is not valid JSON"},
		"objects":                   {cursor, strings.Repeat(`{"a":`, many), "is not valid JSON"},
		"after comments":            {cursor, "// \" \r /* \n/* // \" **/" + open, "is not valid JSON"},
		"the maximum depth":         {cursor, open[:100_000] + "//", "it ends too early"},
		"next to each other":        {cursor, `{"a":[` + strings.Repeat("[],", many/10) + "[]]}", ""},
		"arrays of TOML":            {codex, "a = " + open, "not valid TOML"},
		"tables of TOML":            {codex, strings.Repeat("a = {", many), "not valid TOML"},
		"a key of many parts":       {codex, strings.Repeat("a.", many) + "a = 1", "dots"},
		"a table of many parts":     {codex, "[" + strings.Repeat(`"=".`, many) + "a]", "dots"},
		"a key of some parts":       {codex, strings.Repeat("a.", 900) + "a = 'a'", ""},
		"the maximum depth in TOML": {codex, strings.Repeat("a.", 100_000) + "a = 'a'", "by hand"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(row.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := clients.Plan(path, func(file []byte) ([]byte, error) { return row.client.Add(file, local) })
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
}

func TestBackupsAndConcurrentChangesAreNotOverwritten(t *testing.T) {
	client, _ := clients.ByName("cursor")
	folder := tree{"file": "{}\n", "file.bak-20261121T093000Z": "older"}.write(t)
	path := filepath.Join(folder, "file")
	change := plan(t, path, client, local)
	backup, err := change.Write(now)
	if err != nil || backup != path+".bak-20261121T093000Z-2" {
		t.Errorf("backup %q (%v)", backup, err)
	}
	if read(t, folder)["file.bak-20261121T093000Z"] != "older" {
		t.Error("an older backup was overwritten")
	}
	change = plan(t, path, client, hosted)
	if err := os.WriteFile(path, []byte(`{"changed": "meanwhile"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	before := read(t, folder)
	if _, err := change.Write(now); err == nil || !strings.Contains(err.Error(), "meanwhile") {
		t.Errorf("a change by the client is written over: %v", err)
	}
	if diff := cmp.Diff(before, read(t, folder)); diff != "" {
		t.Error(diff)
	}
}

// The printed difference shows the change and nothing of the other servers in the file.
func TestDiffShowsNothingElse(t *testing.T) {
	client, _ := clients.ByName("cursor")
	long := `{"mcpServers":{"other":{"url":"https://other.example/mcp","headers":{"Authorization":"Bearer SECRET"},"note":"` + strings.Repeat("x", 300) + `"}}}`
	for name, before := range map[string]string{
		"many lines": "{\n  \"mcpServers\": {\n    \"other\": {\n      \"url\": \"https://other.example/mcp\",\n      \"headers\": {\"Authorization\": \"Bearer SECRET\"}\n    }\n  }\n}\n",
		"one line":   long,
	} {
		folder := tree{"file": before}.write(t)
		path := filepath.Join(folder, "file")
		diff := plan(t, path, client, local).Diff()
		if strings.Contains(diff, "SECRET") || !strings.Contains(diff, "/usr/local/bin/pdpp-mcp") || !strings.Contains(diff, path) {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A token that the user wrote into the program's own entry is masked in the difference when the entry is removed.
func TestDiffMasksTokens(t *testing.T) {
	for name, before := range map[string]string{
		"cursor": "{\n  \"mcpServers\": {\n    \"pdpp\": {\n      \"url\": \"https://mcp.example/mcp\",\n      \"headers\": {\"Authorization\": \"Bearer SECRET\"},\n      \"env\": {\"MY_TOKEN\": \"SECRET\", \"API_KEY\":\"SECRET\", \"NAMED_TOKEN\": \"${env:NAME}\"}\n    }\n  }\n}\n",
		"codex":  "[mcp_servers.pdpp]\nurl = \"https://mcp.example/mcp\"\nbearer_token_env_var = \"NAME\"\nhttp_headers = { Authorization = \"Bearer SECRET\", token = 'SECRET' }\n",
	} {
		client, _ := clients.ByName(name)
		folder := tree{"file": before}.write(t)
		change, err := clients.Plan(filepath.Join(folder, "file"), func(file []byte) ([]byte, error) { return client.Remove(file, "pdpp") })
		if err != nil {
			t.Fatal(err)
		}
		if diff := change.Diff(); strings.Contains(diff, "SECRET") || !strings.Contains(diff, "NAME") ||
			!strings.Contains(diff, "https://mcp.example/mcp") {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A token that makes its line long is masked too, although only the part of the line that changes is shown.
func TestDiffMasksALongToken(t *testing.T) {
	client, _ := clients.ByName("cursor")
	before := "{\n  \"mcpServers\": {\n    \"pdpp\": {\n      \"url\": \"https://mcp.example/mcp\",\n      \"headers\": {\n" +
		"        \"Authorization\": \"Bearer " + strings.Repeat("SECRET", 50) + "\"\n      }\n    }\n  }\n}\n"
	path := filepath.Join(tree{"file": before}.write(t), "file")
	server := clients.Server{Name: "pdpp", URL: "https://mcp.example/mcp", TokenEnv: "PDPP_TOKEN"}
	if diff := plan(t, path, client, server).Diff(); strings.Contains(diff, "SECRET") || !strings.Contains(diff, "PDPP_TOKEN") {
		t.Error(diff)
	}
}
