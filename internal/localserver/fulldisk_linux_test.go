package localserver

import (
	"os/signal"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A key that a full disk cut short does not stay: the next start would refuse it.
func TestAPartOfAKeyIsDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db.key")
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 5, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	_, failed := keptKey(path, false)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if _, err := keptKey(path, false); failed == nil || err != nil {
		t.Errorf("%v, then %v", failed, err)
	}
}
