package integration

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What differs between runs, and what the page shows instead.
var passing = []struct {
	pattern *regexp.Regexp
	shown   string
}{
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+/(mcp)?`), "http://127.0.0.1:7710/$1"},
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+/v1`), "http://127.0.0.1:7711/v1"},
	{regexp.MustCompile(`pdpp_client_[0-9a-f]+`), "pdpp_client_…"},
	{regexp.MustCompile(`connect http://127\.0\.0\.1:\d+`), "connect http://127.0.0.1:7711"},
	{regexp.MustCompile(`owner's secret, \w+`), "owner's secret, …"},
	{regexp.MustCompile(`"cursor":"[^"]*"`), `"cursor":"…"`},
	{regexp.MustCompile(`now 20\d\d-\d\d-\d\dT\d\d:\d\dZ`), "now 2026-11-22T14:00Z"},
	{regexp.MustCompile(`(/[^\s"]+)+/pdpp-mcp\b`), "/usr/local/bin/pdpp-mcp"},
	{regexp.MustCompile(`(/[^\s"]+)+/\.claude\.json`), "~/.claude.json"},
}

var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

// The page shows what its commands print. make docs rewrites the outputs.
func TestTheTourPageShowsWhatItsCommandsPrint(t *testing.T) {
	const path = "../docs/tour.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	commands := 0
	want := consoleBlock.ReplaceAllStringFunc(string(page), func(block string) string {
		var shown strings.Builder
		for line := range strings.Lines(consoleBlock.FindStringSubmatch(block)[1]) {
			command, found := strings.CutPrefix(line, "$ ")
			if !found {
				continue
			}
			if commands++; shown.Len() > 0 {
				shown.WriteString("\n")
			}
			shown.WriteString(line + printed(t, strings.TrimSpace(command)))
		}
		return "```console\n" + shown.String() + "```"
	})
	if commands < 9 {
		t.Errorf("found %d commands; the search found too little", commands)
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("%s is out of date; make docs rewrites it: %s", path, diff)
	}
}

// printed runs a line in a shell, with this program on its path, and returns what a person sees of it. The demo, which would go on
// serving, is ended once it has printed how to connect.
func printed(t *testing.T, line string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", "-c", "exec "+line)
	command.Env = append(os.Environ(), "PDPP_MCP_LISTEN=127.0.0.1:0")
	var seen screen
	serves := line == "pdpp-mcp demo"
	if serves {
		seen.last, seen.shown = "pdpp-mcp stdio --demo\n", cancel
	}
	command.Stdout, command.Stderr = &seen, &seen
	err := command.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatalf("%s: %v", line, err)
	}
	text := seen.text.String()
	if serves != strings.HasSuffix(text, "pdpp-mcp stdio --demo\n") || text == "" {
		t.Fatalf("%s ended early, or printed nothing: %s", line, text)
	}
	for _, p := range passing {
		text = p.pattern.ReplaceAllString(text, p.shown)
	}
	return strings.TrimRight(text, "\n") + "\n"
}

// A screen receives both output streams of a program. It calls shown once its text ends with last.
type screen struct {
	mutex sync.Mutex
	text  bytes.Buffer
	last  string
	shown func()
}

// Write appends to the screen.
func (s *screen) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.text.Write(p)
	if s.shown != nil && strings.HasSuffix(s.text.String(), s.last) {
		s.shown()
	}
	return len(p), nil
}

// For own files, the tour searches for a word that they contain, and counts their records.
func TestTheTourOfOwnFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, text string
		says             []string
	}{
		{
			"records with a time", "bank.csv", "Datum;Text;Betrag\n03.11.2025;Supermarket Nord;-12,50\n05.12.2025;Salary;2000,00\n",
			[]string{
				`search {"limit":3,"q":"Salary"}`, `fetch {"id":"cin_files/bank:3"}`,
				`aggregate {"metric":"count","stream":"bank"}`,
			},
		},
		{
			"records without one", "prices.csv", "Item;Price\nLamp;12.50\nChair;40\n",
			[]string{
				`search {"limit":3,"q":"Lamp"}`, `fetch {"id":"cin_files/prices:2"}`,
				`aggregate {"metric":"count","stream":"prices"}`,
			},
		},
		{"no records", "none.csv", "Item;Price\n", []string{`query_records {"limit":1,"stream":"none"}`}},
	} {
		path := filepath.Join(writeFolder(t, map[string]string{c.file: c.text}), c.file)
		p, err := start(t.TempDir(), nil, "demo", "--data", path, "--listen", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.stdout.find(startTime, func(line string) bool { return strings.HasPrefix(line, "Serving until you stop it") })
		if stopped := p.stop(); err != nil || stopped != nil {
			t.Errorf("%s: %v, %v:\n%s%s", c.name, err, stopped, p.stdout, p.stderr)
		}
		for _, text := range c.says {
			if !strings.Contains(p.stdout.String(), text) {
				t.Errorf("%s: want %q in the tour\n%s", c.name, text, p.stdout)
			}
		}
		if strings.Contains(p.stdout.String(), "dentist") {
			t.Errorf("%s: the tour has questions of the sample year", c.name)
		}
	}
}
