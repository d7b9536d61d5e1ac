package importer

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Limits on the bytes of the records of one file. Records may repeat what their file has once: the title of a list in each entry, an event
// on each of its days or, in a forged database, one page in every row. They may have maxRepeated times the bytes of the file, plus
// freeRecords that all files of a stream share. A row repeats the header, however short it is: those of tables may have maxNamed times
// the bytes, with the names of their fields.
const (
	maxRepeated = 20
	maxNamed    = 200
	freeRecords = 64 << 20
	recordBytes = 32 // counted for each record in addition to its fields

	// maxRecords is the most records of a file, with the pieces that are not one. What a watch measures in ten years is a few million.
	maxRecords = 10_000_000
)

type recordBudget struct {
	free, left int
	used       int  // by the records of the current file
	many, most int  // records and other pieces of the current file, and how many it may have
	bounded    bool // the current file is of a format whose records may repeat content
	named      bool // the names of fields count
	times      int  // how often the bytes of the current file may be repeated
}

// begin resets the budget for a file, minus what its tables with lesser names used.
func (b *recordBudget) begin(file sourceFile, of *fileStream) {
	// Lines and mail repeat nothing; the readers of packed files have other limits.
	b.bounded = !slices.Contains([]format{formatLines, formatMail, formatWorkbook, formatDocument}, of.format)
	size := int(file.size)
	b.times = maxRepeated
	if b.named = of.format == formatTable; b.named {
		b.times = maxNamed
	}
	for _, other := range of.dependsOn { // such as the log of a database, which may hold most of its data
		size += int(other.size)
	}
	b.left, b.used, b.many = b.free+b.times*size, 0, 0
	for part, used := range file.used {
		if part < file.Part {
			b.left -= used
		}
	}
}

// spend charges the budget for a record, and reports whether it was sufficient.
func (b *recordBudget) spend(one item.Item) bool {
	b.used += sizeOf(one)
	for index := 0; b.named && index < len(one.Fields); index++ {
		b.used += len(one.Fields[index].Name)
	}
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
		file.used[file.Part] = b.used
	}
}
