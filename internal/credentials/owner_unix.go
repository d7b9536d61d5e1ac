//go:build unix

package credentials

import (
	"io/fs"
	"syscall"
)

// ownerOf returns the user id of a file's owner, and whether it is known.
func ownerOf(info fs.FileInfo) (uid int, known bool) {
	status, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, false
	}
	return int(status.Uid), true
}
