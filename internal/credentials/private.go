package credentials

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// maxBytes bounds a file of the credential cache, and one of settings or a secret.
const maxBytes = 1 << 20

// ReadSettings reads a file of settings or a secret, of at most 1 MiB. It refuses what is not a regular file, and what any user
// may write to: who can change the settings can send tokens elsewhere.
func ReadSettings(path string) ([]byte, error) {
	body, info, err := readRegular(path)
	if err == nil && writable(info, 0o002) {
		return nil, fmt.Errorf("every user can write to %s (mode %04o): run chmod o-w on it", path, info.Mode().Perm())
	}
	return body, err
}

// readPrivate reads a file of the credential cache, which only this user and root may own or write to, as well as the folders
// given with it. It warns when others can read the file.
func readPrivate(path string, folders ...string) (body []byte, warnings []string, err error) {
	body, info, err := readRegular(path)
	if err != nil {
		return nil, nil, err
	}
	if err := trust(path, info); err != nil {
		return nil, nil, err
	}
	if err := trustFolders(folders); err != nil {
		return nil, nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		warnings = append(warnings, fmt.Sprintf("Other users can read the cached credential %s (mode %04o): run chmod 600 on it.", path, mode))
	}
	return body, warnings, nil
}

// trustFolders returns an error when another user can say what is in a folder.
func trustFolders(folders []string) error {
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err == nil {
			err = trust(folder, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// trust returns an error when a user other than this one and root can say what is in a file or a folder. In a folder with the
// sticky bit, such as /tmp, no user can replace what is another's.
func trust(path string, info fs.FileInfo) error {
	owner, known := ownerOf(info)
	switch {
	case known && owner != 0 && owner != os.Geteuid():
		return fmt.Errorf("%s belongs to another user (uid %d)", path, owner)
	case writable(info, 0o022) && info.Mode()&fs.ModeSticky == 0:
		return fmt.Errorf("other users can write to %s (mode %04o): run chmod go-w on it", path, info.Mode().Perm())
	}
	return nil
}

// writable reports whether any of the users that the bits stand for can write. Windows has no such bits.
func writable(info fs.FileInfo, bits fs.FileMode) bool {
	return info.Mode().Perm()&bits != 0 && runtime.GOOS != "windows"
}

// readRegular reads a file of at most maxBytes. It opens nothing but a regular file, and does not wait for one to be written.
func readRegular(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path) // opening a device can do something
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // #nosec G304 -- a file that the user named, or in the home folder
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		err = errNotRegular // it has been replaced since
	}
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err == nil && len(body) > maxBytes {
		err = fmt.Errorf("it is larger than %d bytes", maxBytes)
	}
	if err != nil {
		return nil, nil, err
	}
	return body, info, nil
}

var errNotRegular = errors.New("it is not a regular file")
