package integration

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A mistake is a call as a model might write it, with the calls that it may mean: none if no call can do what is meant.
type mistake struct {
	grant string
	wrong call
	means []call
}

// readMistakes reads a list of mistakes; the first lines of the file explain its format.
func readMistakes(t *testing.T, path string) []mistake {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []mistake
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		words := strings.SplitN(strings.TrimSpace(lines.Text()), " ", 2)
		switch words[0] {
		case "client", "package":
			all = append(all, mistake{grant: words[0], wrong: parseCall(t, words[1])})
		case "means", "or":
			last := &all[len(all)-1]
			last.means = append(last.means, parseCall(t, words[1]))
		case "refused", "#", "":
		default:
			t.Fatalf("%s: what is %q?", path, lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func parseCall(t *testing.T, text string) call {
	t.Helper()
	tool, arguments, _ := strings.Cut(strings.TrimSpace(text), " ")
	c := call{tool: tool}
	if err := json.Unmarshal([]byte(arguments), &c.arguments); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}

var sendLine = regexp.MustCompile(`(?m)^send: (\w+ \{.*\})$`)

// TestMistakes sends each mistake and then the call that its error prints. At least nine of ten must lead to what was meant, and none to
// something else without saying so.
func TestMistakes(t *testing.T) {
	for name, path := range map[string]string{"seen": "testdata/mistakes.txt", "kept": "testdata/mistakes_kept.txt"} {
		t.Run(name, func(t *testing.T) {
			all := readMistakes(t, path)
			sessions := map[string]session{
				"client": overHTTP(t, sample.MCPURL, sample.ClientToken), "package": overHTTP(t, sample.MCPURL, sample.PackageToken),
			}
			led, at1 := 0, 0
			for _, m := range all {
				outcome := m.try(t, sessions[m.grant])
				switch outcome {
				case "taken":
					led, at1 = led+1, at1+1
				case "mended":
					led++
				case "silent":
					t.Errorf("silent: %s %v is answered otherwise than %v", m.grant, m.wrong, m.means)
				default:
					t.Logf("%s: %s %v", outcome, m.grant, m.wrong)
				}
			}
			t.Logf("%d of %d lead to what was meant (%.0f %%), %d of them at once", led, len(all), 100*float64(led)/float64(len(all)), at1)
			if led*10 < len(all)*9 {
				t.Errorf("%d of %d are too few", led, len(all))
			}
		})
	}
}

// A server of local data proposes calls with the fields that the model has read before, as a hosted one does.
func TestLocalDataProposesTheFieldsThatWereRead(t *testing.T) {
	s := overStdio(t, "--demo")
	for sent, field := range map[string]string{
		`aggregate {"stream":"orders","metric":"sum","granularity":"month"}`:                       `"field":"total"`,
		`query_records {"stream":"events","timeMin":"2026-03-01","orderBy":"startTime","limit":3}`: `"sort":"starts_at"`,
	} {
		asked := parseCall(t, sent)
		s.text("schema", map[string]any{"stream": asked.arguments["stream"]})
		if refused := textOf(s.call(asked.tool, asked.arguments)); !strings.Contains(refused, field) {
			t.Error(refused)
		}
	}
}

// try sends the mistake and the call that the error proposes, and returns how that ended.
func (m mistake) try(t *testing.T, s session) string {
	t.Helper()
	result := s.call(m.wrong.tool, m.wrong.arguments)
	if !result.IsError {
		if len(m.means) > 0 && m.answeredBy(t, s, result) {
			return "taken"
		}
		return "silent"
	}
	if len(m.means) == 0 {
		return "mended"
	}
	found := sendLine.FindStringSubmatch(textOf(result))
	var answer struct {
		Error struct {
			Send struct {
				Tool      string
				Arguments map[string]any
			}
		} `json:"error"`
	}
	if err := structured(result, &answer); err != nil {
		t.Fatal(err)
	}
	if found == nil {
		return "no call is printed:\n" + textOf(result) + "\n"
	}
	next := parseCall(t, found[1])
	if send := (call{answer.Error.Send.Tool, answer.Error.Send.Arguments}); !reflect.DeepEqual(next, send) {
		t.Errorf("%v: text has %s, structured output %v", m.wrong, found[1], send)
	}
	again := s.call(next.tool, next.arguments)
	if again.IsError {
		return "fails again: " + found[1] + "\n" + textOf(again) + "\n"
	}
	if !m.answeredBy(t, s, again) {
		return "leads elsewhere: " + found[1] + "\n" + textOf(result) + "\n"
	}
	return "mended"
}

// answeredBy reports whether a result is that of a call that was meant.
func (m mistake) answeredBy(t *testing.T, s session, result *mcp.CallToolResult) bool {
	t.Helper()
	got := contentOf(t, result)
	return slices.ContainsFunc(m.means, func(c call) bool {
		meant := s.call(c.tool, c.arguments)
		if meant.IsError {
			t.Fatalf("%v: the call that is meant fails: %s", m.wrong, textOf(meant))
		}
		return cmp.Equal(contentOf(t, meant), got)
	})
}

// contentOf returns the records in a result, without the addresses, cursors and calls that repeat the arguments, and without the number
// of reads, which depends on caches.
func contentOf(t *testing.T, result *mcp.CallToolResult) any {
	t.Helper()
	var document any
	if err := structured(result, &document); err != nil {
		t.Fatal(err)
	}
	return withoutCalls(document)
}

func withoutCalls(value any) any {
	repeats := []string{"links", "next", "next_cursor", "url", "request_id", "bearer", "grant_id", "next_call", "continuation", "reads"}
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, member := range value {
			if !slices.Contains(repeats, name) {
				kept[name] = withoutCalls(member)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(value))
		for i := range value {
			kept[i] = withoutCalls(value[i])
		}
		return kept
	}
	return value
}
