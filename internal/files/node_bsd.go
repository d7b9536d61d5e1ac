//go:build darwin || freebsd || netbsd

package files

import (
	"io/fs"
	"syscall"
)

// NodeOf returns the inode number of a file and the time of its last change (ctime); see NodeOf for Linux.
func NodeOf(info fs.FileInfo) (node uint64, changed int64) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino, stat.Ctimespec.Nano()
	}
	return 0, 0
}
