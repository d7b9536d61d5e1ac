package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A Skip is a piece of a file that was left out of a corpus, or, when Line is 0, a whole file or a part of its schema.
type Skip struct {
	File   string // path from the folder, with slashes
	Line   int    // where the piece begins, counted from 1
	Reason string
}

// String says where and why, on one line: a name, which may be of an archive from elsewhere, can have line breaks.
func (s Skip) String() string {
	if s.Line == 0 {
		return s.Name() + ": " + s.Reason
	}
	return fmt.Sprintf("%s:%d: %s", s.Name(), s.Line, s.Reason)
}

// Name is the file, on one line.
func (s Skip) Name() string { return strings.ReplaceAll(s.File, "\n", `\u000a`) }

// IsCopy reports that all of what was left out was read elsewhere.
func (s Skip) IsCopy() bool { return strings.HasPrefix(s.Reason, item.SameAs) }

// A Watch follows the reading of files. All of it may be nil.
type Watch struct {
	Kept    func(Skip)  // of each record that is kept without something
	Skipped func(Skip)  // of each piece that is left out; in streams whose fields are declared, when their records are read
	Found   func(n int) // of each thousand records found so far, before any is loaded
	Now     time.Time   // when the files are read, up to which and beyond events recur; zero: now
	Later   []string    // files that are still being written: what is known of them stays as it is
}

// stillWritten is why a new file waits.
const stillWritten = "still being written: it is read once it no longer changes"

// isLater reports a file that is still being written, or in an archive that is.
func (w Watch) isLater(name string) bool {
	return slices.ContainsFunc(w.Later, func(one string) bool { return name == one || strings.HasPrefix(name, one+"/") })
}

// kept says what a record is kept without, if it is.
func (w Watch) kept(file string, one item.Item) {
	if one.Note != "" {
		w.Kept(Skip{File: file, Line: one.Line, Reason: one.Note})
	}
}

// foundStep is after how many records a watch is called.
const foundStep = 1000

// A linesAround counts the lines around the table of a file.
type linesAround struct{ first, all, totals int } // first is the number of a line

func (l linesAround) with(one item.Item) linesAround {
	if l.all++; one.Place == item.TotalOfRows || one.Place == item.TotalBelow {
		l.totals++
	}
	l.first = cmp.Or(l.first, one.Line)
	return l
}

// note says in which stream the lines are.
func (l linesAround) note(stream string) item.Item {
	said := fmt.Sprintf("1 line %s is in %s", item.AroundTable, stream)
	if l.all > 1 {
		said = fmt.Sprintf("%d lines %s are in %s", l.all, item.AroundTable, stream)
	}
	if l.totals > 0 {
		said += fmt.Sprintf(", totals or balances among them: %d", l.totals)
	}
	return item.Item{Line: l.first, Note: said}
}
