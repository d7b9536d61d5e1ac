package credentials

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/pdp-connect/pdpp-mcp/internal/files"
)

// lockSuffix names the file that stands for the right to change a credential. It is never replaced. Its time of change is when the
// credential was last used.
const lockSuffix = ".lock"

// lockPause is between two tries to get the lock.
const lockPause = 20 * time.Millisecond

// Lock waits for the right to change the credential at a path, which one process has at a time. A process that dies gives it back.
// It makes the folders that are missing, private, and a .gitignore in the root.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if err := ignoreFolder(filepath.Dir(folder)); err != nil {
		return nil, err
	}
	lock := flock.New(path+lockSuffix, flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return func() { _ = lock.Close() }, nil
}

// ignoreFolder keeps a root out of a repository that it may be in. An empty file is what a full disk left.
func ignoreFolder(root string) error {
	path := filepath.Join(root, ".gitignore")
	if info, err := os.Lstat(path); err == nil && (info.Size() > 0 || !info.Mode().IsRegular()) {
		return nil
	}
	return files.Replace(path, []byte("*\n!.gitignore\n"), 0o600, nil)
}

// Touch records that a credential was used.
func Touch(path string, now time.Time) {
	_ = os.Chtimes(path+lockSuffix, now, now) // one that was never locked has no such file: then it is not known
}
