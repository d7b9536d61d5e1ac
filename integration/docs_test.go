package integration

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	sampleyear "github.com/pdp-connect/pdpp-mcp/internal/embedded/sample"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The tables of docs/errors.md have every code with its meaning from rs/code.go. The comment before each table has its codes and their
// status. make docs rewrites the tables.
func TestTheErrorPageIsTheVocabulary(t *testing.T) {
	t.Chdir("..")
	const path = "docs/errors.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	meanings := codeMeanings(t)
	if len(meanings) < 40 {
		t.Errorf("found %d codes; the search found too little", len(meanings))
	}
	listed := map[string]bool{}
	tables := regexp.MustCompile(`(?s)(<!-- codes: ([^>]*) -->\n).*?(<!-- end -->\n)`)
	want := tables.ReplaceAllStringFunc(string(page), func(table string) string {
		part := tables.FindStringSubmatch(table)
		rows := "| code | meaning |\n|---|---|\n"
		if strings.Contains(part[2], "=") {
			rows = "| code | status | meaning |\n|---|---|---|\n"
		}
		for entry := range strings.FieldsSeq(part[2]) {
			code, status, _ := strings.Cut(entry, "=")
			listed[code] = true
			if meanings[code] == "" {
				t.Errorf("%s has %s, which is not in rs/code.go", path, code)
			}
			if status != "" {
				status = " " + strings.ReplaceAll(status, ",", ", ") + " |"
			}
			rows += "| `" + code + "` |" + status + " " + meanings[code] + " |\n"
		}
		return part[1] + rows + part[3]
	})
	for code := range meanings {
		if !listed[code] {
			t.Errorf("%s has no row for %s: name it in the comment before a table", path, code)
		}
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

// codeMeanings returns the codes of the table in rs/code.go with their meanings.
func codeMeanings(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "rs/code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants, meanings := map[string]string{}, map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ValueSpec:
			if name := n.Names[0].Name; name != "codes" && len(n.Values) == 1 {
				constants[name] = textOfLiteral(n.Values[0])
			}
		case *ast.KeyValueExpr:
			code := textOfLiteral(n.Key)
			if name, ok := n.Key.(*ast.Ident); ok {
				code = constants[name.Name]
			}
			meanings[code] = textOfLiteral(n.Value)
		}
		return true
	})
	return meanings
}

// textOfLiteral returns the text of a string literal or of several joined ones; "" for any other expression.
func textOfLiteral(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BinaryExpr:
		return textOfLiteral(e.X) + textOfLiteral(e.Y)
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	}
	return ""
}

// Every exit code has a row.
func TestTheErrorPageHasTheExitCodes(t *testing.T) {
	t.Chdir("..")
	page, err := os.ReadFile("docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "internal/exit/exit.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(node ast.Node) bool {
		value, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		code, ok := value.Values[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		if found++; !strings.Contains(string(page), "| "+code.Value+" | ") {
			t.Errorf("docs/errors.md has no row for the exit code %s", code.Value)
		}
		return true
	})
	if found < 4 {
		t.Errorf("found %d exit codes; the search found too little", found)
	}
}

// The README shows the chain as it is in the code.
func TestTheReadmeShowsTheChain(t *testing.T) {
	t.Chdir("..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	standard, err := os.ReadFile("middleware/standard.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(standard), "return chain(core,\n")
	if !found {
		t.Fatal("the list was not found; the search found too little")
	}
	list, _, _ = strings.Cut(list, "\n\t)")
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); !strings.Contains(string(readme), line) {
			t.Errorf("README.md does not show %q", line)
		}
	}
}

// The number on the first screen of the README is that of the demo.
func TestTheReadmeCountsTheDemosMessages(t *testing.T) {
	t.Chdir("..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	year, err := sampleyear.Year(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	messages := 0
	for record, err := range year.Records {
		if err != nil {
			t.Fatal(err)
		}
		if record.Stream == "messages" {
			messages++
		}
	}
	if want := fmt.Sprintf("  %d,%03d messages: ", messages/1000, messages%1000); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not show %q", want)
	}
}

// Every error code that the program writes or compares with is in the table of rs/code.go.
func TestEveryErrorCodeIsKnown(t *testing.T) {
	t.Chdir("..")
	seen := 0
	check := func(path string, expression ast.Expr) {
		if code := textOfLiteral(expression); code != "" {
			if seen++; rs.Code(code).Label() != code {
				t.Errorf("%s: %q is not in rs/code.go", path, code)
			}
		}
	}
	for _, dir := range []string{"rs", "middleware", "tools", "transport"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				switch n := node.(type) {
				case *ast.KeyValueExpr:
					if name, ok := n.Key.(*ast.Ident); ok && name.Name == "Code" {
						check(path, n.Value)
					}
				case *ast.BinaryExpr:
					if isCode(n.X) {
						check(path, n.Y)
					}
				case *ast.SwitchStmt:
					for _, clause := range n.Body.List {
						for _, expression := range clause.(*ast.CaseClause).List {
							if isCode(n.Tag) {
								check(path, expression)
							}
						}
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 40 {
		t.Errorf("found %d codes; the search found too little", seen)
	}
}

// isCode reports whether an expression is a code, by its name.
func isCode(expression ast.Expr) bool {
	switch e := expression.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name == "Code"
	case *ast.Ident:
		return e.Name == "code"
	}
	return false
}

// Every link of a page leads to an existing file and heading.
func TestTheLinksOfPagesLeadSomewhere(t *testing.T) {
	t.Chdir("..")
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "deploy/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	texts, anchors := map[string]string{}, map[string]bool{}
	code := regexp.MustCompile("(?s)```.*?```")
	heading, notInAnchor := regexp.MustCompile(`(?m)^#+ +(.*)$`), regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = code.ReplaceAllString(string(text), "")
		for _, found := range heading.FindAllStringSubmatch(texts[page], -1) {
			anchors[page+"#"+strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-")] = true
		}
	}
	link, links := regexp.MustCompile(`\]\(([^)\s]+)\)`), 0
	inline := regexp.MustCompile("`[^`]*`")
	for page, text := range texts {
		for _, found := range link.FindAllStringSubmatch(inline.ReplaceAllString(text, ""), -1) {
			path, anchor, anchored := strings.Cut(found[1], "#")
			if links++; strings.HasPrefix(path, "https://") {
				continue
			}
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil || anchored && !anchors[target+"#"+anchor] {
				t.Errorf("%s links to %s, which does not exist", page, found[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("found %d links; the search found too little", links)
	}
}
