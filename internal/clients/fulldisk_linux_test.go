package clients_test

import (
	"os/signal"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
)

// If the disk is full, no part of a backup stays.
func TestAPartOfABackupIsDeleted(t *testing.T) {
	client, _ := clients.ByName("cursor")
	folder := tree{"file": "{\n  \"mcpServers\": {}\n}\n"}.write(t)
	change := plan(t, filepath.Join(folder, "file"), client, local)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 5, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	_, err := change.Write(time.Now())
	if failed := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); failed != nil {
		t.Fatal(failed)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); err == nil || len(files) != 1 {
		t.Errorf("%v: %q", err, files)
	}
}
