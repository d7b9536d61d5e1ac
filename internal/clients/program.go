package clients

import (
	"os"
	"path/filepath"
	"strings"
)

// Program returns the path by which clients should start this program, given the running file and the path by which it was called, which
// may be empty. The latter wins if it leads to the same file: package managers keep that path and change its target with every version.
// notes say, one sentence each, why the path will not last.
func Program(executable, called string) (path string, notes []string) {
	path = executable
	if called != "" {
		if called, err := filepath.Abs(called); err == nil && sameFile(called, path) {
			path = called
		}
	}
	if strings.Contains(path, string(filepath.Separator)+"go-build") {
		notes = []string{"go run built this program for one run and deletes it: build it with go build -o pdpp-mcp . and run setup with that"}
	}
	return path, notes
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a) // #nosec G703 -- the name by which this program was called
	second, failed := os.Stat(b)
	return err == nil && failed == nil && os.SameFile(first, second)
}
