package importer

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Records may repeat what their file says once: a title in each of a list, an event on each of its days or, in a forged database, one page
// in every row. So they may have so many times the bytes of the file, and some more that all files of a stream share.
const (
	maxRepeated = 20
	freeRecords = 64 << 20
	recordBytes = 32 // that an empty record counts for
)

type recordBudget struct {
	free, left int
	used       int  // by the records of the file that is read
	bounded    bool // that file is of a format whose records may repeat what it says
}

// begin counts anew for a file, less what its earlier tables used.
func (b *recordBudget) begin(file sourceFile, of *fileStream) {
	// Lines, tables and mail say what there is; packed files have bounds of their own.
	b.bounded = !slices.Contains([]format{formatLines, formatTable, formatMail, formatWorkbook, formatDocument}, of.format)
	size := int(file.size)
	for _, beside := range of.dependsOn { // such as the log of a database, which may hold most of it
		size += int(beside.size)
	}
	b.left, b.used = b.free+maxRepeated*size, 0
	for part, used := range file.used {
		if part < file.part {
			b.left -= used
		}
	}
}

// spend counts a record, and reports whether it is within the budget.
func (b *recordBudget) spend(one item.Item) bool {
	b.used += sizeOf(one)
	return !b.bounded || b.used <= b.left
}

func sizeOf(one item.Item) int {
	size := recordBytes
	for _, field := range one.Fields {
		size += len(field.Value)
	}
	for _, more := range one.Attached {
		size += sizeOf(more)
	}
	return size
}

func (b *recordBudget) end(file sourceFile) {
	b.free = min(b.free, max(b.left-b.used, 0))
	if file.used != nil {
		file.used[file.part] = b.used
	}
}
