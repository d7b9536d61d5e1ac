package credentials

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/pdp-connect/pdpp-mcp/internal/files"
)

// maxBytes is the largest credential, settings or secret file.
const maxBytes = 1 << 20

// ReadSettings reads a file with settings or a secret, of at most 1 MiB. It refuses a file that is not regular, and one that every user
// can write to: changed settings can send tokens elsewhere. Its errors name the file.
func ReadSettings(path string) ([]byte, error) {
	body, info, err := files.Read(path, maxBytes)
	if err == nil && permits(info, 0o002) {
		return nil, fmt.Errorf("every user can write to %s (mode %04o): run chmod o-w on it", path, info.Mode().Perm())
	}
	if _, unfit := errors.AsType[files.UnfitError](err); unfit {
		err = fmt.Errorf("%s cannot be used: %w", path, err)
	}
	return body, err
}

// trustFolders returns an error if a user other than this one and root can replace files in one of the folders. It skips missing ones.
func trustFolders(folders []string) error {
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err == nil {
			err = trust(folder, info)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// trust returns an error if a user other than this one and root can change a file or a folder. In a folder with the sticky bit, such as
// /tmp, users cannot replace each other's files.
func trust(path string, info fs.FileInfo) error {
	owner, known := ownerOf(info)
	switch {
	case known && owner != 0 && owner != os.Geteuid():
		return fmt.Errorf("%s belongs to another user (uid %d)", path, owner)
	case permits(info, 0o022) && (!info.IsDir() || info.Mode()&fs.ModeSticky == 0):
		return fmt.Errorf("other users can write to %s (mode %04o): run chmod go-w on it", path, info.Mode().Perm())
	}
	return nil
}

// permits reports whether a file has any of the permission bits. Windows has none.
func permits(info fs.FileInfo, bits fs.FileMode) bool {
	return info.Mode().Perm()&bits != 0 && runtime.GOOS != "windows"
}
