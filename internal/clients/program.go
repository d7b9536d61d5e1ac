package clients

import (
	"os"
	"path/filepath"
	"strings"
)

// Program is where a program is installed, as clients are to start it, given the file that runs and the path by which it
// was called, which may be empty. The latter is kept where it leads to the same file: package managers change what it
// links to with every version. notes say, one sentence each, why the program will not stay there.
func Program(executable, called string) (path string, notes []string) {
	path = executable
	if called != "" {
		if called, err := filepath.Abs(called); err == nil && sameFile(called, path) {
			path = called
		}
	}
	if strings.Contains(path, string(filepath.Separator)+"go-build") {
		notes = []string{"this program was built for one run, by go run, and will be gone: go build -o pdpp-mcp . and run setup with that"}
	}
	return path, notes
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a) // #nosec G703 -- the name by which this program was called
	second, failed := os.Stat(b)
	return err == nil && failed == nil && os.SameFile(first, second)
}
