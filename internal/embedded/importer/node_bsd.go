//go:build darwin || freebsd || netbsd

package importer

import (
	"io/fs"
	"syscall"
)

func nodeOf(info fs.FileInfo) (node uint64, changed int64) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino, stat.Ctimespec.Nano()
	}
	return 0, 0
}
