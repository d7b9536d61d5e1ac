package service

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// softMemory is the default of GOMEMLIMIT in bytes. A thousand concurrent calls need some 80 MiB, and 64 concurrent calls with large
// answers must stay under 150 MB in all.
const softMemory = 120 << 20

// SoftMemory returns the Go memory limit in bytes for a process without GOMEMLIMIT: 120 MiB, or five eighths of its control group's
// limit if that is less. The rest is for memory that the Go runtime does not count. machine is the root of the file system.
func SoftMemory(machine fs.FS) int64 {
	if limit, found := controlGroupMemory(machine); found {
		return min(softMemory, limit/8*5)
	}
	return softMemory
}

// controlGroupMemory returns the lowest memory limit in bytes of the process's control group and its ancestors, of version 2
// (memory.max) or 1 (memory.limit_in_bytes). found is false if there is none.
func controlGroupMemory(machine fs.FS) (limit int64, found bool) {
	groups, err := fs.ReadFile(machine, "proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(groups)) { // hierarchy:controllers:path
		_, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		root, file := "sys/fs/cgroup", "memory.max"
		switch controllers {
		case "":
		case "memory":
			root, file = root+"/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// A container that shares the machine's control group namespace sees its own group at the root, not at its path.
		for group = path.Clean("/" + group); ; group = path.Dir(group) {
			if own, set := readLimit(machine, root+path.Join(group, "/"+file)); set && (!found || own < limit) {
				limit, found = own, true
			}
			if group == "/" {
				break
			}
		}
	}
	return limit, found
}

// readLimit reads a limit in bytes from a file. "max", and the value with which version 1 means no limit (about 2⁶³), are no limit.
func readLimit(machine fs.FS, name string) (limit int64, set bool) {
	text, err := fs.ReadFile(machine, name)
	if err != nil {
		return 0, false
	}
	limit, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return limit, err == nil && limit > 0 && limit < 1<<60
}
