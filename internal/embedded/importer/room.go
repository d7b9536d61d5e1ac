package importer

import (
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// How much the records of a file may say: so many times its size, of which a little is free for all files of a stream. What a file says
// once its records may say again: a title in each of a list, an event on each of its days, and in a database that somebody has forged one
// page in every row.
const (
	maxRepeated = 20
	freeRecords = 64 << 20
	recordBytes = 32 // that an empty record counts for
)

// A room is what the records of a stream may still say.
type room struct {
	free, left int
	used       int  // by the records of the file that is read
	bounded    bool // it is one that can say more than it holds
}

// enter makes room for a file: what its earlier tables said is taken.
func (r *room) enter(file sourceFile, of *fileStream) {
	switch of.format {
	case formatLines, formatTable, formatMail: // which say what there is
		r.bounded = false
	case formatWorkbook, formatDocument: // packed, with bounds of their own
		r.bounded = false
	default:
		r.bounded = true
	}
	size := int(file.size)
	for _, beside := range of.beside { // such as the log of a database, which may hold most of it
		size += int(beside.size)
	}
	r.left, r.used = r.free+maxRepeated*size, 0
	for part, used := range file.said {
		if part < file.part {
			r.left -= used
		}
	}
}

// take reports whether there is room for a record.
func (r *room) take(one item.Item) bool {
	size := recordBytes
	for _, field := range one.Fields {
		size += len(field.Value)
	}
	for _, more := range one.Attached {
		size += recordBytes
		for _, field := range more.Fields {
			size += len(field.Value)
		}
	}
	r.used += size
	return !r.bounded || r.used <= r.left
}

// leave goes on to the next file.
func (r *room) leave(file sourceFile) {
	r.free = min(r.free, max(r.left-r.used, 0))
	if file.said != nil {
		file.said[file.part] = r.used
	}
}

func tooMuch(file sourceFile) Skip {
	return Skip{File: file.name, Reason: fmt.Sprintf("what follows is left out: the records say more than %d times its size, "+
		"as it repeats what it says once", maxRepeated)}
}
