//go:build !(linux || darwin || freebsd || netbsd)

package files

import "io/fs"

// NodeOf returns 0 and 0: on this system neither is known.
func NodeOf(fs.FileInfo) (node uint64, changed int64) { return 0, 0 }
