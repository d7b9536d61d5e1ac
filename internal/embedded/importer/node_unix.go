//go:build unix

package importer

import (
	"io/fs"
	"syscall"
)

// nodeOf is the number of a file on its disk: another file that takes its name has another one.
func nodeOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}
