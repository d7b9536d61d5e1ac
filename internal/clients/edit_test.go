package clients_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
)

var update = flag.Bool("update", false, "rewrite golden files")

var (
	local = clients.Server{
		Name:      "pdpp",
		Command:   "/usr/local/bin/pdpp-mcp",
		Arguments: []string{"stdio", "--provider-url", "https://rs.example"},
	}
	hosted = clients.Server{Name: "pdpp", URL: "https://mcp.example/mcp"}
)

// files are possible configuration files of a client before setup runs. {SERVERS} is the key of the client's servers.
var files = map[bool][]txtar.File{
	false: {
		{Name: "none"},
		{Name: "empty"},
		{Name: "empty object", Data: []byte("{}\n")},
		{Name: "no servers", Data: []byte("{\n    \"theme\": \"dark\",\n    \"editor\": {\n        \"size\": 12\n    }\n}\n")},
		{Name: "others", Data: []byte("{\n  \"{SERVERS}\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"files\"],\n      \"env\": {\"KEY\": \"unchanged\"}\n    }\n  },\n  \"theme\": \"dark\"\n}\n")},
		{Name: "others on one line", Data: []byte(`{"{SERVERS}":{"files":{"command":"npx","args":[]}},"theme":"dark"}`)},
		{Name: "tabs", Data: []byte("{\n\t\"{SERVERS}\": {\n\t\t\"files\": {\"command\": \"npx\"}\n\t}\n}\n")},
		{Name: "comments", Data: []byte("// Mine.\n{\n  /* what I connect */\n  \"{SERVERS}\": {\n    // the files\n    \"files\": {\"command\": \"npx\"}, // keep\n    // \"old\": {\"command\": \"old\"},\n  }, // servers\n  \"theme\": \"dark\", // dark\n}\n")},
		{Name: "comments alone", Data: []byte("// Settings go here.\n")},
		{Name: "ours, of another place", Data: []byte("{\n  \"{SERVERS}\": {\n    \"pdpp\": {\n      \"command\": \"/old/pdpp-mcp\",\n      \"args\": [\"stdio\", \"--demo\"],\n      \"env\": {\"GOGC\": \"100\"}\n    },\n    \"files\": {\"command\": \"npx\"}\n  }\n}\n")},
		{Name: "ours, hosted elsewhere", Data: []byte("{\n  \"{SERVERS}\": {\n    \"pdpp\": {\"url\": \"https://old.example/mcp\"}\n  }\n}\n")},
		{Name: "name taken", Data: []byte("{\"{SERVERS}\": {\"pdpp\": {\"command\": \"npx\", \"args\": [\"pdpp\"]}}}\n")},
		{Name: "name taken, a list", Data: []byte("{\"{SERVERS}\": {\"pdpp\": {\"command\": [\"npx\", \"pdpp\"]}}}\n")},
		{Name: "name taken, an object", Data: []byte("{\"{SERVERS}\": {\"pdpp\": {\"command\": {\"path\": \"npx\", \"args\": [\"pdpp\"]}}}}\n")},
		{Name: "servers is a list", Data: []byte("{\"{SERVERS}\": []}\n")},
		{Name: "servers twice", Data: []byte("{\"{SERVERS}\": {}, \"{SERVERS}\": {}}\n")},
		{Name: "a list", Data: []byte("[]\n")},
		{Name: "broken", Data: []byte("{\"{SERVERS}\": {\n")},
		{Name: "not UTF-8", Data: []byte("{\"theme\": \"\xff\"}\n")},
	},
	true: {
		{Name: "none"},
		{Name: "empty"},
		{Name: "no servers", Data: []byte("model = \"best\" # mine\n\n[profiles.quick]\nmodel = \"fast\"\n")},
		{Name: "others", Data: []byte("[{SERVERS}.files]\ncommand = \"npx\"\nargs = [\n  \"-y\", # yes\n  \"files\",\n]\n\n[{SERVERS}.files.env]\nKEY = \"unchanged\"\n")},
		{Name: "comments", Data: []byte("# Mine.\nmodel = \"best\"\n\n# the files\n[{SERVERS}.files] # keep\ncommand = \"npx\"\n\n# the end\n")},
		{Name: "no line break at the end", Data: []byte("model = \"best\"")},
		{Name: "ours, of another place", Data: []byte("# ours\n[{SERVERS}.pdpp] # here\ncommand = '/old/pdpp-mcp'\nargs = [\n  \"stdio\", # local\n  \"--demo\",\n]\nstartup_timeout_sec = 30 # slow machine\n\n[{SERVERS}.pdpp.env]\nGOGC = \"100\"\n\n# the files\n[{SERVERS}.files]\ncommand = \"npx\"\n")},
		{Name: "ours, hosted elsewhere", Data: []byte("[{SERVERS}.\"pdpp\"]\nurl = \"https://old.example/mcp\"\n[tui]\ntheme = \"dark\"\n")},
		{Name: "text that looks like a table", Data: []byte("note = '''\n[{SERVERS}.pdpp]\ncommand = \"no\"\n'''\n")},
		{Name: "inline", Data: []byte("{SERVERS} = { pdpp = { command = \"/old/pdpp-mcp\" } }\n")},
		{Name: "others inline", Data: []byte("{SERVERS} = { files = { command = \"npx\" } }\n")},
		{Name: "name taken", Data: []byte("[{SERVERS}.pdpp]\ncommand = \"npx\"\n")},
		{Name: "servers is a list", Data: []byte("{SERVERS} = []\n")},
		{Name: "broken", Data: []byte("[{SERVERS}\n")},
		{Name: "not UTF-8", Data: []byte("theme = \"\xff\"\n")},
	},
}

// filesOf returns the files for the format of a client.
func filesOf(client clients.Client) []txtar.File {
	if !client.HasFile() {
		return nil
	}
	return files[client.Name == "codex"]
}

// key returns the key of the servers in a client's file: the first word of a file with a server.
func key(t *testing.T, client clients.Client) string {
	t.Helper()
	file, err := client.Add(nil, local)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`\w+`).FindString(string(file))
}

// testdata has what setup prints for each client, and its file before and after setup --write and setup --remove. For each file, a second
// run changes nothing, and --remove removes exactly what --write added.
func TestWhatSetupSaysAndWrites(t *testing.T) {
	for _, client := range clients.All() {
		t.Run(client.Name, func(t *testing.T) {
			golden := &txtar.Archive{Comment: []byte("What setup says of " + client.Title + ", and what becomes of its files.\n"), Files: printedTexts(client)}
			for _, file := range filesOf(client) {
				before := bytes.ReplaceAll(file.Data, []byte("{SERVERS}"), []byte(key(t, client)))
				show(golden, file.Name, before)
				for _, server := range []struct {
					name string
					clients.Server
				}{{"local", local}, {"hosted", hosted}} {
					if client.CheckWrite(server.Server) != "" {
						continue
					}
					after, err := client.Add(before, server.Server)
					show(golden, file.Name+", "+server.name, after, err)
					if err != nil {
						checkRefusal(t, err)
						continue
					}
					again, err := client.Add(after, server.Server)
					if err != nil || !bytes.Equal(again, after) {
						t.Errorf("%s, %s: a second run makes of it\n%s (%v)", file.Name, server.name, again, err)
					}
					if entries, err := client.Ours(after, "pdpp"); err != nil || len(entries) != 1 || entries[0].URL != server.URL ||
						entries[0].Command != server.Command {
						t.Errorf("%s, %s: found again are %+v (%v)", file.Name, server.name, entries, err)
					}
					removed, err := client.Remove(after, "pdpp")
					if err != nil {
						t.Errorf("%s, %s: not removed: %v", file.Name, server.name, err)
						continue
					}
					if entries, err := client.Ours(removed, "pdpp"); err != nil || len(entries) != 0 {
						t.Errorf("%s, %s: after removal there are %+v (%v)", file.Name, server.name, entries, err)
					}
					if strings.Contains(file.Name, "others") || file.Name == "tabs" || file.Name == "comments" && client.Name != "codex" {
						if diff := cmp.Diff(string(before), string(removed)); diff != "" {
							t.Errorf("%s, %s: what was added and removed leaves a trace:\n%s", file.Name, server.name, diff)
						}
					}
				}
				if strings.HasPrefix(file.Name, "ours") || strings.HasPrefix(file.Name, "name taken") {
					removed, err := client.Remove(before, "pdpp")
					show(golden, file.Name+", removed", removed, err)
				}
			}
			compare(t, filepath.Join("testdata", client.Name+".txtar"), txtar.Format(golden))
		})
	}
}

// show appends a text to an archive, or the reason why there is none.
func show(archive *txtar.Archive, name string, text []byte, err ...error) {
	if len(err) > 0 && err[0] != nil {
		text = []byte("refused: " + err[0].Error() + "\n")
	}
	text = bytes.ToValidUTF8(text, []byte("\\xff"))
	archive.Files = append(archive.Files, txtar.File{Name: name, Data: text})
}

// checkRefusal checks that a refusal is one sentence that says what to do.
func checkRefusal(t *testing.T, err error) {
	t.Helper()
	var refusal *clients.RefusedError
	if !errors.As(err, &refusal) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%T %v", err, err)
	}
}

func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// A file from Windows keeps its byte order mark and its line ends.
func TestLineEndsAndMarkStay(t *testing.T) {
	for _, name := range []string{"cursor", "codex"} {
		client, _ := clients.ByName(name)
		before := "\xef\xbb\xbf{\r\n  \"mcpServers\": {\r\n    \"files\": {\"command\": \"npx\"} // keep\r\n  }\r\n}\r\n"
		if name == "codex" {
			before = "\xef\xbb\xbfmodel = \"best\"\r\n\r\n[mcp_servers.files]\r\ncommand = \"npx\"\r\n"
		}
		after, err := client.Add([]byte(before), local)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(after, []byte("\xef\xbb\xbf")) || bytes.Count(after, []byte("\n")) != bytes.Count(after, []byte("\r\n")) {
			t.Errorf("%s: %q", name, after)
		}
		again, err := client.Add(after, local)
		if err != nil || !bytes.Equal(again, after) {
			t.Errorf("%s: a second run makes of it %q (%v)", name, again, err)
		}
		removed, err := client.Remove(after, "pdpp")
		if err != nil || string(removed) != before {
			t.Errorf("%s: removed leaves %q (%v)", name, removed, err)
		}
	}
}

// If the client supports it, the file names the environment variable with the token, as testdata shows; a token is never in a file.
func TestAFileNamesTheVariableOfATokenAndNeverAToken(t *testing.T) {
	for _, client := range clients.All() {
		server := hosted
		server.TokenEnv = "PDPP_TOKEN"
		if client.CheckWrite(server) != "" {
			continue
		}
		after, err := client.Add(nil, server)
		if err != nil || !strings.Contains(string(after), "PDPP_TOKEN") {
			t.Errorf("%s: %s (%v)", client.Name, after, err)
		}
		back, err := client.Add(after, local)
		if err != nil || strings.Contains(string(back), "PDPP_TOKEN") || strings.Contains(string(back), "https://mcp.example") {
			t.Errorf("%s made local: %s (%v)", client.Name, back, err)
		}
		without, err := client.Add(after, hosted)
		if err != nil || client.Name == "codex" && strings.Contains(string(without), "PDPP_TOKEN") {
			t.Errorf("%s without: %s (%v)", client.Name, without, err)
		}
	}
}

// If the headers of a remote server are dotted keys, all of them are removed when it is replaced by a local server.
func TestDottedKeysAreRemovedTogether(t *testing.T) {
	codex, _ := clients.ByName("codex")
	before := "[mcp_servers.pdpp]\nheaders.a = \"1\" # mine\nurl = \"https://old.example/mcp\"\nheaders.b = \"2\"\nstartup_timeout_sec = 30\n"
	want := "[mcp_servers.pdpp]\ncommand = \"/usr/local/bin/pdpp-mcp\"\nargs = [\"stdio\", \"--provider-url\", \"https://rs.example\"]\nstartup_timeout_sec = 30\n"
	after, err := codex.Add([]byte(before), local)
	if diff := cmp.Diff(want, string(after)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// For any file, an edit is refused, or it is idempotent and changes nothing else.
func FuzzAdd(f *testing.F) {
	for _, format := range []bool{false, true} {
		for _, file := range files[format] {
			f.Add(bytes.ReplaceAll(file.Data, []byte("{SERVERS}"), []byte("mcpServers")), format)
		}
	}
	f.Fuzz(func(t *testing.T, before []byte, isTOML bool) {
		client, _ := clients.ByName("cursor")
		if isTOML {
			client, _ = clients.ByName("codex")
		}
		for _, server := range []clients.Server{local, hosted} {
			after, err := client.Add(before, server)
			if err != nil {
				checkRefusal(t, err)
				return
			}
			again, err := client.Add(after, server)
			if err != nil || !bytes.Equal(again, after) {
				t.Fatalf("%q, then %q (%v)", after, again, err)
			}
			removed, err := client.Remove(after, "pdpp")
			if err != nil {
				t.Fatalf("%q is not removed: %v", after, err)
			}
			if entries, err := client.Ours(removed, "pdpp"); err != nil {
				t.Fatalf("%q: %v %v", removed, entries, err)
			}
		}
	})
}

// The servers of a file are listed by name, so that doctor prints the same report each time.
func TestOursAreListedByName(t *testing.T) {
	client, _ := clients.ByName("cursor")
	file := `{"mcpServers":{"c":{"command":"/bin/pdpp-mcp"},"b":{"command":"/bin/pdpp-mcp"},"a":{"command":"/bin/pdpp-mcp"},"d":{"command":"/bin/pdpp-mcp"}}}`
	for range 20 {
		found, err := client.Ours([]byte(file), "pdpp")
		names := ""
		for _, server := range found {
			names += server.Name
		}
		if err != nil || names != "abcd" {
			t.Fatalf("%v: %s", err, names)
		}
	}
}
