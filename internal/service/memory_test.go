package service

import (
	"testing"
	"testing/fstest"
)

// The memory limit of the program follows the limit of its container, in every version of control groups.
func TestMemoryFollowsTheControlGroup(t *testing.T) {
	const (
		self = "proc/self/cgroup"
		v2   = "sys/fs/cgroup/"
		v1   = "sys/fs/cgroup/memory/"
	)
	for name, row := range map[string]struct {
		files map[string]string
		want  int64 // MiB
	}{
		"a system without control groups has the default": {nil, 120},
		"a service's own group limits it": {
			map[string]string{self: "0::/system.slice/pdpp-mcp.service\n", v2 + "system.slice/pdpp-mcp.service/memory.max": "134217728\n"},
			80,
		},
		"a limit of its slice counts too": {
			map[string]string{self: "0::/a.slice/b\n", v2 + "a.slice/b/memory.max": "134217728\n", v2 + "a.slice/memory.max": "67108864\n"},
			40,
		},
		"its own limit under a larger one of its slice counts": {
			map[string]string{self: "0::/a.slice/b\n", v2 + "a.slice/b/memory.max": "67108864\n", v2 + "a.slice/memory.max": "134217728\n"},
			40,
		},
		"another group's limit does not count": {map[string]string{self: "0::/a\n", v2 + "b/memory.max": "67108864\n"}, 120},
		"a container's group is at the root":   {map[string]string{self: "0::/\n", v2 + "memory.max": "134217728\n"}, 80},
		"with the machine's namespace its path does not exist": {
			map[string]string{self: "0::/docker/1234\n", v2 + "memory.max": "134217728\n"},
			80,
		},
		"a path out of the namespace stays in it": {map[string]string{self: "0::/../1234\n", v2 + "memory.max": "134217728\n"}, 80},
		"max means no limit":                      {map[string]string{self: "0::/a\n", v2 + "a/memory.max": "max\n"}, 120},
		"a limit of all memory lowers nothing":    {map[string]string{self: "0::/a\n", v2 + "a/memory.max": "8589934592\n"}, 120},
		"the limit of deploy/ lowers nothing":     {map[string]string{self: "0::/a\n", v2 + "a/memory.max": "268435456\n"}, 120},
		"version 1 has a folder for memory": {
			map[string]string{self: "5:cpu,cpuacct:/x\n4:memory:/a/b\n1:name=systemd:/\n", v1 + "a/b/memory.limit_in_bytes": "134217728\n"},
			80,
		},
		"version 1 shows no limit as a large number": {
			map[string]string{self: "4:memory:/a\n", v1 + "a/memory.limit_in_bytes": "9223372036854771712\n"},
			120,
		},
		"both versions at a time": {
			map[string]string{self: "4:memory:/a\n0::/a\n", v1 + "a/memory.limit_in_bytes": "134217728\n", v2 + "a/memory.max": "67108864\n"},
			40,
		},
		"a value that is not a number is ignored": {map[string]string{self: "0::/a\n", v2 + "a/memory.max": "many\n"}, 120},
		"a limit of 0 is ignored":                 {map[string]string{self: "0::/a\n", v2 + "a/memory.max": "0\n"}, 120},
		"other lines are skipped":                 {map[string]string{self: "?\n\n0::/a", v2 + "a/memory.max": "134217728"}, 80},
	} {
		t.Run(name, func(t *testing.T) {
			machine := fstest.MapFS{}
			for path, text := range row.files {
				machine[path] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := SoftMemory(machine); got != row.want<<20 {
				t.Errorf("%d bytes, not %d MiB", got, row.want)
			}
		})
	}
}
