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

// lockSuffix names the lock file of a credential. It is never replaced. Its modification time is when the credential was last used.
const lockSuffix = ".lock"

const lockPause = 20 * time.Millisecond

// Lock takes the lock that allows one process at a time to change the credential at a path. The operating system releases it when a
// process dies. It creates missing folders, private to the user, and a .gitignore in the root. It writes nothing to folders that
// another user can change.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	folder := filepath.Dir(path)
	root := filepath.Dir(folder)
	if err := trustFolders([]string{root, folder}); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if err := trustFolders([]string{root, folder}); err != nil { // another user may have created them meanwhile
		return nil, err
	}
	if err := ignoreFolder(root); err != nil {
		return nil, err
	}
	lock := flock.New(path+lockSuffix, flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return func() { _ = lock.Close() }, nil
}

// ignoreFolder writes a .gitignore so that a root inside a repository is not committed. It replaces an empty one, which a full disk leaves.
func ignoreFolder(root string) error {
	path := filepath.Join(root, ".gitignore")
	if info, err := os.Lstat(path); err == nil && (info.Size() > 0 || !info.Mode().IsRegular()) {
		return nil
	}
	return files.Replace(path, []byte("*\n!.gitignore\n"), 0o600, nil)
}

// Touch records that a credential was used.
func Touch(path string, now time.Time) {
	_ = os.Chtimes(path+lockSuffix, now, now) // a credential that was never locked has no such file, and no time of use
}
