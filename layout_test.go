package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/pdp-connect/pdpp-mcp/"

// What counts and what traces: only middleware/observe knows the one, only main sets up the other.
const (
	prometheusModule = "github.com/prometheus/"
	otelModule       = "go.opentelemetry.io/otel/"
)

// forbidden says which imports a package may not have: the arrows main → transport → middleware → tools →
// tools/render → rs may skip, never turn back. A prefix ending in "/" covers all below it.
var forbidden = map[string][]string{
	"rs":           {module, "github.com/modelcontextprotocol/", "github.com/justinas/alice", "database/sql", prometheusModule, otelModule},
	"rs/demo":      {module + "tools", module + "middleware", module + "transport", "github.com/modelcontextprotocol/"},
	"tools/render": {module + "middleware", module + "transport", module + "tools", module + "rs/", "context", "net/http", "os", "database/sql"},
	"tools":        {module + "middleware", module + "transport", module + "rs/", "net/http", "os", "database/sql", prometheusModule, otelModule},
	"middleware":   {module + "transport", module + "rs/", "os", "database/sql", prometheusModule, otelModule + "sdk", otelModule + "exporters"},
	"transport":    {module + "rs/", "database/sql", prometheusModule, otelModule + "sdk", otelModule + "exporters"},

	"middleware/observe": {module + "transport", module + "tools", module + "rs/", "os", "database/sql", otelModule + "sdk", otelModule + "exporters"},

	// What a person's terminal needs stands beside the transports and knows nothing of the door or the room.
	"transport/clients":  {module, "github.com/modelcontextprotocol/", "net/http", "database/sql"},
	"transport/doctor":   {module + "rs/", module + "middleware", module + "tools", "database/sql"},
	"transport/terminal": {module, "net/http", "os", "database/sql"},

	// What builds a release knows of the program only how clients are told of it.
	"packaging": {module + "rs", module + "middleware", module + "tools", "net/http", "database/sql"},
}

// doorFiles are the files of middleware that handle HTTP; no other file there imports net/http or alice.
var doorFiles = map[string]bool{
	"accesslog.go": true, "bearer.go": true, "bodylimit.go": true, "challenge.go": true, "clientaddress.go": true, "cors.go": true, "door.go": true,
	"host.go": true, "measurehttp.go": true, "origin.go": true, "public.go": true, "recoverhttp.go": true, "refuse.go": true, "requestid.go": true,
	"secondthought.go": true, "tokenrate.go": true, "tracehttp.go": true, "turn.go": true,
}

func TestImportsPointOneWay(t *testing.T) {
	seen := map[string]int{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		seen[dir]++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			for _, prefix := range forbidden[dir] {
				if imported == prefix || strings.HasPrefix(imported, strings.TrimSuffix(prefix, "/")+"/") {
					t.Errorf("%s imports %s", path, imported)
				}
			}
			if dir == "middleware" && !doorFiles[filepath.Base(path)] && (imported == "net/http" || imported == "github.com/justinas/alice") {
				t.Errorf("%s imports %s, which only the door's files may", path, imported)
			}
			if imported == module+"rs/demo" && dir != "." {
				t.Errorf("%s imports the embedded resource server, which main and tests alone may", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range forbidden {
		if seen[dir] == 0 {
			t.Errorf("no file in %s: the table is out of date", dir)
		}
	}
}
