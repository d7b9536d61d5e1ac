package integration

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// steering returns the first character of a text that controls a terminal or changes the direction of text.
func steering(text string) (rune, bool) {
	for _, r := range text {
		control := r != '\n' && unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
		if control || r >= 0xE0000 && r <= 0xE007F || r == unicode.ReplacementChar {
			return r, true
		}
	}
	return 0, false
}

// Arguments, records and messages of providers cannot control a terminal through what these commands print.
func TestNothingPrintedControlsATerminal(t *testing.T) {
	const nasty = "a\u202eb\u2066c\u200fd\u061ce\x1b[31mf\u009bg\x7fh\u2028i\U000E0041j\rk"
	citation := func(id, field, text string) string {
		body, err := json.Marshal(map[string]string{"id": id, "field": field, "text": text})
		check(t, err)
		return string(body)
	}
	dir := writeFolder(t, map[string]string{"n\u202eo\x1btes.rtf": "x"})
	for name, command := range map[string][]string{
		"a field":               {"verify", "--demo", citation("cin_notes/notes:note-0193", nasty, "x")},
		"a field, as JSON":      {"verify", "--demo", "--json", citation("cin_notes/notes:note-0193", "a\u202eb\u009bc", "x")},
		"an id":                 {"verify", "--demo", citation("cin_notes/notes:n\u202e\u009b1", "body", "x")},
		"an id, as JSON":        {"verify", "--demo", "--json", citation("cin_notes/notes:n\u202e\u009b1", "body", "x")},
		"an invalid id":         {"verify", "--demo", citation("../"+nasty, "body", "x")},
		"no citation":           {"verify", "--demo", nasty},
		"a provider":            {"verify", "--provider-url", "https://rs.example/" + nasty, citation("a/b:c", "d", "e")},
		"a folder":              {"verify", "--provider-url", "https://rs.example", "--cache-root", "/" + nasty, citation("a/b:c", "d", "e")},
		"a flag":                {"verify", "--" + nasty},
		"a command":             {nasty},
		"a doctor's provider":   {"doctor", "--provider-url", "http://127.0.0.1:1/" + nasty, "--cache-root", "/" + nasty},
		"a client":              {"setup", nasty},
		"a file to write":       {"setup", "cursor", "--demo", "--write", "--file", "/" + nasty},
		"a file to show":        {"setup", "cursor", "--demo", "--file", "/a\u202eb"},
		"a name":                {"setup", "cursor", "--demo", "--name", nasty},
		"an address":            {"setup", "cursor", "--url", "https://mcp.example/" + nasty},
		"a variable":            {"setup", "cursor", "--url", "https://mcp.example/mcp", "--token-env", nasty},
		"a folder of files":     {"demo", "--data", dir},
		"a file of settings":    {"serve", "--config", "/" + nasty},
		"an index":              {"demo", "--db", "/" + nasty + "/x"},
		"a tool":                {"tools", nasty},
		"a tool that is called": {"call", nasty, "--demo"},
	} {
		t.Run(name, func(t *testing.T) {
			got := finish(t, nil, "", command...)
			for stream, text := range map[string]string{"stdout": got.stdout, "stderr": got.stderr} {
				if r, found := steering(text); found {
					t.Errorf("%s contains %U:\n%q", stream, r, text)
				}
			}
			if got.stdout+got.stderr == "" {
				t.Error("nothing is printed")
			}
		})
	}
	t.Run("JSON stays equal", func(t *testing.T) {
		const id = "cin_notes/notes:n\u202e\U000E00411"
		got := finish(t, nil, "", "verify", "--demo", "--json", citation(id, "body", "x"))
		var verdict struct{ ID string }
		if err := json.Unmarshal([]byte(got.stdout), &verdict); err != nil || verdict.ID != id {
			t.Errorf("%q (%v)", got.stdout, err)
		}
		if strings.Count(got.stdout, "\n") > 1 {
			t.Errorf("more than a line: %q", got.stdout)
		}
	})
}
