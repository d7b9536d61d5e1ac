package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/pdp-connect/pdpp-mcp/"

// What counts and what traces: only middleware/observe knows either in depth and sets it up.
const (
	prometheusModule = "github.com/prometheus/"
	otelModule       = "go.opentelemetry.io/otel/"
)

// What looks methods up by name: with it in the program, the linker would keep every method of every type, some 3 MB.
const (
	templates     = "text/template"
	htmlTemplates = "html/template"
)

// forbidden says which imports a package may not have: the arrows main → transport → middleware → tools →
// tools/render → rs/fanout → rs/auth → rs/rsclient → rs may skip, never turn back. A prefix ending in "/" covers all below it.
var forbidden = map[string][]string{
	".":                  {"database/sql", prometheusModule, otelModule},
	"rs":                 {module, "github.com/modelcontextprotocol/", "github.com/justinas/alice", "database/sql", prometheusModule, otelModule},
	"rs/rsclient":        {module + "rs/auth", module + "rs/fanout", module + "rs/internal/lookup", module + "tools", module + "middleware", module + "transport", "github.com/modelcontextprotocol/", "github.com/justinas/alice", "database/sql", prometheusModule, otelModule},
	"rs/internal/wire":   {module + "rs/", module + "tools", module + "middleware", module + "transport", "github.com/modelcontextprotocol/", "os", "database/sql"},
	"rs/internal/lookup": {module + "rs/auth", module + "rs/fanout", module + "tools", module + "middleware", module + "transport", "github.com/modelcontextprotocol/", "os", "database/sql"},
	"rs/auth":            {module + "tools", module + "middleware", module + "transport", module + "rs/fanout", "github.com/modelcontextprotocol/", "github.com/justinas/alice", "database/sql", prometheusModule, otelModule},
	"rs/fanout":          {module + "tools", module + "middleware", module + "transport", "github.com/modelcontextprotocol/", "github.com/justinas/alice", "database/sql", prometheusModule, otelModule},
	// The embedded resource server: HTTP above, the store below it. Only the store and what is below it knows SQL.
	"internal/embedded":          {module + "tools", module + "middleware", module + "transport", "github.com/modelcontextprotocol/", "database/sql", "os"},
	"internal/embedded/semantic": {module + "internal/embedded/authority", module + "tools", module + "middleware", module + "transport", "net/http", "os", "database/sql"},
	"internal/embedded/store":    {module + "internal/embedded/authority", module + "internal/embedded/semantic", module + "internal/embedded/importer", module + "rs", module + "tools", module + "middleware", module + "transport", "net/http"},

	// A person's data, how it is read from files, and the files of an invented person.
	"internal/embedded/model":             {module, "github.com/modelcontextprotocol/", "net/http", "database/sql", "os"},
	"internal/embedded/importer":          {module + "tools", module + "middleware", module + "transport", "github.com/modelcontextprotocol/", "net/http", "database/sql"},
	"internal/embedded/importer/mail":     {module + "internal/embedded/model", module + "tools", module + "middleware", module + "transport", "net/http", "database/sql", "os"},
	"internal/embedded/importer/utf8text": {module, "net/http", "database/sql", "os"},
	"internal/embedded/importer/archive":  {module, "net/http", "database/sql", "os"},
	"internal/embedded/importer/contacts": {module + "internal/embedded/importer/calendar", module + "tools", "net/http", "database/sql", "os"},
	"internal/embedded/importer/document": {module + "internal/embedded/importer/services", module + "tools", "net/http", "database/sql", "os"},
	"internal/embedded/importer/htmltext": {module + "internal/embedded/importer/item", module + "tools", "net/http", "database/sql", "os"},
	"internal/embedded/importer/services": {module + "internal/embedded/importer/document", module + "tools", "net/http", "database/sql", "os"},
	"internal/embedded/importer/schema":   {module + "internal/embedded/importer/services", module + "tools", "net/http", "database/sql", "os"},
	"internal/embedded/importer/database": {module + "internal/embedded/store", module + "internal/embedded/importer/table", module + "tools", "net/http"},
	"internal/embedded/importer/item":     {module + "internal/embedded/importer", module + "tools", "net/http", "database/sql", "os"},
	"internal/embedded/importer/objects":  {module + "internal/embedded/model", module + "internal/embedded/importer/table", module + "tools", "net/http", "database/sql", "os"},
	"internal/embedded/importer/table":    {module + "internal/embedded/importer/objects", module + "tools", "net/http", "database/sql", "os"},
	"internal/embedded/importer/calendar": {module + "internal/embedded/model", module + "internal/embedded/importer/objects", module + "tools", "net/http", "database/sql", "os"},
	"internal/embedded/authority":         {module + "internal/embedded/search", module + "tools", module + "middleware", module + "transport", "database/sql", "os", templates, htmlTemplates},
	"internal/embedded/search":            {module, "net/http", "os"},
	"internal/embedded/embedding":         {module, "database/sql", "os"},
	"internal/embedded/vectors":           {module, "net/http", "os"},
	"internal/embedded/sample":            {module + "tools", module + "middleware", module + "transport", "github.com/modelcontextprotocol/", "net/http", "database/sql", "os"},

	"tools/correct":             {module + "middleware", module + "transport", module + "tools/render", module + "tools/internal/relax", module + "rs/", "context", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/fields":     {module + "tools/internal/foreign", module + "middleware", module + "transport", module + "tools/render", module + "rs/", "context", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/identifier": {module + "tools/internal/foreign", module + "tools/internal/fields", module + "middleware", module + "transport", module + "tools/render", module + "rs/", "context", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},

	"tools/internal/lexicon":       {module, "net/http", "os", "database/sql"},
	"tools/internal/written":       {module + "middleware", module + "transport", module + "tools/correct", module + "tools/render", module + "tools/internal/filter", module + "tools/internal/relax", module + "rs/", "context", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/foreign":       {module + "middleware", module + "transport", module + "tools/correct", module + "tools/render", module + "tools/internal/filter", module + "tools/internal/known", module + "tools/internal/relax", module + "rs/", "context", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/leftout":       {module + "middleware", module + "transport", module + "tools/render", module + "rs/", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/aggregate":     {module + "middleware", module + "transport", module + "tools/render", module + "tools/correct", module + "rs/", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/likeid":        {module + "middleware", module + "transport", module + "tools/render", module + "tools/correct", module + "rs/", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/known":         {module + "middleware", module + "transport", module + "tools/render", module + "rs/fanout", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/filter":        {module + "middleware", module + "transport", module + "tools/render", module + "tools/correct", module + "tools/internal/relax", module + "rs/", "context", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/period":        {module + "middleware", module + "transport", module + "tools/correct", module + "rs/fanout", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/propose":       {module + "middleware", module + "transport", module + "rs/fanout", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/quote":         {module + "middleware", module + "transport", module + "tools", module + "rs/", "context", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/read":          {module + "middleware", module + "transport", module + "tools", module + "rs/", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/window":        {module + "middleware", module + "transport", module + "tools/render", module + "tools/correct", module + "rs/", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/internal/relax":         {module + "middleware", module + "transport", module + "tools/correct", module + "tools/render", module + "tools/internal/filter", module + "tools/internal/known", module + "rs/", "context", "net/http", "os", "database/sql", "github.com/modelcontextprotocol/"},
	"tools/render":                 {module + "middleware", module + "transport", module + "tools/correct", module + "tools/internal", module + "rs/", "context", "net/http", "os", "database/sql"},
	"tools/render/internal/clean":  {module + "middleware", module + "transport", module + "tools", module + "rs/", "context", "net/http", "os", "database/sql"},
	"tools/render/internal/write":  {module + "middleware", module + "transport", module + "tools/correct", module + "tools/internal", module + "tools/render/internal/marked", module + "tools/render/internal/paging", module + "tools/render/internal/item", module + "tools/render/internal/hit", module + "rs/", "context", "net/http", "os", "database/sql"},
	"tools/render/internal/marked": {module + "middleware", module + "transport", module + "tools/correct", module + "tools/internal", module + "tools/render/internal/paging", module + "tools/render/internal/item", module + "tools/render/internal/hit", module + "rs/", "context", "net/http", "os", "database/sql"},
	"tools/render/internal/paging": {module + "middleware", module + "transport", module + "tools/correct", module + "tools/internal", module + "tools/render/internal/marked", module + "tools/render/internal/item", module + "tools/render/internal/hit", module + "rs/", "context", "net/http", "os", "database/sql"},
	"tools/render/internal/item":   {module + "middleware", module + "transport", module + "tools/correct", module + "tools/internal", module + "tools/render/internal/paging", module + "tools/render/internal/hit", module + "rs/", "context", "net/http", "os", "database/sql"},
	"tools/render/internal/hit":    {module + "middleware", module + "transport", module + "tools/correct", module + "tools/internal", module + "tools/render/internal/paging", module + "rs/", "context", "net/http", "os", "database/sql"},
	"tools":                        {module + "middleware", module + "transport", module + "rs/fanout", "net/http", "os", "database/sql", prometheusModule, otelModule},
	"middleware":                   {module + "middleware/", module + "transport", module + "rs/fanout", "net/http", "github.com/justinas/alice", "os", "database/sql", prometheusModule, otelModule + "sdk", otelModule + "exporters"},
	"transport":                    {module + "rs/fanout", "database/sql", prometheusModule, otelModule + "sdk", otelModule + "exporters"},

	"transport/signin":             {module + "rs/fanout", module + "tools", "github.com/modelcontextprotocol/", "os", "database/sql", prometheusModule, otelModule},
	"transport/internal/rechecked": {module, "net/http", "os", "database/sql"},
	"transport/internal/fastpath":  {module + "middleware", module + "rs/", "github.com/justinas/alice", "os", "database/sql", prometheusModule, otelModule},

	// Its pages are clients of the tools: what they show, a call answers.
	"internal/browse": {module + "rs/", module + "middleware", module + "tools", module + "transport", module + "internal/embedded", "github.com/modelcontextprotocol/", "os", "database/sql", templates, htmlTemplates},
	"internal/page":   {module + "rs", module + "middleware", module + "tools", "github.com/modelcontextprotocol/", "os", "database/sql", templates, htmlTemplates},

	"middleware/web":     {module + "transport", module + "rs/fanout", "os", "database/sql", prometheusModule, otelModule + "sdk", otelModule + "exporters"},
	"middleware/observe": {module + "transport", module + "tools", module + "rs/auth", module + "rs/fanout", "database/sql"}, // it reads the certificates of a collector,

	// The surroundings of the adapter. Commands, the doctor and cite call tools as MCP clients.
	"internal/exit":        {module, "net/http", "os"},
	"internal/credentials": {module + "rs/fanout", module + "middleware", module + "tools", "net/http", "database/sql"},
	"internal/connect":     {module + "middleware", module + "tools", "os/exec", "database/sql", prometheusModule, otelModule},
	"internal/service":     {module + "rs/fanout", module + "tools", "database/sql", prometheusModule, otelModule},

	"internal/cite":         {module + "middleware", module + "rs/", "database/sql", "os", "os/exec"},
	"internal/cli":          {"database/sql", prometheusModule, otelModule, templates, htmlTemplates},
	"internal/cli/config":   {module + "rs", module + "middleware", module + "tools", module + "transport", "net/http", "os", "database/sql"},
	"internal/cli/terminal": {module + "rs", module + "middleware", module + "tools", module + "internal", "net/http", "database/sql"},
	"internal/cli/tour":     {module + "middleware", module + "tools", module + "transport", module + "internal", "os", "database/sql"},
	"internal/localserver":  {module + "tools", module + "transport", "github.com/modelcontextprotocol/", "database/sql"},
	"internal/doctor":       {module + "rs/fanout", module + "middleware", module + "tools", "database/sql"},
	// The configuration of clients knows nothing of the server: of ours it imports only internal/files.
	"internal/clients": {module + "rs", module + "middleware", module + "tools", module + "transport", module + "internal/browse", module + "internal/cite", module + "internal/cli", module + "internal/connect", module + "internal/credentials", module + "internal/doctor", module + "internal/embedded", module + "internal/exit", module + "internal/localserver", module + "internal/page", module + "internal/service", "github.com/modelcontextprotocol/", "net/http", "database/sql"},
	"internal/files":   {module, "net/http", "database/sql"},

	// What builds a release imports only the configuration of clients.
	"packaging": {module + "rs", module + "middleware", module + "tools", "net/http", "database/sql"},

	// What reads calendars and contacts line by line.
	"internal/embedded/importer/contentline": {module + "internal/embedded/importer/calendar", module + "internal/embedded/importer/contacts", module + "tools", "net/http", "database/sql", "os"},
}

// The root holds main.go, server.go and their tests; everything else has a package.
func TestTheRootHoldsTwoFiles(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"layout_test.go", "main.go", "main_test.go", "server.go", "server_test.go"}
	if !slices.Equal(files, want) {
		t.Errorf("the root holds %q, not %q", files, want)
	}
	for path, most := range map[string]int{"main.go": 80, "server.go": 400} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(text), "\n"); lines > most {
			t.Errorf("%s has %d lines, and may have %d", path, lines, most)
		}
	}
}

// processNames are what of package os belongs to the whole process.
var processNames = []string{"Args", "Environ", "Executable", "Exit", "ExpandEnv", "Getenv", "LookupEnv", "Setenv", "Stderr", "Stdin", "Stdout", "Unsetenv", "UserHomeDir"}

// The environment, the arguments, the exit code and the standard streams belong to main.go and to the commands; everything else
// gets them as parameters. Other programs of the repository have their own.
func TestOnlyMainAndTheCommandsTouchTheProcess(t *testing.T) {
	touched := 0
	eachFile(t, 0, func(path string, file *ast.File) {
		if file.Name.Name == "main" && filepath.Dir(path) != "." {
			return
		}
		ast.Inspect(file, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			if !ok || !slices.Contains(processNames, selector.Sel.Name) {
				return true
			}
			if of, ok := selector.X.(*ast.Ident); ok && of.Name == "os" && (path == "main.go" || filepath.ToSlash(filepath.Dir(path)) == "internal/cli") {
				touched++
			} else if ok && of.Name == "os" {
				t.Errorf("%s touches os.%s", path, selector.Sel.Name)
			}
			return true
		})
	})
	if touched < 5 {
		t.Errorf("the process is touched %d times; the search has gone blind", touched)
	}
}

// eachFile parses every file of ours that is no test.
func eachFile(t *testing.T, mode parser.Mode, look func(path string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, mode)
		if err == nil {
			look(path, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestImportsPointOneWay(t *testing.T) {
	seen := map[string]int{}
	eachFile(t, parser.ImportsOnly, func(path string, file *ast.File) {
		dir := filepath.ToSlash(filepath.Dir(path))
		seen[dir]++
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, prefix := range forbidden[dir] {
				if imported == prefix || strings.HasPrefix(imported, strings.TrimSuffix(prefix, "/")+"/") {
					t.Errorf("%s imports %s", path, imported)
				}
			}
			if strings.HasPrefix(imported, module+"internal/") && !mayImportInternal(dir, file.Name.Name) {
				t.Errorf("%s imports %s, which only programs, tests and internal packages may", path, imported)
			}
			if strings.HasPrefix(imported+"/", module+"internal/embedded/") && dir != "internal/cli" && dir != "internal/localserver" && dir != "integration/recall" && !strings.HasPrefix(dir+"/", "internal/embedded/") {
				t.Errorf("%s imports the embedded resource server, which only the commands, the local server, the recall harness and tests may", path)
			}
		}
	})
	for dir := range forbidden {
		if seen[dir] == 0 {
			t.Errorf("no file in %s: the table is out of date", dir)
		}
	}
}

// mayImportInternal reports whether a package may import what is around the adapter: programs and internal packages may.
func mayImportInternal(dir, name string) bool {
	return name == "main" || strings.HasPrefix(dir, "internal/")
}
