package files

import (
	"io/fs"
	"syscall"
)

// NodeOf returns the inode number of a file, which a file that replaces it does not have, and the time of its last change (ctime) in
// nanoseconds since 1970, which programs cannot set.
func NodeOf(info fs.FileInfo) (node uint64, changed int64) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino, stat.Ctim.Nano()
	}
	return 0, 0
}
