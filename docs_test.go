package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs/demo"
)

// Every error code of the vocabulary has its row in docs/errors.md.
func TestEveryErrorCodeIsDocumented(t *testing.T) {
	page, err := os.ReadFile("docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := 0
	for _, dir := range []string{"rs", "middleware", "transport"} {
		for _, code := range declaredCodes(t, dir) {
			documented++
			if !strings.Contains(string(page), "| `"+code+"` |") {
				t.Errorf("docs/errors.md has no row for %s, declared in %s", code, dir)
			}
		}
	}
	if documented < 20 {
		t.Errorf("found %d codes; the search has gone blind", documented)
	}
}

// declaredCodes lists the values of constants of type Code or rs.Code in a folder.
func declaredCodes(t *testing.T, dir string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || !isCodeType(spec.Type) {
				return true
			}
			for _, value := range spec.Values {
				literal, ok := value.(*ast.BasicLit)
				if !ok {
					continue
				}
				code, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, code)
			}
			return true
		})
	}
	return codes
}

func isCodeType(expression ast.Expr) bool {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name == "Code"
	case *ast.SelectorExpr:
		return e.Sel.Name == "Code"
	}
	return false
}

// The list that the README shows is the list that runs.
func TestTheReadmeShowsTheChain(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	standard, err := os.ReadFile("middleware/standard.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(standard), "return New(\n")
	list, _, _ = strings.Cut(list, "\n\t)")
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); !strings.Contains(string(readme), line) {
			t.Errorf("README.md does not show %q", line)
		}
	}
}

// The number in the README's first screen is the demo's.
func TestTheReadmeCountsTheDemosMessages(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	messages := 0
	for record, err := range demo.Year().Records {
		if err != nil {
			t.Fatal(err)
		}
		if record.Stream == "messages" {
			messages++
		}
	}
	if want := fmt.Sprintf("count of messages = %d\n", messages); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not show %q", want)
	}
}
