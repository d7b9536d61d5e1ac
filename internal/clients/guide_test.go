package clients_test

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"golang.org/x/tools/txtar"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
)

func place(operatingSystem string, environment map[string]string) clients.Place {
	return clients.Place{OS: operatingSystem, Home: "/home/ada", Getenv: func(name string) string { return environment[name] }}
}

var linux = place("linux", nil)

// cases are the servers that every client is set up for.
func cases() map[string]clients.Server {
	mine, theirs := local, hosted
	mine.Description, theirs.Description = "your grant at https://rs.example", "https://mcp.example/mcp"
	odd := mine
	odd.Command, odd.Arguments = "/opt/my tools/pdpp-mcp", []string{
		"stdio",
		"--provider-url",
		"https://rs.example",
		"--cache-root",
		"/home/ada/it's here",
	}
	withToken := theirs
	withToken.TokenEnv = "PDPP_TOKEN"
	return map[string]clients.Server{
		"local":                       mine,
		"hosted":                      theirs,
		"local, with blanks in paths": odd,
		"hosted, with a token in the environment": withToken,
	}
}

func guide(client clients.Client, server clients.Server) clients.Guide {
	return client.Guide(server, linux, client.Path(linux), []string{cmp.Or(server.Command, local.Command), "setup", client.Name, "--write"})
}

// printedTexts returns what setup prints for a client, and the path of its file on each operating system.
func printedTexts(client clients.Client) (texts []txtar.File) {
	for _, name := range []string{"local", "hosted", "local, with blanks in paths", "hosted, with a token in the environment"} {
		server := cases()[name]
		text := "refused: " + client.Check(server) + "\n"
		if client.Check(server) == "" {
			text = guide(client, server).Text(client, server)
		}
		texts = append(texts, txtar.File{Name: "setup says: " + name, Data: []byte(text)})
	}
	set := map[string]string{"APPDATA": "/x", "XDG_CONFIG_HOME": "/y", "CLAUDE_CONFIG_DIR": "/x", "CODEX_HOME": "/x"}
	var paths strings.Builder
	for _, p := range []clients.Place{linux, place("linux", set), place("darwin", nil), place("darwin", set), place("windows", nil), place("windows", set)} {
		paths.WriteString(filepath.ToSlash(client.Path(p)) + "\n")
	}
	return append(texts, txtar.File{Name: "file on Linux, macOS and Windows, each without its variables and with them", Data: []byte(paths.String())})
}

// A path with a text that a host expands as a variable is refused, since the host would start a different program.
func TestAPathThatAHostWouldExpandIsRefused(t *testing.T) {
	for path, refused := range map[string]bool{"/home/ada/$HOME": true, "/home/ada/${HOME}": true, "/home/ada/5$": false} {
		server := local
		server.Arguments = []string{"stdio", "--data", path}
		for _, client := range clients.All() {
			if got := strings.Contains(client.Check(server), "replace a $ and the name behind it"); got != refused {
				t.Errorf("%s: %s is refused: %v, want %v", client.Name, path, got, refused)
			}
		}
	}
}

// S0-1a: setup does not mention event management, developer tools, owner credentials or profiles.
func TestGuidesOfferNoChoiceOfSurface(t *testing.T) {
	forbidden := regexp.MustCompile(`(?i)profile|toolset|event|subscri|owner|control.?plane|full|core`)
	for _, client := range clients.All() {
		for name, server := range cases() {
			if client.Check(server) != "" {
				continue
			}
			if found := forbidden.FindString(guide(client, server).Text(client, server)); found != "" {
				t.Errorf("%s, %s: says %q", client.Name, name, found)
			}
		}
	}
}

// The printed entry is what --write would write into an empty file, and an install link has the same entry.
func TestEntriesAndLinksAgreeWithTheFile(t *testing.T) {
	for _, client := range clients.All() {
		for name, server := range cases() {
			if client.CheckWrite(server) != "" {
				continue
			}
			g := guide(client, server)
			written, err := client.Add(nil, server)
			if err != nil || string(written) != g.Entry {
				t.Errorf("%s, %s: shows\n%s, writes\n%s (%v)", client.Name, name, g.Entry, written, err)
			}
			if g.Link == "" {
				continue
			}
			link, err := url.Parse(g.Link)
			if err != nil {
				t.Fatal(err)
			}
			held, _ := url.PathUnescape(strings.TrimPrefix(link.RawQuery, ""))
			if client.Name == "cursor" {
				config, err := base64.StdEncoding.DecodeString(link.Query().Get("config"))
				if err != nil || link.Query().Get("name") != server.Name {
					t.Errorf("%s: %s (%v)", client.Name, g.Link, err)
				}
				held = string(config)
			}
			var fromLink map[string]any
			var file map[string]map[string]map[string]any
			if err := json.Unmarshal([]byte(held), &fromLink); err != nil {
				t.Fatalf("%s: %q: %v", client.Name, held, err)
			}
			if err := json.Unmarshal(written, &file); err != nil {
				t.Fatal(err)
			}
			delete(fromLink, "name")
			if diff := gocmp.Diff(file[key(t, client)]["pdpp"], fromLink); diff != "" {
				t.Errorf("%s, %s: the link differs from the file (-file +link):\n%s", client.Name, name, diff)
			}
		}
	}
}

// A printed command reaches the client's program with the right arguments, even with blanks and quotes.
func TestCommandsSurviveTheShell(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	folder := t.TempDir()
	for _, program := range []string{"claude", "codex", "code", "gemini"} {
		if err := os.WriteFile(filepath.Join(folder, program), []byte("#!/bin/sh\nfor word; do printf '%s\\n' \"$word\"; done\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	server := cases()["local, with blanks in paths"]
	for _, client := range clients.All() {
		if client.Check(server) != "" || client.Name == "generic" {
			continue
		}
		line := guide(client, server).Command
		if line == "" {
			t.Errorf("%s has no command", client.Name)
			continue
		}
		if strings.HasPrefix(line, "'/opt/my tools/pdpp-mcp' setup ") {
			continue // only the person's own shell splits it
		}
		command := exec.Command(shell, "-c", line)
		command.Env = []string{"PATH=" + folder + ":/usr/bin:/bin"}
		out, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v %s", client.Name, err, out)
		}
		text := string(out)
		if client.Name == "vscode" {
			for _, want := range []string{`"command":"/opt/my tools/pdpp-mcp"`, `"/home/ada/it's here"`} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %s; want %q", client.Name, text, want)
				}
			}
			continue
		}
		if !strings.Contains(text, "\n/opt/my tools/pdpp-mcp\n") || !strings.Contains(text, "\n/home/ada/it's here\n") {
			t.Errorf("%s: %s", client.Name, text)
		}
	}
	if got := clients.CommandLine("windows", []string{`C:\Program Files\pdpp-mcp.exe`, "stdio"}); got != `"C:\Program Files\pdpp-mcp.exe" stdio` {
		t.Error(got)
	}
}

// A program on Windows gets the printed words, also those with a backslash before a quote or at their end.
func TestCommandsSurviveTheSplittingOfWindows(t *testing.T) {
	for _, word := range []string{
		"", "a b", `C:\Program Files\pdpp-mcp.exe`, `C:\my files\`, `\\server\my share\\`, `say "yes"`, `{"root":"C:\\dir\\"}`, `{"name":"a \"b\""}`, `\" \\"`,
	} {
		line := clients.CommandLine("windows", []string{"pdpp-mcp", word, "stdio"})
		if diff := gocmp.Diff([]string{"pdpp-mcp", word, "stdio"}, splitOnWindows(line)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

// splitOnWindows splits a command line as CommandLineToArgvW does: 2n backslashes and a quotation mark are n backslashes and a mark that
// begins or ends a quotation, 2n+1 of them are n backslashes and a mark that is part of the word.
func splitOnWindows(line string) (words []string) {
	word, quoted, backslashes := "", false, 0
	for _, c := range line + " " {
		if c == '\\' {
			backslashes++
			continue
		}
		if c != '"' {
			word, backslashes = word+strings.Repeat(`\`, backslashes), 0
		}
		switch {
		case c == '"':
			word += strings.Repeat(`\`, backslashes/2)
			if backslashes%2 == 1 {
				word += `"`
			} else {
				quoted = !quoted
			}
			backslashes = 0
		case c == ' ' && !quoted:
			words, word = append(words, word), ""
		default:
			word += string(c)
		}
	}
	return words
}

// The printed TOML can be parsed.
func TestCodexEntryParses(t *testing.T) {
	client, _ := clients.ByName("codex")
	var tree struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `toml:"mcp_servers"`
	}
	server := cases()["local, with blanks in paths"]
	if err := toml.Unmarshal([]byte(guide(client, server).Entry), &tree); err != nil {
		t.Fatal(err)
	}
	if got := tree.Servers["pdpp"]; got.Command != server.Command || !gocmp.Equal(got.Args, server.Arguments) {
		t.Errorf("%+v", got)
	}
}
